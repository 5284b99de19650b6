"""Normal distributions from rows with gaps: EM on the moments of each set of columns that rows have.

E-step: with the present means μ and covariances Σ, the missing cells of a row are replaced by their
regression on its other cells, and the covariance of what the regression leaves open is added. M-step: means
and scatter of the completed rows. If cells are missing at random, the result is the maximum likelihood
estimate from the cells that are there (Dempster, Laird and Rubin 1977; Little and Rubin, chapter 11).

With a covariance for each class, Σ of a class is drawn to the pooled one by d + 1 virtual rows in the E-step,
so that a class with few rows has regressions, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from bayou._native import class_scatter
from bayou.errors import BadData, warn_user
from bayou.estimators.gaussian.gap_regressions import GapRegressions, cases_of
from bayou.estimators.gaussian.regularised_covariance import too_large
from bayou.statistics.matrix.class_moments import ClassMoments, FourthMoments
from bayou.statistics.matrix.incomplete_moments import IncompleteMoments
from bayou.typing import BoolArray, FloatArray

_TOLERANCE = 1e-8
_MOST_STEPS = 300
_ENOUGH_STEPS = 30
_ENOUGH = 0.05
"""After so many steps EM ends, too, when the limit is nearer than this share of a standard error, 1/√n."""
_RIDGE = 1e-4
"""The share of each column's variance that regressions take for errors of measurement. Where columns
determine each other (sums, indicators beside a number of the same thing), regressions would else magnify
rounding errors: with 1e-9 the order of rows alone changed probabilities by up to 0.8."""


def completed_moments(moments: ClassMoments) -> ClassMoments:
    """Return the expected moments of all rows, with or without gaps; moments without gaps are unchanged."""
    if moments.incomplete is None or not len(moments.incomplete.n):
        return replace(moments, incomplete=None)
    whole, patterns = replace(moments, incomplete=None), moments.incomplete
    if (empty := empty_columns(moments)).any():
        # As if all rows had the same value; below its variance becomes 1 in all classes, which tells nothing.
        patterns = replace(patterns, seen=patterns.seen | empty)
    with np.errstate(over="ignore", invalid="ignore"):
        start = _start(whole, patterns)
    if len(bad := np.flatnonzero(~np.isfinite(start.variances * start.n.sum()))):
        raise too_large(moments.variables[bad[0]])
    now, before, steps = start, 0.0, _Steps(whole, patterns)
    left = math.inf
    for step in range(_MOST_STEPS):
        after = steps.after(now)
        moved = now.distance(after)
        now, rate, before = after, moved / before if before else 1.0, moved
        # Steps shrink by a factor: the sum of all further ones is the distance to the limit.
        left = 0.0 if moved == 0 else moved * rate / (1 - rate) if rate < 1 else math.inf
        if left < _TOLERANCE or (step >= _ENOUGH_STEPS and left < _ENOUGH / math.sqrt(now.n.sum())):
            break
    if left > 1 / math.sqrt(now.n.sum()):
        warn_user(
            f"EM for rows with missing cells stopped after {_MOST_STEPS} steps; means and covariances are "
            f"still about {left:.1g} standard deviations from their limit."
        )
    _require_spread(moments, now.n)
    n = np.repeat(now.n[:, None], len(moments.variables), axis=1)
    spread = moments.spread and _scaled(moments.spread, now.n, moments.n[:, 0])
    scatter = now.scatter.copy()
    for column in np.flatnonzero(empty).tolist():
        scatter[..., column, column] = now.n.sum() if patterns.pooled else now.n
    return replace(whole, n=n, mean=now.mean, scatter=scatter, spread=spread)


def empty_columns(moments: ClassMoments) -> BoolArray:
    """Return a mask of the columns without a value in any row."""
    seen: BoolArray = moments.n.sum(axis=0) > 0
    return ~seen if moments.incomplete is None else ~(seen | moments.incomplete.seen.any(axis=0))


@dataclass(frozen=True, eq=False)
class _Estimate:
    """Weights n and means μ of the classes, and scatter within each class, or within all of them."""

    n: FloatArray
    mean: FloatArray
    scatter: FloatArray
    variances: FloatArray
    """The variance of each column, as the unit of steps."""

    def covariances(self) -> FloatArray:
        """Σ for the E-step, [class, column, column]; one for all classes if the scatter is pooled."""
        d = self.mean.shape[1]
        ridge = np.diag(_RIDGE * np.where(self.variances > 0, self.variances, 1.0))
        total = max(float(self.n.sum()), 1e-300)
        if self.scatter.ndim == 2:
            return (self.scatter / total + ridge)[None]
        pooled, virtual = self.scatter.sum(axis=0) / total, d + 1.0
        drawn: FloatArray = (self.scatter + virtual * pooled) / (self.n + virtual)[:, None, None] + ridge
        return drawn

    def distance(self, other: _Estimate) -> float:
        """The largest difference of means and covariances, in units of the columns' deviations."""
        unit = np.sqrt(np.where(self.variances > 0, self.variances, 1.0))
        means = np.abs((self.mean - other.mean) / unit).max(initial=0.0)
        squares = np.abs((self.covariances() - other.covariances()) / np.outer(unit, unit)).max(initial=0.0)
        return float(max(means, squares))


