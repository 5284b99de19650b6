"""The first rows of a relation, which show what its columns look like.

Where no row may leave the database, each column comes by itself: the values of its first rows, counted. The
table that is made of them has columns with the right values in no order, and rows that do not exist.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.sources.databases.cell_counts import Cells, Counted
from bayou.sources.databases.drivers.sql_columns import SqlColumn, names_of
from bayou.sources.tables.columns import Column, Columns, NumberColumn
from bayou.sources.tables.row_selection import taken_rows
from bayou.typing import Name

FIRST_ROWS = 10_000


def first_rows(counted: Counted, columns: Sequence[SqlColumn]) -> Columns:
    """The first rows as they are."""
    driver = counted.driver
    statement = driver.select_rows(columns, counted.conditions, FIRST_ROWS)
    return driver.read(statement, counted.relation, columns)


def first_values(counted: Counted, columns: Sequence[SqlColumn]) -> Columns:
    """The values of the first rows, column by column; those of real numbers stay in the database."""
    cells = {each.name: counted.cells((each.name,), FIRST_ROWS) for each in columns if each.kind != "number"}
    # Which rows come first is the database's choice, each time; with a condition their number may differ.
    rows = min((int(each.rows.sum()) for each in cells.values()), default=0)
    none = NumberColumn(np.full(rows, np.nan), integral=True, kind="float")
    made = [_values(cells[each.name], each.name, rows) if each.name in cells else none for each in columns]
    return Columns(names_of(columns), made, rows)


def _values(cells: Cells, name: Name, rows: int) -> Column:
    places = np.repeat(np.arange(cells.table.rows), cells.rows.astype(np.int64))
    return taken_rows(cells.table, places[:rows])[name]
