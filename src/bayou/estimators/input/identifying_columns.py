"""Columns that identify rows, such as names of customers or row numbers, as the first rows show.

A row of weight 3 counts as three rows, so that weights and repeated rows give the same columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.schema.identifiers import identifies_rows, numbers_rows
from bayou.sources.row_tables import first_weighted_table
from bayou.sources.tables.columns import CodedColumn, NumberColumn, SpelledNumbers
from bayou.sources.weights import Weights, rows_counted
from bayou.statistics import Source
from bayou.typing import FloatArray, Name

_FIRST_ROWS = 10_000
"""Rows that show whether integers number the rows."""


def identifying_states(source: Source, names: Sequence[Name]) -> tuple[Name, ...]:
    """Return the columns of states of which nearly every row (of the first batch) has a different one.

    >>> from bayou.sources import open_source
    >>> rows = {"id": [f"u{k}" for k in range(40)], "size": ["s", "m"] * 20}
    >>> identifying_states(open_source(rows), ["id", "size"])
    ('id',)
    >>> identifying_states(open_source(rows, weights=[3] * 40), ["id", "size"])
    ()
    """
    first, weights = first_weighted_table(source, names)
    rows, used = rows_counted(first.rows, weights)
    return tuple(
        name
        for name in names
        if isinstance(column := first[name], CodedColumn)
        and identifies_rows(len(column.labels), rows)
        and identifies_rows(len(np.unique(column.codes[used])), rows)
    )


def numbering_columns(source: Source, names: Sequence[Name]) -> tuple[Name, ...]:
    """Return the columns of integers that number the rows, as the first rows show."""
    first, weights = first_weighted_table(source, names)
    return tuple(
        name
        for name in names
        if isinstance(column := first[name], NumberColumn)
        and not isinstance(column, SpelledNumbers)
        and column.kind == "int"
        and _numbers_rows(name, column.first_values(_FIRST_ROWS), weights)
    )


def _numbers_rows(name: Name, values: FloatArray, weights: Weights | None) -> bool:
    present = ~np.isnan(values)
    own = None if weights is None else weights[: len(values)][present]
    rows, used = rows_counted(int(present.sum()), own)
    return numbers_rows(name, values[present][used], int(rows))
