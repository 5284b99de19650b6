"""The tables of a source that an interrupted count has not counted yet."""

from __future__ import annotations

from collections.abc import Iterator

from bayou.counting.counted_rows import CountedRows
from bayou.counting.interrupted_count import InterruptedCount
from bayou.sources import FileSource, TableSource
from bayou.sources.row_tables import source_tables
from bayou.sources.streams.batch_source import BatchSource
from bayou.statistics import Source


def remaining_tables(source: Source, known: InterruptedCount) -> Iterator[TableSource]:
    """Yield the tables that are left; all of them if nothing was counted before.

    Batches are passed over by their number, and files that have not changed from the row where counting
    stopped; the last table that was counted is read again, to see that the rows are the same. Other data, and
    files that have changed since (a malformed row was repaired), are read from the beginning.
    """
    known.opened(source)
    if not known.before.tables:
        yield from source_tables(source)
        return
    tables = _from_the_last(source, known)
    if tables is not None:
        first = next(tables, None)
        if first is not None and known.before.ends_with(first):
            known.goes_on(known.before.passed_over())
            yield from tables
            return
        if isinstance(source, BatchSource):
            raise known.changed_rows()
    yield from _after_the_same_rows(source, known)


def _from_the_last(source: Source, known: InterruptedCount) -> Iterator[TableSource] | None:
    """The tables from the last one on that was counted, if the rows before it can be passed over."""
    before = known.before
    first_row = before.rows - before.last
    if isinstance(source, BatchSource):
        return source.tables(after=before.tables - 1, first_row=first_row)
    if isinstance(source, FileSource) and known.is_unchanged:
        return source.tables_from(first_row)
    return None


def _after_the_same_rows(source: Source, known: InterruptedCount) -> Iterator[TableSource]:
    """The tables after those that were counted, which are read again and compared."""
    tables = source_tables(source)
    rows = CountedRows()
    while rows.tables < known.before.tables:
        table = next(tables, None)
        if table is None:
            raise known.changed_rows()
        rows = rows.ending_with(table)
    if (rows.rows, rows.checksum) != (known.before.rows, known.before.checksum):
        raise known.changed_rows()
    known.goes_on(rows)
    yield from tables
