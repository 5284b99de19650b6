"""Gaussian class models: log P(class, row) and P(class | row); missing cells are integrated out exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from scipy import linalg

from bayou import _native
from bayou.estimators.gaussian.covariance import Whitening
from bayou.estimators.input.feature_table import FeatureTable, number_matrix
from bayou.special_functions import LOG_TWO_PI
from bayou.typing import BoolArray, FloatArray

_LARGE = 100.0
"""Terms of linear scores may be so large before the centre is subtracted first: errors stay near 1e-14."""
_BLOCK = 65_536
Matrix = npt.NDArray[np.floating[Any]]


class GaussianModel(Protocol):
    """A fitted Gaussian model, whatever the form of its covariances."""

    @property
    def log_prior(self) -> FloatArray:
        """log P(class)."""

    @property
    def means(self) -> FloatArray:
        """The mean of each class, [class, column]."""

    @property
    def weight(self) -> float:
        """The exponent of the densities: P(class | row) ∝ P(class) · density ** weight."""

    def scores(self, matrix: Matrix, posterior: bool) -> FloatArray:
        """Return log P(class) + weight · log density(row | class), or P(class | row) if ``posterior``."""

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """log P(class, row)."""

    def table_scores(self, rows: FeatureTable, posterior: bool) -> FloatArray:
        """The scores of new rows; cells of columns that were empty in training are left out."""

    def ignoring(self, columns: BoolArray) -> GaussianModel:
        """The same model, which leaves out the cells of these columns of new rows."""

    def covariance(self, k: int) -> FloatArray:
        """Σ of one class."""


class _OnTables:
    """The methods that all models share."""

    ignored: BoolArray | None
    """A mask of the columns that no training row had a value of; None: there are none."""

    def with_log_prior(self, log_prior: FloatArray) -> Any:
        """The same densities with other class probabilities; a class without any (it has no rows) keeps 0."""
        model: Any = self  # each model is a dataclass with a field ``log_prior``
        return replace(model, log_prior=np.where(np.isneginf(model.log_prior), -np.inf, log_prior))

    def ignoring(self, columns: BoolArray) -> Any:
        """The same model, which leaves out the cells of these columns of new rows."""
        model: Any = self
        return replace(model, ignored=columns)

    def scores(self, matrix: Matrix, posterior: bool) -> FloatArray:
        raise NotImplementedError

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """log P(class, row)."""
        return self.table_scores(rows, posterior=False)

    def table_scores(self, rows: FeatureTable, posterior: bool) -> FloatArray:
        """The scores of new rows; cells of columns that were empty in training are left out."""
        matrix = number_matrix(rows)
        return self.scores(
            matrix if self.ignored is None else np.where(self.ignored, np.nan, matrix), posterior
        )


@dataclass(frozen=True)
class DiagonalModel(_OnTables):
    """Columns independent given the class: means and variances [class, column]."""

    log_prior: FloatArray
    means: FloatArray
    variances: FloatArray
    ignored: BoolArray | None = None
    weight: ClassVar[float] = 1.0

    def scores(self, matrix: Matrix, posterior: bool) -> FloatArray:
        """log P(class, row), or P(class | row); missing cells are left out."""
        return _native.gaussian_class_scores(matrix, self.means, self.variances, self.log_prior, posterior)

    def covariance(self, k: int) -> FloatArray:
        """Σ of one class."""
        return np.diag(self.variances[k])


@dataclass(frozen=True)
class FullModel(_OnTables):
    """A covariance matrix of its own for each class."""

    log_prior: FloatArray
    means: FloatArray
    whitenings: tuple[Whitening, ...]
    weight: float = 1.0
    ignored: BoolArray | None = None

    @cached_property
    def _tables(self) -> tuple[FloatArray, FloatArray]:
        """The whiteners [class, column, column] and the constants of the log densities, for the kernel."""
        logs = np.array([white.log_determinant for white in self.whitenings])
        base = self.log_prior - 0.5 * self.weight * (logs + self.means.shape[1] * LOG_TWO_PI)
        return np.sqrt(self.weight) * np.array([white.whitener for white in self.whitenings]), base

    def scores(self, matrix: Matrix, posterior: bool) -> FloatArray:
        """log P(class, row), or P(class | row)."""
        whiteners, base = self._tables
        result = _native.quadratic_class_scores(matrix, self.means, whiteners, base, posterior)
        return _with_gaps(result, matrix, self.log_prior, posterior, self._on)

    def _on(self, seen: BoolArray) -> FullModel:
        """The marginal model of the columns where ``seen`` is True."""
        parts = tuple(_part(white, seen) for white in self.whitenings)
        return FullModel(self.log_prior, np.ascontiguousarray(self.means[:, seen]), parts, self.weight)

    def covariance(self, k: int) -> FloatArray:
        """Σ of one class."""
        return self.whitenings[k].covariance


@dataclass(frozen=True)
class SharedModel(_OnTables):
    """One covariance matrix for all classes: the boundaries are hyperplanes."""

    log_prior: FloatArray
    means: FloatArray
    whitening: Whitening
    weight: float = 1.0
    ignored: BoolArray | None = None

    @cached_property
    def centre(self) -> FloatArray:
        """The mean of the class means: scores are computed relative to it, which keeps their precision."""
        share = np.exp(self.log_prior)
        middle: FloatArray = share @ self.means / share.sum()
        return middle

    @cached_property
    def _linear(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients [class, column] and the scores of the centre."""
        whitener = np.sqrt(self.weight) * self.whitening.whitener
        white = (self.means - self.centre) @ whitener
        coefficients = np.ascontiguousarray(white @ whitener.T)
        base = self.log_prior - 0.5 * (white**2).sum(axis=1)
        return coefficients, base

    @cached_property
    def _is_far(self) -> bool:
        """Whether coefficients · centre is so large that sums around it would lose digits."""
        largest = np.abs(self._linear[0] * self.centre).sum(axis=1).max(initial=0.0)
        return bool(largest > _LARGE)

    def scores(self, matrix: Matrix, posterior: bool) -> FloatArray:
        """log P(class, row), or P(class | row)."""
        result = self._linear_scores(matrix, posterior)
        if not posterior:
            d = self.means.shape[1]
            level = np.array([-0.5 * self.weight * (self.whitening.log_determinant + d * LOG_TWO_PI)])
            white = np.sqrt(self.weight) * self.whitening.whitener[None]
            result += _native.quadratic_class_scores(matrix, self.centre[None], white, level)
        return _with_gaps(result, matrix, self.log_prior, posterior, self._on)

    def _linear_scores(self, matrix: Matrix, posterior: bool) -> FloatArray:
        """The linear scores; the centre is subtracted from rows so far from 0 that digits would be lost."""
        coefficients, base = self._linear
        if not self._is_far:
            shifted = base - coefficients @ self.centre
            return _native.linear_class_scores(matrix, coefficients, shifted, posterior)
        parts = [
            _native.linear_class_scores(matrix[k : k + _BLOCK] - self.centre, coefficients, base, posterior)
            for k in range(0, max(len(matrix), 1), _BLOCK)
        ]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _on(self, seen: BoolArray) -> SharedModel:
        """The marginal model of the columns where ``seen`` is True."""
        return SharedModel(self.log_prior, self.means[:, seen], _part(self.whitening, seen), self.weight)

    def covariance(self, k: int) -> FloatArray:
        """Σ, the same for every class."""
        return self.whitening.covariance


