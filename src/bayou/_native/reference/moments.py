"""Numpy reference of the moments by group."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayou.typing import FloatArray

_MISSING_GROUP = 0xFFFFFFFF


def group_moments(
    columns: list[FloatArray],
    groups: npt.NDArray[np.uint32] | None,
    n_groups: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, mean, scatter) of real columns by group; rows with a NaN or without a group are left out.

    >>> n, mean, scatter = group_moments([np.array([1.0, 3.0])], None, 1)
    >>> n.tolist(), mean.tolist(), scatter.tolist()
    ([2.0], [[2.0]], [[[2.0]]])
    """
    values, group, weight = _checked(columns, groups, n_groups, weights, threads)
    present = ~np.isnan(values).any(axis=1) & (group != _MISSING_GROUP)
    k = len(columns)
    n, mean, scatter = np.zeros(n_groups), np.zeros((n_groups, k)), np.zeros((n_groups, k, k))
    for g in range(n_groups):
        rows = present & (group == g)
        x, w = values[rows], weight[rows]
        n[g] = w.sum()
        if n[g] > 0:
            rough = w @ x / n[g]
            mean[g] = rough + w @ (x - rough) / n[g]
            scatter[g] = (x - mean[g]).T @ (w[:, None] * (x - mean[g]))
    return n, mean, scatter


def _checked(
    columns: list[FloatArray],
    groups: npt.NDArray[np.uint32] | None,
    n_groups: int,
    weights: FloatArray | None,
    threads: int,
) -> tuple[FloatArray, npt.NDArray[np.uint32], FloatArray]:
    lengths = [len(column) for column in columns]
    lengths += [] if groups is None else [len(groups)]
    lengths += [] if weights is None else [len(weights)]
    if len(set(lengths)) > 1:
        raise ValueError(f"columns, groups and weights must have equally many rows, not {lengths}")
    rows = lengths[0] if lengths else 0
    if threads < 0 or n_groups < 0:
        raise ValueError(f"threads ({threads}) and n_groups ({n_groups}) must be at least 0")
    if groups is None and n_groups != 1:
        raise ValueError("without groups every row is in group 0: n_groups must be 1")
    group = np.zeros(rows, np.uint32) if groups is None else groups
    weight = np.ones(rows) if weights is None else weights
    values = np.stack(columns, axis=1) if columns else np.zeros((rows, 0))
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ValueError(f"column {column}, row {row} is infinite: moments need finite numbers")
    bad = np.flatnonzero((group >= n_groups) & (group != _MISSING_GROUP))
    if bad.size:
        raise ValueError(f"groups, row {bad[0]}: group {group[bad[0]]} is not below {n_groups}")
    wrong = np.flatnonzero(~((weight >= 0) & np.isfinite(weight)))
    if wrong.size:
        raise ValueError(f"weights, row {wrong[0]}: {weight[wrong[0]]} is not a finite number of at least 0")
    return values, group, weight
