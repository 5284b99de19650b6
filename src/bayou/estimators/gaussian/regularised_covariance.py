"""Covariances between QDA and LDA: those of the classes, shrunk towards the pooled one.

Model: the covariances of the classes are draws from an inverse Wishart distribution around the pooled
covariance P. Its degrees of freedom ν say how similar they are: ν → ∞ is one Σ for all classes (LDA), a small
ν leaves each class its own (QDA). ν is chosen by empirical Bayes: it maximises the marginal likelihood of the
scatter matrices of all classes.
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
from bayou.typing import BoolArray, FloatArray, Name

_SHARE, _FLOOR = 1e-6, 1e-9
_CONSTANT = 1e-26
_LARGEST = 1e150
_LOG_STRENGTHS = np.arange(-3.0, 14.25, 0.5)


@dataclass(frozen=True)
class Regulariser:
    """P counts as ``strength`` = ν − d − 1 rows of each class; then ``shrinkage`` towards ``variances``.

    ``variances`` are those of each column in the class where it varies most: otherwise one odd value in a
    column that is (nearly) constant in a class would rule out that class. Unlike the identity, they have the
    units of the data.
    """

    strength: float
    shrinkage: float
    variances: FloatArray
    ridge: FloatArray

    @classmethod
    def of(cls, moments: ClassMoments, shrinkage: float, ddof: float) -> Regulariser:
        """Return the regulariser with the largest marginal likelihood of these moments."""
        require_finite(moments)
        pooled = _pooled(moments, ddof)
        own = np.diagonal(moments.scatter, axis1=1, axis2=2) / np.where(moments.n > 0, moments.n, 1.0)
        total = moments.total_variance
        constant = total <= _CONSTANT * (moments.mean**2).max(axis=0)
        widest = float(total.max(initial=0.0))
        least = np.where(constant, widest if widest > 0 else 1.0, total)
        ridge = np.maximum(_SHARE * np.diagonal(pooled), _FLOOR * least)
        start = cls(1.0, shrinkage, own.max(axis=0, initial=0.0), ridge)
        return replace(start, strength=_best_strength(moments, start._raised, pooled, ~constant))

    def covariances(self, moments: ClassMoments, ddof: float) -> list[FloatArray]:
        """Return Σ of each class: the mean of its own and P, weighted by the class's rows and strength."""
        pooled = _pooled(moments, ddof)
        rows = np.maximum(moments.n[:, 0] - ddof, 0.0)
        return [
            self._raised((scatter + self.strength * pooled) / (n + self.strength), 1.0)
            for n, scatter in zip(rows.tolist(), moments.scatter, strict=True)
        ]

    def _raised(self, scatter: FloatArray, rows: float) -> FloatArray:
        """Shrink a scatter matrix of this many rows towards the variances, and add the ridge.

        The same is done to the matrix of each class and to P.
        """
        added = rows * (self.shrinkage * self.variances + self.ridge)
        result: FloatArray = (1 - self.shrinkage) * scatter + np.diag(added)
        return result


def require_finite(moments: ClassMoments) -> None:
    """Check that the squares of every column are finite."""
    largest = np.abs(moments.mean).max(axis=0, initial=0.0)
    bad = np.flatnonzero(~(np.isfinite(moments.within) & (largest < _LARGEST)))
    if len(bad):
        raise too_large(moments.variables[bad[0]])


def too_large(name: Name) -> BadData:
    """Return the error for a column whose squares overflow."""
    return BadData(
        f"The squares of {name!r} are too large for floats. Use another unit, or look for numbers that stand "
        "for a missing value."
    )


def _pooled(moments: ClassMoments, ddof: float) -> FloatArray:
    """The pooled covariance P; ``ddof`` is subtracted once per class from the number of rows."""
    weights = moments.n[:, 0]
    n, ddofs = float(weights.sum()), ddof * np.count_nonzero(weights)
    result: FloatArray = moments.scatter.sum(axis=0) / (n - ddofs if n > ddofs else max(n, 1.0))
    return result


def _best_strength(
    moments: ClassMoments,
    raised: Callable[[FloatArray, float], FloatArray],
    pooled: FloatArray,
    live: BoolArray,
) -> float:
    """Maximise the marginal likelihood over the strength: the best of a grid, then a root of the derivative.

    ``live`` marks the columns that are not constant.
    """
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
    """log p(scatter matrices | ν) up to a constant, from their eigenvalues [class, d] relative to P.

    With x = ν − d − 1, f = n − 1 and eigenvalues e of a class, its term is
    log Γ_d((ν + f)/2) − log Γ_d(ν/2) + (νd/2) log x − ((ν + f)/2) Σ log(x + e).
    """

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
        """Twice the derivative of ``value`` with respect to the logarithm of the strength."""
        d = self.eigenvalues.shape[1]
        x = float(np.exp(log_strength))
        prior, after = d + 1 + x, d + 1 + x + self.freedoms
        halves = 0.5 * np.arange(d)
        gammas = digamma(0.5 * after[:, None] - halves).sum(axis=1) - digamma(0.5 * prior - halves).sum()
        moved = x + self.eigenvalues
        own = np.log(moved / x).sum(axis=1) + after * (1 / moved).sum(axis=1) - prior * d / x
        return float(x * (gammas - own).sum())
