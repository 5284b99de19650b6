"""Selected rows of a table that keeps all its states: for resampling and for folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bayou.schema import Variable
from bayou.sources.batches import coded_batch, columns_of
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn


def with_states(columns: Columns, variables: Sequence[Variable]) -> Columns:
    """Return the columns of these variables with all states declared, so that a selection of rows keeps them.

    >>> from bayou.sources import read_columns
    >>> table = with_states(read_columns({"A": ["y", "n"]}), [Variable("A", ["n", "y"])])
    >>> taken_rows(table, np.array([1, 1])).coded("A").labels
    ('n', 'y')
    """
    return columns_of(coded_batch(columns, variables), variables)


def taken_rows(columns: Columns, rows: npt.NDArray[np.integer]) -> Columns:
    """Return these rows in this order; a row may be repeated."""

    def taken(column: Column) -> Column:
        if isinstance(column, NumberColumn):
            return NumberColumn(column.values[rows], column.integral, column.kind)
        return CodedColumn(column.codes[rows], column.labels, column.ordered, column.declared)

    return Columns(columns.names, [taken(columns[name]) for name in columns.names], len(rows))
