"""Covariances between QDA and LDA: each class's own, drawn towards the pooled one as far as the data say.

The classes' covariances are taken as draws of an inverse Wishart distribution around the pooled one, P. Its
degrees of freedom ν say how alike they are: ν → ∞ is one Σ for all (LDA), small ν leaves each class its own
(QDA). The ν under which all the classes' scatter matrices are most probable is found exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from bayou.errors import BadData
from bayou.statistics.matrix.class_moments import ClassMoments
from bayou.typing import BoolArray, FloatArray

_SHARE, _FLOOR = 1e-6, 1e-9
_CONSTANT = 1e-26
_LOG_STRENGTHS = np.arange(-3.0, 14.25, 0.5)


@dataclass(frozen=True)
class Regulariser:
    """P counts for ``strength`` = ν − d − 1 rows of each class; then ``shrinkage`` goes to ``variances``.

    Those are each column's in the class where it varies most: a column that is (nearly) constant in other
    classes would otherwise rule those out by one odd value. Unlike the identity they have the data's units.
    """

    strength: float
    shrinkage: float
    variances: FloatArray
    ridge: FloatArray

    @classmethod
    def of(cls, moments: ClassMoments, shrinkage: float, ddof: float) -> Regulariser:
        """The regulariser under which these moments are most probable."""
        require_finite(moments)
        pooled = _pooled(moments, ddof)
        own = np.diagonal(moments.scatter, axis1=1, axis2=2) / np.where(moments.n > 0, moments.n, 1.0)
        total = moments.total_variance
        constant = total <= _CONSTANT * (moments.mean**2).max(axis=0)
        widest = float(total.max(initial=0.0))
        least = np.where(constant, widest if widest > 0 else 1.0, total)
        ridge = np.maximum(_SHARE * np.diagonal(pooled), _FLOOR * least)
        known = cls(1.0, shrinkage, own.max(axis=0, initial=0.0), ridge)
        return replace(known, strength=_best_strength(moments, known._raised, pooled, ~constant))

    def covariances(self, moments: ClassMoments, ddof: float) -> list[FloatArray]:
        """Σ of each class: the mean of its own and the pooled one, weighted by rows and strength."""
        pooled = _pooled(moments, ddof)
        rows = np.maximum(moments.n[:, 0] - ddof, 0.0)
        return [
            self._raised((scatter + self.strength * pooled) / (n + self.strength), 1.0)
            for n, scatter in zip(rows.tolist(), moments.scatter, strict=True)
        ]

    def _raised(self, scatter: FloatArray, rows: float) -> FloatArray:
        """The same is done to each class and to P, so what all have in common cancels."""
        added = rows * (self.shrinkage * self.variances + self.ridge)
        result: FloatArray = (1 - self.shrinkage) * scatter + np.diag(added)
        return result


def require_finite(moments: ClassMoments) -> None:
    """Name the first column whose squares are beyond floats."""
    bad = np.flatnonzero(~np.isfinite(moments.within))
    if len(bad):
        raise BadData(f"The squares of {moments.variables[bad[0]]!r} are too large for floats; rescale it.")


def _pooled(moments: ClassMoments, ddof: float) -> FloatArray:
    weights = moments.n[:, 0]
    n, lost = float(weights.sum()), ddof * np.count_nonzero(weights)
    result: FloatArray = moments.scatter.sum(axis=0) / (n - lost if n > lost else max(n, 1.0))
    return result


def _best_strength(
    moments: ClassMoments,
    raised: Callable[[FloatArray, float], FloatArray],
    pooled: FloatArray,
    live: BoolArray,
) -> float:
    """Where the marginal likelihood is greatest: the best of a grid, then a root of the derivative."""
    freedoms = moments.n[:, 0] - 1
    seen = np.flatnonzero(freedoms > 0)
    if not len(seen) or not live.any():
        return float(np.exp(_LOG_STRENGTHS[-1]))
    place = np.ix_(live, live)
    inverse, _ = linalg.lapack.dtrtri(linalg.cholesky(raised(pooled, 1.0)[place], lower=True), lower=1)
    eigenvalues = []
    for k in seen:
        whitened = inverse @ raised(moments.scatter[k], freedoms[k])[place] @ inverse.T
        eigenvalues.append(np.maximum(np.linalg.eigvalsh(whitened), 0.0))
    evidence = _Evidence(freedoms[seen], np.array(eigenvalues))
    at = int(np.argmax([evidence.value(log) for log in _LOG_STRENGTHS]))
    low, high = _LOG_STRENGTHS[max(at - 1, 0)], _LOG_STRENGTHS[min(at + 1, len(_LOG_STRENGTHS) - 1)]
    if evidence.slope(low) > 0 > evidence.slope(high):
        return float(np.exp(brentq(evidence.slope, low, high, xtol=1e-13)))
    return float(np.exp(_LOG_STRENGTHS[at]))


@dataclass(frozen=True)
class _Evidence:
    """log p(scatters | ν) up to a constant, by the eigenvalues [class, d] of the scatters relative to P."""

    freedoms: FloatArray
    eigenvalues: FloatArray

    def value(self, log_strength: float) -> float:
        d = self.eigenvalues.shape[1]
        x = float(np.exp(log_strength))
        prior, after = d + 1 + x, d + 1 + x + self.freedoms
        halves = 0.5 * np.arange(d)
        gammas = gammaln(0.5 * after[:, None] - halves).sum(axis=1) - gammaln(0.5 * prior - halves).sum()
        logs = np.log(x + self.eigenvalues).sum(axis=1)
        return float((gammas + 0.5 * prior * d * log_strength - 0.5 * after * logs).sum())

    def slope(self, log_strength: float) -> float:
        """The derivative with respect to the strength's logarithm, halved factors left out."""
        d = self.eigenvalues.shape[1]
        x = float(np.exp(log_strength))
        prior, after = d + 1 + x, d + 1 + x + self.freedoms
        halves = 0.5 * np.arange(d)
        gammas = digamma(0.5 * after[:, None] - halves).sum(axis=1) - digamma(0.5 * prior - halves).sum()
        moved = x + self.eigenvalues
        own = np.log(moved / x).sum(axis=1) + after * (1 / moved).sum(axis=1) - prior * d / x
        return float(x * (gammas - own).sum())
