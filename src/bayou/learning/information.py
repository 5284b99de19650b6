"""Mutual information from counts: how much one variable tells about another, in nats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bayou.statistics import CountTable, Statistics
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
    """What I(A; B | C) comes out as on average where A and B have nothing to do with each other.

    Information from counts is never below 0, so that chance looks like information: (degrees of
    freedom) / 2n of it (Miller and Madow).
    """
    table = np.asarray(counts)
    total = float(table.sum())
    groups, rows, columns = table.shape
    return groups * (rows - 1) * (columns - 1) / (2 * total) if total > 0 else 0.0


def pair_requests(names: Sequence[Name], given: Sequence[Name] = ()) -> list[CountTable]:
    """The counts of every pair of variables (given others): what trees are learned from."""
    return [CountTable((*given, a, b)) for a, b in combinations(names, 2)]


def information_matrix(
    names: Sequence[Name], statistics: Statistics, given: Sequence[Name] = ()
) -> FloatArray:
    """I(A; B | given) of every pair less what chance alone gives, symmetric, in the order of the names."""
    place = {name: k for k, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    for request in pair_requests(names, given):
        *_, a, b = request.variables
        values = statistics[request].values
        if not values.size:  # a variable without any value yet has no states, and tells nothing
            continue
        table = values.reshape(-1, *values.shape[-2:])
        information = conditional_mutual_information(table) - chance_information(table)
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = information
    return matrix
