"""Exact answers for small models, by means that share nothing with particles."""

from __future__ import annotations

from typing import Any

import numpy as np

import bayou

SERIES = bayou.LinearSeries(transition=0.8, noise=0.5, observation=1, observation_noise=0.4, shift=0.1)
SEEN = [0.4, None, 1.9, -0.3, 0.2, 2.4]
VECTORS = bayou.LinearSeries(
    transition=[[0.9, 0.3], [0.0, 0.7]],
    noise=[[0.3, 0.1], [0.1, 0.4]],
    observation=[[1.0, 0.0], [0.5, 1.0]],
    observation_noise=[[0.5, 0.2], [0.2, 0.6]],
    observation_shift=[0.2, -0.1],
    start_mean=[0.5, 0.0],
    start_covariance=[[1.0, 0.2], [0.2, 0.5]],
)
SEEN_VECTORS = [[0.4, 0.1], [1.5, np.nan], None, [2.2, 0.9], [np.nan, 1.0]]
MARKET = bayou.StochasticVolatility(mean=-0.4, persistence=0.9, spread=0.5)
RETURNS = [0.1, -1.9, None, 0.4, 2.5]


def kalman(series: Any, observations: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Filtered means [step, d] and covariances, and log P(observations), from the textbook."""
    at = {name: np.atleast_2d(getattr(series, name)) for name in ("transition", "noise", "observation")}
    r = np.atleast_2d(series.observation_noise)
    mean, covariance = np.atleast_1d(series.start_mean), np.atleast_2d(series.start_covariance)
    k = len(at["observation"])
    means, covariances, log_likelihood = [], [], 0.0
    for step, y in enumerate(observations):
        if step:
            mean = at["transition"] @ mean + np.atleast_1d(series.shift)
            covariance = at["transition"] @ covariance @ at["transition"].T + at["noise"]
        cells = np.full(k, np.nan) if y is None else np.atleast_1d(np.asarray(y, dtype=float))
        seen = ~np.isnan(cells)
        if seen.any():
            c = at["observation"][seen]
            s = c @ covariance @ c.T + r[np.ix_(seen, seen)]
            apart = cells[seen] - c @ mean - np.atleast_1d(series.observation_shift)[seen]
            gain = covariance @ c.T @ np.linalg.inv(s)
            log_likelihood += -0.5 * (apart @ np.linalg.solve(s, apart) + np.linalg.slogdet(2 * np.pi * s)[1])
            mean, covariance = mean + gain @ apart, covariance - gain @ c @ covariance
        means.append(mean)
        covariances.append(covariance)
    return np.array(means), np.array(covariances), float(log_likelihood)


def joint_normal(series: Any, observations: Any) -> tuple[np.ndarray, np.ndarray]:
    """Means and spreads of a series of numbers given all observations, from the joint normal of all x."""
    n = len(observations)
    a, q = series.transition, series.noise
    mean, variance = np.zeros(n), np.zeros((n, n))
    mean[0], variance[0, 0] = series.start_mean, series.start_covariance
    for t in range(1, n):
        mean[t] = a * mean[t - 1] + series.shift
        variance[t, :t] = variance[:t, t] = a * variance[t - 1, :t]
        variance[t, t] = a**2 * variance[t - 1, t - 1] + q
    seen = [t for t, y in enumerate(observations) if y is not None]
    y = np.array([observations[t] for t in seen]) - series.observation_shift
    gain = variance[:, seen] @ np.linalg.inv(
        variance[np.ix_(seen, seen)] + series.observation_noise * np.eye(len(seen))
    )
    smoothed = mean + gain @ (y - mean[seen])
    return smoothed, np.sqrt(np.diagonal(variance - gain @ variance[seen]))


def volatility_on_a_grid(market: Any, observations: Any) -> tuple[np.ndarray, float]:
    """Filtered means and log P(observations) of stochastic volatility, by sums over a fine grid."""
    x = np.linspace(market.mean - 9, market.mean + 9, 1801)
    width = x[1] - x[0]
    long_run = market.spread / np.sqrt(1 - market.persistence**2)
    density = np.exp(-0.5 * ((x - market.mean) / long_run) ** 2) / long_run / np.sqrt(2 * np.pi)
    apart = x[None] - market.mean - market.persistence * (x[:, None] - market.mean)
    moves = np.exp(-0.5 * (apart / market.spread) ** 2) / market.spread / np.sqrt(2 * np.pi)
    means, log_likelihood = [], 0.0
    for step, y in enumerate(observations):
        if step:
            density = density @ moves * width
        if y is not None:
            density = density * np.exp(-0.5 * (x + y**2 * np.exp(-x))) / np.sqrt(2 * np.pi)
        total = density.sum() * width
        log_likelihood += np.log(total)
        density = density / total
        means.append((x * density).sum() * width)
    return np.array(means), float(log_likelihood)


def ar_functions(series: Any, **more: Any) -> bayou.ParticleModel:
    """A series of numbers as Python functions, with all optional ones."""
    a, b, q, r = series.transition, series.shift, series.noise, series.observation_noise
    q0, m0 = series.start_covariance, series.start_mean

    def normal(x: Any, mean: Any, variance: float) -> Any:
        return -0.5 * ((x - mean) ** 2 / variance + np.log(2 * np.pi * variance))

    def proposed(mean: Any, before: float, y: float, random: Any) -> Any:
        spread = np.sqrt(1.3 / (1 / before + 1 / r))  # wider than the best one: the weights differ
        centre = mean + before / (before + r) * (y - mean)
        new = random.normal(centre, spread)
        return new, normal(new, mean, before) - normal(new, centre, spread**2)

    return bayou.ParticleModel(
        start=lambda n, random: random.normal(m0, np.sqrt(q0), n),
        move=lambda x, random: a * x + b + random.normal(0, np.sqrt(q), len(x)),
        weight=lambda x, y: normal(y, x, r),
        propose=lambda x, y, random: proposed(a * x + b, q, y, random),
        propose_start=lambda n, y, random: proposed(np.full(n, m0), q0, y, random),
        look_ahead=lambda x, y: normal(y, a * x + b, 2 * (q + r)),
        move_density=lambda old, new: normal(new, a * old + b, q),
        **more,
    )
