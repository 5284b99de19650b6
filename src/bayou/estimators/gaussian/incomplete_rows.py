"""Normal distributions from rows with gaps: EM on the moments of each set of columns that rows have.

E-step: with the present means μ and covariances Σ, the missing cells of a row are replaced by their
regression on its other cells, and the covariance of what the regression leaves open is added. M-step: means
and scatter of the completed rows. If cells are missing at random, the result is the maximum likelihood
estimate from the cells that are there (Dempster, Laird and Rubin 1977; Little and Rubin, chapter 11).

With a covariance for each class, Σ of a class is drawn to the pooled one by d + 1 virtual rows in the E-step,
so that a class with few rows has regressions, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bayou.errors import BadData, warn_user
from bayou.statistics.matrix.class_moments import ClassMoments, FourthMoments
from bayou.statistics.matrix.gap_patterns import GapPatterns
from bayou.typing import FloatArray

_TOLERANCE = 1e-8
_MOST_STEPS = 3000
_RIDGE = 1e-9
_CELLS = 1 << 21


def completed(moments: ClassMoments) -> ClassMoments:
    """Return the expected moments of all rows, with or without gaps; moments without gaps are unchanged."""
    if moments.incomplete is None or not moments.incomplete.n.any():
        return replace(moments, incomplete=None)
    whole, patterns = replace(moments, incomplete=None), moments.incomplete
    now, before = _start(whole, patterns), 0.0
    for _ in range(_MOST_STEPS):
        after = _step(whole, patterns, now)
        moved = now.distance(after)
        now, rate, before = after, moved / before if before else 1.0, moved
        # Steps shrink by a factor: the sum of all further ones is the distance to the limit.
        if moved == 0 or (rate < 1 and moved * rate / (1 - rate) < _TOLERANCE):
            break
    else:
        warn_user(
            f"EM for rows with missing cells stopped after {_MOST_STEPS} steps; the last one moved means and "
            f"covariances by {moved:.1g} standard deviations."
        )
    _require_spread(moments, now.n)
    n = np.repeat(now.n[:, None], len(moments.variables), axis=1)
    spread = moments.spread and _scaled(moments.spread, now.n, moments.n[:, 0])
    return replace(whole, n=n, mean=now.mean, scatter=now.scatter, spread=spread)


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


def _start(whole: ClassMoments, patterns: GapPatterns) -> _Estimate:
    """Means and variances of the cells that are there; covariances of the complete rows, drawn to these."""
    counts = whole.n + np.einsum("pk,pj->kj", patterns.n, patterns.seen.astype(np.float64))
    sums = whole.n * whole.mean + np.einsum("pk,pkj->kj", patterns.n, patterns.mean)
    total = counts.sum(axis=0)
    overall = sums.sum(axis=0) / np.where(total > 0, total, 1.0)
    mean = np.where(counts > 0, sums / np.where(counts > 0, counts, 1.0), overall)
    diagonal = np.einsum("...ii->...i", patterns.scatter)
    squares = whole.within + (diagonal.sum(axis=0) if patterns.pooled else diagonal.sum(axis=(0, 1)))
    away = np.where(patterns.seen[:, None, :], patterns.mean - mean, 0.0)
    squares = squares + np.einsum("pk,pkj->j", patterns.n, away**2)
    squares = squares + (whole.n * (whole.mean - mean) ** 2).sum(axis=0)
    variances = squares / np.where(total > 0, total, 1.0)
    n = whole.n[:, 0] + patterns.n.sum(axis=0)
    d, complete = len(variances), float(whole.n[:, 0].sum())
    scatter = whole.scatter if patterns.pooled else whole.scatter.sum(axis=0)
    covariance = (scatter + (d + 1) * np.diag(variances)) / (complete + d + 1)
    shape = n.sum() if patterns.pooled else n[:, None, None]
    return _Estimate(n, mean, np.asarray(shape * covariance), variances)


def _step(whole: ClassMoments, patterns: GapPatterns, now: _Estimate) -> _Estimate:
    """One step of EM: the moments of the complete rows, and the expected ones of the others."""
    covariances = now.covariances()
    means, scatter = np.empty_like(patterns.mean), np.zeros_like(now.scatter)
    for part in _parts(patterns, len(covariances)):
        fill, left = _regressions(covariances, patterns.seen[part].astype(np.float64))
        away = patterns.seen[part][:, None, :] * (patterns.mean[part] - now.mean)
        means[part] = now.mean + np.einsum("pkij,pkj->pki", np.broadcast_to(fill, _shape(fill, away)), away)
        own = patterns.scatter[part][:, None] if patterns.pooled else patterns.scatter[part]
        weights = patterns.n[part].sum(axis=1)[:, None] if patterns.pooled else patterns.n[part]
        expected = fill @ own @ fill.swapaxes(-1, -2) + weights[:, :, None, None] * left
        scatter += expected.sum(axis=(0, 1)) if patterns.pooled else expected.sum(axis=0)
    mean = whole.n * whole.mean + np.einsum("pk,pki->ki", patterns.n, means)
    mean = np.where(now.n[:, None] > 0, mean / np.where(now.n > 0, now.n, 1.0)[:, None], now.mean)
    between = _squares(whole.n[:, 0][None], (whole.mean - mean)[None], patterns.pooled)
    between = between + _squares(patterns.n, means - mean, patterns.pooled)
    return replace(now, mean=mean, scatter=scatter + whole.scatter + between)


def _parts(patterns: GapPatterns, covariances: int) -> Iterator[slice]:
    """Some patterns at a time, so that their matrices take little memory."""
    size = max(1, _CELLS // max(1, covariances * patterns.seen.shape[1] ** 2))
    for start in range(0, len(patterns.seen), size):
        yield slice(start, start + size)


def _regressions(covariances: FloatArray, seen: FloatArray) -> tuple[FloatArray, FloatArray]:
    """For each pattern and covariance: the matrix that fills in the missing cells, and what it leaves open.

    Rows and columns of missing cells are made those of the identity, so that one call solves all patterns.
    """
    seen, missing = seen[:, None, :], 1.0 - seen[:, None, :]
    sigma = covariances[None]
    observed = sigma * seen[..., :, None] * seen[..., None, :] + missing[..., None] * np.eye(len(sigma[0, 0]))
    slopes = np.linalg.solve(observed, sigma * seen[..., :, None])
    fill = seen[..., None] * np.eye(len(sigma[0, 0])) + missing[..., :, None] * slopes.swapaxes(-1, -2)
    left = missing[..., :, None] * missing[..., None, :] * (sigma - sigma @ slopes)
    return fill, left


def _shape(fill: FloatArray, away: FloatArray) -> tuple[int, ...]:
    return (*away.shape, fill.shape[-1])


def _squares(n: FloatArray, away: FloatArray, pooled: bool) -> FloatArray:
    """Σ n · away awayᵀ over the patterns, by class or over all of them."""
    result: FloatArray = np.einsum("pk,pki,pkj->ij" if pooled else "pk,pki,pkj->kij", n, away, away)
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
