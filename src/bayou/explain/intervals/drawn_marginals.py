"""Jeffrey's rule under many draws of the parameters: in every draw the variables have the given marginals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bayou.errors import NoConvergence
from bayou.typing import FloatArray

TOLERANCE = 1e-9
"""The largest difference between a fitted marginal and the required one: far below the error of the draws."""
MOST_SWEEPS = 10_000


def draws_with_marginals(joint: FloatArray, required: Mapping[int, FloatArray]) -> FloatArray:
    """Return the joint table with the ``required`` marginals (by axis) in each draw, which is the last axis.

    Iterative proportional fitting, as in :mod:`bayou.inference.jeffrey`, of all draws together. A draw under
    which a state with positive weight is impossible becomes NaN.

    >>> joint = np.array([[0.2, 0.1], [0.3, 0.4]])[..., None]
    >>> draws_with_marginals(joint, {0: np.array([0.6, 0.4])})[..., 0].sum(axis=1).round(6).tolist()
    [0.6, 0.4]
    """
    gap = np.inf
    for _ in range(MOST_SWEEPS):
        gap = 0.0
        for axis, wanted in required.items():
            others = tuple(k for k in range(joint.ndim - 1) if k != axis)
            now, goal = joint.sum(axis=others), wanted[:, None]
            impossible = ((goal > 0) & ~(now > 0)).any(axis=0)
            now = np.where(impossible, np.nan, now)
            known = np.abs(now - goal)[:, ~impossible]
            gap = max(gap, float(known.max(initial=0.0)))
            factor = np.divide(goal, now, out=np.zeros_like(now), where=~(now == 0))
            shape = [1] * joint.ndim
            shape[axis], shape[-1] = factor.shape
            joint = joint * factor.reshape(shape)
        if gap <= TOLERANCE or len(required) == 1:
            return joint
    raise NoConvergence(
        f"marginal= with interval=: after {MOST_SWEEPS:,} rounds a marginal is still off by {gap:.3g} under "
        "some draws of the parameters. Give fewer marginals, or leave interval= out."
    )
