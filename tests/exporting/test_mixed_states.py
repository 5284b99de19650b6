"""States of several types in SQL, where a column has one: they are written as texts."""

from __future__ import annotations

from typing import Any

import pytest

import bayou
from bayou.errors import BadQuestion
from tests.exporting.running import DATABASES, in_sql

STATES: list[list[Any]] = [["NULL", 1], [1, 2.5, "many"], [True, "yes"], [0, True]]


def learned(states: list[Any]) -> bayou.Network:
    """Two columns that depend on each other."""
    first = ["x", "x", "y"] * 10 + ["y"] * len(states)
    return bayou.Network("A -> B").fit({"A": first, "B": [states[0], states[-1], states[-1]] * 10 + states})


def shares(net: bayou.Network, name: str, known: dict[str, Any]) -> list[float]:
    found = net.query(name, given=known)
    return [found[state] for state in net.states(name)]


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("states", STATES, ids=str)
def test_the_target(states: list[Any], dialect: str) -> None:
    net = learned(states)
    query = net.export("B", ["A"], "sql", dialect=dialect, keep="id")
    expected = [shares(net, "B", {"A": a}) for a in ("x", "y")]
    found = in_sql(query, [{"A": "x"}, {"A": "y"}], dialect)
    assert found == [pytest.approx(row, abs=1e-12) for row in expected]


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("states", STATES[:2], ids=str)
def test_an_input(states: list[Any], dialect: str) -> None:
    """A column of a database that holds them all is one of texts (in SQLite it holds them as they are)."""
    net = learned(states)
    query = net.export("A", ["B"], "sql", dialect=dialect, keep="id")
    rows = [{"B": str(state)} for state in net.states("B")]
    expected = [shares(net, "A", {"B": state}) for state in net.states("B")]
    if dialect != "sqlite":
        assert in_sql(query, rows, dialect) == [pytest.approx(row, abs=1e-12) for row in expected]


@pytest.mark.parametrize("dialect", DATABASES[:2])
def test_a_classifier(dialect: str) -> None:
    data = {"a": ["x", "x", "y", "y"] * 10, "b": [1, "u", 2, "v"] * 10}
    model = bayou.NaiveBayes().fit(data, ["p", "p", "q", "q"] * 10)
    rows = [{"a": "x", "b": "1"}, {"a": "y", "b": "v"}, {"a": "y", "b": None}]
    given = {"a": ["x", "y", "y"], "b": [1, "v", None]}
    for query in (
        model.export("sql", dialect=dialect, keep="id"),
        model.to_sql("rows", dialect=dialect, keep="id"),
    ):
        found = in_sql(query, rows, dialect)
        assert found == [pytest.approx(row, abs=1e-12) for row in model.predict_proba(given).tolist()]


def test_states_of_one_text_are_refused() -> None:
    with pytest.raises(BadQuestion, match=r"'B' has the states 1 and '1'.*Rename one of them"):
        learned([1, "1"]).export("B", ["A"], "sql", dialect="duckdb")
