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
    with pytest.raises(BadQuestion, match="predict gives its mean"):
        net.posterior({"a": [1]}, "x", interval=0.95)
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


def mixed(rows: int = 30) -> tuple[bayou.Network, dict[str, np.ndarray]]:
    """a → x → y and a → y, learned from some rows."""
    random = np.random.default_rng(11)
    a = np.repeat([0, 1], [rows // 3, rows - rows // 3])
    x = random.normal(2.0 * a, 1.0)
    y = random.normal(0.5 * x - a, 0.6)
    data = {"a": a, "x": x, "y": y}
    return bayou.Network("a -> x -> y; a -> y", states={"a": [0, 1]}).fit(data), data


def drawn_posteriors(
    data: dict[str, np.ndarray], seen: float, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draws of P(a=1 | y), E(x | y) and E(x | a=1, y) by the formulas of two normal variables."""
    a, x, y = data["a"], data["x"], data["y"]
    share = random.beta((a == 1).sum() + 1, (a == 0).sum() + 1, DRAWS)
    weights, means = [], []
    for k, prior in enumerate((1 - share, share)):
        (centre, spread) = own_draws(np.zeros((int((a == k).sum()), 0)), x[a == k], random)
        line, noise = own_draws(x[a == k], y[a == k], random)
        middle, variance = line[:, 0] + line[:, 1] * centre[:, 0], line[:, 1] ** 2 * spread + noise
        weights.append(prior * np.exp(-0.5 * (seen - middle) ** 2 / variance) / np.sqrt(variance))
        means.append(centre[:, 0] + line[:, 1] * spread / variance * (seen - middle))
    one = weights[1] / (weights[0] + weights[1])
    return one, (1 - one) * means[0] + one * means[1], means[1]


def assert_ends(draws: np.ndarray, lower: float, upper: float) -> None:
    assert np.mean(draws < lower) == pytest.approx(0.05, abs=0.015)
    assert np.mean(draws < upper) == pytest.approx(0.95, abs=0.015)


def test_hidden_numbers_are_integrated_out_and_asked_for_by_their_means() -> None:
    net, data = mixed()
    one, mean, mean_of_one = drawn_posteriors(data, 0.4, np.random.default_rng(5))
    state = net.query("a", {"y": 0.4}, interval=0.9).interval
    assert_ends(one, state.lower[1], state.upper[1])
    number = net.query("x", {"y": 0.4}, interval=0.9)
    assert_ends(mean, number.mean_interval.lower, number.mean_interval.upper)
    assert number.mean_interval.lower < number.mean < number.mean_interval.upper
    given = net.query("x", {"y": 0.4, "a": 1}, interval=0.9).mean_interval
    assert_ends(mean_of_one, given.lower, given.upper)
    assert list(given.rows) == ["x", "y"]
    both = net.query(["y", "x"], {"a": 1}, interval=0.9).mean_interval
    alone = [net.query(name, {"a": 1}, interval=0.9).mean_interval for name in ("y", "x")]
    np.testing.assert_allclose(both.lower, [float(one.lower) for one in alone], rtol=0.1, atol=0.05)
    rows = net.posterior({"y": [0.4, None], "x": [None, 1.0]}, "a", interval=0.9).interval
    np.testing.assert_array_equal(rows.lower["a"][0], state.lower)


def test_the_mean_of_one_number_has_the_interval_of_student() -> None:
    from scipy.stats import t

    values = np.array([4.0, 5.5, 7.0, 3.5, 6.0, 9.0])
    net = bayou.Network("x").fit({"x": values})
    found = net.query("x", interval=0.95).mean_interval
    student = t(5, values.mean(), values.std(ddof=1) / np.sqrt(6))
    assert student.cdf(found.lower) == pytest.approx(0.025, abs=0.0105)
    assert student.cdf(found.upper) == pytest.approx(0.975, abs=0.0105)


def test_means_under_marginals_likelihoods_and_interventions() -> None:
    net, data = mixed()
    random = np.random.default_rng(8)
    a, x = data["a"], data["x"]
    centres = [own_draws(np.zeros((int((a == k).sum()), 0)), x[a == k], random)[0][:, 0] for k in (0, 1)]
    share = random.beta((a == 1).sum() + 1, (a == 0).sum() + 1, DRAWS)
    fixed = net.query("x", marginal={"a": [0.25, 0.75]}, interval=0.9).mean_interval
    assert_ends(0.25 * centres[0] + 0.75 * centres[1], fixed.lower, fixed.upper)
    weighed = 3 * share / (3 * share + 1 - share)
    likely = net.query("x", likelihood={"a": [1, 3]}, interval=0.9).mean_interval
    assert_ends((1 - weighed) * centres[0] + weighed * centres[1], likely.lower, likely.upper)
    done = net.query("x", do={"a": 1}, interval=0.9).mean_interval
    assert_ends(centres[1], done.lower, done.upper)
    # A cause does not follow from what is done to its effect.
    cut, plain = net.query("x", do={"y": 9.0}, interval=0.9), net.query("x", interval=0.9)
    assert float(cut.mean_interval.upper) == pytest.approx(float(plain.mean_interval.upper), rel=0.1)
    everything = net.marginals({"y": 0.4}, marginal={"a": [0.25, 0.75]}, interval=0.9)
    alone = net.query("x", {"y": 0.4}, marginal={"a": [0.25, 0.75]}, interval=0.9).mean_interval
    assert everything["x"].mean_interval.lower == alone.lower
    assert everything.intervals["x"].upper == alone.upper


def test_the_interval_of_a_mean_is_printed_beside_it() -> None:
    net, _ = mixed()
    lines = str(net.query("x", {"a": 1}, interval=0.9)).splitlines()
    assert lines[1].split("  ")[0] == "mean"
    assert "mean 5 %" in lines[1]
    assert "mean 95 %" in lines[1]
    assert lines[-1] == "1 Gaussian learned from 30 rows; 2,000 draws"
    found = net.query("x", interval=0.9)
    assert found.to_dict()["mean_low"] == float(found.mean_interval.lower)
    assert "mean 5 %" in str(net.query(["x", "y"], interval=0.9))
    assert "5 %" in str(net.marginals(interval=0.9))
    assert "<p>1 table and 1 Gaussian" in found._repr_html_()
    assert net.query("x").mean_interval is None
    assert "mean_low" not in net.query("x").to_dict()
