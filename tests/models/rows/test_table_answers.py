"""Methods for whole tables: types of tables, indexes, gaps of every type, numbers, refusals."""

from __future__ import annotations

import datetime
import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, BayouWarning, ImpossibleEvidence, UnknownState

SICK = "è malato?"


def clinic() -> bayou.Network:
    """Text, whole numbers and truth values; a state of probability 0, so that findings can conflict."""
    return bayou.Network(
        f"'{SICK}' -> grade; '{SICK}' -> Fever",
        states={SICK: ["no", "sì"], "grade": [1, 2, 3], "Fever": [False, True]},
        tables={
            SICK: [0.75, 0.25],
            "grade": [[0.7, 0.3, 0.0], [0.1, 0.2, 0.7]],
            "Fever": [[0.9, 0.1], [0.2, 0.8]],
        },
    )


def body() -> bayou.Network:
    """A mixed network: the class sets the mean of x, x that of y."""
    random = np.random.default_rng(3)
    group = random.integers(0, 2, 400)
    x = 4.0 * group + random.normal(size=400)
    y = 2 * x + random.normal(size=400)
    return bayou.Network("G -> x -> y").fit({"G": [["a", "b"][g] for g in group], "x": x, "y": y})


COLUMNS: dict[str, list[Any]] = {
    "id": [10, 11, 12, 13],
    SICK: ["sì", None, None, "no"],
    "grade": [None, 3, 1, None],
    "Fever": [True, None, False, None],
    "note, free": ["a", None, "", "d"],
}
FILLED: dict[str, list[Any]] = {
    "id": [10, 11, 12, 13],
    SICK: ["sì", "sì", "no", "no"],
    "grade": [3, 3, 1, 1],
    "Fever": [True, True, False, False],
    "note, free": ["a", None, "", "d"],
}


def pandas_nullable() -> pd.DataFrame:
    kinds = {"grade": "Int64", "Fever": "boolean"}
    return pd.DataFrame(COLUMNS, index=list("wxyz")).astype(kinds)


def test_posteriors_know_their_index_and_print_it() -> None:
    result = clinic().posterior(pandas_nullable(), "Fever")
    assert list(result.index) == list("wxyz")
    assert result.to_frame().index.tolist() == list("wxyz")
    assert result.rows == 4
    assert "w    0.2000" in str(result)
    assert "Fever=True" in result._repr_html_()
    predicted = clinic().predict(pandas_nullable(), "grade")
    assert predicted.name == "grade"
    assert predicted.index.tolist() == list("wxyz")
    assert predicted.dtype == "int64"
    logs = clinic().log_likelihood(pandas_nullable(), per_row=True)
    assert logs.index.tolist() == list("wxyz")


def test_states_that_look_alike_have_columns_of_their_own() -> None:
    net = bayou.Network(
        "n; N", states={"n": [1, "1", True], "N": [0, 1]}, tables={"n": [0.2, 0.3, 0.5], "N": [0.5, 0.5]}
    )
    frame = net.posterior(pd.DataFrame({"n": [None]}, dtype=object), ["n", "N"]).to_frame()
    assert frame.iloc[0].tolist() == [0.2, 0.3, 0.5, 0.5, 0.5]
    assert len(set(frame.columns)) == 5
    for table in (pd.DataFrame({"n": ["1", None]}, dtype=object), {"n": ["1", None]}):
        assert list(net.impute(table)["n"]) == ["1", True]
    assert net.predict(pl.DataFrame({"N": [1]}), "n").to_list() == [True]
    assert net.impute(pl.DataFrame({"n": ["1", None]}))["n"].to_list() == ["1", True]
    with pytest.raises(BadData, match="Arrow has no single type for all values of 'n'"):
        net.impute(pa.table({"n": pa.array(["1", None])}))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_no_rows_and_rows_without_any_finding(make: Any) -> None:
    net = clinic()
    empty = make({SICK: [], "grade": []})
    assert len(net.posterior(empty, SICK).to_frame()) == 0
    assert len(net.predict(empty, "Fever")) == 0
    assert len(net.impute(empty)) == len(empty)
    assert net.log_likelihood(empty) == 0.0
    nothing = make({SICK: [None, None], "grade": [None, None]})
    result = net.impute(nothing)
    assert list(result[SICK].to_pylist() if make is pa.table else result[SICK]) == ["no", "no"]
    assert list(result["grade"].to_pylist() if make is pa.table else result["grade"]) == [1, 1]
    assert net.log_likelihood(nothing) == 0.0


