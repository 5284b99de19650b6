"""Covariance matrices from moments: divisors, shrinkage, and the treatment of singular matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from bayou.arguments import real_number
from bayou.errors import BadData, warn_user
from bayou.statistics.matrix.class_moments import ClassMoments
from bayou.typing import FloatArray, Name

LEDOIT_WOLF = "ledoit-wolf"
OAS = "oas"
_NEARLY_SINGULAR = 1e-13
"""A column is taken to follow from earlier ones if at most this share of its variance is left."""


@dataclass(frozen=True)
class Whitening:
    """An invertible covariance: Σ, the upper triangular W with WᵀΣW = I, and log |Σ|."""

    covariance: FloatArray
    whitener: FloatArray
    log_determinant: float


def check_shrinkage(shrinkage: Any) -> None:
    """Check ``shrinkage=``: None, a number from 0 to 1, or the name of a rule."""
    if shrinkage is None or (isinstance(shrinkage, str) and shrinkage in (LEDOIT_WOLF, OAS)):
        return
    expected = f"give None, a number from 0 to 1, {LEDOIT_WOLF!r} or {OAS!r}"
    real_number("shrinkage", shrinkage, 0, 1, expected=expected)


def class_covariances(moments: ClassMoments, shrinkage: Any, ddof: float) -> list[FloatArray]:
    """Return Σ of each class, shrunk towards a multiple of the identity; the identity without rows."""
    d = len(moments.variables)
    result = []
    for k, n in enumerate(moments.n[:, 0].tolist()):
        if n == 0:
            result.append(np.eye(d))
            continue
        fourth = None if moments.spread is None else moments.spread.fourth[k]
        result.append(_shrunk(moments.scatter[k] / n, n, shrinkage, fourth) * _divisor_change(n, ddof))
    return result


def shared_covariance(moments: ClassMoments, shrinkage: Any, ddof: float) -> FloatArray:
    """Return the pooled Σ of all classes: the mean of theirs, weighted by their numbers of rows."""
    weights = moments.n[:, 0]
    n = float(weights.sum())
    change = _divisor_change(n, ddof * np.count_nonzero(weights))
    if moments.form == "pooled":
        return _shrunk(moments.scatter / n, n, shrinkage, None) * change
    covariances = class_covariances(moments, shrinkage, 0.0)
    result: FloatArray = np.tensordot(weights / n, np.array(covariances), axes=1) * change
    return result


def shrunk_variances(variances: FloatArray, n: float, shrinkage: Any) -> FloatArray:
    """Shrink variances towards their mean by the same rules; 'ledoit-wolf' changes none of them.

    (That rule shrinks standardised columns, whose variances are all equal.)
    """
    if shrinkage is None or isinstance(shrinkage, str):
        share = _oas_share(np.diag(variances), n) if shrinkage == OAS else 0.0
    else:
        share = float(shrinkage)
    result: FloatArray = (1 - share) * variances + share * variances.mean()
    return result


def whitening(
    covariance: FloatArray, ridge: Callable[[], FloatArray], names: Sequence[Name], whose: str
) -> Whitening:
    """Factor Σ; if it is singular, first add ``ridge()`` to its diagonal and warn. ``whose`` names it."""
    factor = _cholesky(covariance)
    if isinstance(factor, int):
        added = ridge()
        if not added.all():
            raise BadData(
                f"The covariance matrix {whose} is singular: {names[factor]!r} is constant or a linear "
                "combination of other columns. Leave it out, or set shrinkage= or var_smoothing= above 0."
            )
        warn_user(
            f"The covariance matrix {whose} is singular: {names[factor]!r} is constant or a linear "
            "combination of other columns. A share var_smoothing= of the variances was added to its diagonal "
            "(or use shrinkage=)."
        )
        covariance, factor = _with_ridge(covariance, added)
    inverse, _ = linalg.lapack.dtrtri(factor, lower=1)
    log_determinant = float(2 * np.log(np.diagonal(factor)).sum())
    return Whitening(covariance, np.ascontiguousarray(inverse.T), log_determinant)


def _with_ridge(covariance: FloatArray, ridge: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A singular matrix with a ridge on its diagonal, and its factor.

    Of many columns, rounding may leave eigenvalues further below 0 than the ridge lifts them: then it is
    ten times as large, and again.
    """
    while np.isfinite(ridge).all():
        lifted = covariance + np.diag(ridge)
        factor, info = linalg.lapack.dpotrf(lifted, lower=1, clean=1)
        if info == 0:
            return lifted, np.asarray(factor, dtype=np.float64)
        ridge = 10 * ridge
    raise BadData("A covariance matrix is not finite: the columns have too large numbers. Rescale them.")


def _cholesky(covariance: FloatArray) -> FloatArray | int:
    """The lower Cholesky factor, or the first column that is a linear combination of those before it."""
    factor, info = linalg.lapack.dpotrf(covariance, lower=1, clean=1)
    if info > 0:
        return int(info) - 1
    left = np.diagonal(factor) ** 2
    bad = np.flatnonzero(left <= _NEARLY_SINGULAR * np.diagonal(covariance))
    return int(bad[0]) if len(bad) else np.asarray(factor, dtype=np.float64)


def _divisor_change(n: float, ddof: float) -> float:
    """The factor from the divisor n to n - ddof; 1 if there are too few rows for that."""
    return n / (n - ddof) if n > ddof else 1.0


def _shrunk(covariance: FloatArray, n: float, shrinkage: Any, fourth: FloatArray | None) -> FloatArray:
    if shrinkage is None:
        return covariance
    if isinstance(shrinkage, str):
        if shrinkage == LEDOIT_WOLF:
            assert fourth is not None
            return _ledoit_wolf(covariance, n, fourth)
        return _towards_identity(covariance, _oas_share(covariance, n))
    return _towards_identity(covariance, float(shrinkage))


def _towards_identity(covariance: FloatArray, share: float) -> FloatArray:
    d = len(covariance)
    result: FloatArray = (1 - share) * covariance + share * (np.trace(covariance) / d) * np.eye(d)
    return result


def _oas_share(covariance: FloatArray, n: float) -> float:
    """The oracle approximating shrinkage (Chen, Wiesel, Eldar and Hero 2010)."""
    d = len(covariance)
    mean_square, centre = float(np.mean(covariance**2)), float(np.trace(covariance)) / d
    below = (n + 1) * (mean_square - centre**2 / d)
    return 1.0 if below == 0 else min((mean_square + centre**2) / below, 1.0)


def _ledoit_wolf(covariance: FloatArray, n: float, fourth: FloatArray) -> FloatArray:
    """Ledoit and Wolf's shrinkage (2004) of standardised columns, as in scikit-learn's LDA and QDA."""
    d = len(covariance)
    if d == 1:
        return covariance
    deviation = np.sqrt(np.diagonal(covariance))
    scale = np.where(deviation > 0, deviation, 1.0)
    outer = np.outer(scale, scale)
    correlation = covariance / outer
    trace, squares = float(np.trace(correlation)), float(np.sum(correlation**2))
    beta = (float(np.sum(fourth / outer**2)) / n - squares) / (d * n)
    delta = (squares - trace**2 / d) / d
    share = 0.0 if min(beta, delta) == 0 else min(beta, delta) / delta
    result: FloatArray = _towards_identity(correlation, share) * outer
    return result
