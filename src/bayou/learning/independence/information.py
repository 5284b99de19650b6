"""Mutual information from counts, in nats: I(A; B | C) = 1/n Σ n_cab ln(n_cab n_c / (n_ca n_cb))."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bayou._native import pair_information
from bayou.errors import BadStatistics
from bayou.statistics import CountTable, PairCounts, PairTables, Statistics
from bayou.typing import CountArray, FloatArray, Name


def mutual_information(counts: CountArray) -> float:
    """I(A; B) of a two-way table of counts.

    >>> mutual_information(np.array([[5, 0], [0, 5]]))  # log 2: each tells the other
    0.6931471805599453
    >>> mutual_information(np.array([[2, 2], [3, 3]]))
    0.0
    """
    return conditional_mutual_information(np.asarray(counts)[None])


def conditional_mutual_information(counts: CountArray) -> float:
    """I(A; B | C) of a three-way table of counts, axes (C, A, B)."""
    table = np.asarray(counts, dtype=np.float64)
    total = table.sum()
    if total <= 0:
        return 0.0
    rows = table.sum(axis=2, keepdims=True)
    columns = table.sum(axis=1, keepdims=True)
    groups = table.sum(axis=(1, 2), keepdims=True)
    ratio = np.divide(table * groups, rows * columns, out=np.ones_like(table), where=table > 0)
    return max(0.0, float((table * np.log(ratio)).sum() / total))


def chance_information(counts: CountArray) -> float:
    """The expected value of I(A; B | C) if A and B are independent given C: degrees of freedom / 2n.

    Information from counts is never negative, so it is positive on average even under independence (Miller
    1955).
    """
    table = np.asarray(counts)
    total = float(table.sum())
    groups, rows, columns = table.shape
    return groups * (rows - 1) * (columns - 1) / (2 * total) if total > 0 else 0.0


def pair_tables_of(statistics: Statistics, given: Sequence[Name] = ()) -> PairTables | None:
    """The tables of all pairs given these variables, or None if the statistics have no such answer."""
    requests = (request for request in statistics if isinstance(request, PairCounts))
    return next((statistics[request] for request in requests if request.given == tuple(given)), None)


def information_matrix(
    names: Sequence[Name], statistics: Statistics, given: Sequence[Name] = (), *, correction: bool = True
) -> FloatArray:
    """I(A; B | given) of every pair minus its expectation under independence, as a symmetric matrix.

    Without ``correction`` nothing is subtracted.
    Statistics saved by earlier versions have one table per pair instead of one answer for all pairs.
    """
    tables = pair_tables_of(statistics, given)
    if tables is None:
        return _matrix_of_tables(names, statistics, given, correction)
    information, chance = tables_information(tables)
    place = {name: k for k, name in enumerate(tables.names)}
    for name in names:
        if name not in place:
            raise BadStatistics(f"The statistics have no counts of {name!r} together with other columns.")
    chosen = [place[name] for name in names]
    weights = information - chance if correction else information
    matrix: FloatArray = weights[np.ix_(chosen, chosen)]
    return matrix


def _matrix_of_tables(
    names: Sequence[Name], statistics: Statistics, given: Sequence[Name], correction: bool
) -> FloatArray:
    matrix = np.zeros((len(names), len(names)))
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        values = statistics[CountTable((*given, a, b))].values
        if values.size:  # a variable without values has no states, and its information is 0
            table = values.reshape(-1, *values.shape[-2:])
            by_chance = chance_information(table) if correction else 0.0
            matrix[i, j] = conditional_mutual_information(table) - by_chance
    return matrix + matrix.T


def tables_information(tables: PairTables) -> tuple[FloatArray, FloatArray]:
    """I(A; B | given) of every pair of variables, and its expectation under independence."""
    return pair_information(np.ascontiguousarray(tables.values), [axis.cardinality for axis in tables.axes])