def test_impossible_rows_are_named_left_or_missing() -> None:
    net = clinic()
    rows = [{SICK: "no", "grade": 1}, {SICK: "no", "grade": 3, "Fever": None}, {SICK: "no", "Fever": None}]
    for method in ("marginal", "joint", "sample"):
        with pytest.raises(
            ImpossibleEvidence, match=r"Row 1 \(counting from 0\): .*grade=3.*impossible='leave'"
        ):
            net.impute(rows, method)
        left = net.impute(rows, method, impossible="leave", seed=1)
        assert left[1] == rows[1]
        assert left[2]["grade"] in (1, 2)
        assert left[0]["Fever"] in (True, False)
    assert net.predict(rows, "Fever").tolist() == [False, None, False]
    frame = pd.DataFrame({"grade": [3, 1], SICK: ["no", "no"]})
    assert net.predict(frame, "Fever").dtype == "boolean"
    with pytest.warns(BayouWarning, match=r"these rows \(counting from 0\) are impossible.*: 1\."):
        assert net.log_likelihood(rows) == -math.inf


def test_values_never_seen_stay_and_count_as_missing() -> None:
    net = clinic()
    table = {SICK: ["who knows", None, None], "grade": [1, 3, None], "Fever": [None, None, None]}
    for method in ("marginal", "joint", "sample"):
        with pytest.warns(BayouWarning, match="never seen count as missing: 1 in 'è malato.'"):
            result = net.impute(table, method, seed=0)
        assert result[SICK][0] == "who knows"
        assert result["grade"][:2] == [1, 3]
        assert None not in result["Fever"]
    with pytest.raises(UnknownState, match=r"'who knows' in row 0 \(counting from 0\) is not a state"):
        net.impute(table, unknown="error")
    with pytest.warns(BayouWarning, match="never seen"):
        assert net.log_likelihood(table) == pytest.approx(
            net.log_evidence({"grade": 1}) + net.log_evidence({"grade": 3})
        )
    learned = bayou.Network("R").fit({"R": [4, 5]})
    assert learned.log_likelihood({"R": [4, 9]}, unknown="smooth") == pytest.approx(
        math.log(0.5) + math.log(0.2)
    )


def test_continuous_gaps_get_means_modes_given_states_or_draws() -> None:
    net = body()
    rows = [
        {"G": None, "x": None, "y": 9.0},
        {"G": "a", "x": None, "y": None},
        {"G": None, "x": 4.5, "y": None},
    ]
    means = net.impute(rows)
    for row, filled in zip(rows, means, strict=True):
        found = {name: value for name, value in row.items() if value is not None}
        for name in ("x", "y"):
            if row[name] is None:
                assert filled[name] == pytest.approx(net.query(name, found).mean, rel=1e-9)
    best = net.impute(rows, "joint")
    assert [row["G"] for row in best] == ["b", "a", "b"]
    assert best[0]["x"] == pytest.approx(net.query("x", {"G": "b", "y": 9.0}).mean, rel=1e-9)
    assert net.predict(rows, "x").tolist() == pytest.approx(
        [net.query("x", {"y": 9.0}).mean, net.query("x", {"G": "a"}).mean, net.query("x").mean]
    )
    drawn = net.impute([{"G": None, "x": None, "y": 6.0}] * 400, "sample", seed=2)
    posterior = net.query("x", {"y": 6.0})
    xs = np.array([row["x"] for row in drawn])
    assert abs(xs.mean() - posterior.mean) < 5 * posterior.std / math.sqrt(400)
    assert xs.std() == pytest.approx(posterior.std, rel=0.2)
    assert np.mean([row["G"] == "b" for row in drawn]) == pytest.approx(
        net.query("G", {"y": 6.0})["b"], abs=0.1
    )


