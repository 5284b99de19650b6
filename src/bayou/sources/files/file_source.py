"""A file as a source: kept in memory as codes if it is small there, else read anew in batches."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from bayou.errors import BadData
from bayou.memory import reading_memory
from bayou.progress import tracked, tracked_rows
from bayou.schema import Variable
from bayou.sources.ctrl_c import closed_after, mapped
from bayou.sources.discretising import discretised
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.file_kinds import BATCH_ROWS, open_file
from bayou.sources.files.file_options import DescribedFile
from bayou.sources.files.reading_ahead import reading_ahead
from bayou.sources.files.too_many_values import refuse_too_many_values
from bayou.sources.state_matching import with_matched_states
from bayou.sources.table_source import TableSource
from bayou.sources.tables.arrow import ALL_ROWS
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.number_text import Spelling
from bayou.sources.weights import weights_from, whole_weights
from bayou.statistics import Batch, Request, Source, Statistics
from bayou.typing import Name

LARGEST_WHOLE = 2**30
"""Files that take up to this many bytes in memory are kept there; others are streamed every time."""
_KEPT_AT_ONCE = 2**26
"""Larger files that are read fast are streamed once before they are kept: counting needs only one pass."""
_KEPT_SHARE = 0.25
"""Which part of the memory for reading files the columns of a file in memory may take."""
_BATCH_SHARE = 0.04
"""Which part of it the columns of a batch may take: several are in use at a time, some as copies."""
_FEWEST_ROWS = 256
_ROW_BYTES = 48
"""Batches of rows narrower than this have up to four times as many rows, so that fewer answers are added."""


class FileSource(Source):
    """Data files of any size, in bounded memory.

    Files that take up to ``largest_whole`` bytes in memory (by default 1 GiB, and at most a quarter of the
    memory for reading files, ``bayou.limits(memory=…)``, by default 1 GB) are kept there once they are read,
    large Parquet files from their second pass on. ``weights`` is the name of the column with the rows'
    weights (case files have one of their own); the other arguments are those of ``open_source``. While a
    source is in use its files must not change: sizes and times are compared before and after every pass.
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
        self._given_weights = weights
        self._wanted = names
        self._as_text = as_text
        self._given_columns = columns
        self._declared = declared
        self._variables = variables
        chosen = LARGEST_WHOLE if largest_whole is None else min(largest_whole, LARGEST_WHOLE)
        self._passed = False  # whether all rows were read once
        self._memory = reading_memory()
        self._largest_whole = min(chosen, self._memory * _KEPT_SHARE)
        plain = (names, weights, columns, declared) == (None,) * 4 and not as_text and not variables
        self.described: DescribedFile | None = DescribedFile.of(path) if plain else None
        """The files, if nothing else was said about this source: it is then opened again like a path."""

    @cached_property
    def _file(self) -> DataFile:
        """The open file, kept so that its columns are inspected once and not for every pass."""
        file = open_file(self.path, self._given_columns)
        self._state = file.files.state()
        return file

    def opened(self) -> FileSource:
        """This source, after its files have been found; rows are not read yet."""
        self._file  # noqa: B018  # opens them
        return self

    @cached_property
    def weights(self) -> Name | None:
        """The column with the rows' weights: the one that was named, or that of files that have their own."""
        return self._file.weights if self._given_weights is None else self._given_weights

    @cached_property
    def _is_too_large(self) -> bool:
        """Whether the file is too large to be kept in memory."""
        return self._bytes > self._largest_whole

    @cached_property
    def _is_streamed_once(self) -> bool:
        """Whether the first pass over the rows does not keep them."""
        return self._file.is_decoded_fast and self._bytes > _KEPT_AT_ONCE

    @cached_property
    def _whole(self) -> TableSource:
        """The whole file in memory."""
        # Two steps, so that a progress bar appears before the one long call.
        for step in tracked(("opening", "reading"), f"Reading {self.path}"):
            if step == "reading":
                (columns,) = self._file.batches(self._columns, self._as_text, ALL_ROWS)
        return self._table(columns)

    @cached_property
    def _bytes(self) -> float:
        """About how many bytes the needed columns take in memory."""
        return self._file.bytes_in_memory(self._columns)

    @cached_property
    def _first(self) -> TableSource:
        """The first batch, which shows the columns and their types."""
        with closed_after(self.tables()) as tables:
            for source in tables:
                return source
        raise BadData(f"{self.path}: the file has no columns.")

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns; that of the weights only if it is asked for."""
        asked, known = self._wanted or (), self._file.names
        chosen = [known[place] for place in wanted_positions(known, self._wanted)]
        return tuple(name for name in chosen if name != self.weights or name in asked)

    def variable(self, name: Name) -> Variable:
        """A column's variable, inferred from the first batch that has a value; later ones may add states."""
        try:
            return self._first.variable(name)
        except BadData:
            if self._first is self.__dict__.get("_whole"):
                raise
        with closed_after(self.tables()) as tables:
            for source in tables:
                if source.has_values(name):
                    return source.variable(name)
        return self._first.variable(name)

    def with_all_states(self, names: Sequence[Name]) -> list[Variable]:
        """The variables of these columns, each with the states of all rows."""
        kept = self.__dict__.get("_whole")
        return super().with_all_states(names) if kept is None else kept.with_all_states(names)

    def has_numbers(self, name: Name) -> bool:
        """Whether the first batch has numbers in a column; the type of a column stays the same."""
        return self._first.has_numbers(name)

    def holds_floats(self, name: Name) -> bool:
        """The same of the first batch."""
        return self._first.holds_floats(name)

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
        for source in self.tracked_tables(f"Counting {self.path}", needed):
            total = source.collect_after(total, requests)
            refuse_too_many_values(total, self.path, self._memory)
        assert total is not None  # an empty file still has one batch, without rows
        return total

    def tracked_tables(self, task: str, needed: Collection[Name] | None = None) -> Iterator[TableSource]:
        """The same as :meth:`tables`; a reporter is told the rows, their pace and what is left."""
        return tracked_rows(self.tables(needed), task, _rows_of, self._file.rows)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows in the codes of these variables; a value that is not a state is an error that names it."""
        needed = {variable.name for variable in variables}
        return mapped(lambda table: table.batch(variables), self.tables(needed))

    @property
    def _columns(self) -> Sequence[Name] | None:
        if self.weights is None or (self._wanted is None and self.weights in self._file.names):
            return self._wanted
        return [*(self._file.names if self._wanted is None else self._wanted), self.weights]

    def bounds(self, name: Name) -> tuple[float, float] | None:
        """The bounds that the file states, as Parquet files do."""
        return self._file.bounds(name)

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
        self._file.files.refuse_changed(self._state)
        with closed_after(reading_ahead(batches, at_once=needed is not None)) as ahead:
            for columns in ahead:
                yield self._table(columns, first_row)
                first_row += columns.rows
        self._file.files.refuse_changed(self._state)
        self._passed = True

    def tables_from(self, first_row: int) -> Iterator[TableSource]:
        """Yield the tables after the first rows; what is known of the whole file need not be read for it.

        The caller must check that the rows begin where it expects them (see ``TextFile.batches_from``).
        """
        names = self._columns
        batches = self._file.batches_from(first_row, names, self._as_text, self._batch_rows(names))
        self._file.files.refuse_changed(self._state)
        for columns in reading_ahead(batches):
            yield self._table(columns, first_row)
            first_row += columns.rows
        self._file.files.refuse_changed(self._state)

    @property
    def column_kinds(self) -> dict[str, dict[str, Any] | None]:
        """What columns are over the whole file, as far as it was looked through: plain data, to be kept."""
        found = self._file.spellings.items()
        return {str(place): None if kind is None else asdict(kind) for place, kind in found}

    @column_kinds.setter
    def column_kinds(self, kinds: Mapping[str, Mapping[str, Any] | None]) -> None:
        for place, kind in kinds.items():
            found = None if kind is None else Spelling(**{**kind, "units": tuple(kind["units"])})
            self._file.spellings[int(place)] = found

    def _needed_columns(self, needed: Collection[Name] | None) -> Sequence[Name] | None:
        """The columns to read: those that are needed and the weights; at least one, which tells the rows."""
        if needed is None:
            return self._columns
        known = self._first.names
        kept = [name for name in known if name in needed or name == self.weights]
        return kept or list(known[:1])

    def _batch_rows(self, names: Sequence[Name] | None) -> int:
        """How many rows are read at a time: fewer where rows are wide, so that memory stays bounded."""
        wide = max(1.0, self._file.bytes_per_row(names))
        most = max(_FEWEST_ROWS, int(self._memory * _BATCH_SHARE / wide))
        usual = BATCH_ROWS * int(min(4, max(1, _ROW_BYTES // wide))) if self._file.is_typed else BATCH_ROWS
        return min(usual, most)

    def _table(self, columns: Columns, first_row: int = 0) -> TableSource:
        table = with_matched_states(discretised(columns, self._variables, strict=True), self._variables)
        return TableSource(table, weights_of_column(columns, self.weights), self._declared, first_row)


def _rows_of(table: TableSource) -> int:
    return table.columns.rows


def weights_of_column(columns: Columns, name: Name | None) -> Any:
    """The row weights in the column of this name; None where no name is given."""
    if name is None:
        return None
    return weights_from(whole_weights(columns.numbers(name)), columns.rows)


def large_file(data: Any) -> DescribedFile | None:
    """Return the files that data stand for if they are too large to be kept in memory; else None."""
    path = as_path(data)
    if not isinstance(path, str | os.PathLike):
        return None
    described = DescribedFile.of(path)
    return described if FileSource(described).is_streamed else None


def as_path(data: Any) -> Any:
    """Return a source of files about which nothing else was said as the described files; other data as is."""
    described = data.described if isinstance(data, FileSource) else None
    return data if described is None else described
