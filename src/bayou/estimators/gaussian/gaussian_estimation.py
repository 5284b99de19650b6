"""The estimation of a Gaussian model from the moments of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.estimators.gaussian.covariance import (
    class_covariances,
    shared_covariance,
    shrunk_variances,
    whitening,
)
from bayou.estimators.gaussian.gaussian_model import DiagonalModel, FullModel, GaussianModel, SharedModel
from bayou.estimators.gaussian.regularised_covariance import Regulariser, require_finite
from bayou.statistics.matrix.class_moments import ClassMoments
from bayou.typing import FloatArray


@dataclass(frozen=True)
class GaussianSettings:
    """The settings of a Gaussian model, given by the user or chosen automatically.

    ``variances`` are those of the columns over all rows; None: those of the moments given. They differ in
    cross-validation, where a model is estimated from fewer rows.
    """

    covariance: str
    shrinkage: Any
    ddof: float
    var_smoothing: float
    regulariser: Regulariser | None = None
    weight: float = 1.0
    variances: FloatArray | None = None


def gaussian_model(settings: GaussianSettings, moments: ClassMoments, log_prior: FloatArray) -> GaussianModel:
    """Return the model estimated from these moments."""
    require_finite(moments)
    if settings.covariance == "diagonal":
        return DiagonalModel(log_prior, _means(moments), _variances(settings, moments))
    if settings.covariance == "spherical":
        means = _means(moments)
        return DiagonalModel(log_prior, means, np.full_like(means, _pooled_variance(settings, moments)))

    def ridge() -> FloatArray:
        """A share of each column's variance over all rows (for a constant column, of the largest one)."""
        total = moments.total_variance if settings.variances is None else settings.variances
        widest = float(total.max(initial=0.0))
        return settings.var_smoothing * np.where(total > 0, total, widest if widest > 0 else 1.0)

    names = moments.variables
    _require_whole_rows(moments)
    if settings.covariance == "shared":
        covariance = shared_covariance(moments, settings.shrinkage, settings.ddof)
        white = whitening(covariance, ridge, names, "of all classes")
        return SharedModel(log_prior, moments.mean, white, settings.weight)
    covariances = _class_covariances(settings, moments)
    parts = tuple(
        whitening(covariance, ridge, names, f"of class {moments.classes.states[k]!r}")
        for k, covariance in enumerate(covariances)
    )
    return FullModel(log_prior, moments.mean, parts, settings.weight)


def _class_covariances(settings: GaussianSettings, moments: ClassMoments) -> list[FloatArray]:
    if settings.covariance == "regularised":
        shrinkage = float(settings.shrinkage or 0.0)
        regulariser = settings.regulariser or Regulariser.of(moments, shrinkage, settings.ddof)
        return regulariser.covariances(moments, settings.ddof)
    return class_covariances(moments, settings.shrinkage, settings.ddof)


def _require_whole_rows(moments: ClassMoments) -> None:
    """Check that each class has a row with a value, which covariances need."""
    empty = np.flatnonzero((moments.rows > 0) & (moments.n[:, 0] == 0))
    if len(empty):
        raise BadData(
            f"All cells of class {moments.classes.states[empty[0]]!r} are missing (Input X contains NaN), so "
            "it has no mean. Leave the class out."
        )


def _widest(moments: ClassMoments) -> float:
    """The largest variance of any column; 1 if all columns are constant."""
    widest = float(moments.total_variance.max(initial=0.0))
    return widest if widest > 0 else 1.0


def _means(moments: ClassMoments) -> FloatArray:
    """The means of the classes; the overall mean in a column where a class has missing cells only."""
    weight = moments.n.sum(axis=0)
    overall = (moments.n * moments.mean).sum(axis=0) / np.where(weight > 0, weight, 1.0)
    return np.where(moments.n > 0, moments.mean, overall)


def _variances(settings: GaussianSettings, moments: ClassMoments) -> FloatArray:
    """Variances by class and column plus a share of the largest one, as in scikit-learn's GaussianNB."""
    divisor = np.where(moments.n > settings.ddof, moments.n - settings.ddof, moments.n)
    empty = moments.n == 0
    variances = moments.scatter / np.where(empty, 1.0, divisor)
    variances = np.where(empty, moments.total_variance, variances)
    for k, n in enumerate(moments.rows.tolist()):
        variances[k] = shrunk_variances(variances[k], n, settings.shrinkage)
    variances = variances + settings.var_smoothing * _widest(moments)
    return np.where(variances > 0, variances, np.finfo(np.float64).tiny)


def _pooled_variance(settings: GaussianSettings, moments: ClassMoments) -> float:
    """The one σ² of all columns and classes; shrinkage does not change it."""
    weight = float(moments.n.sum())
    ddof = settings.ddof * float(np.count_nonzero(moments.n))
    variance = float(moments.within.sum()) / (weight - ddof if weight > ddof else max(weight, 1.0))
    return (
        variance
        if variance > 0
        else max(settings.var_smoothing * _widest(moments), np.finfo(np.float64).tiny)
    )
