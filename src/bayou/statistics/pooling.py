"""Sharing a parameter is adding its statistics before estimating it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from bayou.statistics.counts import Counts
from bayou.statistics.moments import GroupMoments
from bayou.statistics.rows.row_counts import RowCounts
from bayou.typing import Name


def pool_counts(tables: Sequence[Counts], names: Sequence[Name]) -> Counts:
    """Add up the tables of all users of one block, axis by axis, under the names of the first.

    >>> import numpy as np
    >>> from bayou.schema import Variable
    >>> jim = Counts((Variable("Jim", [3, 4]),), np.array([0, 2]))
    >>> martha = Counts((Variable("Martha", [3, 4]),), np.array([1, 1]))
    >>> pool_counts([jim, martha], ["Rating"]).values.tolist()
    [1, 3]
    """
    return reduce(
        Counts.__add__, (table.renamed(dict(zip(table.names, names, strict=True))) for table in tables)
    )


def pool_rows(tables: Sequence[RowCounts], names: Sequence[Name]) -> RowCounts:
    """Add up the distinct rows of all users of one block under the names of the first."""
    return reduce(
        RowCounts.__add__, (table.renamed(dict(zip(table.names, names, strict=True))) for table in tables)
    )


def pool_moments(
    tables: Sequence[GroupMoments], names: Sequence[Name], groups: Sequence[Name]
) -> GroupMoments:
    """Merge the moments of all users of one block under the names of the first."""

    def renamed(table: GroupMoments) -> GroupMoments:
        old = (*table.variables, *(axis.name for axis in table.groups))
        return table.renamed(dict(zip(old, (*names, *groups), strict=True)))

    return reduce(GroupMoments.__add__, map(renamed, tables))
