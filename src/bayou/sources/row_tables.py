"""The rows of any source as tables in row order, with or without the weights of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bayou.codes import code_type, in_code_type, missing_code
from bayou.progress import tracked
from bayou.sources.batches import columns_of
from bayou.sources.files.file_source import FileSource
from bayou.sources.streams.batch_source import BatchSource
from bayou.sources.table_source import TableSource
from bayou.sources.table_stream import TableStream
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn
from bayou.sources.weights import Weights
from bayou.statistics import Source
from bayou.statistics.batch import empty_batch, joined_weights
from bayou.typing import CodeArray, Name, State


def row_tables(source: Source, names: Sequence[Name] | None = None) -> Iterator[Columns]:
    """Yield these columns (None: all) as tables in row order; at least one table, perhaps without rows.

    A column's kind and its codes stay the same from table to table; labels may be added at the end. The
    weights of the rows are left out: use this for answers per row, and :func:`weighted_tables` for sums.

    >>> from bayou.sources import open_source
    >>> [table.coded("A").labels for table in row_tables(open_source({"A": ["y", None]}))]
    [('y',)]
    """
    for table, _ in weighted_tables(source, names):
        yield table


def first_table(source: Source, names: Sequence[Name] | None = None) -> Columns:
    """Return the first of the tables of :func:`row_tables`; that of a file is read once and kept."""
    return first_weighted_table(source, names)[0]


def first_weighted_table(
    source: Source, names: Sequence[Name] | None = None
) -> tuple[Columns, Weights | None]:
    """Return the same table with the weights of its rows (None: all are 1)."""
    if isinstance(source, FileSource | BatchSource | TableStream):
        return _chosen(source.first_table.columns, names), source.first_table.weights
    return next(weighted_tables(source, names))


def weighted_tables(
    source: Source, names: Sequence[Name] | None = None
) -> Iterator[tuple[Columns, Weights | None]]:
    """Yield the same tables as :func:`row_tables`, each with the weights of its rows (None: all are 1)."""
    if isinstance(source, TableSource):
        yield _chosen(source.columns, names), source.weights
    elif isinstance(source, FileSource):
        for table in source.tracked_tables(f"Reading {source.path}"):
            yield _chosen(table.columns, names), table.weights
    elif isinstance(source, BatchSource):
        for table in tracked(source.tables(names and set(names)), "Reading batches"):
            yield _chosen(table.columns, source.names if names is None else names), table.weights
    elif isinstance(source, TableStream):
        for table in tracked(source.tables(names), f"Reading {source.label}"):
            yield _chosen(table.columns, names), table.weights
    else:
        variables = [source.variable(source.names[k]) for k in wanted_positions(source.names, names)]
        empty = True
        for batch in source.batches(variables):
            yield columns_of(batch, variables), batch.weights
            empty = False
        if empty:
            yield columns_of(empty_batch(variables), variables), None


def source_tables(source: Source) -> Iterator[TableSource]:
    """Yield the rows of any source as tables with the weights of their rows, in row order.

    >>> from bayou.sources import open_source
    >>> [table.columns.rows for table in source_tables(open_source({"A": ["y", "n"]}))]
    [2]
    """
    if isinstance(source, TableSource):
        yield source
    elif isinstance(source, FileSource | BatchSource):
        yield from source.tables()
    else:
        first_row = 0
        for table, weights in weighted_tables(source):
            yield TableSource(table, weights, first_row=first_row)
            first_row += table.rows


def read_source(source: Source, names: Sequence[Name] | None = None) -> tuple[Columns, Weights | None]:
    """Read all rows of a source into one table; return it with the rows' weights (None: all are 1).

    >>> from bayou.sources import open_source
    >>> table, weights = read_source(open_source({"A": ["y", "n"]}, weights=[2, 3]))
    >>> table.rows, weights.tolist()
    (2, [2, 3])
    """
    parts = list(weighted_tables(source, names))
    weights = joined_weights([(table.rows, weights) for table, weights in parts])
    return joined_tables([table for table, _ in parts]), weights


def joined_tables(tables: Sequence[Columns]) -> Columns:
    """Return tables of :func:`row_tables` as one."""
    if len(tables) == 1:
        return tables[0]
    rows = sum(table.rows for table in tables)
    return Columns(tables[0].names, [_joined([t[name] for t in tables]) for name in tables[0].names], rows)


def _joined(columns: Sequence[Column]) -> Column:
    last = columns[-1]
    if isinstance(last, NumberColumn):
        numbers = [column for column in columns if isinstance(column, NumberColumn)]
        integral = all(column.integral for column in numbers)
        return NumberColumn(
            np.concatenate([column.values for column in numbers]), integral, last.kind, last.floats
        )
    coded = [column for column in columns if isinstance(column, CodedColumn)]
    labels = last.labels
    if any(labels[: len(column.labels)] != column.labels for column in coded):
        # Too many labels for memory: some parts began anew, with other codes.
        labels = tuple(dict.fromkeys(label for column in coded for label in column.labels))
        coded = [_in_codes_of(labels, column) for column in coded]
    codes = [in_code_type(column.codes, len(labels)) for column in coded]
    return CodedColumn(np.concatenate(codes), labels, last.ordered, last.declared)


def _in_codes_of(labels: tuple[State, ...], column: CodedColumn) -> CodedColumn:
    places = {label: place for place, label in enumerate(labels)}
    kind = code_type(len(labels))
    meaning: CodeArray = np.array(
        [*(places[label] for label in column.labels), missing_code(kind)], dtype=kind
    )
    return replace(column, codes=meaning[np.minimum(column.codes, len(column.labels)).astype(np.intp)])


def _chosen(table: Columns, names: Sequence[Name] | None) -> Columns:
    if names is None:
        return table
    chosen = [table.names[position] for position in wanted_positions(table.names, names)]
    if len(chosen) == len(table.names):
        return table
    return Columns(chosen, [table[name] for name in chosen], table.rows)
