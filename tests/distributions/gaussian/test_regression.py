"""Lines learned from data: units of the parents and of the weights do not matter."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, seeds

import bayou
from bayou.distributions import Family, LinearGaussian
from bayou.errors import BadData, BayouWarning
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.statistics import Moments

POWERS = st.integers(-12, 12).map(lambda power: 10.0**power)


def line(columns: dict[str, Any], weights: Any = None) -> Any:
    net = bayou.Network({"y": ["a", "b 2"]}, continuous=["a", "b 2", "y"]).fit(columns, weights=weights)
    return net.gaussian("y")


@given(seeds(), POWERS, POWERS)
@law
def test_the_unit_of_a_parent_changes_its_slope_and_nothing_else(
    random: Any, unit_a: float, unit_b: float
) -> None:
    a, b = random.normal(size=50), random.normal(size=50)
    y = 2 * a - 3 * b + random.normal(size=50)
    plain, scaled = (
        line({"a": a, "b 2": b, "y": y}),
        line({"a": a * unit_a, "b 2": b * unit_b, "y": y}),
    )
    assert scaled.coefficients()["a"] * unit_a == pytest.approx(plain.coefficients()["a"], rel=1e-9)
    assert scaled.coefficients()["b 2"] * unit_b == pytest.approx(plain.coefficients()["b 2"], rel=1e-9)
    assert scaled.variance() == pytest.approx(plain.variance(), rel=1e-9)


def test_a_parent_that_is_constant_or_repeated_gets_the_smallest_slope() -> None:
    a = np.random.default_rng(3).normal(size=40)
    noise = np.random.default_rng(4).normal(size=40)
    columns = {"a": a, "b 2": np.full(40, 0.1), "y": 2 * a + noise}
    request = Moments(("a", "b 2", "y"))
    moments = open_source(columns).collect([request])[request]
    family = Family(Variable("y"), (Variable("a"), Variable("b 2")))
    assert LinearGaussian.estimate(moments, family).coefficients[1] == 0.0
    repeated = line({"a": a, "b 2": a * 1.0, "y": 2 * a + noise}).coefficients()
    assert repeated["a"] == pytest.approx(repeated["b 2"], rel=1e-9)


@given(seeds(), st.sampled_from([1e-6, 1e-3, 0.5, 7.0, 1e9]))
@law
def test_the_unit_of_the_weights_does_not_matter(random: Any, unit: float) -> None:
    rows = 60
    columns = {
        "größe": [["s", "m", "l"][k % 3] for k in range(rows)],
        "x": random.normal(size=rows),
        "y": random.normal(size=rows),
    }
    weights = random.random(rows) + 0.5
    plain, scaled = (
        bayou.Network("größe -> x, y; x -> y", continuous=["x", "y"]).fit(columns, prior=0, weights=w)
        for w in (weights, weights * unit)
    )
    for name in ("x", "y"):
        for part in ("intercept", "coefficients", "variance"):
            ours, theirs = (getattr(net.frozen.gaussian(name), part) for net in (scaled, plain))
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_groups_with_too_few_rows_still_borrow() -> None:
    columns = {"g": ["a", "a", "a", "a", "b", "b"], "x": [1.0, 2.0, 4.0, 3.0, 7.0, 9.0]}
    columns["y"] = [1.0, 2.5, 4.0, 2.0, 3.0, 8.0]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        net = bayou.Network("g, x -> y", continuous=["x", "y"]).fit(columns)
    assert any(issubclass(w.category, BayouWarning) and "1 of 2" in str(w.message) for w in told)
    assert net.gaussian("y").variance({"g": "b"}) > 0


@pytest.mark.parametrize("largest", [1e160, 1e200, 1e300])
def test_values_whose_squares_are_no_numbers_are_refused(largest: float) -> None:
    with pytest.raises(BadData, match="'height'"):
        bayou.Network("height", continuous=["height"]).fit({"height": [0.0, largest, -largest]})
