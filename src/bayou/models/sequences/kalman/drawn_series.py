"""Random series of a linear Gaussian system."""

from __future__ import annotations

import numpy as np

from bayou.distributions.gaussian.covariance_root import covariance_root
from bayou.temporal.kalman.linear_system import LinearSystem
from bayou.typing import FloatArray


def drawn_series(
    system: LinearSystem,
    length: int,
    count: int,
    inputs: FloatArray,
    chance: np.random.Generator,
    before: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """(states [series, step, state], values [series, step, column]) of series with the same inputs, after
    states [series, state] (None: from the start).
    """
    a, b, q, c, d, r, mean, covariance = system.arrays
    n, _, m = system.sizes
    moves = chance.normal(size=(length, count, n)) @ covariance_root(q).T + (inputs @ b.T)[:, None, :]
    states = np.empty((length, count, n))
    if before is None:
        states[0] = mean + chance.normal(size=(count, n)) @ covariance_root(covariance).T
    else:
        states[0] = before @ a.T + moves[0]
    for step in range(1, length):
        states[step] = states[step - 1] @ a.T + moves[step]
    noise = chance.normal(size=(length, count, m)) @ covariance_root(r).T
    values = states @ c.T + (inputs @ d.T)[:, None, :] + noise
    return states.swapaxes(0, 1), values.swapaxes(0, 1)
