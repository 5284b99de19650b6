"""Random series of a linear Gaussian system."""

from __future__ import annotations

import numpy as np

from bayou.temporal.kalman.linear_system import LinearSystem
from bayou.typing import FloatArray


def drawn_series(
    system: LinearSystem, length: int, count: int, inputs: FloatArray, seed: int
) -> tuple[FloatArray, FloatArray]:
    """(states [series, step, state], values [series, step, column]) of series with the same inputs."""
    a, b, q, c, d, r, mean, covariance = system.arrays
    n, _, m = system.sizes
    chance = np.random.default_rng(seed)
    moves = chance.normal(size=(length, count, n)) @ _root(q).T + (inputs @ b.T)[:, None, :]
    states = np.empty((length, count, n))
    states[0] = mean + chance.normal(size=(count, n)) @ _root(covariance).T
    for step in range(1, length):
        states[step] = states[step - 1] @ a.T + moves[step]
    noise = chance.normal(size=(length, count, m)) @ _root(r).T
    values = states @ c.T + (inputs @ d.T)[:, None, :] + noise
    return states.swapaxes(0, 1), values.swapaxes(0, 1)


def _root(covariance: FloatArray) -> FloatArray:
    """A matrix whose product with its transpose is the covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    root: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
