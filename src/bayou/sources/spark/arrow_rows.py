"""Arrow batches of a Spark DataFrame as tables: the same on the workers and on the driver."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from bayou.schema import Variable
from bayou.sources.discretising import discretised
from bayou.sources.files.file_source import weights_of_column
from bayou.sources.state_matching import with_matched_states
from bayou.sources.table_source import TableSource
from bayou.sources.tables.arrow import stream_batches
from bayou.sources.tables.columns import Column, Columns, NumberColumn
from bayou.sources.tables.number_text import Spelling
from bayou.sources.tables.spelled_columns import spelled_as
from bayou.typing import Name

TABLE_ROWS = 1 << 18
"""Rows that are counted at once."""


@dataclass(frozen=True)
class RowReader:
    """Reads Arrow batches, whose columns are ``names`` in this order, as tables.

    ``spellings`` says what columns are over all partitions, so that each has the same kind everywhere; the
    other fields are the arguments of ``open_source``.
    """

    names: tuple[Name, ...]
    spellings: Mapping[Name, Spelling]
    weights: Name | None = None
    declared: Collection[Name] | None = None
    variables: tuple[Variable, ...] = ()
    rows: int = TABLE_ROWS

    def tables(self, batches: Iterable[Any]) -> Iterator[TableSource]:
        """The rows in order, some at a time; none without a batch."""
        first_row = 0
        for columns in self.columns(batches):
            yield self.table(columns, first_row)
            first_row += columns.rows

    def table(self, columns: Columns, first_row: int = 0) -> TableSource:
        """Rows as a source, with their weights and in the states of declared variables."""
        table = with_matched_states(discretised(columns, self.variables, strict=True), self.variables)
        weights = weights_of_column(columns, self.weights)
        return TableSource(table, weights, self.declared, first_row)

    def columns(self, batches: Iterable[Any]) -> Iterator[Columns]:
        """The same rows as columns, without declarations."""
        return map(self.as_in_all_rows, arrow_tables(batches, self.names, self.rows))

    def as_in_all_rows(self, table: Columns) -> Columns:
        """Some rows, with columns of the kinds that they have over all rows."""
        changes = {
            name: partial(_as_in_all_rows, spelling)
            for name, spelling in self.spellings.items()
            if name in table
        }
        return table.replaced(changes) if changes else table


def arrow_tables(batches: Iterable[Any], names: Sequence[Name], rows: int = TABLE_ROWS) -> Iterator[Columns]:
    """Arrow batches as tables of so many rows; codes keep their meaning from table to table."""
    import pyarrow

    waiting = iter(batches)
    first = next(waiting, None)
    if first is None:
        return
    labels = [str(name) for name in names]  # for messages
    if isinstance(first, pyarrow.Table):
        yield from stream_batches(first.rename_columns(labels), known=names, batch_rows=rows)
        return
    failure: list[BaseException] = []

    def told() -> Iterator[Any]:
        # Arrow would make a text of an error in the middle of the stream.
        try:
            for batch in chain([first], waiting):
                yield batch.rename_columns(labels)
        except BaseException as error:
            failure.append(error)
            raise

    stream = pyarrow.RecordBatchReader.from_batches(first.rename_columns(labels).schema, told())
    try:
        yield from stream_batches(stream, known=names, batch_rows=rows)
    except Exception:
        if failure:
            raise failure[0] from None
        raise


def _as_in_all_rows(spelling: Spelling, column: Column) -> Column:
    """Some rows of a column, of the kind that it has over all rows."""
    if isinstance(column, NumberColumn):
        return NumberColumn(column.values, spelling.integral, "int" if spelling.whole else "float")
    return spelled_as(column, spelling)
