"""Another network as the prior, worth so many rows: Dirichlet arithmetic by hand; and subtracted networks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.fitting.test_stated_knowledge import ROWS, TABLES, stated

import bayou
from bayou.errors import BadGraph, BadPrior, BadQuestion, BadStatistics


def test_a_network_as_the_prior_is_worth_its_weight_in_rows() -> None:
    net = bayou.Network("A -> B").fit(ROWS, prior=stated(), weight=50)
    # 50 · P(A = x) = 12.5, and three of the five rows have x; 50 · P(x, u) = 6.25, and two rows have both.
    assert net.cpt("A")["x"] == pytest.approx(float((Fraction(25, 2) + 3) / (50 + 5)), rel=1e-14)
    assert net.cpt("B")["x", "u"] == pytest.approx(
        float((Fraction(25, 4) + 2) / (Fraction(25, 2) + 3)), rel=1e-14
    )
    assert net.same_as(stated().fit(ROWS, weight=50))
    assert stated().same_as(bayou.Network("A -> B", tables=TABLES))


def test_other_arcs_take_the_joint_probabilities() -> None:
    net = bayou.Network("B -> A").fit(ROWS, prior=stated(), weight=16)
    # 16 · P(B = u) = 16 · (0.25 · 0.5 + 0.75 · 0.125) = 3.5; 16 · P(u, x) = 2.
    assert net.cpt("B")["u"] == pytest.approx((3.5 + 2) / (16 + 5), rel=1e-14)
    assert net.cpt("A")["u", "x"] == pytest.approx((2 + 2) / (3.5 + 2), rel=1e-14)


def test_learning_on_with_a_network_as_the_prior() -> None:
    first, second = ({n: c[:2] for n, c in ROWS.items()}, {n: c[2:] for n, c in ROWS.items()})
    net = bayou.Network("A -> B").partial_fit(first, prior=stated(), weight=50).partial_fit(second)
    assert net.same_as(bayou.Network("A -> B").fit(ROWS, prior=stated(), weight=50))
    assert stated().partial_fit(first, weight=50).partial_fit(second).same_as(net)


def test_gaussians_of_another_network() -> None:
    known = bayou.Network("x", continuous=["x"]).set_gaussian("x", (2.0, 4.0))
    net = bayou.Network("x", continuous=["x"]).fit({"x": [5.0, 7.0]}, prior=known, weight=6)
    # Six rows of mean 2 and variance 4, and two of mean 6 and variance 1.
    mean = (6 * 2 + 2 * 6) / 8
    variance = (6 * 4 + 2 * 1 + 6 * (2 - mean) ** 2 + 2 * (6 - mean) ** 2) / 8
    found = net.query("x")
    assert found.mean == pytest.approx(mean, rel=1e-12)
    assert found.variance == pytest.approx(variance, rel=1e-12)


def test_what_a_network_as_the_prior_refuses() -> None:
    net = bayou.Network("A -> B")
    with pytest.raises(BadPrior, match="has no tables yet"):
        net.fit(ROWS, prior=bayou.Network("A -> B"), weight=3)
    with pytest.raises(BadPrior, match="lacks 'B'"):
        net.fit(ROWS, prior=bayou.Network("A", tables={"A": TABLES["A"]}), weight=3)
    with pytest.raises(BadPrior, match="'A' has other states"):
        bayou.Network("A -> B", states={"A": ["x", "z"]}).fit(ROWS, prior=stated(), weight=3)
    numbers = bayou.Network("x -> y", continuous=["x", "y"]).fit({"x": [1.0, 2.0, 4.0], "y": [0.5, 1.0, 3.0]})
    with pytest.raises(BadPrior, match=r"other arcs.*'y', 'x' are Gaussians|'x', 'y' are Gaussians"):
        bayou.Network("y -> x", continuous=["x", "y"]).fit(
            {"x": [1.0, 2.0], "y": [0.5, 1.0]}, prior=numbers, weight=3
        )
    with pytest.raises(BadQuestion, match="say the same"):
        stated().fit(ROWS, weight=3, keep=3)


def test_networks_subtract() -> None:
    more = {"A": ["z", "y"], "B": ["u", "u"]}
    joined = {name: [*ROWS[name], *more[name]] for name in ROWS}
    part = bayou.Network("A -> B").fit(more)
    rest = bayou.Network("A -> B").fit(joined) - part
    assert rest.same_as(bayou.Network("A -> B").fit(ROWS))
    with pytest.raises(BadStatistics, match=r"more than was counted|Cannot forget"):
        bayou.Network("A -> B").fit(ROWS) - part
    with pytest.raises(BadQuestion, match="different priors"):
        bayou.Network("A -> B").fit(joined, prior=0.5) - part
    with pytest.raises(BadGraph, match="added or subtracted"):
        bayou.Network("B -> A").fit(joined) - part
    gaps = bayou.Network("A -> B").fit({"A": ["x", None, "y"], "B": ["u", "v", "v"]})
    with pytest.raises(BadStatistics, match="EM"):
        bayou.Network("A -> B").fit(joined) - gaps


def test_moments_subtract_to_ten_digits() -> None:
    random = np.random.default_rng(5)
    a, x = random.integers(0, 2, 300), random.normal(50.0, 3.0, 300)
    whole = bayou.Network("a -> x").fit({"a": a, "x": x})
    rest = whole - bayou.Network("a -> x").fit({"a": a[:100], "x": x[:100]})
    expected = bayou.Network("a -> x").fit({"a": a[100:], "x": x[100:]}).statistics["x"]
    np.testing.assert_allclose(rest.statistics["x"].mean, expected.mean, rtol=1e-10)
    np.testing.assert_allclose(rest.statistics["x"].scatter, expected.scatter, rtol=1e-10)


def test_statistics_make_a_network() -> None:
    one, other = (bayou.Network("A -> B").fit({n: c[k::2] for n, c in ROWS.items()}) for k in (0, 1))
    net = bayou.Network("A -> B").fit_statistics(one.statistics + other.statistics)
    assert net.same_as(bayou.Network("A -> B").fit(ROWS))
    assert net.learning.method == bayou.Network("A -> B").fit(ROWS).learning.method
