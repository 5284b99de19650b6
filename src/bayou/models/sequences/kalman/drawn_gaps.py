"""Random values for the gaps of given series, whose states have been drawn.

Within a row, with state x, inputs u and noise of covariance R, what is missing (m) follows what is seen (s):

    y(m) | y(s), x ~ N(μ(m) + G (y(s) − μ(s)),  R(mm) − G R(sm)),    G = R(ms) R(ss)⁺,  μ = C x + D u.
"""

from __future__ import annotations

import numpy as np

from bayou.distributions.gaussian.covariance_root import covariance_root, solved
from bayou.temporal.kalman.linear_system import LinearSystem
from bayou.typing import FloatArray


def with_drawn_gaps(
    system: LinearSystem,
    values: FloatArray,
    inputs: FloatArray,
    paths: FloatArray,
    chance: np.random.Generator,
) -> FloatArray:
    """The values of a series [draw, step, column] with its gaps drawn, given states [draw, step, state]."""
    c, d, r = system.observation, system.direct, system.observation_noise
    found = np.repeat(values[None], len(paths), axis=0)
    gaps = np.isnan(values)
    for pattern in np.unique(gaps[gaps.any(axis=1)], axis=0):
        rows = np.flatnonzero((gaps == pattern).all(axis=1))
        lost, seen = np.flatnonzero(pattern), np.flatnonzero(~pattern)
        mean = paths[:, rows] @ c.T + inputs[rows] @ d.T
        gain = solved(r[np.ix_(seen, seen)], r[np.ix_(seen, lost)]).T
        # (I, −G) R (I, −G)ᵀ is R(mm) − G R(sm) without a difference of large numbers.
        left = np.zeros((len(lost), len(r)))
        left[:, lost], left[:, seen] = np.eye(len(lost)), -gain
        noise = chance.normal(size=(len(paths), len(rows), len(lost))) @ covariance_root(left @ r @ left.T).T
        away = values[np.ix_(rows, seen)] - mean[..., seen]
        found[np.ix_(np.arange(len(paths)), rows, lost)] = mean[..., lost] + away @ gain.T + noise
    return found
