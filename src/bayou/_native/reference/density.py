"""Numpy references of the distinct values by class, of the MDL cuts and of the kernel densities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bayou.typing import FloatArray, IntArray

Classes = npt.NDArray[np.uint32]
_MISSING = 0xFFFFFFFF
_TIE = 1e-12
_LARGEST = float(np.finfo(np.float64).max)
_LEAST_RELATIVE_ERROR = 1e-13


def value_counts(
    values: FloatArray, classes: Classes | None, n_classes: int, weights: FloatArray | None = None
) -> tuple[FloatArray, Classes, FloatArray]:
    """(values, classes, weights): each distinct value and class once, ascending.

    Rows with a NaN, without a class or without weight are left out.

    >>> value_counts(np.array([2.0, 1.0, 2.0]), None, 1)
    (array([1., 2.]), array([0, 0], dtype=uint32), array([1., 2.]))
    """
    group, weight = _checked([values], classes, n_classes, weights)
    kept = ~np.isnan(values) & (group != _MISSING) & (weight > 0)
    numbers, of_class = values[kept] + 0.0, group[kept]
    order = np.lexsort((of_class, numbers))
    numbers, of_class = numbers[order], of_class[order]
    is_new = np.r_[True, (np.diff(of_class.astype(np.int64)) != 0) | (numbers[1:] != numbers[:-1])]
    starts = np.flatnonzero(is_new[: len(numbers)])
    summed = np.add.reduceat(weight[kept][order], starts) if len(starts) else np.zeros(0)
    return numbers[starts], of_class[starts].astype(np.uint32), summed


def mdl_cuts(
    columns: Sequence[FloatArray],
    classes: Classes | None,
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> list[FloatArray]:
    """Cut points of each column by entropy splits with the MDL stopping rule (Fayyad and Irani 1993).

    ``x <= cut`` lies left of a cut; a weight counts as that many equal rows.

    >>> mdl_cuts([np.array([1.0, 2.0, 3.0, 4.0])], np.array([0, 0, 1, 1], np.uint32), 2)
    [array([2.5])]
    """
    if threads < 0:
        raise ValueError(f"threads ({threads}) must be at least 0")
    if not columns:
        return []
    _checked(columns, classes, n_classes, weights)
    return [_cuts(*value_counts(column, classes, n_classes, weights), n_classes) for column in columns]


def _cuts(values: FloatArray, classes: Classes, weights: FloatArray, n_classes: int) -> FloatArray:
    distinct, place = np.unique(values, return_inverse=True)
    table = np.zeros((len(distinct), n_classes))
    np.add.at(table, (place, classes.astype(np.int64)), weights)
    found: list[float] = []
    waiting = [(0, len(distinct))]
    while waiting:
        begin, end = waiting.pop()
        cut = _best_cut(table[begin:end])
        if cut > 0:
            found.append(_between(distinct[begin + cut - 1], distinct[begin + cut]))
            waiting += [(begin, begin + cut), (begin + cut, end)]
    return np.array(sorted(found))


def _best_cut(table: FloatArray) -> int:
    """The first row of the right part; 0 if the part is not cut.

    A cut of N rows S into S1 and S2 is accepted if its information gain is at least
    [log2(N − 1) + log2(3^k − 2) − k Ent(S) + k1 Ent(S1) + k2 Ent(S2)] / N, with k classes in S, ki in Si.
    """
    total = float(table.sum())
    if len(table) < 2 or total <= 1 or np.count_nonzero(table.any(axis=0)) < 2:
        return 0
    left = np.cumsum(table, axis=0)[:-1]
    right = np.cumsum(table[::-1], axis=0)[::-1][1:]
    after = _entropy(left) + _entropy(right)
    cut = int(np.flatnonzero(after <= after.min() + _TIE * total)[0])
    node, one, two = table.sum(axis=0), left[cut], right[cut]
    k = np.count_nonzero(node)
    models = np.log2(3.0**k - 2) if k < 40 else k * np.log2(3)
    bits = [np.count_nonzero(part) * _entropy(part) / part.sum() for part in (node, one, two)]
    needed = np.log2(max(total - 1, 1.0)) + models - (bits[0] - bits[1] - bits[2])
    return cut + 1 if _entropy(node) - after[cut] >= needed else 0


def _entropy(weights: FloatArray) -> FloatArray:
    """The total weight times the entropy in bits, along the last axis."""
    total = weights.sum(axis=-1)
    result: FloatArray = _terms(total) - _terms(weights).sum(axis=-1)
    return result


def _terms(n: FloatArray) -> FloatArray:
    result: FloatArray = n * np.log2(np.where(n > 0, n, 1))
    return result


def _between(left: float, right: float) -> float:
    middle = 0.5 * max(left, -_LARGEST) + 0.5 * min(right, _LARGEST)
    return float(middle if left <= middle < right else left)


def kernel_log_density(
    points: Sequence[FloatArray],
    weights: Sequence[FloatArray | None],
    bandwidths: Sequence[float],
    queries: FloatArray,
    relative_error: float = 0.0,
    threads: int = 0,
) -> FloatArray:
    """Log densities [query, class] of Gaussian kernels at ascending points.

    ``relative_error`` bounds the error of a density (not of its log); here it is always that of direct sums.

    >>> kernel_log_density([np.array([0.0])], [None], [1.0], np.array([0.0, 40.0])).round(3).tolist()
    [[-0.919], [-800.919]]
    """
    if not len(points) == len(weights) == len(bandwidths):
        raise ValueError("expected one array of points, of weights and one bandwidth each a class")
    if threads < 0 or (relative_error != 0 and not _LEAST_RELATIVE_ERROR <= relative_error <= 0.5):
        raise ValueError("relative_error must be 0 (direct sums) or from 1e-13 to 0.5; threads at least 0")
    result = np.full((len(queries), len(points)), -np.inf)
    for k, (values, weight, bandwidth) in enumerate(zip(points, weights, bandwidths, strict=True)):
        mass = _checked_points(k, values, weight, bandwidth)
        if len(values):
            every = np.broadcast_to(np.log(mass), (len(queries), len(values)))
            result[:, k] = _log_density(values, every, float(mass.sum()), bandwidth, queries)
    result[np.isnan(queries)] = np.nan
    return result


def kernel_held_out(
    points: FloatArray, weights: FloatArray | None, bandwidth: float, threads: int = 0
) -> FloatArray:
    """The log density at each point from all records except one at that point (leave-one-out).

    >>> kernel_held_out(np.array([0.0, 1.0]), None, 1.0).round(3).tolist()
    [-1.419, -1.419]
    """
    mass = _checked_points(0, points, weights, bandwidth)
    if not len(points):
        return np.zeros(0)
    taken = np.minimum(mass, 1.0)
    with np.errstate(divide="ignore"):
        left = np.where(np.eye(len(points), dtype=bool), np.log(mass - taken)[:, None], np.log(mass)[None, :])
        return _log_density(points, left, mass.sum() - taken, bandwidth, points)


def _log_density(
    points: FloatArray, log_weights: FloatArray, total: FloatArray | float, bandwidth: float, at: FloatArray
) -> FloatArray:
    """The log of Σ w exp(−z²/2), normalised, for each row; the largest term is factored out of the sum."""
    finite = np.isfinite(at)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        z = (np.where(finite, at, 0.0)[:, None] - points) / bandwidth
        exponents = -0.5 * z * z + log_weights
        largest = exponents.max(axis=1)
        seen = np.where(np.isneginf(largest), 0.0, largest)
        sums = np.log(np.exp(exponents - seen[:, None]).sum(axis=1)) + seen
        result = sums - np.log(total) - np.log(bandwidth) - 0.5 * np.log(2 * np.pi)
    nothing = np.isneginf(log_weights).all(axis=1) | ~finite
    return np.where(nothing, -np.inf, np.maximum(result, -_LARGEST))


def _checked(
    columns: Sequence[FloatArray], classes: Classes | None, n_classes: int, weights: FloatArray | None
) -> tuple[Classes, FloatArray]:
    rows = len(columns[0])
    if classes is None and n_classes != 1:
        raise ValueError("without classes every row is in class 0: n_classes must be 1")
    group = np.zeros(rows, np.uint32) if classes is None else classes
    weight = np.ones(rows) if weights is None else weights
    if {len(column) for column in columns} | {len(group), len(weight)} != {rows}:
        raise ValueError("columns, classes and weights must have equally many rows")
    bad = np.flatnonzero((group >= n_classes) & (group != _MISSING))
    if len(bad):
        raise ValueError(f"classes, row {bad[0]}: class {group[bad[0]]} is not below {n_classes}")
    wrong: IntArray = np.flatnonzero(~((weight >= 0) & np.isfinite(weight)))
    if len(wrong):
        raise ValueError(f"weights, row {wrong[0]}: {weight[wrong[0]]} is not a finite number of at least 0")
    return group, weight


def _checked_points(k: int, values: FloatArray, weights: FloatArray | None, bandwidth: float) -> FloatArray:
    if not (bandwidth > 0 and np.isfinite(bandwidth) and np.isfinite(1 / bandwidth)):
        raise ValueError(f"class {k}: the bandwidth {bandwidth} is not a positive number")
    if not np.all(np.isfinite(values)) or np.any(np.diff(values) < 0):
        raise ValueError(f"class {k}: a point is not finite or not in ascending order")
    mass = np.ones(len(values)) if weights is None else weights
    if len(mass) != len(values):
        raise ValueError(f"class {k} has {len(values)} points and {len(mass)} weights")
    if not np.all((mass > 0) & np.isfinite(mass)):
        raise ValueError(f"class {k}: the weight of a point is not a positive number")
    return mass
