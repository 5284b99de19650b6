"""Numpy references of the kernels on sparse rows of counts: sums by class, and scores of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.typing import CountArray, FloatArray

Whole = npt.NDArray[np.integer[Any]]


def sum_sparse_rows(
    starts: Whole,
    columns: Whole,
    values: CountArray,
    n_columns: int,
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: CountArray | None = None,
    threads: int = 0,
) -> tuple[CountArray, CountArray]:
    """The sums of values and the weights of rows with a value above 0, both [column, class].

    >>> rows = np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([2, 1, 5])
    >>> sums, present = sum_sparse_rows(*rows, 2, np.array([0, 1], np.uint32), 2)
    >>> sums.tolist(), present.tolist()
    ([[2, 0], [1, 5]], [[1, 0], [1, 1]])
    """
    _check(starts, columns, values, n_columns)
    if len(classes) != len(starts) - 1 or (len(classes) and int(classes.max()) >= n_classes):
        raise ValueError(f"classes: expected a number below {n_classes} for each row")
    weight = np.ones(len(classes), dtype=np.int64) if weights is None else weights
    row = np.repeat(np.arange(len(classes)), np.diff(starts))
    shape, kept = (n_columns, n_classes), slice(0, len(row))
    sums = np.zeros(shape, dtype=np.result_type(values.dtype, weight.dtype))
    np.add.at(sums, (columns[kept], classes[row]), values[kept] * weight[row])
    present = np.zeros(shape, dtype=weight.dtype)
    np.add.at(present, (columns[kept], classes[row]), np.where(values[kept] > 0, weight[row], 0))
    return sums, present


def score_sparse_rows(
    starts: Whole,
    columns: Whole,
    values: CountArray,
    table: FloatArray,
    start: FloatArray,
    distinct: bool = False,
    threads: int = 0,
) -> FloatArray:
    """start + the sum of value * table[column] over the entries of each row, [row, class].

    With ``distinct`` every value above 0 counts as 1.

    >>> rows = np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([2.0, 1.0, 5.0])
    >>> score_sparse_rows(*rows, np.array([[1.0], [10.0]]), np.array([0.5])).tolist()
    [[12.5], [50.5]]
    """
    _check(starts, columns, values, len(table))
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    used = values[: len(row)]
    factor = (used > 0).astype(np.float64) if distinct else used
    scores = np.zeros((len(starts) - 1, len(start)))
    np.add.at(scores, row, factor[:, None] * table[columns[: len(row)]])
    return scores + start


def _check(starts: Whole, columns: Whole, values: CountArray, n_columns: int) -> None:
    if (
        len(columns) != len(values)
        or starts[0] != 0
        or starts[-1] > len(values)
        or np.any(np.diff(starts) < 0)
    ):
        raise ValueError("starts, columns and values do not fit together")
    used = columns[: int(starts[-1])]
    if len(used) and not 0 <= int(used.min()) <= int(used.max()) < n_columns:
        raise ValueError(f"columns: expected numbers below {n_columns}")
