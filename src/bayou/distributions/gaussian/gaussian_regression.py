"""Least squares from moments, group by group: the lines of linear Gaussians and how well they fit."""

from __future__ import annotations

import numpy as np

from bayou.statistics import GroupMoments
from bayou.typing import BoolArray, FloatArray, IntArray

LOG_TWO_PI = float(np.log(2 * np.pi))
REACH = 3.0
"""What is likely lies up to this many standard deviations around a mean."""
_ROUNDING = 1e-14
_RANK = 1e-12
"""Eigenvalues of a correlation matrix below this are rounding."""
_EPSILON = float(np.finfo(np.float64).eps)


def regression_lines(moments: GroupMoments) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Intercept, slopes and variance of each group, and which groups have rows enough for their own.

    The others take the line over all groups.
    """
    enough = has_own_line(moments)
    intercept, coefficients, variance = regression(moments)
    if not np.all(enough):
        pooled = regression(moments.marginal([]))
        intercept = np.where(enough, intercept, pooled[0])
        coefficients = np.where(enough[..., None], coefficients, pooled[1])
        variance = np.where(enough, variance, pooled[2])
    return intercept, coefficients, variance, enough


def some_groups(moments: GroupMoments, kept: BoolArray | IntArray) -> GroupMoments:
    """The moments of some of the groups (all arrays with one axis for them)."""
    return GroupMoments(moments.variables, (), moments.n[kept], moments.mean[kept], moments.scatter[kept])


def group_log_likelihoods(
    moments: GroupMoments, intercept: FloatArray, coefficients: FloatArray, variance: FloatArray
) -> FloatArray:
    """The log-likelihood of each group under its line; 0 without rows, -inf where there is no density."""
    away = np.concatenate([-coefficients, np.ones((*intercept.shape, 1))], axis=-1)
    centre = (away * moments.mean).sum(axis=-1) - intercept
    squares = np.einsum("...i,...ij,...j->...", away, moments.scatter, away) + moments.n * centre**2
    dense = variance > 0
    spread = np.where(dense, variance, 1.0)
    logs = -0.5 * (moments.n * (LOG_TWO_PI + np.log(spread)) + squares / spread)
    return np.where(moments.n > 0, np.where(dense, logs, -np.inf), 0.0)


def regression(moments: GroupMoments) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Intercept, slopes and residual variance of the last variable on the others, group by group.

    Solved on correlations, so that the unit of a parent changes its slope by that unit and nothing else.
    """
    inputs, target = slice(0, -1), -1
    spread = root_scatter(moments)
    scale = spread[..., inputs]
    safe = np.where(scale > 0, scale, 1.0)
    along = moments.scatter[..., inputs, target]
    correlations = _correlations(moments.scatter, scale, inputs)
    # The pseudo-inverse gives the smallest slopes where a parent does not vary or repeats another.
    inverse = np.linalg.pinv(correlations, rcond=_RANK, hermitian=True)
    slopes = np.einsum("...ij,...j->...i", inverse, np.where(scale > 0, along / safe, 0.0)) / safe
    intercept = moments.mean[..., target] - (slopes * moments.mean[..., inputs]).sum(axis=-1)
    own = moments.scatter[..., target, target]
    residual = own - (slopes * along).sum(axis=-1)
    residual = np.where((residual <= _ROUNDING * own) | (spread[..., target] <= 0), 0.0, residual)
    return intercept, slopes, residual / np.where(moments.n > 0, moments.n, 1)


def root_scatter(moments: GroupMoments) -> FloatArray:
    """The root of each scatter; 0 where all there is of it is the rounding of the mean."""
    diagonal = np.einsum("...ii->...i", moments.scatter)
    noise = np.sqrt(moments.n)[..., None] * (8 * _EPSILON) * np.abs(moments.mean)
    spread = np.sqrt(np.maximum(diagonal, 0.0))
    result: FloatArray = np.where(spread > noise, spread, 0.0)
    return result


