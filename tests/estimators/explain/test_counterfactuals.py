"""The smallest change that turns a decision, against brute force."""

from __future__ import annotations

import datetime
import warnings
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayou
from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes
from bayou.examples import play_tennis

DAY = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def brute_force(model: Any, row: dict[str, Any], states: dict[str, list[Any]], to: Any) -> int | None:
    """The size of the smallest set of changes, all sets tried."""
    before = model.predict([row])[0]
    present = [name for name in row if row[name] is not None]
    for size in range(1, len(present) + 1):
        for names in combinations(present, size):
            for values in product(*(states[name] for name in names)):
                changed = {**row, **dict(zip(names, values, strict=True))}
                joint = model._model.joint_log(model._read([changed]))[0]
                after = model.classes_[joint.argmax()]
                if np.isfinite(joint.max()) and (after != before if to is None else after == to):
                    return size
    return None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 0.2, 1]), st.sampled_from([2, 3]))
def test_no_smaller_set_of_changes_turns_the_decision(seed: int, prior: float, classes: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, 30)
    labels[:classes] = range(classes)
    table = {f"f{k}": ((labels + rng.integers(0, 3, 30)) % (2 + k % 2)).tolist() for k in range(4)}
    model = NaiveBayes("table", prior=prior).fit(table, labels)
    row = {name: column[7] for name, column in table.items()}
    if seed % 3 == 0:
        row["f1"] = None
    states = {name: sorted(set(column)) for name, column in table.items()}
    for to in (None, (model.predict([row])[0] + 1) % classes):
        flip = model.smallest_change(row, to)
        best = brute_force(model, row, states, to)
        if flip is None:
            assert best is None or (to is not None and classes > 2 and best > 3)
            continue
        assert len(flip.changes) == best
        assert flip.exact
        changed = {**row, **{change.name: change.new for change in flip.changes}}
        assert model.predict([changed])[0] == flip.after != flip.before
        assert to is None or flip.after == to


def test_the_ledger_knows_the_change_too() -> None:
    model = NaiveBayes().fit(play_tennis(), "PlayTennis")
    flip = model.explain(DAY).flip
    assert flip == model.smallest_change(DAY)
    assert flip is not None
    assert str(flip.changes[0]) == "Outlook: Sunny → Overcast"
    assert [change.name for change in flip.alone] == ["Outlook", "Humidity"]
    assert "Or one of these alone:\n  Humidity: High → Normal" in str(flip)
    assert flip.to_dict()["after"] == "Yes"
    assert model.smallest_change(DAY, "No") is None


def test_a_number_moves_to_the_nearest_value_that_turns_the_decision() -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (200, 1)), rng.normal(4, 1, (200, 1))])
    model = NaiveBayes("gaussian").fit(X, np.repeat(["low", "high"], 200))
    flip = model.smallest_change([0.3])
    assert flip is not None
    value = flip.changes[0].new
    assert isinstance(value, float)
    assert 1.5 < value < 2.5
    assert model.predict([[value]])[0] == "high"
    assert model.predict([[value - 1e-6]])[0] == "low"


def test_counts_of_events_stay_whole_numbers() -> None:
    model = NaiveBayes("poisson").fit({"events": [0, 1, 0, 2, 7, 9, 8, 6]}, [0] * 4 + [1] * 4)
    flip = model.smallest_change({"events": 1})
    assert flip is not None
    assert isinstance(flip.changes[0].new, int)
    assert model.predict([{"events": flip.changes[0].new}])[0] == 1


def test_what_no_change_can_turn_is_said_by_none() -> None:
    model = NaiveBayes("table", class_prior={"a": 0.999999, "b": 0.000001}).fit(
        {"x": [0, 1, 0, 1]}, list("aabb")
    )
    assert model.smallest_change({"x": 0}) is None
    assert NaiveBayes().fit({"x": [1, 2]}, ["a", "a"]).smallest_change({"x": 1}) is None


def test_a_value_that_was_never_seen_can_be_changed_without_a_warning() -> None:
    model = NaiveBayes().fit(play_tennis(), "PlayTennis")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flip = model.smallest_change({**DAY, "Outlook": "Snow", "Wind": None}, to="No")
    assert flip is not None
    assert flip.after == "No"
    with pytest.raises(ValueError, match="Maybe"):
        model.smallest_change(DAY, to="Maybe")


@pytest.mark.parametrize("kind", ["kernel", "gaussian"])
def test_a_number_on_the_very_boundary_is_not_called_a_change_of_the_decision(kind: str) -> None:
    rows = {"länge in m": [1.0, 2, 3, 4, 5, 9, 8, 10, 11, 12] * 3}
    model = NaiveBayes(kind).fit(rows, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 3)
    for value in np.linspace(1.0, 12.0, 23):
        flip = model.smallest_change({"länge in m": value})
        assert flip is not None
        before = model.predict({"länge in m": [value]})[0]
        assert model.predict({"länge in m": [flip.changes[0].new]})[0] == flip.after != before


