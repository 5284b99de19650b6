"""From labelled rows to the moments that a Gaussian classifier needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou import _native
from bayou.errors import BadData
from bayou.estimators.matrix_input import number_matrix
from bayou.estimators.training import Training
from bayou.schema import Variable
from bayou.statistics.class_moments import ClassMoments, Form, FourthMoments
from bayou.typing import FloatArray

_BLOCK = 8192


def collect_moments(training: Training, form: Form, with_spread: bool) -> ClassMoments:
    """The moments of these rows in the form that the covariance asks for."""
    matrix = number_matrix(training.features)
    column = training.labels.column
    classes = Variable(training.target, column.labels)
    codes = column.codes.astype(np.uint32)
    weights = None if training.weights is None else training.weights.astype(np.float64)
    k, names = len(column.labels), training.features.names
    rows = np.bincount(codes, weights=weights, minlength=k).astype(np.float64)
    if form == "columns":
        return ClassMoments(names, classes, form, rows, *_native.class_moments(matrix, codes, k, weights))
    try:
        _, mean, scatter = _native.class_scatter(matrix, codes, k, weights, form == "pooled")
    except ValueError as error:
        _refuse_gaps(training, matrix)
        raise BadData(f"X can not be learned from: {error}.") from None
    n = np.repeat(rows[:, None], len(names), axis=1)
    spread = _fourth_moments(matrix, codes, mean, weights) if with_spread else None
    return ClassMoments(names, classes, form, rows, n, mean, scatter, spread)


def _refuse_gaps(training: Training, matrix: npt.NDArray[np.floating[Any]]) -> None:
    gaps = np.argwhere(np.isnan(matrix))
    if not len(gaps):
        return
    row, column = gaps[0]
    raise BadData(
        f"Input X contains NaN: row {row} has no value of {training.features.names[column]!r} (missing cells: "
        f"{len(gaps)}). A covariance matrix is learned from whole rows: leave such rows out, fill the cells, "
        "or use covariance='diagonal'. Gaps in rows that are predicted are fine."
    )


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
        deviations = matrix[part] - mean[codes[part]]
        for code in np.unique(codes[part]):
            u = deviations[codes[part] == code]
            squares = u * u
            weighted = squares
            if weights is not None:
                weighted = squares * weights[part][codes[part] == code][:, None]
            third[code] += weighted.T @ u
            fourth[code] += weighted.T @ squares
    return FourthMoments(third, fourth)
