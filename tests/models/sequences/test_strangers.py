"""What people hand over at first: forgotten keys, floats with gaps, tensors, texts, numbers out of range."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayou
from bayou.errors import (
    BadData,
    BadQuestion,
    BayouWarning,
    ImpossibleEvidence,
    NotFitted,
    UnknownVariable,
)

CHANCE = np.random.default_rng(1)
X = np.r_[CHANCE.normal(size=20), CHANCE.normal(6, 1, 20)]
ROWS = len(X)
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=k) for k in range(ROWS)]


class Tensor:
    """Something that only says how it becomes an array, as tensors do."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._values


@pytest.mark.parametrize(
    "days", [DAYS, pd.to_datetime(pd.Series(DAYS)), [day.isoformat() for day in DAYS], pl.Series(DAYS)]
)
def test_a_forgotten_column_of_dates_is_refused_with_the_argument(days: Any) -> None:
    frame = {"when": days, "x": X}
    with pytest.raises(BadData, match=r"'when' has dates \(2024-01-01, …\).*time='when'.*columns="):
        bayou.HMM(2).fit(frame)
    assert bayou.HMM(2).fit(frame, time="when").chain.columns == ("x",)
    assert bayou.HMM(2).fit(frame, columns=["x"]).chain.columns == ("x",)
    with pytest.raises(UnknownVariable, match="'y'"):
        bayou.HMM(2).fit(frame, columns=["y"])
    with pytest.raises(BadData, match=r"time='when'.*ignore=\['when'\]"):
        bayou.learn_dynamic_structure({"when": days, "a": ["u", "v"] * (ROWS // 2)})


@pytest.mark.parametrize(
    ("name", "values", "why", "argument"),
    [
        ("t", list(range(ROWS)), "counts from 0 to 39 in steps of 1", "time"),
        ("t", [k / 10 for k in range(ROWS)], "counts from 0 to 3.9 in steps of 0.1", "time"),
        ("Unnamed: 0", list(range(1, ROWS + 1)), "counts from 1 to 40", "time"),
        ("n", [*range(20), *range(20)], "counts from 0 again and again", "time"),
        ("time", np.cumsum(CHANCE.uniform(0.5, 1.5, ROWS)), "rises from row to row", "time"),
        ("id", ["a"] * 20 + ["b"] * 20, "has 2 different values, and its name is that of a key", "sequence"),
        ("patient_id", [7, 8] * 20, "its name is that of a key", "sequence"),
        ("shopId", ["r", "s"] * 20, "its name is that of a key", "sequence"),
        ("note", [f"n{k * 7 % ROWS}" for k in range(ROWS)], "has another value in every row", "sequence"),
    ],
)
def test_a_column_that_looks_like_a_key_is_told(name: str, values: Any, why: str, argument: str) -> None:
    frame = {name: values, "x": X}
    with pytest.warns(BayouWarning, match=f"{re.escape(why)}.*{argument}='{name}'") as given:
        bayou.HMM(2).fit(frame, max_iterations=1, method="baum-welch")
    assert len(given) >= 1
    bayou.HMM(2).fit({name: values, "x": X}, columns=["x"], tolerance=0.1)


def test_ordinary_columns_are_not_told() -> None:
    frame = {
        "day": ["Mon", "Tue", "Wed", "Thu"] * 10,
        "roll": CHANCE.integers(1, 7, ROWS),
        "level": np.cumsum(CHANCE.normal(size=ROWS)),
        "hour": [k % 24 for k in range(0, 7 * ROWS, 7)],
        "on": [True, False] * 20,
        "idle": ["a", "b"] * 20,
    }
    bayou.HMM(2).fit(frame, tolerance=0.1)
    bayou.HMM(2).fit(np.arange(40.0), tolerance=0.1)  # arrays have no names


@pytest.mark.usefixtures("few_starts")
def test_floats_are_measurements_with_gaps_and_without(tmp_path: Any) -> None:
    whole = np.round(X)
    gapped = np.where(np.arange(ROWS) == 3, np.nan, whole)
    path = tmp_path / "x.csv"
    pd.DataFrame({"x": gapped}).to_csv(path, index=False)
    assert bayou.HMM(2).fit({"x": whole}, tolerance=0.9).chain.gaussians == ("x",)
    for data in ({"x": gapped}, pd.DataFrame({"x": gapped}), pl.DataFrame({"x": gapped}), path):
        with pytest.warns(BayouWarning, match=r"'x' has floats.*emissions={'x': \"table\"}"):
            assert bayou.HMM(2).fit(data, tolerance=0.9).chain.gaussians == ("x",)
    with bayou.limits(memory=100), pytest.warns(BayouWarning, match="'x' has floats"):
        assert bayou.HMM(2).fit(path, tolerance=0.9).chain.gaussians == ("x",)
    for data in (whole, gapped):
        symbols = bayou.HMM(2, {"x": "table"}).fit({"x": data}, tolerance=0.9)
        assert all(isinstance(one, int) for one in symbols.chain.structure.declared["x"].states)
    integers = [None if np.isnan(one) else int(one) for one in gapped]
    assert bayou.HMM(2).fit({"x": integers}, tolerance=0.9).chain.gaussians == ()
    with pytest.raises(BadQuestion, match="real numbers, not symbols"):
        bayou.HMM(2, {"x": "table"}).fit({"x": X})


def test_series_and_tensors_are_sequences() -> None:
    casino = bayou.examples.casino()
    rolls = [1, 6, 6, 6]
    expected = list(casino.decode(rolls))
    for data in (pd.Series(rolls, name="sales"), pl.Series("n", rolls), Tensor(rolls), pd.Index(rolls)):
        assert list(casino.decode(data)) == expected
        assert [list(one) for one in casino.decode([data, data])] == [expected, expected]
    assert bayou.HMM(2).fit(pd.Series(X, name="load"), tolerance=0.1).chain.columns == ("load",)
    world = bayou.examples.umbrella_world()
    seen = pd.Series(["yes", "yes", "no"], name="Umbrella")
    assert world.log_likelihood(seen) == world.log_likelihood({"Umbrella": ["yes", "yes", "no"]})
    level = bayou.KalmanModel.local_level()
    assert level.score(Tensor(X)) == level.score(X) == level.score(pd.Series(X, name="z"))


def test_a_text_is_no_sequence() -> None:
    casino = bayou.examples.casino()
    for ask in (casino.decode, casino.fit, bayou.KalmanModel.local_level().filter):
        with pytest.raises(BadData, match=r"'yes' is a text, not a sequence.*\['yes'\] is one"):
            ask("yes")
    with pytest.raises(bayou.errors.BadFile, match="no such file"):
        casino.decode("rolls.csv")


def test_numbers_out_of_range_are_named() -> None:
    wild = X.copy()
    wild[7] = 1e160
    with pytest.raises(BadData, match=r"Column 'x' is 1e\+160 in row 7"):
        bayou.HMM(2).fit({"x": wild})
    model = bayou.HMM(2).fit({"x": X}, tolerance=0.1)
    for data in ({"x": wild}, wild, [X, wild]):
        with pytest.raises(ImpossibleEvidence, match=r"row (7|47)\D"):
            model.smooth(data)
    level = bayou.KalmanModel.local_level()
    for ask in (level.filter, level.fit, level.score):
        with pytest.raises(BadData, match=r"Column 'y' is .*e\+20[01] in row 0.*another unit"):
            ask(X * 1e200 + 1e201)
    with pytest.raises(BadData, match=r"Column 'y' varies by .*e-150 only.*1e\+149 times"):
        level.fit(X * 1e-150)
    with pytest.raises(BadData, match="infinite in row 7"):
        level.fit(np.where(wild > 1e100, np.inf, wild))


def test_series_of_small_and_large_units_are_learned_alike() -> None:
    walk = bayou.KalmanModel.local_level(1.0, 1.0, start_variance=1).sample(300, seed=1)["y"]
    one = bayou.KalmanModel.local_level().fit(walk)
    for unit in (1e-25, 1e20, 1e100):
        other = bayou.KalmanModel.local_level().fit(np.array(walk) * unit)
        for part in ("transition_noise", "observation_noise"):
            ratio = np.sqrt(getattr(other, part).item()) / unit / np.sqrt(getattr(one, part).item())
            assert ratio == pytest.approx(1, rel=0.05)


def test_counts_of_events_are_whole_and_not_negative() -> None:
    for wrong in (2.5, -3):
        with pytest.raises(BadData, match=rf"Column 'calls' has {wrong} in row 2.*no count of events"):
            bayou.HMM(2, {"calls": "poisson"}).fit({"calls": [1, 2, wrong, 4]})
    model = bayou.HMM(2, {"calls": "poisson"}).fit({"calls": [1, 0, 7, 9, None, 8]})
    for data in ([1, 2.5], {"calls": [1, 2.5]}, np.array([1.0, 2.5])):
        with pytest.raises(BadData, match=r"'calls' has 2.5 in row 1"):
            model.decode(data)


def test_a_model_of_one_series_takes_the_only_column_of_numbers() -> None:
    frame = pd.DataFrame({"day": DAYS, "shop": ["a"] * ROWS, "sales": X})
    how = {"time": "day", "sequence": "shop"}
    plain = bayou.KalmanModel.local_level()
    assert plain.score(frame, **how) == plain.score(X)
    assert plain.columns == ("y",)
    learned = bayou.KalmanModel.local_trend().fit(frame, tolerance=0.5, **how)
    assert learned.columns == ("sales",)
    assert list(learned.forecast(frame, **how)[0].to_columns())[:3] == ["step", "day", "mean(sales)"]
    assert bayou.KalmanModel.local_level().fit({"level": X}, tolerance=0.5).columns == ("y",)
    with pytest.raises(BadData, match=r"'y', which the data lack.*'a', 'b'.*column='a' \(columns="):
        bayou.KalmanModel.local_level().fit({"a": X, "b": X})
    with pytest.raises(BadData, match="no column of numbers"):
        bayou.KalmanModel.local_level().filter({"a": ["u", "v"]})
    assert bayou.KalmanModel.local_level().fit({"a": X, "y": X}, tolerance=0.5).columns == ("y",)


def test_parameters_before_the_columns_are_known() -> None:
    with pytest.raises(NotFitted, match=r"columns of this model.*HMM\(states, {'x': \"gaussian\"}\)"):
        bayou.HMM(2).set_start([0.5, 0.5])
    net = bayou.DynamicNetwork("Rain -> Rain'")
    for ask in (lambda: net.filter({"Rain": ["a"]}), lambda: net.cpt("Rain")):
        with pytest.raises(NotFitted, match=r"states of 'Rain' are not known yet.*fit\(data\)"):
            ask()
    net = bayou.DynamicNetwork("Rain -> Rain'", states={"Rain": ["no", "yes"]})
    for ask in (lambda: net.filter({"Rain": ["no"]}), lambda: net.cpt("Rain"), lambda: net.sample(2)):
        with pytest.raises(NotFitted, match=r"No table yet for 'Rain'.*set_cpt\('Rain', …\)") as told:
            ask()
        assert "net." not in str(told.value)


def test_one_name_for_the_best_path() -> None:
    casino, world = bayou.examples.casino(), bayou.examples.umbrella_world()
    assert casino.most_probable([6, 6, 1]) == casino.decode([6, 6, 1])
    seen = {"Umbrella": ["yes", "no"]}
    assert dict(world.decode(seen)) == dict(world.most_probable(seen))
    level = bayou.KalmanModel.local_level()
    np.testing.assert_array_equal(level.decode(X).means, level.smooth(X).means)


def test_numbers_of_a_structure_are_refused_with_ranges_that_work() -> None:
    table = {"x": X, "z": X[::-1], "a": ["u", "v"] * (ROWS // 2)}
    with pytest.raises(
        BadData, match=r"'x', 'z': arcs are learned.*bayou\.Cuts.*ignore=\['x', 'z'\]"
    ) as told:
        bayou.learn_dynamic_structure(table)
    ends = re.search(r"Cuts\(([^)]*)\)", str(told.value))
    assert ends is not None
    cuts = bayou.Cuts(*map(float, ends[1].split(",")))
    found = bayou.learn_dynamic_structure(table, states={"x": cuts, "z": cuts}, prior=1)
    assert set(found.names) == {"x", "z", "a"}
    assert bayou.learn_dynamic_structure(table, ignore=["x", "z"]).names == ("a",)


def test_steps_of_forecasts_count_from_one_and_times_go_on() -> None:
    casino, world = bayou.examples.casino(), bayou.examples.umbrella_world()
    level = bayou.KalmanModel.local_level()
    rain = bayou.DynamicNetwork("x -> x'", continuous=["x"], tables={
        "x": (0, 1), "x'": {"mean": 0, "coefficients": {"x": 0.9}, "variance": 1},
    })  # fmt: skip
    models = ((casino, "roll", [6, 1, 6]), (world, "Umbrella", ["yes", "no", "yes"]))
    models += ((level, "y", [1.0, 2.0, 1.5]), (rain, "x", [1.0, 2.0, 1.5]))  # type: ignore[assignment]
    cases: list[tuple[list[Any], list[Any] | None]] = [
        ([1, 2, 3], [4, 5]),
        ([0, 10, 20], [30, 40]),
        ([0.0, 0.5, 1.0], [1.5, 2.0]),
        ([1, 2, 4], None),
        (["early", "fine", "late"], None),
        ([dt.date(2024, 1, day) for day in (1, 8, 15)], [dt.date(2024, 1, 22), dt.date(2024, 1, 29)]),
        ([dt.date(2024, m, 1) for m in (10, 11, 12)], [dt.date(2025, 1, 1), dt.date(2025, 2, 1)]),
        ([dt.datetime(2024, 1, 1, h) for h in (21, 22, 23)], [dt.datetime(2024, 1, 2, h) for h in (0, 1)]),
    ]
    for model, name, values in models:
        plain = model.forecast({name: values}, 2)
        assert plain.to_columns()["step"] == [1, 2]
        assert str(plain).splitlines()[1].split()[0] == "step"
        for times, ahead in cases:
            found = model.forecast({"when": times, name: values}, 2, time="when")
            assert found.times == ahead
            columns = found.to_columns()
            assert columns["step"] == [1, 2]
            assert columns.get("when") == ahead
            assert "datetime" not in str(found)
        two = {"id": ["a", "b", "a"], "t": [1, 7, 2], name: values}
        both = model.forecast(two, 2, sequence="id", time="t")
        assert [one.times for one in both] == [[3, 4], None]
        holes = model.forecast({"t": [1, 2, 4], name: values}, 2, time="t", gaps="missing")
        assert holes.times == [5, 6]


def test_printed_times_are_short() -> None:
    casino = bayou.examples.casino()
    rows = casino.decode_rows(pd.DataFrame({"day": pd.to_datetime(DAYS[:2]), "roll": [6, 6]}), time="day")
    assert str(rows).splitlines()[1].split()[:2] == ["2024-01-01", "loaded"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(BadData) as told:
            casino.decode({"day": [DAYS[0], DAYS[0]], "roll": [1, 2]}, time="day")
    assert "2024-01-01" in str(told.value)
    assert "datetime" not in str(told.value)
