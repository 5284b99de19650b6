"""Least squares from moments, group by group: the regression lines of linear Gaussians and how well they fit.

With S the centred scatter of inputs x and target y, and means x̄ and ȳ,

    slopes b = S_xx⁺ S_xy,      intercept = ȳ − b · x̄,      variance = (S_yy − b · S_xy) / n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.errors import BadData, listed
from bayou.schema import Variable
from bayou.special_functions import LOG_TWO_PI
from bayou.statistics import GroupMoments
from bayou.typing import BoolArray, FloatArray, IntArray

REACH = 3.0
"""Likely values lie within this many standard deviations of a mean."""
_ROUNDING = 1e-14
_RANK = 1e-12
"""Eigenvalues of a correlation matrix below this are rounding."""
_EPSILON = float(np.finfo(np.float64).eps)


def regression_lines(moments: GroupMoments) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return intercept, slopes and variance of each group, and a mask of groups with enough rows.

    The other groups take the line fitted to all groups together.
    """
    enough = has_own_line(moments)
    intercept, coefficients, variance = regression(moments)
    if not np.all(enough):
        pooled = regression(moments.marginal([]))
        intercept = np.where(enough, intercept, pooled[0])
        coefficients = np.where(enough[..., None], coefficients, pooled[1])
        variance = np.where(enough, variance, pooled[2])
    return intercept, coefficients, variance, enough


def group_log_likelihoods(
    moments: GroupMoments, intercept: FloatArray, coefficients: FloatArray, variance: FloatArray
) -> FloatArray:
    """Return the log-likelihood of each group under its line; 0 without rows, -inf if the variance is 0."""
    squares = residual_squares(moments, intercept, coefficients)
    dense = variance > 0
    spread = np.where(dense, variance, 1.0)
    logs = -0.5 * (moments.n * (LOG_TWO_PI + np.log(spread)) + squares / spread)
    return np.where(moments.n > 0, np.where(dense, logs, -np.inf), 0.0)