def _part(white: Whitening, seen: BoolArray) -> Whitening:
    """The marginal of some columns; a principal submatrix of a positive definite matrix is one too."""
    covariance = np.ascontiguousarray(white.covariance[np.ix_(seen, seen)])
    factor = linalg.cholesky(covariance, lower=True)
    whitener = linalg.solve_triangular(factor, np.eye(len(factor)), lower=True).T
    return Whitening(covariance, np.ascontiguousarray(whitener), float(2 * np.log(np.diagonal(factor)).sum()))


def _with_gaps(
    scores: FloatArray,
    matrix: Matrix,
    log_prior: FloatArray,
    posterior: bool,
    on: Callable[[BoolArray], GaussianModel],
) -> FloatArray:
    """Score rows with missing cells by the marginal Gaussian of their columns, one pattern at a time."""
    rows = np.flatnonzero(np.isnan(scores).any(axis=1))
    gaps = np.isnan(matrix[rows])
    rows, gaps = rows[gaps.any(axis=1)], gaps[gaps.any(axis=1)]
    if not len(rows):
        return scores
    patterns, which = np.unique(gaps, axis=0, return_inverse=True)
    for at, pattern in enumerate(patterns):
        mine = rows[which.ravel() == at]
        if pattern.all():
            scores[mine] = _native.softmax_rows(log_prior[None]) if posterior else log_prior
        else:
            scores[mine] = on(~pattern).scores(matrix[mine][:, ~pattern], posterior)
    return scores
