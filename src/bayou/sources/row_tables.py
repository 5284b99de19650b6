"""The rows of any source in order, some at a time, with their labels: what predictions go through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bayou.progress import tracked
from bayou.sources.batches import columns_of
from bayou.sources.files.file_source import FileSource
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn, wanted_positions, widened
from bayou.statistics import Source
from bayou.statistics.batch import empty_batch
from bayou.typing import Name


def row_tables(source: Source, names: Sequence[Name] | None = None) -> Iterator[Columns]:
    """The wanted columns, in the order of the rows; at least one table comes, perhaps without rows.

    A column's kind and its codes stay the same from table to table, while labels may be added at the end.

    >>> from bayou.sources import open_source
    >>> [table.coded("A").labels for table in row_tables(open_source({"A": ["y", None]}))]
    [('y',)]
    """
    if isinstance(source, TableSource):
        yield _chosen(source.columns, names)
    elif isinstance(source, FileSource):
        for table in tracked(source.tables(), f"Reading {source.path}"):
            yield _chosen(table.columns, names)
    else:
        variables = [source.variable(source.names[k]) for k in wanted_positions(source.names, names)]
        empty = True
        for batch in source.batches(variables):
            yield columns_of(batch, variables)
            empty = False
        if empty:
            yield columns_of(empty_batch(variables), variables)


def joined_tables(tables: Sequence[Columns]) -> Columns:
    """The tables of one source as one."""
    if len(tables) == 1:
        return tables[0]
    rows = sum(table.rows for table in tables)
    return Columns(tables[0].names, [_joined([t[name] for t in tables]) for name in tables[0].names], rows)


def _joined(columns: Sequence[Column]) -> Column:
    last = columns[-1]
    if isinstance(last, NumberColumn):
        numbers = [column for column in columns if isinstance(column, NumberColumn)]
        integral = all(column.integral for column in numbers)
        return NumberColumn(np.concatenate([column.values for column in numbers]), integral, last.kind)
    codes = [widened(column.codes, len(last.labels)) for column in columns if isinstance(column, CodedColumn)]
    return CodedColumn(np.concatenate(codes), last.labels, last.ordered, last.declared)


def _chosen(table: Columns, names: Sequence[Name] | None) -> Columns:
    if names is None:
        return table
    chosen = [table.names[position] for position in wanted_positions(table.names, names)]
    if len(chosen) == len(table.names):
        return table
    return Columns(chosen, [table[name] for name in chosen], table.rows)
