"""Selected rows of a table that keeps all its states: for resampling, for folds, and the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bayou.schema import Variable
from bayou.sources.batches import coded_batch, columns_of
from bayou.sources.tables.columns import (
    CodedColumn,
    Column,
    Columns,
    FewNumbers,
    NumberColumn,
    SpelledNumbers,
)
from bayou.statistics.coded_numbers import CodedNumbers


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
            return NumberColumn(column.values[rows], column.integral, column.kind, column.floats)
        return CodedColumn(column.codes[rows], column.labels, column.ordered, column.declared)

    return Columns(columns.names, [taken(columns[name]) for name in columns.names], len(rows))


def row_range(columns: Columns, first: int, last: int) -> Columns:
    """Return the rows from ``first`` up to ``last`` (without it), each column in the form that it has.

    >>> from bayou.sources import read_columns
    >>> row_range(read_columns({"A": ["y", "n", "y"]}), 1, 3).coded("A").values()
    ['n', 'y']
    """

    def part(column: Column) -> Column:
        if isinstance(column, FewNumbers):
            return FewNumbers(CodedNumbers(column.few.codes[first:last], column.few.distinct))
        if isinstance(column, SpelledNumbers):
            written = replace(column.written, codes=column.written.codes[first:last])
            return SpelledNumbers(written, column.meanings)
        if isinstance(column, NumberColumn):
            return NumberColumn(column.values[first:last], column.integral, column.kind, column.floats)
        return replace(column, codes=column.codes[first:last])

    rows = len(range(columns.rows)[first:last])
    return Columns(columns.names, [part(columns[name]) for name in columns.names], rows)
