"""The counts of all pairs of columns of a table in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from bayou._native import combine_codes, count_families, count_pairs, count_pairs_by
from bayou.errors import TooWide, listed
from bayou.schema import Variable
from bayou.sources.columns import CodedColumn
from bayou.sources.weights import Weights
from bayou.statistics import PairCounts, PairTables
from bayou.statistics.pair_tables import pair_offsets
from bayou.typing import CountArray, Name

LARGEST_PAIRS = 2**28
"""The most cells that the tables of all pairs may have together (2 GiB)."""
FEW_ROWS = 256
"""Groups of fewer rows than this (on average) are not worth sorting the rows by them."""


def counted_pairs(
    request: PairCounts,
    coded: Mapping[Name, CodedColumn],
    variables: Mapping[Name, Variable],
    weights: Weights | None,
) -> PairTables:
    """The tables of every pair; the variables have the labels of their columns as states."""
    _check_size(request, coded)
    axes = tuple(variables[name] for name in request.variables)
    given = tuple(variables[name] for name in request.given)
    codes = [coded[name].codes for name in request.variables]
    cards = [axis.cardinality for axis in axes]
    groups = math.prod(axis.cardinality for axis in given)
    if weights is not None or (given and (not codes or len(codes[0]) < FEW_ROWS * groups)):
        return PairTables(axes, given, _by_families(request, coded, weights))
    if not given:
        return PairTables(axes, given, count_pairs(codes, cards)[0].reshape(1, -1))
    group = combine_codes([coded[name].codes for name in request.given], [g.cardinality for g in given])
    return PairTables(axes, given, count_pairs_by(codes, cards, group, groups))


def _by_families(
    request: PairCounts, coded: Mapping[Name, CodedColumn], weights: Weights | None
) -> CountArray:
    """Table by table: for weighted rows, and for groups of few rows."""
    names = (*request.given, *request.variables)
    cards = [len(coded[name].labels) for name in names]
    behind = len(request.given)
    pairs = list(combinations(range(behind, len(names)), 2))
    families = [[*range(behind), *pair] for pair in pairs]
    tables = count_families([coded[name].codes for name in names], cards, families, weights)
    groups = math.prod(cards[:behind])
    kind = np.int64 if weights is None else weights.dtype
    flat = [table.reshape(groups, math.prod(table.shape[behind:])) for table in tables]
    return np.concatenate([np.zeros((groups, 0), dtype=kind), *flat], axis=1)


def _check_size(request: PairCounts, coded: Mapping[Name, CodedColumn]) -> None:
    groups = math.prod(len(coded[name].labels) for name in request.given)
    cells = int(pair_offsets([len(coded[name].labels) for name in request.variables])[-1]) * groups
    if cells > LARGEST_PAIRS:
        widest = sorted(request.variables, key=lambda name: -len(coded[name].labels))[:3]
        sizes = ", ".join(f"{name!r}: {len(coded[name].labels):,}" for name in widest)
        raise TooWide(
            f"Counting every pair of {listed(request.variables)} needs {cells:,} cells (at most "
            f"{LARGEST_PAIRS:,}); the most distinct values have {sizes}. Leave out columns such as "
            "identifiers, cut numbers into ranges, or declare them continuous."
        )
