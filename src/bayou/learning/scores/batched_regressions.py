"""Maximal log-likelihoods of many small regressions at once, where rounding does not matter.

The last of k variables is regressed on the others. Let S be their scatter matrix (centred sums of squares and
products over n rows), X the regressors and y the response. The residual sum of squares is the Schur
complement R = S_yy − S_yX S_XX⁻¹ S_Xy, and the maximal log-likelihood is −n/2 · (ln(2π R/n) + 1).
R is found by Gaussian elimination on the correlation matrix: the pivot of each step is the share of a
variable's scatter that the variables before it leave unexplained, so a small pivot means lost digits.
"""

from __future__ import annotations

import math

import numpy as np

from bayou.typing import BoolArray, FloatArray

CLEAR = 1e-4
"""If every pivot (unexplained share of a variable's scatter) exceeds this, the result is clear of rounding:
about nine digits are right."""


def log_likelihoods(scatter: FloatArray, spread: FloatArray, n: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The maximal log-likelihood of each group of rows, and whether it is clear of rounding.

    ``scatter`` is (groups, k, k): the last variable is regressed on the others. ``spread`` is the square root
    of its diagonal, 0 where a variable does not vary. In a clear group the scatter matrix has full rank, so
    the group has a regression line of its own. A group without rows has 0 and is clear.

    >>> scatter, spread = np.array([[[4.0, 2.0], [2.0, 2.0]]]), np.array([[2.0, 2**0.5]])
    >>> logs, clear = log_likelihoods(scatter, spread, np.array([8.0]))
    >>> logs.round(4).tolist(), clear.tolist()
    ([-3.0337], [True])
    """
    residual, clear = _residuals(scatter, spread)
    fine = clear & (n > 0)
    rows = np.where(fine, n, 1.0)
    logs = -0.5 * rows * (np.log(2 * math.pi * np.where(fine, residual, 1.0) / rows) + 1)
    return np.where(fine, logs, 0.0), np.asarray(fine | (n == 0))


def _residuals(scatter: FloatArray, spread: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The residual sum of squares of the last variable in each group, and whether it is clear of rounding."""
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
