"""Columns of numbers as ranges: which are cut by the option ``ranges``, and what is said about all cuts."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import counted
from bayou.schema import Cuts, Variable, label
from bayou.server.tables.table_file import TableFile
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.sources.tables.columns import Column

MANY_VALUES = 10
"""Numbers with more different values than this are cut."""


def equal_cuts(table: TableFile, ranges: int, apart: Container[Name], only_whole: bool) -> dict[Name, Cuts]:
    """Cuts into ranges with about as many rows each, of the columns of many numbers that are not ``apart``.

    ``only_whole`` leaves numbers with decimals alone: networks treat them as real numbers.
    """
    from bayou.schema.equal_ranges import equal_ranges
    from bayou.sources.tables.columns import NumberColumn

    columns = table.columns
    found: dict[Name, Cuts] = {}
    for name in columns.names:
        column: Column = columns[name]
        if name in apart or not isinstance(column, NumberColumn) or (only_whole and column.kind != "int"):
            continue
        values = column.values[np.isfinite(column.values)]
        cuts = equal_ranges(values, ranges) if len(np.unique(values)) > MANY_VALUES else None
        if cuts is not None:
            found[name] = cuts
    return found


def told_equal_cuts(variables: Iterable[Variable], cut: Container[Name]) -> list[str]:
    """A sentence for each variable that was cut into ranges of the same size."""
    return [
        f"{label(each.name)} was cut into {counted(len(each.cuts), 'range')} with about as many rows each: "
        f"{_ranges(each.cuts)}."
        for each in variables
        if each.name in cut and each.cuts
    ]


def told_separating_cuts(variables: Iterable[Variable], target: Name, apart: Container[Name]) -> list[str]:
    """Sentences on the numbers that the classes cut, and on those that they could not."""
    told = []
    for each in variables:
        if each.cuts is None or each.name in apart:
            continue
        name = label(each.name)
        if each.cuts.points:
            told.append(
                f"{name} was cut into {counted(len(each.cuts), 'range')} that tell the states of "
                f"{label(target)} apart: {_ranges(each.cuts)}."
            )
        else:
            told.append(
                f"{name} was not cut into ranges, because no cut tells the states of {label(target)} apart: "
                f"{name} does not count in the prediction. To let it count, cut numbers into ranges with "
                "about as many rows each."
            )
    return told


def _ranges(cuts: Cuts) -> str:
    return ", ".join(map(str, cuts))
