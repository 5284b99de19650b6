"""Rows that are read several times in the same order: in memory, in their file, or copied to a temporary one.

Cross-validation reads its rows again for every fold. A file has an order of its own; the rows of a database,
of Spark or of an iterator are copied once, as codes, to a temporary file if they are many.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

import numpy as np

from bayou.codes import in_code_type
from bayou.errors import BadData
from bayou.memory import reading_memory
from bayou.sources.files import file_source
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.file_kinds import weights_of_file
from bayou.sources.files.file_options import DescribedFile, FileOptions
from bayou.sources.files.file_source import FileSource, as_path, large_file
from bayou.sources.files.found_files import FoundFiles
from bayou.sources.open_source import open_source
from bayou.sources.row_tables import joined_tables, weighted_tables
from bayou.sources.streams.batch_passes import is_batch_reader
from bayou.sources.table_source import TableSource
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import (
    CodedColumn,
    Column,
    Columns,
    FewNumbers,
    NumberColumn,
    SpelledNumbers,
)
from bayou.sources.tables.read_frames import is_spark
from bayou.sources.tables.row_selection import row_range
from bayou.sources.weights import Weights, weights_from
from bayou.statistics import Source
from bayou.statistics.batch import joined_weights
from bayou.statistics.rows.spilled_sequences import no_room
from bayou.typing import Name

WEIGHTS: Name = ("weight of a row",)
"""The name of the column with the weights of stored rows; no column of users is called so."""
_KEPT_SHARE = 0.25
"""Which part of the memory for reading files rows may take before they are written to a temporary file."""


@dataclass(frozen=True)
class LargeRows:
    """Rows that do not fit into memory; ``weights`` is the column with their weights (None: all are 1)."""

    file: DescribedFile
    weights: Name | None = None

    @property
    def source(self) -> FileSource:
        """The rows as a source, with their weights."""
        return FileSource(self.file, weights=self.weights)


def rows_to_read_again(data: Any, weights: Any = None) -> tuple[Any, Any, LargeRows | None]:
    """Return the data, the weights, and the rows if they are too many for memory (None if they are not).

    A large file stays where it is; a case file has weights of its own. The rows of another source that is
    streamed come as a table in memory (a ``TableSource``, with their weights) if they are few, else from a
    temporary file. ``weights`` is a
    column or an array with one number per row; None is returned where the rows have them.

    >>> from bayou.sources.streams.batch_source import from_batches
    >>> rows, weights, large = rows_to_read_again(from_batches([{"a": [1]}, {"a": [2]}]))
    >>> rows.columns.numbers("a").tolist(), weights, large
    ([1.0, 2.0], None, None)
    """
    file = large_file(data)
    path = as_path(data)
    if weights is None and isinstance(path, str | os.PathLike):
        own = weights_of_file(path)
        if own is not None:  # a small file comes with its weights, as a table in memory
            return (data, None, LargeRows(file, own)) if file else _stored(FileSource(path), None)
    if file is not None:
        if weights is None or isinstance(weights, str | int):
            return data, None, LargeRows(file, weights)
        return _stored(FileSource(file), weights)
    if is_spark(data) or is_batch_reader(data):
        by_name = isinstance(weights, str)
        return rows_to_read_again(
            open_source(data, weights=weights if by_name else None), None if by_name else weights
        )
    if not isinstance(data, Source) or isinstance(data, TableSource) or not data.is_streamed:
        return data, weights, None
    return _stored(data, weights)


def _stored(source: Source, weights: Any) -> tuple[Any, None, LargeRows | None]:
    """Read a source once; keep its rows in memory while they are few, else in a temporary file."""
    most = min(reading_memory() * _KEPT_SHARE, file_source.LARGEST_WHOLE)
    parts: list[tuple[Columns, Weights | None]] = []
    copy: StoredFile | None = None
    size = 0.0
    for table, of_rows in _with_weights(weighted_tables(source), weights):
        if copy is not None:
            copy.add(table, of_rows)
            continue
        parts.append((table, of_rows))
        size += sum(_bytes(table[name]) for name in table.names)
        if size > most:
            copy = StoredFile(table.names, str(getattr(source, "path", type(source).__name__)))
            for part in parts:
                copy.add(*part)
            parts.clear()
    if copy is None:
        found = joined_weights([(table.rows, each) for table, each in parts])
        return TableSource(joined_tables([table for table, _ in parts]), found), None, None
    weighted = copy.finish()
    return source, None, LargeRows(DescribedFile((copy.path,), stored=copy), WEIGHTS if weighted else None)


def _with_weights(
    tables: Iterator[tuple[Columns, Weights | None]], weights: Any
) -> Iterator[tuple[Columns, Weights | None]]:
    """The same tables with the weights that a user gives beside them: a column, an array, or none."""
    first, by_name = 0, isinstance(weights, str | int)
    for table, own in tables:
        first += table.rows
        if weights is None:
            yield table, own
            continue
        if own is not None:
            raise BadData("The rows of this source have weights of their own: leave out weights=.")
        if by_name:
            kept = [name for name in table.names if name != weights]
            yield (
                Columns(kept, [table[name] for name in kept], table.rows),
                weights_from(table.numbers(weights), table.rows),
            )
        else:
            yield table, np.asarray(weights)[first - table.rows : first]
    if weights is not None and not by_name:
        weights_from(weights, first)  # raises unless there is one for every row


class StoredFile(DataFile):
    """Rows in a temporary file, column by column and as they were read; it ends with this object."""

    kind = "a temporary file"
    is_decoded_fast = True

    def __init__(self, names: Sequence[Name], shown: str) -> None:
        self.names = tuple(names)
        self._weighted = False
        self._places: list[dict[Name, tuple[int, int]]] = []  # of each table: where its columns are
        self._table_rows: list[int] = []
        self._last: dict[Name, Column] = {}
        self._bytes = dict.fromkeys((*names, WEIGHTS), 0)
        try:
            self._file: IO[bytes] = tempfile.NamedTemporaryFile(prefix="bayou-")  # noqa: SIM115  # closed below
        except OSError as error:
            raise no_room(error) from None
        weakref.finalize(self, self._file.close)
        super().__init__(FoundFiles((self._file.name,), shown), FileOptions(), None)

    def add(self, table: Columns, weights: Weights | None) -> None:
        """Write one more table, whose codes mean what those of earlier ones mean."""
        self._weighted = self._weighted or weights is not None
        ones = np.ones(table.rows) if weights is None else np.asarray(weights, dtype=np.float64)
        columns = {name: table[name] for name in table.names}
        columns[WEIGHTS] = NumberColumn(ones, integral=False, kind="float")
        places = {}
        try:
            for name, column in columns.items():
                begin = self._file.tell()
                # Labels only grow: those of the last table are kept, once.
                light = replace(column, labels=()) if isinstance(column, CodedColumn) else column
                pickle.dump(light, self._file, protocol=5)
                places[name] = (begin, self._file.tell() - begin)
                self._bytes[name] += _bytes(column)
        except OSError as error:
            raise no_room(error) from None
        self._last = columns if not self._places else {**self._last, **_labelled(columns)}
        self._places.append(places)
        self._table_rows.append(table.rows)

    def finish(self) -> bool:
        """Make what was written visible to readers, and return whether rows have weights."""
        try:
            self._file.flush()
        except OSError as error:
            raise no_room(error) from None
        if self._weighted:
            self.names = (*self.names, WEIGHTS)
        return self._weighted

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield the rows in order, ``batch_rows`` at the most; ``as_text`` changes nothing here."""
        chosen = [self.names[place] for place in wanted_positions(self.names, names)]
        tables = map(self._read, range(len(self._places)), [chosen] * len(self._places))
        if batch_rows >= sum(self._table_rows):
            yield joined_tables(list(tables))
            return
        for table in tables:
            for first in range(0, table.rows, batch_rows) if table.rows > batch_rows else ():
                yield row_range(table, first, first + batch_rows)
            if table.rows <= batch_rows:
                yield table

    def _read(self, number: int, names: Sequence[Name]) -> Columns:
        columns: list[Column] = []
        with open(self._file.name, "rb") as file:
            for name in names:
                begin, _ = self._places[number][name]
                file.seek(begin)
                # What is read here was written by this process to a file that only its user can open.
                column = pickle.load(file)
                if isinstance(column, CodedColumn):
                    labels = self._last[name].labels  # type: ignore[union-attr]  # coded in every table
                    column = replace(column, codes=in_code_type(column.codes, len(labels)), labels=labels)
                columns.append(column)
        return Columns(names, columns, self._table_rows[number])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(self._table_rows)

    def bytes_per_row(self, names: Sequence[Name] | None) -> float:
        """How many bytes a row of these columns (None: all) takes."""
        chosen = [self.names[place] for place in wanted_positions(self.names, names)]
        return sum(self._bytes[name] for name in chosen) / max(1, self.rows)


def _labelled(columns: dict[Name, Column]) -> dict[Name, Column]:
    """The columns of codes without their codes: what their labels are."""
    return {
        name: replace(column, codes=column.codes[:0])
        for name, column in columns.items()
        if isinstance(column, CodedColumn)
    }


def _bytes(column: Column) -> int:
    if isinstance(column, SpelledNumbers):
        return int(column.written.codes.nbytes)
    if isinstance(column, FewNumbers):
        return int(column.few.codes.nbytes)
    return int(column.codes.nbytes if isinstance(column, CodedColumn) else column.values.nbytes)