def test_a_count_moves_to_the_nearest_number_that_is_enough() -> None:
    rng = np.random.default_rng(1)
    labels = np.repeat(["few", "many"], 100)
    visits = np.where(labels == "few", rng.poisson(1, 200), rng.poisson(6, 200))
    for kind in ("poisson", "discretised", "table"):
        model = NaiveBayes(kind, evidence_weight=1).fit({"visits": visits.tolist()}, labels)
        flip = model.smallest_change({"visits": 0})
        others = [n for n in range(1, 9) if kind != "table" or n in visits]
        first = next(n for n in others if model.predict({"visits": [n]})[0] == "many")
        assert flip is not None
        assert flip.exact
        if kind == "discretised":  # any number: the first after the cut
            assert first - 1 < float(str(flip.changes[0].new)) <= first
        else:
            assert flip.changes[0].new == first


def test_several_numbers_move_only_as_far_as_they_must() -> None:
    rng = np.random.default_rng(2)
    labels = np.repeat([0, 1], 200)
    table = {f"x{k}": (labels * 1.0 + rng.normal(size=400)).tolist() for k in range(6)}
    model = NaiveBayes("gaussian", evidence_weight=1).fit(table, labels)
    row = dict.fromkeys(table, -2.0)
    flip = model.smallest_change(row)
    assert flip is not None
    assert flip.exact  # the best value of a Gaussian is known, not only on a grid
    assert len(flip.changes) > 1
    changed = {**row, **{change.name: change.new for change in flip.changes}}
    assert model.predict([changed])[0] == 1
    assert 0 < flip.log_odds < 1e-3  # no number moved further than the decision needs
    # As few as possible: with one change less, the best values of the best findings do not suffice.
    grids = {}
    for name, column in table.items():  # three standard deviations around the means of both classes
        ends = [np.mean(part) + k * np.std(part) for part in np.split(np.array(column), 2) for k in (-3, 3)]
        grids[name] = np.linspace(min(ends), max(ends), 1501)
    gains = []
    for name, grid in grids.items():
        joint = model.predict_joint_log_proba([{**row, name: float(value)} for value in grid])
        now = model.predict_joint_log_proba([row])[0]
        gains.append((joint[:, 1] - joint[:, 0]).max() - (now[1] - now[0]))
    now = model.predict_joint_log_proba([row])[0]
    best = np.sort(gains)[::-1].cumsum() + (now[1] - now[0])
    assert best[len(flip.changes) - 2] <= 0 < best[len(flip.changes) - 1]


def test_points_of_a_grid_are_not_called_exact() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 200)
    table = {f"x{k}": (labels * 1.0 + rng.normal(size=400)).tolist() for k in range(6)}
    model = NaiveBayes("kernel", evidence_weight=1).fit(table, labels)
    flip = model.smallest_change(dict.fromkeys(table, -2.0))
    assert flip is not None
    assert len(flip.changes) > 1
    assert not flip.exact
    assert "there may be a smaller set" in str(flip)


START = datetime.date(2024, 1, 1)
DAYS = np.concatenate([np.arange(0, 120, 3), np.arange(200, 320, 3)])
SEASONS = ["early"] * 40 + ["late"] * 40


def nearest_day(model: Any, day: datetime.date) -> int:
    """How far the nearest date with another class is, all dates tried."""
    before = model.predict({"day": [day]})[0]
    for days in range(1, 400):
        both = [day + datetime.timedelta(days=sign * days) for sign in (1, -1)]
        if any(after != before for after in model.predict({"day": both})):
            return days
    raise AssertionError("no date has another class")


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(),
        NaiveBayes("gaussian"),
        NaiveBayes("kernel"),
        NaiveBayes("discretised"),
        bayou.TAN(),
        bayou.AODE(),
        bayou.GaussianBayes("full"),
    ],
    ids=lambda model: str(model)[:30],
)
def test_a_date_moves_to_the_nearest_date_that_turns_the_decision(model: Any) -> None:
    dates = [START + datetime.timedelta(days=int(day)) for day in DAYS]
    model.fit({"day": [date.isoformat() for date in dates]}, SEASONS)
    for date in (datetime.date(2024, 3, 1), datetime.date(2024, 9, 30)):
        flip = model.smallest_change({"day": date})
        assert flip is not None
        (change,) = flip.changes
        assert type(change.new) is datetime.date
        assert model.predict({"day": [change.new]})[0] == flip.after != flip.before
        assert abs((change.new - date).days) == nearest_day(model, date)
        assert str(change) == f"day: {date} → {change.new}"
        spelled = model.smallest_change({"day": date.isoformat()})
        assert [(one.old, one.new) for one in spelled.changes] == [(str(date), str(change.new))]
        assert str(change.new) in str(model.explain({"day": date}).flip)


def test_times_and_money_are_changed_as_they_are_written() -> None:
    times = [datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=7 * int(day)) for day in DAYS]
    model = NaiveBayes("gaussian").fit({"at": times, "price": [f"${1000 + day:,}" for day in DAYS]}, SEASONS)
    given = datetime.datetime(2024, 1, 20, 12)
    flip = model.smallest_change({"at": given, "price": None})
    assert flip is not None
    assert type(flip.changes[0].new) is datetime.datetime
    assert flip.changes[0].new > given
    text = model.smallest_change({"at": "2024-01-20T12:00", "price": None})
    assert text is not None
    assert text.changes[0].new == flip.changes[0].new.isoformat()
    money = model.smallest_change({"at": None, "price": "$1,050"})
    assert money is not None
    assert money.changes[0].old == "$1,050"
    assert model.predict({"at": [None], "price": [money.changes[0].new]})[0] == "late"
