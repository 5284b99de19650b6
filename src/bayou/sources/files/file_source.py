"""A file as a source: kept in memory as codes if it is small there, else read anew in batches."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from bayou.errors import BadData
from bayou.memory import available_memory, current_limits
from bayou.progress import tracked
from bayou.schema import Variable
from bayou.sources.discretising import discretised
from bayou.sources.files.file_kinds import BATCH_ROWS, OpenFile, open_file
from bayou.sources.files.parquet_file import ParquetFile
from bayou.sources.files.reading_ahead import reading_ahead
from bayou.sources.state_matching import with_matched_states
from bayou.sources.table_source import TableSource
from bayou.sources.tables.arrow import ALL_ROWS
from bayou.sources.tables.columns import Columns
from bayou.sources.weights import weights_from, whole_weights
from bayou.statistics import Batch, Request, Source, Statistics
from bayou.typing import Name

LARGEST_WHOLE = 2**30
"""Files that take up to this many bytes in memory are kept there; others are streamed every time."""
_KEPT_AT_ONCE = 2**26
"""Larger Parquet files are streamed once before they are kept, since counting needs only one pass."""
_ROW_BYTES = 48
"""Batches of rows narrower than this have up to four times as many rows, so that fewer answers are added."""


class FileSource(Source):
    """A CSV or Parquet file of any size, in bounded memory.

    Files that take up to ``largest_whole`` bytes in memory (by default 1 GiB, and at most a quarter of what
    ``bayou.limits(memory=…)`` allows and of what is left; a text file is taken to need its own size) are kept
    there once they are read, a large Parquet file from its second pass on. ``weights`` is the name of the
    column with the rows' weights; the other arguments are those of ``open_source``.
    """

    def __init__(
        self,
        path: Any,
        names: Sequence[Name] | None = None,
        as_text: Collection[Name] = (),
        weights: Name | None = None,
        columns: Sequence[Name] | None = None,
        declared: Collection[Name] | None = None,
        variables: Collection[Variable] = (),
        largest_whole: int | None = None,
    ) -> None:
        self.path = path
        self.weights = weights
        self._wanted = names
        self._as_text = as_text
        self._given_columns = columns
        self._declared = declared
        self._variables = variables
        chosen = LARGEST_WHOLE if largest_whole is None else min(largest_whole, LARGEST_WHOLE)
        self._passed = False  # whether all rows were read once
        self._largest_whole = min(chosen, current_limits().memory / 4, available_memory() / 4)

    @cached_property
    def _file(self) -> OpenFile:
        """The open file, kept so that its columns are inspected once and not for every pass."""
        return open_file(self.path, self._given_columns)

    @cached_property
    def _is_too_large(self) -> bool:
        """Whether the file is too large to be kept in memory."""
        return os.path.isfile(self.path) and self._bytes > self._largest_whole

    @cached_property
    def _is_streamed_once(self) -> bool:
        """Whether the first pass over the rows does not keep them."""
        return isinstance(self._file, ParquetFile) and self._bytes > _KEPT_AT_ONCE

    @cached_property
    def _whole(self) -> TableSource:
        """The whole file in memory."""
        # Two steps, so that a progress bar appears before the one long call.
        for step in tracked(("opening", "reading"), f"Reading {self.path}"):
            if step == "reading":
                (columns,) = self._file.batches(self._columns, self._as_text, ALL_ROWS)
        return self._table(columns)

    @property
    def _bytes(self) -> int:
        """About how many bytes the needed columns take in memory."""
        file = self._file
        if isinstance(file, ParquetFile):
            return file.bytes_in_memory(self._columns)
        return os.path.getsize(self.path)

    @cached_property
    def _first(self) -> TableSource:
        """The first batch, which shows the columns and their types."""
        for source in self.tables():
            return source
        raise BadData(f"{self.path}: the file has no columns.")

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self._first.names

    def variable(self, name: Name) -> Variable:
        """A column's variable, inferred from the first batch that has a value; later ones may add states."""
        try:
            return self._first.variable(name)
        except BadData:
            if self._first is self.__dict__.get("_whole"):
                raise
        for source in self.tables():
            if source.has_values(name):
                return source.variable(name)
        return self._first.variable(name)

    def has_numbers(self, name: Name) -> bool:
        """Whether the first batch has numbers in a column; the type of a column stays the same."""
        return self._first.has_numbers(name)

    @property
    def is_streamed(self) -> bool:  # type: ignore[override]  # depends on the size of the file
        """Whether the file is too large to be kept in memory."""
        return self._is_too_large

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer the requests batch by batch and add the answers; a later batch may have new states."""
        total: Statistics | None = None
        needed = {
            name for request in requests for name in (*request.states, *request.numbers, *request.values)
        }
        for source in tracked(self.tables(needed), f"Counting {self.path}"):
            part = source.collect(requests)
            total = part if total is None else total + part
        assert total is not None  # an empty file still has one batch, without rows
        return total

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows in the codes of these variables; a value that is not a state is an error that names it."""
        needed = {variable.name for variable in variables}
        return (table.batch(variables) for table in self.tables(needed))

    @property
    def _columns(self) -> Sequence[Name] | None:
        if self._wanted is None or self.weights is None:
            return self._wanted
        return [*self._wanted, self.weights]

    def bounds(self, name: Name) -> tuple[float, float] | None:
        """The bounds that a Parquet file states."""
        return self._file.bounds(name) if isinstance(self._file, ParquetFile) else None

    @property
    def first_table(self) -> TableSource:
        """The first of the tables."""
        return self._first

    def tables(self, needed: Collection[Name] | None = None) -> Iterator[TableSource]:
        """Yield the rows in order as tables: one table for a file in memory, else some rows at a time.

        Of a file that is streamed only the columns in ``needed`` (None: all) are read.
        """
        if not self._is_too_large and (self._passed or not self._is_streamed_once):
            yield self._whole
            return
        names, first_row = self._needed_columns(needed), 0
        batches = self._file.batches(names, self._as_text, self._batch_rows(names))
        for columns in reading_ahead(batches):
            yield self._table(columns, first_row)
            first_row += columns.rows
        self._passed = True

    def _needed_columns(self, needed: Collection[Name] | None) -> Sequence[Name] | None:
        """The columns to read: those that are needed and the weights; at least one, which tells the rows."""
        if needed is None:
            return self._columns
        known = self.names
        kept = [name for name in known if name in needed or name == self.weights]
        return kept or list(known[:1])

    def _batch_rows(self, names: Sequence[Name] | None) -> int:
        """How many rows are read at a time."""
        if not isinstance(self._file, ParquetFile):
            return BATCH_ROWS
        return BATCH_ROWS * min(4, max(1, _ROW_BYTES // max(1, self._file.bytes_per_row(names))))

    def _table(self, columns: Columns, first_row: int = 0) -> TableSource:
        table = with_matched_states(discretised(columns, self._variables, strict=True), self._variables)
        return TableSource(table, weights_of_column(columns, self.weights), self._declared, first_row)


def weights_of_column(columns: Columns, name: Name | None) -> Any:
    """The row weights in the column of this name; None where no name is given."""
    if name is None:
        return None
    return weights_from(whole_weights(columns.numbers(name)), columns.rows)
