"""The counts of all pairs of columns of a batch of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from bayou._native import combine_codes, count_families, count_pairs, count_pairs_by
from bayou.errors import TooWide, listed
from bayou.schema import Variable
from bayou.statistics.pair_tables import PairTables, pair_offsets
from bayou.statistics.requests import PairCounts
from bayou.typing import CodeArray, CountArray, Name

LARGEST_PAIRS = 2**28
"""The most cells that the tables of all pairs may have together (2 GiB)."""
FEW_ROWS = 256
"""Groups of fewer rows than this (on average) are not worth sorting the rows by them."""


def counted_pairs(
    request: PairCounts,
    codes: Mapping[Name, CodeArray],
    variables: Mapping[Name, Variable],
    weights: CountArray | None,
) -> PairTables:
    """The tables of every pair; the codes are those of the variables' states."""
    _check_size(request, variables)
    axes = tuple(variables[name] for name in request.variables)
    given = tuple(variables[name] for name in request.given)
    columns = [codes[name] for name in request.variables]
    cards = [axis.cardinality for axis in axes]
    groups = math.prod(axis.cardinality for axis in given)
    if weights is not None or (given and (not columns or len(columns[0]) < FEW_ROWS * groups)):
        return PairTables(axes, given, _by_families(request, codes, variables, weights))
    if not given:
        return PairTables(axes, given, count_pairs(columns, cards)[0].reshape(1, -1))
    group = combine_codes([codes[name] for name in request.given], [g.cardinality for g in given])
    return PairTables(axes, given, count_pairs_by(columns, cards, group, groups))


def _by_families(
    request: PairCounts,
    codes: Mapping[Name, CodeArray],
    variables: Mapping[Name, Variable],
    weights: CountArray | None,
) -> CountArray:
    """Table by table: for weighted rows, and for groups of few rows."""
    names = (*request.given, *request.variables)
    cards = [variables[name].cardinality for name in names]
    behind = len(request.given)
    pairs = list(combinations(range(behind, len(names)), 2))
    families = [[*range(behind), *pair] for pair in pairs]
    tables = count_families([codes[name] for name in names], cards, families, weights)
    groups = math.prod(cards[:behind])
    kind = np.int64 if weights is None else weights.dtype
    flat = [table.reshape(groups, math.prod(table.shape[behind:])) for table in tables]
    return np.concatenate([np.zeros((groups, 0), dtype=kind), *flat], axis=1)


def _check_size(request: PairCounts, variables: Mapping[Name, Variable]) -> None:
    sizes = {name: variables[name].cardinality for name in (*request.given, *request.variables)}
    groups = math.prod(sizes[name] for name in request.given)
    cells = int(pair_offsets([sizes[name] for name in request.variables])[-1]) * groups
    if cells > LARGEST_PAIRS:
        widest = sorted(request.variables, key=lambda name: -sizes[name])[:3]
        most = ", ".join(f"{name!r}: {sizes[name]:,}" for name in widest)
        raise TooWide(
            f"Counting every pair of {listed(request.variables)} needs {cells:,} cells (at most "
            f"{LARGEST_PAIRS:,}); the most distinct values have {most}. Leave out columns such as "
            "identifiers, cut numbers into ranges, or declare them continuous."
        )
