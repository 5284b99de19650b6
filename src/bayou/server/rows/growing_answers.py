"""The answers for many rows in a file that grows: what it has already is sent while the rest is computed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

from bayou.errors import MissingPackage

Part = Sequence[npt.NDArray[Any]]
"""Some rows of the answers: an array for each column; None and NaN are missing values."""


class Columns(Protocol):
    """Writes columns in some format."""

    def write(self, part: Part) -> None:
        """Write some rows, and nothing that a reader could not read yet."""


class GrowingAnswers:
    """A file that appears at its place when its second part comes, or at its end.

    So an answer of one part appears whole, and with all its notes: the list of ``notes`` so far is beside it.
    """

    def __init__(self, place: Path, notes: list[str]) -> None:
        self._place, self._notes = place, notes
        self.hidden = place.with_name(f"{place.name}.hidden")
        self._parts = 0

    def write_all(self, columns: Columns, parts: Iterator[Part]) -> None:
        """Write the parts as they come."""
        for part in parts:
            if self._parts == 1:
                self.show()
            columns.write(part)
            self._parts += 1

    def show(self) -> None:
        """Put the file into its place, if it is not there; it may go on growing."""
        if not self._place.exists():
            notes_beside(self._place).write_text(json.dumps(self._notes), encoding="utf-8")
            os.replace(self.hidden, self._place)


def notes_beside(place: Path) -> Path:
    """Where the notes are that were known when a file of answers appeared."""
    return place.with_name(f"{place.name}.notes")


@contextmanager
def csv_columns(file: Path, names: Sequence[str], types: Sequence[str]) -> Iterator[Columns]:
    """Write columns of these names and types of SQL as CSV."""
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "CSV") from None
    with duckdb.connect() as connection, file.open("wb", buffering=0) as sink:
        written = CsvColumns(connection, file.with_name(f"{file.name}.part"), sink, types)
        written.write_header(names)
        yield written


class CsvColumns:
    """Rows of CSV, each part written by duckdb and then added to the file."""

    def __init__(self, connection: Any, part: Path, sink: Any, types: Sequence[str]) -> None:
        self._connection, self._part, self._sink = connection, part, sink
        self._columns = ", ".join(f"c{place}::{kind}" for place, kind in enumerate(types))

    def write_header(self, names: Sequence[str]) -> None:
        """Write the names, also those that SQL takes for equal."""
        self._add(", ".join("'" + name.replace("'", "''") + "'" for name in names))

    def write(self, part: Part) -> None:
        """Write some rows."""
        if len(part[0]):
            chunk = {f"c{place}": column for place, column in enumerate(part)}
            self._connection.register("chunk", chunk)
            self._add(f"{self._columns} from chunk")
            self._connection.unregister("chunk")

    def _add(self, selected: str) -> None:
        path = str(self._part).replace("'", "''")
        self._connection.execute(f"copy (select {selected}) to '{path}' (format csv, header false)")
        with self._part.open("rb") as part:
            while block := part.read(1 << 20):
                self._sink.write(block)
        self._part.unlink()


@contextmanager
def arrow_columns(file: Path, names: Sequence[str], types: Sequence[str]) -> Iterator[Columns]:
    """Write columns of these names and types of SQL as an Arrow stream."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPackage.needed("pyarrow", "An Arrow stream") from None
    known = {
        "BIGINT": pyarrow.int64(),
        "DOUBLE": pyarrow.float64(),
        "BOOLEAN": pyarrow.bool_(),
        "VARCHAR": pyarrow.string(),
    }
    schema = pyarrow.schema([(name, known[kind]) for name, kind in zip(names, types, strict=True)])
    with ExitStack() as stack:
        sink = stack.enter_context(file.open("wb", buffering=0))
        yield ArrowColumns(schema, stack.enter_context(pyarrow.ipc.new_stream(sink, schema)))


class ArrowColumns:
    """Batches of an Arrow stream."""

    def __init__(self, schema: Any, writer: Any) -> None:
        self._schema, self._writer = schema, writer

    def write(self, part: Part) -> None:
        """Write some rows as one batch."""
        import pyarrow

        kinds = [field.type for field in self._schema]
        arrays = [
            pyarrow.array(column, kind, from_pandas=True) for column, kind in zip(part, kinds, strict=True)
        ]
        self._writer.write_batch(pyarrow.record_batch(arrays, schema=self._schema))
