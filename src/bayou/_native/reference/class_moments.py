"""Numpy references of the moments of a matrix's columns, by class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.typing import FloatArray

_NO_CLASS = 0xFFFFFFFF


def class_moments(
    matrix: npt.NDArray[np.floating[Any]],
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(weight, mean, sum of squared deviations) of each column by class; NaN cells are left out.

    >>> n, mean, squares = class_moments(np.array([[1.0], [3.0], [np.nan]]), np.zeros(3, np.uint32), 1)
    >>> n.tolist(), mean.tolist(), squares.tolist()
    ([[2.0]], [[2.0]], [[2.0]])
    """
    values, weight = _checked(matrix, classes, n_classes, weights)
    shape = (n_classes, values.shape[1])
    n, mean, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for k in range(n_classes):
        rows = (classes == k) & (weight > 0)
        seen = ~np.isnan(values[rows])
        x, w = np.where(seen, values[rows], 0.0), weight[rows, None] * seen
        n[k] = w.sum(axis=0)
        divisor = np.where(n[k] > 0, n[k], 1.0)
        mean[k] = (w * x).sum(axis=0) / divisor
        mean[k] += (w * (x - mean[k])).sum(axis=0) / divisor
        squares[k] = (w * (x - mean[k]) ** 2).sum(axis=0)
    return n, mean, squares


def class_scatter(
    matrix: npt.NDArray[np.floating[Any]],
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    pooled: bool = False,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(weight, mean, centred scatter matrix) by class, the scatter summed over the classes if pooled.

    >>> n, mean, scatter = class_scatter(np.array([[1.0], [3.0]]), np.zeros(2, np.uint32), 1)
    >>> n.tolist(), mean.tolist(), scatter.tolist()
    ([2.0], [[2.0]], [[[2.0]]])
    """
    values, weight = _checked(matrix, classes, n_classes, weights)
    d = values.shape[1]
    n, mean, scatter = np.zeros(n_classes), np.zeros((n_classes, d)), np.zeros((n_classes, d, d))
    gaps = np.argwhere(np.isnan(values) & ((classes != _NO_CLASS) & (weight > 0))[:, None])
    if len(gaps):
        row, column = gaps[0]
        raise ValueError(f"row {row}, column {column} is missing: a scatter matrix needs every cell")
    for k in range(n_classes):
        rows = (classes == k) & (weight > 0)
        x, w = values[rows], weight[rows]
        n[k] = w.sum()
        if n[k] > 0:
            rough = w @ x / n[k]
            mean[k] = rough + w @ (x - rough) / n[k]
            scatter[k] = (x - mean[k]).T @ (w[:, None] * (x - mean[k]))
    return n, mean, scatter.sum(axis=0) if pooled else scatter


def _checked(
    matrix: npt.NDArray[np.floating[Any]],
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    values = matrix.astype(np.float64)
    weight = np.ones(len(values)) if weights is None else weights
    if len(classes) != len(values) or len(weight) != len(values):
        raise ValueError(f"classes and weights need {len(values)} rows, as the matrix has")
    bad = np.flatnonzero((classes >= n_classes) & (classes != _NO_CLASS))
    if bad.size:
        raise ValueError(f"classes, row {bad[0]}: class {classes[bad[0]]} is not below {n_classes}")
    wrong = np.flatnonzero(~((weight >= 0) & np.isfinite(weight)))
    if wrong.size:
        raise ValueError(f"weights, row {wrong[0]}: {weight[wrong[0]]} is not a finite number of at least 0")
    counted = ((classes != _NO_CLASS) & (weight > 0))[:, None]
    if (np.isinf(values) & counted).any():
        row, column = np.argwhere(np.isinf(values) & counted)[0]
        raise ValueError(f"row {row}, column {column} is infinite: moments need finite numbers")
    return values, weight
