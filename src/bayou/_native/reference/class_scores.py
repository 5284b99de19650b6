"""Numpy references of the scores of classes: log prior plus log density of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_code
from bayou.typing import CodeArray, FloatArray

Matrix = npt.NDArray[np.floating[Any]]


def gaussian_class_scores(
    matrix: Matrix,
    means: FloatArray,
    variances: FloatArray,
    log_prior: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray:
    """Log joint density of each class, columns independent given the class; NaN cells are left out.

    >>> one = np.ones((1, 1))
    >>> gaussian_class_scores(np.array([[1.0], [np.nan]]), one, one, np.zeros(1)).round(4).tolist()
    [[-0.9189], [0.0]]
    """
    bad = np.argwhere(~((variances > 0) & np.isfinite(variances)))
    if len(bad):
        k, j = bad[0]
        raise ValueError(
            f"the variance of class {k}, column {j} is {variances[k, j]}: expected a positive number"
        )
    x = matrix.astype(np.float64)[:, None, :]
    terms = -0.5 * ((x - means) ** 2 / variances + np.log(2 * np.pi * variances))
    return _result(log_prior + np.where(np.isnan(x), 0.0, terms).sum(axis=2), posterior)


def quadratic_class_scores(
    matrix: Matrix,
    means: FloatArray,
    whiteners: FloatArray,
    base: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray:
    """``base - |(x - mean)' whitener|² / 2`` of each class; whiteners are upper triangular.

    >>> quadratic_class_scores(np.array([[3.0]]), np.ones((1, 1)), np.ones((1, 1, 1)), np.zeros(1)).tolist()
    [[-2.0]]
    """
    deviations = matrix.astype(np.float64)[:, None, :] - means
    white = np.einsum("nki,kij->nkj", deviations, np.triu(whiteners))
    return _result(base - 0.5 * (white**2).sum(axis=2), posterior)


def linear_class_scores(
    matrix: Matrix, coefficients: FloatArray, base: FloatArray, posterior: bool = False, threads: int = 0
) -> FloatArray:
    """``base + coefficients x`` of each class.

    >>> linear_class_scores(np.array([[3.0]]), np.array([[2.0]]), np.ones(1)).tolist()
    [[7.0]]
    """
    return _result(base + matrix.astype(np.float64) @ coefficients.T, posterior)


def table_class_scores(
    columns: list[CodeArray],
    log_tables: list[FloatArray],
    log_prior: FloatArray,
    rows: int,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray:
    """``log_prior`` + the sum of each column's log table [state, class]; a missing code adds nothing.

    >>> codes, table = np.array([1, 255], np.uint8), np.array([[-1.0], [-2.0]])
    >>> table_class_scores([codes], [table], np.zeros(1), 2).tolist()
    [[-2.0], [0.0]]
    """
    scores = np.tile(log_prior, (rows, 1))
    for position, (codes, table) in enumerate(zip(columns, log_tables, strict=True)):
        missing = is_missing_code(codes)
        bad = np.flatnonzero(~missing & (codes >= len(table)))
        if bad.size:
            raise ValueError(
                f"column {position}, row {bad[0]}: code {codes[bad[0]]} is not below {len(table)}"
            )
        scores[~missing] += table[codes[~missing]]
    return _result(scores, posterior)


def softmax_rows(scores: FloatArray, threads: int = 0) -> FloatArray:
    """``exp(scores)``, each row divided by its sum.

    >>> softmax_rows(np.zeros((1, 2))).tolist()
    [[0.5, 0.5]]
    """
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return result


def _result(scores: FloatArray, posterior: bool) -> FloatArray:
    return softmax_rows(scores) if posterior else scores