def _correlations(scatter: FloatArray, scale: FloatArray, part: slice) -> FloatArray:
    safe = np.where(scale > 0, scale, 1.0)
    varies = (scale > 0)[..., :, None] & (scale > 0)[..., None, :]
    scaled = scatter[..., part, part] / safe[..., :, None] / safe[..., None, :]
    result: FloatArray = np.where(varies, scaled, 0.0)
    return result


def has_own_line(moments: GroupMoments) -> BoolArray:
    """Whether a group's rows can tell a line from the noise around it, whatever the unit of the weights.

    k + 2 rows can. Less than that in sum, with weights of which many are small, can where the target varies
    in a direction that the parents do not explain; so few rows as k + 1 never do.
    """
    enough = np.array(moments.n >= len(moments.variables) + 1)
    scale = root_scatter(moments)
    # Where the target does not vary there is no direction that the parents leave.
    doubtful = ~enough & (scale[..., -1] > 0)
    if np.any(doubtful):
        scatter, scale = moments.scatter[doubtful], scale[doubtful]
        whole = _rank(_correlations(scatter, scale, slice(None)))
        inner = _rank(_correlations(scatter, scale[..., :-1], slice(0, -1)))
        enough[doubtful] = whole > inner
    return enough


def _rank(correlations: FloatArray) -> IntArray:
    if not correlations.shape[-1]:
        return np.zeros(len(correlations), dtype=np.int64)
    return np.asarray(np.linalg.matrix_rank(correlations, tol=_RANK, hermitian=True), dtype=np.int64)


def gaussian_logs(values: FloatArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """−½ log 2πσ² − ½ (x − mean)²/σ²; -inf where that is too small for a float."""
    # Values so far out that the square overflows have the log density -inf, which is what they get.
    with np.errstate(over="ignore", invalid="ignore"):
        z = (values - mean) / deviation
        density: FloatArray = -0.5 * LOG_TWO_PI - np.log(deviation) - 0.5 * z * z
    return np.where(np.isnan(density) & ~np.isnan(values), -np.inf, density)


def left_out_logs(
    moments: GroupMoments,
    groups: IntArray,
    values: FloatArray,
    inputs: FloatArray,
    weights: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
) -> FloatArray:
    """The log density of each row under the line of its group learned without it.

    ``mean`` and ``variance`` are those of the fitted line at each row. A row of weight w has the leverage
    h = w·(1/n + q) with q = (x − x̄)ᵀ S⁻¹ (x − x̄). Without it its residual is r/(1 − h) and the sum of squares
    is less by w·r²/(1 − h) (Cook and Weisberg, Residuals and Influence in Regression, 1982, section 2.2).
    """
    n = moments.n.ravel()[groups]
    rest = np.maximum(n - weights, 1e-9)
    distance = _distances(moments, groups, inputs)
    left = np.maximum(n - weights - weights * n * distance, 1e-9)  # n · (1 − h)
    residual = values - mean
    moved = mean - weights * residual * (1 + n * distance) / left
    without = (n * variance - weights * residual**2 * n / left) / rest
    without = np.where((rest > 1) & (without > 0), without, variance)
    logs = -0.5 * (LOG_TWO_PI + np.log(without) + (values - moved) ** 2 / without)
    return np.where(np.isnan(values), 0.0, logs)


def _distances(moments: GroupMoments, groups: IntArray, inputs: FloatArray) -> FloatArray:
    """(x − x̄)ᵀ S⁻¹ (x − x̄) of the inputs of each row in its group."""
    k = inputs.shape[-1]
    if not k:
        return np.zeros(len(inputs))
    away = inputs - moments.mean.reshape(-1, k + 1)[groups, :k]
    inverse = np.linalg.pinv(moments.scatter.reshape(-1, k + 1, k + 1)[:, :k, :k], hermitian=True)
    distances: FloatArray = np.einsum("ri,rij,rj->r", away, inverse[groups], away)
    return distances
