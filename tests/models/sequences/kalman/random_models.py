"""Random linear Gaussian models, their series with gaps, and the joint normal distribution of a series."""

from __future__ import annotations

import numpy as np

import bayou


def random_model(seed: int, inputs: bool = False, flat: bool = False) -> bayou.KalmanModel:
    """A model of one to three states and columns; ``flat``: the noise of moves is singular."""
    chance = np.random.default_rng(seed)
    n, m = int(chance.integers(1, 4)), int(chance.integers(1, 4))
    turn, _ = np.linalg.qr(chance.normal(size=(n, n)))
    moves = _covariance(chance, n)
    if flat:
        moves[-1], moves[:, -1] = 0.0, 0.0
    return bayou.KalmanModel(
        turn * 0.9,
        chance.normal(size=(m, n)),
        transition_noise=moves,
        observation_noise=_covariance(chance, m),
        start_mean=chance.normal(size=n),
        start_covariance=_covariance(chance, n),
        control=chance.normal(size=(n, 2)) if inputs else None,
        direct=chance.normal(size=(m, 2)) if inputs else None,
    )


def random_values(model: bayou.KalmanModel, steps: int, seed: int, gaps: float = 0.3) -> np.ndarray:
    chance = np.random.default_rng([seed, 1])
    values = chance.normal(size=(steps, len(model.columns))) * 2
    values[chance.random(values.shape) < gaps] = np.nan
    return values


def joint_normal(model: bayou.KalmanModel, controls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of all states and then all values of a series, written out without recursions:
    every state and value is a linear function of independent noises.
    """
    n, m, steps = len(model.states), len(model.columns), len(controls)
    sizes = [n] + [n] * (steps - 1) + [m] * steps
    ends = np.cumsum([0, *sizes])
    noise = np.zeros((ends[-1], ends[-1]))
    parts = (
        [model.start_covariance] + [model.transition_noise] * (steps - 1) + [model.observation_noise] * steps
    )
    for first, last, part in zip(ends[:-1], ends[1:], parts, strict=True):
        noise[first:last, first:last] = part
    rows, means = [], []
    for step in range(steps):
        own = np.zeros((n, ends[-1]))
        own[:, ends[step] : ends[step + 1]] = np.eye(n)
        rows.append(own if step == 0 else model.transition @ rows[-1] + own)
        moved = (
            model.start_mean if step == 0 else model.transition @ means[-1] + model.control @ controls[step]
        )
        means.append(moved)
    for step in range(steps):
        own = np.zeros((m, ends[-1]))
        own[:, ends[steps + step] : ends[steps + step + 1]] = np.eye(m)
        rows.append(model.observation @ rows[step] + own)
        means.append(model.observation @ means[step] + model.direct @ controls[step])
    linear = np.vstack(rows)
    return np.concatenate(means), linear @ noise @ linear.T


def conditioned(
    mean: np.ndarray, covariance: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """The normal distribution of everything given the values that are not NaN, and their log density."""
    seen = np.flatnonzero(~np.isnan(values))
    spread = covariance[np.ix_(seen, seen)]
    gap = values[seen] - mean[seen]
    gain = np.linalg.solve(spread, covariance[seen]).T if len(seen) else np.zeros((len(mean), 0))
    sign, size = np.linalg.slogdet(2 * np.pi * spread) if len(seen) else (1.0, 0.0)
    assert sign > 0
    log = -0.5 * (size + (gap @ np.linalg.solve(spread, gap) if len(seen) else 0.0))
    return mean + gain @ gap, covariance - gain @ covariance[seen], float(log)


def _covariance(chance: np.random.Generator, size: int) -> np.ndarray:
    root = chance.normal(size=(size, size))
    return np.asarray(root @ root.T / size + 0.2 * np.eye(size))
