"""From labelled rows to the moments that a Gaussian classifier needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou import _native
from bayou.errors import warn_user
from bayou.estimators.matrix_input import number_matrix
from bayou.estimators.table_input import refuse_infinite
from bayou.estimators.training import Training
from bayou.schema import Variable
from bayou.statistics.class_moments import ClassMoments, Form, FourthMoments
from bayou.statistics.matrix_sample import MatrixSample
from bayou.typing import FloatArray

_BLOCK = 8192
_NO_CLASS = 0xFFFFFFFF


def collect_moments(training: Training, form: Form, with_spread: bool, with_sample: bool) -> ClassMoments:
    """The moments of these rows in the form that the covariance asks for, and a sample of the whole rows."""
    matrix = number_matrix(training.features)
    column = training.labels.column
    classes = Variable(training.target, column.labels)
    codes = column.codes.astype(np.uint32)
    weights = None if training.weights is None else training.weights.astype(np.float64)
    k, names = len(column.labels), training.features.names
    rows = np.bincount(codes, weights=weights, minlength=k).astype(np.float64)
    if form == "columns":
        n, mean, squares = _native.class_moments(matrix, codes, k, weights)
        if not np.isfinite(squares).all():
            refuse_infinite(matrix)
        return ClassMoments(names, classes, form, rows, n, mean, squares)
    try:
        weight, mean, scatter = _native.class_scatter(matrix, codes, k, weights, form == "pooled")
    except ValueError:
        codes = _without_gaps(training, matrix, codes)
        weight, mean, scatter = _native.class_scatter(matrix, codes, k, weights, form == "pooled")
    if not np.isfinite(scatter).all():
        refuse_infinite(matrix)
    n = np.repeat(weight[:, None], len(names), axis=1)
    spread = _fourth_moments(matrix, codes, mean, weights) if with_spread else None
    sample = _sample(matrix, classes, codes, weights) if with_sample else None
    return ClassMoments(names, classes, form, rows, n, mean, scatter, spread, sample)


def _sample(
    matrix: npt.NDArray[np.floating[Any]],
    classes: Variable,
    codes: npt.NDArray[np.uint32],
    weights: FloatArray | None,
) -> MatrixSample:
    weights = np.ones(len(matrix)) if weights is None else weights
    whole = codes != _NO_CLASS
    if not whole.all():
        matrix, codes, weights = matrix[whole], codes[whole], weights[whole]
    return MatrixSample.of(matrix, classes.states, codes, weights)


def _without_gaps(
    training: Training, matrix: npt.NDArray[np.floating[Any]], codes: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint32]:
    """The codes of whole rows only: a row with a gap says nothing simple about a covariance matrix."""
    gaps = np.isnan(matrix)
    with_gaps = gaps.any(axis=1)
    row = int(with_gaps.argmax())
    name = training.features.names[int(gaps[row].argmax())]
    warn_user(
        f"{with_gaps.sum()} of {len(matrix)} rows have gaps and are left out of means and covariances "
        f"(the first: row {row}, counting from 0, has no {name!r}). covariance='diagonal' uses the cells "
        "that they have."
    )
    return np.where(with_gaps, np.uint32(_NO_CLASS), codes)


def _fourth_moments(
    matrix: npt.NDArray[np.floating[Any]],
    codes: npt.NDArray[np.uint32],
    mean: FloatArray,
    weights: FloatArray | None,
) -> FourthMoments:
    k, d = mean.shape
    third, fourth = np.zeros((k, d, d)), np.zeros((k, d, d))
    for start in range(0, len(matrix), _BLOCK):
        part = slice(start, start + _BLOCK)
        for code in np.unique(codes[part][codes[part] != _NO_CLASS]):
            u = matrix[part][codes[part] == code] - mean[code]
            squares = u * u
            weighted = squares
            if weights is not None:
                weighted = squares * weights[part][codes[part] == code][:, None]
            third[code] += weighted.T @ u
            fourth[code] += weighted.T @ squares
    return FourthMoments(third, fourth)
