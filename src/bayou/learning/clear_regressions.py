"""Maximal log-likelihoods of many small regressions at once, where they are clear of rounding."""

from __future__ import annotations

import math

import numpy as np

from bayou.typing import BoolArray, FloatArray, IntArray

CLEAR = 1e-4
"""A share of a variable's scatter above this, left by those before it, is no rounding: to nine digits."""


def log_likelihoods(
    scatter: FloatArray, spread: FloatArray, n: FloatArray, owner: IntArray, owners: int
) -> tuple[FloatArray, BoolArray]:
    """For each owner the sum over its groups of rows, and whether all of them are clear.

    ``scatter`` is (groups, k, k): the last variable is explained by those before it. ``spread`` is the root
    of its diagonal, 0 where a variable does not vary. Groups without rows count for nothing. A clear group
    has a line of its own by any rule: its variables vary in k directions.

    >>> scatter, spread = np.array([[[4.0, 2.0], [2.0, 2.0]]]), np.array([[2.0, 2**0.5]])
    >>> logs, clear = log_likelihoods(scatter, spread, np.array([8.0]), np.array([0]), 1)
    >>> logs.round(4).tolist(), clear.tolist()
    ([-3.0336], [True])
    """
    seen = n > 0
    residual, clear = _residuals(scatter, spread)
    fine = clear & seen
    rows = np.where(fine, n, 1.0)
    logs = -0.5 * rows * (np.log(2 * math.pi * np.where(fine, residual, 1.0) / rows) + 1)
    summed = np.bincount(owner, np.where(fine, logs, 0.0), owners).astype(np.float64)
    doubtful = np.bincount(owner, seen & ~clear, owners)
    return summed, np.asarray(doubtful == 0)


def _residuals(scatter: FloatArray, spread: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The last variable's scatter about its regression in each group, and whether that is sure.

    Elimination on correlations, all groups side by side: what is left of each variable tells how sure.
    """
    k = scatter.shape[-1]
    varies = spread > 0
    clear = np.asarray(varies.all(axis=1))
    scale = np.where(varies, spread, 1.0)
    # Groups as the last axis: every step below then runs along memory.
    left = np.ascontiguousarray(np.moveaxis(scatter / scale[:, :, None] / scale[:, None, :], 0, -1))
    for at in range(k):
        clear &= left[at, at] > CLEAR
        pivot = np.where(clear, left[at, at], 1.0)
        slopes = left[at, at + 1 :] / pivot
        left[at + 1 :, at + 1 :] -= slopes[:, None] * left[at, None, at + 1 :]
    residual: FloatArray = left[-1, -1] * scale[:, -1] ** 2
    return residual, clear