def _start(whole: ClassMoments, patterns: IncompleteMoments) -> _Estimate:
    """Means and variances of the cells that are there; covariances of the complete rows, drawn to these."""
    seen, label, weight = patterns.seen[patterns.pattern], patterns.label, patterns.n[:, None]
    counts, sums = whole.n.copy(), whole.n * whole.mean
    np.add.at(counts, label, weight * seen)
    np.add.at(sums, label, weight * patterns.mean)
    total = counts.sum(axis=0)
    overall = sums.sum(axis=0) / np.where(total > 0, total, 1.0)
    mean = np.where(counts > 0, sums / np.where(counts > 0, counts, 1.0), overall)
    squares = whole.within + np.einsum("tii->i", patterns.scatter)
    squares = squares + (weight * seen * (patterns.mean - mean[label]) ** 2).sum(axis=0)
    squares = squares + (whole.n * (whole.mean - mean) ** 2).sum(axis=0)
    variances = squares / np.where(total > 0, total, 1.0)
    n = whole.n[:, 0] + np.bincount(label, weights=patterns.n, minlength=len(whole.n))
    d, complete = len(variances), float(whole.n[:, 0].sum())
    scatter = whole.scatter if patterns.pooled else whole.scatter.sum(axis=0)
    covariance = (scatter + (d + 1) * np.diag(variances)) / (complete + d + 1)
    shape = n.sum() if patterns.pooled else n[:, None, None]
    return _Estimate(n, mean, np.asarray(shape * covariance), variances)


class _Steps:
    """Steps of EM: the moments of the complete rows, and the expected ones of the others."""

    def __init__(self, whole: ClassMoments, patterns: IncompleteMoments) -> None:
        self._whole, self._patterns = whole, patterns
        self._cases = cases_of(patterns)
        self._missing = ~patterns.seen[patterns.pattern]
        self._codes = patterns.label.astype(np.uint32)
        k, d = whole.mean.shape
        self._scatter = np.zeros((1 if patterns.pooled else k, d, d))
        np.add.at(self._scatter, patterns.scatter_label, patterns.scatter)

    def after(self, now: _Estimate) -> _Estimate:
        """The estimate after one step."""
        whole, patterns, pooled = self._whole, self._patterns, self._patterns.pooled
        regressions = GapRegressions(now.covariances())
        rows = patterns.mean - now.mean[patterns.label]
        rows[self._missing] = 0.0
        sums = self._scatter.copy()
        for cases in self._cases:
            regressions.fill(cases, rows, patterns.scatter, sums)
        weight, mean, scatter = class_scatter(rows, self._codes, len(now.n), patterns.n, pooled)
        # All sums are of deviations from the present means: of the complete rows, and of the others.
        near = np.where(whole.n > 0, whole.mean - now.mean, 0.0)
        move = whole.n * near + weight[:, None] * mean
        move = np.divide(move, now.n[:, None], out=np.zeros_like(move), where=now.n[:, None] > 0)
        between = _squares(whole.n[:, 0], near - move, pooled) + _squares(weight, mean - move, pooled)
        expected = sums[0] if pooled else sums
        return replace(now, mean=now.mean + move, scatter=scatter + whole.scatter + expected + between)


def _squares(n: FloatArray, away: FloatArray, pooled: bool) -> FloatArray:
    """Σ n · away awayᵀ, by class or over all of them."""
    result: FloatArray = np.einsum("k,ki,kj->ij" if pooled else "k,ki,kj->kij", n, away, away)
    return result


def _require_spread(moments: ClassMoments, n: FloatArray) -> None:
    """Check that fourth moments, if they are needed, have complete rows in each class."""
    lacking = np.flatnonzero((n > 0) & (moments.n[:, 0] == 0))
    if moments.spread is not None and len(lacking):
        raise BadData(
            "shrinkage='ledoit-wolf' needs rows without missing cells, and class "
            f"{moments.classes.states[lacking[0]]!r} has none: use shrinkage='oas' or a number."
        )


def _scaled(spread: FourthMoments, n: FloatArray, complete: FloatArray) -> FourthMoments:
    """Fourth moments as if all rows were like the complete ones."""
    scale = np.divide(n, complete, out=np.ones_like(n), where=complete > 0)[:, None, None]
    return FourthMoments(scale * spread.third, scale * spread.fourth)
