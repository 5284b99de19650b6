"""The counts of all pairs of columns of a batch of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from bayou._native import combine_codes, count_families, count_pairs, count_pairs_by
from bayou.errors import TooWide, listed
from bayou.schema import Variable
from bayou.typing import CodeArray, CountArray, Name

LARGEST_PAIRS = 2**28
"""The most cells that the tables of all pairs may have together (2 GiB)."""


def counted_pairs(
    axes: Sequence[Variable],
    given: Sequence[Variable],
    codes: Mapping[Name, CodeArray],
    weights: CountArray | None,
) -> CountArray:
    """Return the flat tables of all pairs of ``axes`` in one array, one row per combination of ``given``."""
    _check_size(axes, given)
    columns = [codes[axis.name] for axis in axes]
    cards = [axis.cardinality for axis in axes]
    groups = math.prod(axis.cardinality for axis in given)
    if weights is not None or not columns:
        return _by_families(axes, given, codes, weights)
    if not given:
        together: CountArray = count_pairs(columns, cards)[0].reshape(1, -1)
        return together
    group = combine_codes([codes[axis.name] for axis in given], [axis.cardinality for axis in given])
    by_group: CountArray = count_pairs_by(columns, cards, group, groups)
    return by_group


def _by_families(
    axes: Sequence[Variable],
    given: Sequence[Variable],
    codes: Mapping[Name, CodeArray],
    weights: CountArray | None,
) -> CountArray:
    """The same, counted table by table: for weighted rows."""
    members = (*given, *axes)
    cards = [member.cardinality for member in members]
    behind = len(given)
    pairs = list(combinations(range(behind, len(members)), 2))
    families = [[*range(behind), *pair] for pair in pairs]
    tables = count_families([codes[member.name] for member in members], cards, families, weights)
    groups = math.prod(cards[:behind])
    kind = np.int64 if weights is None else weights.dtype
    flat = [table.reshape(groups, math.prod(table.shape[behind:])) for table in tables]
    return np.concatenate([np.zeros((groups, 0), dtype=kind), *flat], axis=1)


def check_pairs(columns: int) -> None:
    """Raise TooWide if there are too many columns to count each pair, whatever their states."""
    cells = 2 * columns * (columns - 1)  # at least 2 × 2 for each pair
    if cells > LARGEST_PAIRS:
        raise TooWide(
            f"Counting every pair of {columns:,} columns needs at least {cells:,} cells (at most "
            f"{LARGEST_PAIRS:,}). Choose columns first, or use NaiveBayes, which counts no pairs."
        )


def _check_size(axes: Sequence[Variable], given: Sequence[Variable]) -> None:
    groups = math.prod(axis.cardinality for axis in given)
    sizes = [axis.cardinality for axis in axes]
    # Σ_(i<j) s_i s_j = ((Σ s_i)² − Σ s_i²) / 2.
    cells = groups * (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2
    if cells > LARGEST_PAIRS:
        widest = sorted(axes, key=lambda axis: -axis.cardinality)[:3]
        most = ", ".join(f"{axis.name!r}: {axis.cardinality:,}" for axis in widest)
        raise TooWide(
            f"Counting every pair of {listed([axis.name for axis in axes])} needs {cells:,} cells (at most "
            f"{LARGEST_PAIRS:,}); the most distinct values have {most}. Leave out columns such as "
            "identifiers, cut numbers into ranges, or declare them continuous."
        )
