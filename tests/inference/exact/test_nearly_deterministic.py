"""Gaussians whose variances differ by many orders of magnitude, and values far out in the tails."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law

import bayou
from bayou.errors import BadQuestion
from bayou.inference import Mixture
from bayou.models.answers.continuous_posterior import ContinuousPosterior

POWERS = st.integers(-20, 20).map(lambda power: 10.0**power)


def copies(prior: float, noises: list[float]) -> bayou.Network:
    """x, and a copy of it with each of these noises."""
    names = [f"copy {k}" for k in range(len(noises))]
    net = bayou.Network({"x": [], **{name: ["x"] for name in names}}, continuous=["x", *names])
    net.set_gaussian("x", (0, prior))
    for name, noise in zip(names, noises, strict=True):
        net.set_gaussian(name, {"mean": 0, "variance": noise, "coefficients": {"x": 1}})
    return net


@given(POWERS, st.lists(POWERS, min_size=1, max_size=4))
@law
def test_precisions_add_up_however_far_apart_they_are(prior: float, noises: list[float]) -> None:
    net = copies(prior, noises)
    expected = 1 / sum(1 / Fraction(variance) for variance in (prior, *noises))
    posterior = net.query("x", {f"copy {k}": 0.0 for k in range(len(noises))})
    assert posterior.variance == pytest.approx(float(expected), rel=1e-12)
    assert posterior.mean == 0.0


def test_a_copy_of_a_copy_keeps_its_own_noise() -> None:
    net = bayou.Network("x -> z; x -> y", continuous=["x", "y", "z"])
    net.set_gaussian("x", (0, 1e10))
    for name in ("y", "z"):
        net.set_gaussian(name, {"mean": 0, "variance": 1e-10, "coefficients": {"x": 1}})
    assert net.query("z", {"y": 1.0}).variance == pytest.approx(2e-10, rel=1e-12)
    assert net.query("z", {"y": 1.0}).mean == pytest.approx(1.0, rel=1e-12)


def two_classes() -> bayou.Network:
    net = bayou.Network("class -> H", states={"class": ["narrow", "wide"]}, continuous=["H"])
    net.set_cpt("class", [0.5, 0.5])
    return net.set_gaussian("H", {"narrow": (0, 1), "wide": (0, 4)})


def test_a_value_far_out_belongs_to_the_wider_class() -> None:
    posterior = two_classes().query("class", {"H": 1e150})
    assert posterior["wide"] == 1.0
    assert posterior.log_evidence == pytest.approx(-0.125e300)


def test_a_value_too_far_out_for_any_log_is_refused_and_no_nan() -> None:
    net = two_classes()
    with pytest.raises(BadQuestion, match=r"H=1e\+200.*too large for a calculation with its square"):
        net.query("class", {"H": 1e200})
    assert net.log_probability({"class": ["wide", None], "H": [1e200, 1e200]}).tolist() == [-np.inf] * 2
    hidden = copies(1.0, [1.0, 1.0])
    with pytest.raises(BadQuestion, match="too large for a calculation with its square"):
        hidden.query("x", {"copy 0": 1e200, "copy 1": -1e308})


def posterior_of(weights: Any, means: Any, variances: Any) -> ContinuousPosterior:
    mixture = Mixture(np.array(weights), np.array(means, dtype=float), np.array(variances, dtype=float))
    return ContinuousPosterior("länge", "P(länge)", mixture, 0.0)


@pytest.mark.parametrize("unit", [1e-150, 1e-13, 1.0, 1e100])
def test_quantiles_do_not_depend_on_the_unit(unit: float) -> None:
    weights, means, variances = [0.25, 0.75], np.array([-1.0, 2.0]), np.array([1.0, 0.25])
    plain = posterior_of(weights, means, variances)
    scaled = posterior_of(weights, means * unit, variances * unit * unit)
    for share in (1e-9, 0.1, 0.25, 0.5, 0.975):
        assert scaled.quantile(share) == pytest.approx(plain.quantile(share) * unit, rel=1e-12)
    assert plain.quantile(0.0) == -np.inf
    assert plain.interval(1.0) == (-np.inf, np.inf)


def test_quantiles_of_one_gaussian_are_its_own() -> None:
    low, high = posterior_of([1.0], [0.0], [1e-26]).interval(0.95)
    assert high == pytest.approx(1.959963984540054e-13, rel=1e-12)
    assert low == -high


def test_a_point_mass_has_steps_and_no_finite_density() -> None:
    point = posterior_of([0.5, 0.5], [1.0, 3.0], [0.0, 0.0])
    assert (point.quantile(0.5), point.quantile(0.51)) == (1.0, 3.0)
    assert point.density([1.0, 2.0]).tolist() == [np.inf, 0.0]
    mixed = posterior_of([0.5, 0.5], [1.0, 0.0], [0.0, 1.0])
    assert mixed.density(0.0) == pytest.approx(0.5 / np.sqrt(2 * np.pi))
    assert "1" in str(point)


@pytest.mark.parametrize("share", [2, -0.1, "a", None, True, float("nan")])
def test_shares_outside_zero_and_one_are_refused(share: Any) -> None:
    posterior = posterior_of([1.0], [0.0], [1.0])
    with pytest.raises(BadQuestion, match="from 0 to 1"):
        posterior.interval(share)
    with pytest.raises(BadQuestion, match="from 0 to 1"):
        posterior.quantile(share)


@pytest.mark.parametrize("points", ["a", None, {}, [[1], [2, 3]]])
def test_densities_are_asked_at_numbers(points: Any) -> None:
    with pytest.raises(BadQuestion, match="needs numbers"):
        posterior_of([1.0], [0.0], [1.0]).density(points)
