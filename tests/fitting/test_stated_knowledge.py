"""Stated tables meet data as rows; tables of the prior alone; counts by name; networks that add."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import bayou
from bayou.errors import (
    BadGraph,
    BadPrior,
    BadQuestion,
    BadStatistics,
    BayouWarning,
    NotFitted,
    UnknownVariable,
)
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
    with pytest.raises(NotFitted, match=r"given by hand.* net\.partial_fit\(data, weight=10\)"):
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
    with pytest.raises(BadQuestion, match="weight=0"):
        stated().fit(ROWS, keep=0)
    with pytest.raises(NotFitted, match="no tables yet"):
        bayou.Network("A -> B").fit(ROWS, keep=2)
    counts = {"z": [1, 2, 3, 5]}
    poisson = bayou.Network("z", nodes={"z": bayou.features.PoissonFeature}).fit(counts)
    with pytest.raises(BadQuestion, match="'z' have other distributions"):
        poisson.fit(counts, keep=2)
    with pytest.raises(BadPrior, match=r"A network is not a prior.* weight=10"):
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


def numbers_stated() -> bayou.Network:
    """a → x → y with stated Gaussians."""
    net = bayou.Network("a -> x -> y; a -> y", states={"a": [0, 1]}, continuous=["x", "y"])
    net.set_cpt("a", [0.25, 0.75]).set_gaussian("x", {0: (1.0, 4.0), 1: (-2.0, 1.0)})
    line = {"coefficients": {"x": 0.5}, "mean": 3.0, "variance": 2.0}
    return net.set_gaussian("y", {0: line, 1: {**line, "coefficients": {"x": -1.0}}})


def rows_of_numbers() -> dict[str, np.ndarray]:
    random = np.random.default_rng(2)
    a = np.array([0, 1, 1, 0, 1, 1, 0, 1])
    x = random.normal(a, 1.0)
    return {"a": a, "x": x, "y": random.normal(x, 1.0)}


def test_stated_gaussians_count_as_rows_with_their_moments() -> None:
    """Eight rows that have exactly the stated moments, added to the data, give the same as keep=8."""
    data = rows_of_numbers()
    net = numbers_stated().fit(data, keep=8)
    a = np.repeat([0, 1], [2, 6])
    # Rows with mean 0 and variance 1 in each group, uncorrelated with the second set of such rows.
    first = np.array([-1.0, 1.0, *np.sqrt(1.5) * np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0])])
    second = np.array([0.0, 0.0, *np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])])
    x = np.where(a == 0, 1.0 + 2.0 * first, -2.0 + first)
    virtual = {"a": a, "x": x, "y": 3.0 + np.where(a == 0, 0.5, -1.0) * x + np.sqrt(2.0) * second}
    both = {name: np.concatenate([column, virtual[name]]) for name, column in data.items()}
    again = bayou.Network("a -> x -> y; a -> y", states={"a": [0, 1]}).fit(both, prior=0)
    np.testing.assert_allclose(net.frozen.table("a"), again.frozen.table("a"), rtol=1e-12)
    for name in "xy":
        ours, theirs = net.frozen.gaussian(name), again.frozen.gaussian(name)
        np.testing.assert_allclose(ours.intercept[1], theirs.intercept[1], rtol=1e-12)
        np.testing.assert_allclose(ours.coefficients[1], theirs.coefficients[1], rtol=1e-12)
        np.testing.assert_allclose(ours.variance[1], theirs.variance[1], rtol=1e-12)
    # Two rows cannot have a scatter about a line, so that group 0 is compared for x alone.
    np.testing.assert_allclose(net.frozen.gaussian("x").variance, again.frozen.gaussian("x").variance)


def test_stated_gaussians_learn_on_forget_save_and_add(tmp_path: Path) -> None:
    data = rows_of_numbers()
    first, second = ({n: c[:3] for n, c in data.items()}, {n: c[3:] for n, c in data.items()})
    whole = numbers_stated().fit(data, keep=8)
    half = numbers_stated().partial_fit(first, keep=8)
    half.save(tmp_path / "half.bayou")
    net = bayou.load(tmp_path / "half.bayou").partial_fit(second)
    other = numbers_stated().fit(second, keep=8)
    for found in (net, half + other):
        for name in "xy":
            ours, theirs = found.frozen.gaussian(name), whole.frozen.gaussian(name)
            np.testing.assert_allclose(ours.coefficients, theirs.coefficients, rtol=1e-9)
            np.testing.assert_allclose(ours.variance, theirs.variance, rtol=1e-9)
    alone = numbers_stated().fit(None, keep=3)
    for name in "xy":
        ours, theirs = alone.frozen.gaussian(name), numbers_stated().frozen.gaussian(name)
        np.testing.assert_allclose(ours.intercept, theirs.intercept, rtol=1e-12)
        np.testing.assert_allclose(ours.coefficients, theirs.coefficients, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(ours.variance, theirs.variance, rtol=1e-12)


def test_stated_gaussians_and_gaps() -> None:
    data = {name: column.astype(object) for name, column in rows_of_numbers().items()}
    data["x"][2] = data["y"][5] = data["a"][0] = None
    net = numbers_stated().fit(data, keep=6, tolerance=1e-9)
    assert net.learning.converged
    by_gradient = numbers_stated().fit(data, keep=6, method="gradient", tolerance=1e-9)
    np.testing.assert_allclose(
        net.frozen.gaussian("y").coefficients, by_gradient.frozen.gaussian("y").coefficients, atol=1e-4
    )
    much = numbers_stated().fit(data, keep=1e9)
    np.testing.assert_allclose(much.frozen.gaussian("y").intercept, [3.0, 3.0], atol=1e-6)


def test_virtual_rows_are_behind_intervals_too() -> None:
    net = numbers_stated().fit(rows_of_numbers(), keep=1000)
    wide = numbers_stated().fit(rows_of_numbers(), keep=10)
    ends = [n.query("x", {"a": 1}, interval=0.9).mean_interval for n in (net, wide)]
    widths = [float(one.upper - one.lower) for one in ends]
    assert widths[0] < widths[1] / 5
    assert ends[0].rows == {"x": 8}


def test_forgetting_every_row_leaves_what_was_stated() -> None:
    back = stated().fit(ROWS, keep=16).forget(ROWS)
    for name in "AB":
        np.testing.assert_allclose(back.frozen.table(name), stated().frozen.table(name), atol=1e-12)
    assert back.statistics.rows == 0
    assert back.partial_fit(ROWS).same_as(stated().fit(ROWS, keep=16))
    data = rows_of_numbers()
    numbers = numbers_stated().fit(data, keep=8).forget(data)
    np.testing.assert_allclose(numbers.frozen.gaussian("y").coefficients, [[0.5], [-1.0]], rtol=1e-9)
    with pytest.raises(BadStatistics):
        stated().fit(ROWS, keep=16).forget({"A": ["x"] * 5, "B": ["u"] * 5})
    with pytest.raises(BadStatistics, match=r"Cannot forget every row.*weight=10"):
        bayou.Network("A -> B").fit(ROWS).forget(ROWS)


def test_kept_tables_keep_their_states() -> None:
    net = bayou.Network("A").fit({"A": ["x", "y", "z", "z"]}, prior=0).fit({"A": ["x", "x"]}, keep=4)
    assert net.cpt("A")["z"] == pytest.approx(2 / 6)
    assert net.cpt("A")["x"] == pytest.approx(3 / 6)
    assert net.forget({"A": ["x"]}).cpt("A")["z"] == pytest.approx(2 / 5)


def test_expected_counts_are_not_added() -> None:
    gaps = {"A": ["x", None, "y"], "B": ["u", "v", "v"]}
    one, other = bayou.Network("A -> B").fit(gaps), bayou.Network("A -> B").fit(ROWS)
    for left, right in ((one, other), (other, one)):
        with pytest.raises(BadStatistics, match=r"by EM.*method='count'"):
            left + right
    counted = bayou.Network("A -> B").fit(gaps, method="count")
    assert (counted + other).statistics["A"].values.tolist() == [4, 3]
