"""Stated tables meet data as rows; tables of the prior alone; counts by name; networks that add."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import bayou
from bayou.errors import BadGraph, BadPrior, BadQuestion, BayouWarning, NotFitted, UnknownVariable
from bayou.statistics import CountTable

TABLES = {
    "A": {"x": 0.25, "y": 0.75},
    "B": {"x": {"u": 0.5, "v": 0.5}, "y": {"u": 0.125, "v": 0.875}},
}
ROWS = {"A": ["x", "y", "y", "x", "x"], "B": ["u", "v", "v", "u", "v"]}


def stated() -> bayou.Network:
    return bayou.Network("A -> B", tables=TABLES)


def test_stated_tables_count_as_rows_drawn_from_the_network() -> None:
    net = stated().fit(ROWS, keep=16)
    # 16 · P(A): 4 and 12; 16 · P(A, B): 2, 2 and 1.5, 10.5.
    assert net.cpt("A")["x"] == pytest.approx(float(Fraction(4 + 3, 16 + 5)))
    assert net.cpt("B")["x", "u"] == pytest.approx((2 + 2) / (4 + 3))
    assert net.cpt("B")["y", "v"] == pytest.approx((10.5 + 2) / (12 + 2))


def test_the_more_they_count_the_closer_they_stay() -> None:
    for name in "AB":
        much, little = (stated().fit(ROWS, keep=rows).frozen.table(name) for rows in (1e9, 1e-9))
        np.testing.assert_allclose(much, stated().frozen.table(name), atol=1e-7)
        np.testing.assert_allclose(little, stated().fit(ROWS, prior=0).frozen.table(name), atol=1e-7)


def test_rows_that_the_network_itself_would_give_leave_it_as_it_is() -> None:
    drawn = {"A": ["x"] * 4 + ["y"] * 12, "B": ["u", "u", "v", "v"] + ["u"] * 1 + ["v"] * 11}
    again = bayou.Network("A -> B").fit(drawn, prior=0)
    both = again.copy().fit(drawn, keep=100)
    for name in "AB":
        np.testing.assert_allclose(both.frozen.table(name), again.frozen.table(name), atol=1e-12)


def test_learning_on_from_stated_tables(tmp_path: Path) -> None:
    whole = stated().fit(ROWS, keep=16)
    first, second = ({name: column[:2] for name, column in ROWS.items()}, {n: c[2:] for n, c in ROWS.items()})
    net = stated().partial_fit(first, keep=16)
    net.save(tmp_path / "half.bayou")
    loaded = bayou.load(tmp_path / "half.bayou")
    assert loaded.partial_fit(second).same_as(whole)
    assert net.partial_fit(second).same_as(whole)
    assert net.copy().partial_fit(first).forget(first).same_as(whole)
    with pytest.raises(NotFitted, match=r"given by hand.* net\.partial_fit\(data, keep=10\)"):
        stated().partial_fit(ROWS)
    with pytest.raises(BadQuestion, match="has learned from rows"):
        net.partial_fit(ROWS, keep=3)


def test_stated_tables_and_gaps() -> None:
    gaps = {"A": ["x", None, "y", "x", None], "B": ["u", "v", None, "u", "v"]}
    net = stated().fit(gaps, keep=8)
    assert net.learning.method == "em"
    assert net.learning.converged
    alone = stated().fit({"A": [None], "B": ["u"]}, keep=1e9)
    np.testing.assert_allclose(alone.frozen.table("B"), stated().frozen.table("B"), atol=1e-6)


def test_shared_stated_tables_count_once_for_each_user() -> None:
    tables = {"A": {0: 0.25, 1: 0.75}}
    net = bayou.Network("A, B", share={"p": ["A", "B"]}, states={"A": [0, 1], "B": [0, 1]}, tables=tables)
    net.fit({"A": [0, 0], "B": [0, 1]}, keep=4)
    assert net.cpt("A")[0] == pytest.approx((2 * 1 + 3) / (2 * 4 + 4))


def test_what_keep_refuses() -> None:
    with pytest.raises(BadQuestion, match=r"leave prior= out"):
        stated().fit(ROWS, keep=2, prior=1)
    with pytest.raises(BadQuestion, match="keep=0"):
        stated().fit(ROWS, keep=0)
    with pytest.raises(NotFitted, match="no tables yet"):
        bayou.Network("A -> B").fit(ROWS, keep=2)
    numbers = bayou.Network("z").fit({"z": [1.0, 2.0, 3.5]})
    with pytest.raises(BadQuestion, match="'z' have other distributions"):
        numbers.fit({"z": [1.0, 2.0, 3.5]}, keep=2)
    with pytest.raises(BadPrior, match=r"A network is not a prior.* keep=10"):
        bayou.Network("A -> B").fit(ROWS, prior=stated())


def test_the_prior_alone_before_any_row() -> None:
    states = {"A": ["x", "y"], "B": ["u", "v"]}
    prior = {"A": bayou.Dirichlet({"x": 3, "y": 1}), "B": bayou.BDeu(4)}
    net = bayou.Network("A -> B", states=states).fit(None, prior=prior)
    assert net.cpt("A")["x"] == 0.75
    assert net.statistics["A"].values.tolist() == [0, 0]
    assert net.partial_fit(ROWS).same_as(bayou.Network("A -> B", states=states).fit(ROWS, prior=prior))
    kept = stated().fit(None, keep=10)
    np.testing.assert_allclose(kept.frozen.table("B"), stated().frozen.table("B"))
    with pytest.raises(NotFitted, match="states must be known: declare those of 'A', 'B'"):
        bayou.Network("A -> B").fit(None)
    with pytest.raises(BadQuestion, match="'z' has no table"):
        bayou.Network("z", continuous=["z"]).fit(None)
    with pytest.warns(BayouWarning, match="never occur"):
        bayou.Network("A", states={"A": [0, 1]}).fit(None, prior=0)


def test_counts_by_name_are_those_of_the_family() -> None:
    net = bayou.Network("A -> B").fit(ROWS)
    assert net.statistics["B"] is net.statistics[CountTable(("A", "B"))]
    assert str(net.statistics["A"]).splitlines() == ["Counts of A", "A  count", "x  3", "y  2"]
    assert repr(net.statistics["B"]).splitlines()[1:] == ["A  u  v", "x  2  1", "y  0  2"]
    with pytest.raises(UnknownVariable, match="'C' in these statistics"):
        net.statistics["C"]
    gaps = bayou.Network("A -> B").fit({"A": ["x", None, "y"], "B": ["u", "v", "v"]})
    assert "0." in str(gaps.statistics["B"])


def test_networks_of_two_tables_add() -> None:
    more = {"A": ["z", "y"], "B": ["u", "u"]}
    one, other = bayou.Network("A -> B").fit(ROWS, prior=0.5), bayou.Network("A -> B").fit(more, prior=0.5)
    joined = {name: [*ROWS[name], *more[name]] for name in ROWS}
    assert (one + other).same_as(bayou.Network("A -> B").fit(joined, prior=0.5))
    assert one.same_as(bayou.Network("A -> B").fit(ROWS, prior=0.5))
    assert (one + other).forget(more).same_as(one)
    with pytest.raises(BadQuestion, match="different priors"):
        one + bayou.Network("A -> B").fit(more)
    with pytest.raises(BadGraph, match="same variables, arcs"):
        one + bayou.Network("B -> A").fit(more, prior=0.5)
    with pytest.raises(NotFitted, match="given by hand"):
        stated() + stated()
    with pytest.raises(TypeError):
        one + 1