def residual_squares(moments: GroupMoments, intercept: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Return Σ (y − intercept − coefficients · x)² in each group."""
    away = np.concatenate([-coefficients, np.ones((*intercept.shape, 1))], axis=-1)
    centre = (away * moments.mean).sum(axis=-1) - intercept
    squares: FloatArray = np.einsum("...i,...ij,...j->...", away, moments.scatter, away)
    return np.asarray(squares + moments.n * centre**2)


def summed_squares(moments: GroupMoments, coefficients: FloatArray) -> FloatArray:
    """Return the size of the terms whose differences are the residual squares."""
    away = np.concatenate([np.abs(coefficients), np.ones((*coefficients.shape[:-1], 1))], axis=-1)
    wide = np.sqrt(np.maximum(np.einsum("...ii->...i", moments.scatter), 0.0))
    return np.asarray(((away * wide).sum(axis=-1)) ** 2)


def regression(moments: GroupMoments) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return intercept, slopes and residual variance of the last variable on the others, group by group.

    Solved on correlations, so that a change of a parent's unit changes nothing but its slope.
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


def centred_covariance_root(moments: GroupMoments) -> FloatArray:
    """Return L with L Lᵀ = S_xx⁺, the covariance of the slopes for a residual variance of 1, by group."""
    scale = root_scatter(moments)[..., :-1]
    values, vectors = np.linalg.eigh(_correlations(moments.scatter, scale, slice(0, -1)))
    kept = values > _RANK
    roots = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    root: FloatArray = vectors * roots[..., None, :] / np.where(scale > 0, scale, 1.0)[..., :, None]
    return root


def root_scatter(moments: GroupMoments) -> FloatArray:
    """Return the square root of each scatter; 0 where it is no more than the rounding error of the mean."""
    diagonal = np.einsum("...ii->...i", moments.scatter)
    noise = np.sqrt(moments.n)[..., None] * (2 * _EPSILON) * np.abs(moments.mean)
    spread = np.sqrt(np.maximum(diagonal, 0.0))
    result: FloatArray = np.where(spread > noise, spread, 0.0)
    return result


def require_density(child: Variable, variance: FloatArray, moments: GroupMoments) -> None:
    """Raise BadData unless all variances are positive and finite, naming the cause."""
    flat = variance <= 0
    if np.any(flat):
        where = " in some group of its discrete parents' states" if moments.groups else ""
        inputs = moments.variables[:-1]
        if inputs and np.any(root_scatter(moments)[..., -1][flat] > 0):
            raise BadData(
                f"{child.name!r} is determined by its parents {listed(inputs)}{where} (a linear function of "
                "them: variance 0), so it has no density there. Leave it out, or drop the arc."
            )
        raise BadData(
            f"{child.name!r} does not vary{where} (variance 0), so it has no density there. Declare it "
            "discrete (states=…), or leave it out."
        )
    if not np.all(np.isfinite(variance)):
        raise BadData(f"The variance of {child.name!r} is not a finite number: its values are too large.")


def _correlations(scatter: FloatArray, scale: FloatArray, part: slice) -> FloatArray:
    safe = np.where(scale > 0, scale, 1.0)
    varies = (scale > 0)[..., :, None] & (scale > 0)[..., None, :]
    scaled = scatter[..., part, part] / safe[..., :, None] / safe[..., None, :]
    result: FloatArray = np.where(varies, scaled, 0.0)
    return result


def has_own_line(moments: GroupMoments) -> BoolArray:
    """Whether a group has enough rows to estimate a line with k slopes and a variance of its own.

    A total weight of k + 2 is enough. A smaller total may be the sum of many small weights: it is enough if
    the target varies in a direction that the parents do not explain, which k + 1 rows never do.
    """
    enough = np.array(moments.n >= len(moments.variables) + 1)
    scale = root_scatter(moments)
    # A target that does not vary has no direction that the parents leave unexplained.
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
    """Return −½ log 2πσ² − ½ (x − mean)²/σ²; -inf where the square overflows, NaN for missing values."""
    # Values so far out that the square overflows correctly get the log density -inf.
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
    """Return the log density of each row under the line of its group learned without this row.

    ``mean`` and ``variance`` are those of the fitted line at each row. A row of weight w has the leverage
    h = w·(1/n + q) with q = (x − x̄)ᵀ S⁻¹ (x − x̄). Without it its residual is r/(1 − h) and the sum of squares
    is less by w·r²/(1 − h) (Cook and Weisberg, Residuals and Influence in Regression, 1982, section 2.2).
    A group of which at most one record is left, or whose others do not vary, has the variance within all
    groups without the row; a group that vanishes without it has the mean of all other rows.
    """
    n = moments.n.ravel()[groups]
    rest = np.maximum(n - weights, 1e-9)
    distance = _distances(moments, groups, inputs)
    left = np.maximum(n - weights - weights * n * distance, 1e-9)  # n · (1 − h)
    residual = values - mean
    fall = weights * residual**2 * n / left
    moved = mean - weights * residual * (1 + n * distance) / left
    without = (n * variance - fall) / rest
    others = _OthersOfAll.of(moments, values, weights)
    moved = np.where(left > 1e-9 * n, moved, others.mean)
    own = (rest > 1) & (without > 0) & (left > 1e-9 * n)
    pooled = others.pooled(np.where(rest > 1e-6, np.minimum(fall, n * variance), 0.0))
    pooled = np.where(pooled > 0, pooled, np.where(others.variance > 0, others.variance, variance))
    without = np.where(own, without, pooled)
    logs = -0.5 * (LOG_TWO_PI + np.log(without) + (values - moved) ** 2 / without)
    return np.where(np.isnan(values), 0.0, logs)


@dataclass(frozen=True)
class _OthersOfAll:
    """For each row the mean and the variance of all other rows, of all groups together."""

    mean: FloatArray
    variance: FloatArray
    records: FloatArray
    within: float
    """The sum of the groups' squared deviations from their own means."""

    @classmethod
    def of(cls, moments: GroupMoments, values: FloatArray, weights: FloatArray) -> _OthersOfAll:
        whole, seen = moments.whole, np.where(np.isnan(values), 0.0, values)
        n, centre = float(whole.n), float(whole.mean[-1])
        records = np.maximum(n - weights, 1e-9)
        mean = np.where(n > weights, centre - weights * (seen - centre) / records, centre)
        fall = weights * (seen - centre) ** 2 * n / records
        variance = np.maximum(float(whole.scatter[-1, -1]) - fall, 0.0) / records
        return cls(mean, variance, records, float(moments.scatter[..., -1, -1].sum()))

    def pooled(self, fall: FloatArray) -> FloatArray:
        """The variance within groups, whose sum of squares is less by ``fall`` without the row."""
        result: FloatArray = np.maximum(self.within - fall, 0.0) / self.records
        return result


def _distances(moments: GroupMoments, groups: IntArray, inputs: FloatArray) -> FloatArray:
    """(x − x̄)ᵀ S⁻¹ (x − x̄) of the inputs of each row in its group."""
    k = inputs.shape[-1]
    if not k:
        return np.zeros(len(inputs))
    away = inputs - moments.mean.reshape(-1, k + 1)[groups, :k]
    inverse = np.linalg.pinv(moments.scatter.reshape(-1, k + 1, k + 1)[:, :k, :k], hermitian=True)
    distances: FloatArray = np.einsum("ri,rij,rj->r", away, inverse[groups], away)
    return distances
