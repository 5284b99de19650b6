"""Intervals with Gaussians: against draws made here, and by how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.distributions.gaussian.gaussian_posterior import drawn_lines
from bayou.errors import BadQuestion
from bayou.statistics import GroupMoments

DRAWS = 100_000


def own_draws(x: np.ndarray, y: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draws of (intercept, slopes …) and of the variance of a regression, by the textbook on the rows."""
    design = np.column_stack([np.ones(len(y)), x])
    inverse = np.linalg.inv(design.T @ design)
    line = inverse @ design.T @ y
    variance = np.sum((y - design @ line) ** 2) / random.chisquare(len(y) - design.shape[1], DRAWS)
    noise = random.multivariate_normal(np.zeros(len(line)), inverse, DRAWS)
    return line + np.sqrt(variance)[:, None] * noise, variance


def test_drawn_lines_have_the_covariance_of_the_regression_on_the_rows() -> None:
    random = np.random.default_rng(3)
    x = random.normal(5.0, [1.0, 200.0], (12, 2))
    y = 2.0 + x @ [0.5, 0.01] + random.normal(size=12)
    rows = np.column_stack([x, y])
    centre = rows.mean(axis=0)
    scatter = (rows - centre).T @ (rows - centre)
    moments = GroupMoments(("u", "v", "y"), (), np.array(12.0), centre, scatter)
    drawn = drawn_lines(moments, DRAWS, np.random.default_rng(1))
    lines, variance = own_draws(x, y, random)
    ours = np.vstack([drawn.intercept, drawn.slopes])
    np.testing.assert_allclose(ours.mean(axis=1), lines.mean(axis=0), rtol=0.02, atol=0.002)
    np.testing.assert_allclose(np.corrcoef(ours), np.corrcoef(lines.T), atol=0.02)
    np.testing.assert_allclose(ours.std(axis=1), lines.std(axis=0), rtol=0.03)
    shares = np.linspace(0.05, 0.95, 10)
    np.testing.assert_allclose(np.quantile(drawn.variance, shares), np.quantile(variance, shares), rtol=0.03)


def test_a_class_given_numbers_agrees_with_draws_made_here() -> None:
    random = np.random.default_rng(2)
    a = np.repeat([0, 1], [12, 18])
    x = random.normal(0, 1, 30)
    y = np.where(a == 1, 1.0 + x, -0.5 * x) + random.normal(0, 0.7, 30)
    net = bayou.Network("a -> y; x -> y", states={"a": [0, 1]}).fit({"a": a, "x": x, "y": y})
    found = net.query("a", {"x": 0.4, "y": 0.3}, interval=0.9)
    assert str(found).splitlines()[-1] == "1 table and 1 Gaussian learned from 30 rows; 2,000 draws"
    interval = found.interval
    share = random.beta(18 + 1, 12 + 1, DRAWS)
    weights = []
    for k, prior in enumerate((1 - share, share)):
        lines, variance = own_draws(x[a == k], y[a == k], random)
        mean = lines @ [1.0, 0.4]
        weights.append(prior * np.exp(-0.5 * (0.3 - mean) ** 2 / variance) / np.sqrt(variance))
    posterior = weights[1] / (weights[0] + weights[1])
    assert np.mean(posterior < interval.lower[1]) == pytest.approx(0.05, abs=0.015)
    assert np.mean(posterior < interval.upper[1]) == pytest.approx(0.95, abs=0.015)
    rows = net.posterior({"x": [0.4, 1.0], "y": [0.3, None]}, "a", interval=0.9).interval
    np.testing.assert_array_equal(rows.lower["a"][0], interval.lower)
    np.testing.assert_array_equal(rows.upper["a"][1], net.query("a", {"x": 1.0}, interval=0.9).interval.upper)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(6)
    held = 0
    for _ in range(150):
        means, deviations = random.normal(0, 1, 2), random.uniform(0.5, 2.0, 2)
        share = random.uniform(0.3, 0.7)
        a = (random.random(40) < share).astype(int)
        net = bayou.Network("a -> x", states={"a": [0, 1]})
        net.fit({"a": a, "x": random.normal(means[a], deviations[a])})
        interval = net.query("a", {"x": 0.5}, interval=0.9).interval
        bumps = [1 - share, share] * np.exp(-0.5 * ((0.5 - means) / deviations) ** 2) / deviations
        held += interval.lower[1] <= bumps[1] / bumps.sum() <= interval.upper[1]
    # 150 trials of probability 0.9: 135 expected, standard deviation 3.7.
    assert 124 <= held <= 146


def test_far_values_and_many_numbers_do_not_underflow() -> None:
    random = np.random.default_rng(7)
    a = np.repeat([0, 1], 20)
    data = {f"x{k}": random.normal(a, 1.0) for k in range(60)}
    net = bayou.Network("; ".join(f"a -> {name}" for name in data), states={"a": [0, 1]}).fit(
        {"a": a, **data}
    )
    interval = net.query("a", dict.fromkeys(data, 30.0), interval=0.9).interval
    assert np.isfinite(interval.lower).all()
    assert np.all(interval.lower <= interval.upper)


def test_given_parents_make_the_density_a_constant() -> None:
    data = {"a": [0, 0, 0, 1, 1, 1], "b": [0, 1, 0, 1, 1, 0], "x": [0.1, 0.4, 0.3, 1.0, 1.1, 1.4]}
    net = bayou.Network("a -> x; a -> b").fit(data)
    plain = net.query("b", {"a": 1}, interval=0.9).interval
    with_number = net.query("b", {"a": 1, "x": 1.2}, interval=0.9).interval
    np.testing.assert_array_equal(plain.lower, with_number.lower)
    assert with_number.rows == {"a": 6, "b": 6}
    done = net.query("b", {"x": 1.2}, do={"a": 1}, interval=0.9).interval
    assert list(done.rows) == ["b"]


def test_what_has_no_interval_says_why() -> None:
    random = np.random.default_rng(1)
    a = np.repeat([0, 1], 10)
    x = random.normal(a, 1.0)
    y = random.normal(x, 1.0)
    net = bayou.Network("a -> x -> y", states={"a": [0, 1]}).fit({"a": a, "x": x, "y": y})
    with pytest.raises(BadQuestion, match="asks for the continuous variable 'x'"):
        net.query("x", {"a": 1}, interval=0.95)
    with pytest.raises(BadQuestion, match="sums over the continuous variable 'x'"):
        net.query("a", {"y": 0.2}, interval=0.95)
    with pytest.warns(bayou.BayouWarning, match="fewer than 2 rows"):
        few = bayou.Network("a -> x", states={"a": [0, 1]}).fit(
            {"a": [0, 0, 0, 1], "x": [0.1, 0.2, 0.5, 1.1]}
        )
    with pytest.raises(
        BadQuestion, match="1 combination of its parents' states was learned from fewer than 2"
    ):
        few.query("a", {"x": 0.2}, interval=0.95)
    counts = {"a": [0, 0, 1, 1], "n": [1, 2, 5, 7]}
    other = bayou.Network("a -> n", nodes={"n": bayou.features.PoissonFeature}).fit(counts)
    with pytest.raises(BadQuestion, match="tables and Gaussians only; 'n' has a"):
        other.query("a", {"n": 3}, interval=0.95)