def test_means_widen_columns_of_whole_numbers() -> None:
    net = body()
    whole = pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "y": [2.0, 3.0]})
    assert net.impute(whole)["x"].dtype == "Float64"
    assert net.impute(pl.DataFrame({"x": [1, None], "y": [2.0, 3.0]}))["x"].dtype == pl.Float64
    assert net.impute(pa.table({"x": [1, None], "y": [2.0, 3.0]}))["x"].type == pa.float64()
    narrow = pd.DataFrame({"x": np.array([1, np.nan], dtype="float32"), "y": [2.0, 3.0]})
    assert net.impute(narrow)["x"].dtype == "float32"


def test_weights_are_an_array_or_a_column() -> None:
    net = clinic()
    table = {SICK: ["no", "sì"], "n": [3, 1]}
    expected = 3 * math.log(0.75) + math.log(0.25)
    assert net.log_likelihood(table, "n") == pytest.approx(expected)
    assert net.log_likelihood(table, [3, 1]) == pytest.approx(expected)
    assert net.log_likelihood({**table, "grade": [3, 3]}, [0, 1]) == pytest.approx(math.log(0.25 * 0.7))
    for wrong in ([1], [1, 2, 3]):
        with pytest.raises(BadData, match=rf"weights= has {len(wrong)} numbers?; the table has"):
            net.log_likelihood(table, wrong)
    with pytest.raises(BadQuestion, match="one number per row, or the name of a column"):
        net.log_likelihood(table, 2.5)
    with pytest.raises(BadData, match="no column for any of"):
        net.log_likelihood({"n": [1]}, "n")


def test_times_keep_their_types() -> None:
    days = [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]
    net = bayou.Network("day", states={"day": days}, tables={"day": [0.2, 0.8]})
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        table = make({"day": [days[0], None]})
        filled, predicted = net.impute(table), net.predict(table, "day")
        if make is pa.table:
            assert filled.schema.equals(table.schema)
            assert filled["day"].to_pylist() == days
            assert predicted.type == pa.timestamp("us")
        else:
            assert filled["day"].dtype == table["day"].dtype == predicted.dtype
            assert filled["day"].to_list() == days


@pytest.mark.parametrize("make", [pd.Series, pl.Series, lambda values: 5, lambda values: pa.array(values)])
def test_what_is_not_a_table_is_refused(make: Any) -> None:
    for ask in (clinic().impute, clinic().log_likelihood):
        with pytest.raises(BadData):
            ask(make(["no"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "best"}, "method='best': the methods are 'marginal', 'joint', 'sample'"),
        ({"impossible": "skip"}, "impossible='skip': the policies are 'error', 'leave'"),
        ({"seed": -1}, "seed=.*: give a whole number"),
        ({"seed": True}, "seed=.*: give a whole number"),
        ({"out": "x.csv"}, "out= is for files"),
    ],
)
def test_what_does_not_make_sense_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadQuestion, match=message):
        clinic().impute({SICK: [None]}, **arguments)


def test_draws_follow_the_joint_posterior() -> None:
    net = bayou.examples.storm()
    given_row = {"Storm": None, "Lightning": None, "Campfire": None, "Thunder": "yes", "ForestFire": "yes"}
    rows = net.impute([given_row] * 4000, "sample", seed=5)
    targets = ["Storm", "Lightning", "Campfire"]
    expected = net.query(targets, {"Thunder": "yes", "ForestFire": "yes"})
    for states in itertools.product(*(net.states(name) for name in targets)):
        share = np.mean([tuple(row[name] for name in targets) == states for row in rows])
        probability = expected[states]
        assert abs(share - probability) < 5 * math.sqrt(probability * (1 - probability) / 4000) + 1e-9
