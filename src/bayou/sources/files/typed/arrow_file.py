"""Arrow files and streams (IPC, Feather) as columns: pyarrow opens and checks them, duckdb queries them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from bayou.errors import BadFile, MissingPackage
from bayou.sources.files.column_widths import ColumnWidth
from bayou.sources.files.compression import start_of
from bayou.sources.files.typed.parquet_schemas import refuse_other_columns
from bayou.sources.files.typed.typed_file import TypedFile
from bayou.typing import Name

_STREAM_MARK = b"\xff\xff\xff\xff"
_LONGEST_SCHEMA = 1 << 26


class ArrowFile(TypedFile):
    """Arrow files with random access; one record batch of a file must fit into memory."""

    endings: ClassVar[tuple[str, ...]] = (".arrow", ".feather", ".ipc")
    magic = b"ARROW1"
    kind = "an Arrow file with random access"
    is_decoded_fast = True

    def _table(self) -> str:
        try:
            import pyarrow.dataset
        except ImportError:
            raise MissingPackage.needed("pyarrow", "Reading an Arrow file") from None
        self._arrow = pyarrow
        first_path, *others = self.files.paths
        first = self._opened(first_path).schema
        for path in others:
            schema = self._opened(path).schema
            refuse_other_columns(path, schema.names, first_path, first.names)
            for field in schema:
                expected = first.field(field.name).type
                if field.type != expected:
                    raise BadFile.at(
                        path,
                        f"column {field.name!r} has the type {field.type} here, but {expected} in "
                        f"{first_path}; the files of one table need the same types.",
                    )
        self._stored = tuple(first.names)
        self.attach(self._connection)
        return (
            "("
            + " union all by name ".join(f"from part_{place}" for place in range(len(self.files.paths)))
            + ")"
        )

    def _opened(self, path: str, columns: Sequence[str] | None = None) -> Any:
        arrow = self._arrow
        try:
            file = self._reader(arrow.OSFile(path))
            if columns is None:
                return file
            places = sorted(file.schema.get_field_index(name) for name in columns)
            return self._reader(arrow.OSFile(path), options=arrow.ipc.IpcReadOptions(included_fields=places))
        except (arrow.ArrowException, OSError) as problem:
            raise BadFile.at(path, f"this is not {self.kind}: {problem}") from None

    def _reader(self, opened: Any, **options: Any) -> Any:
        """Pyarrow's reader of an open file."""
        return self._arrow.ipc.open_file(opened, **options)

    def _record_batches(self, file: Any) -> Iterator[Any]:
        return (file.get_batch(place) for place in range(file.num_record_batches))

    def attach(self, connection: Any, columns: Sequence[str] | None = None) -> None:
        """Let a connection of duckdb know the rows, for one query.

        Columns are called c0, c1, …: SQL ignores case, and duckdb would rename one of ``a`` and ``A``.
        """
        sql_names = {name: f"c{place}" for place, name in enumerate(self._stored)}
        for place, path in enumerate(self.files.paths):
            file = self._opened(path, columns)
            schema = self._arrow.schema([field.with_name(sql_names[field.name]) for field in file.schema])
            batches = (
                self._arrow.RecordBatch.from_arrays(batch.columns, schema=schema)
                for batch in _checked(self._record_batches(file))
            )
            rows = self._arrow.RecordBatchReader.from_batches(schema, batches)
            connection.register(f"part_{place}", rows)

    def _columns(self) -> list[tuple[Name, str, ColumnWidth]]:
        found = self._connection.sql(f"from {self._from}")
        return [
            (name, sql, ColumnWidth.of(str(kind)))
            for name, sql, kind in zip(self._stored, found.columns, found.types, strict=True)
        ]

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        try:
            parts = [self._arrow.dataset.dataset(path, format="ipc") for path in self.files.paths]
            return sum(part.count_rows() for part in parts)
        except (self._arrow.ArrowException, OSError) as problem:
            raise BadFile.at(self.path, f"the file is damaged: {problem}") from None


class ArrowStreamFile(ArrowFile):
    """Arrow streams kept in files, as many programs write them; one record batch must fit into memory."""

    endings = (".arrows",)
    magic = b""
    kind = "a file with an Arrow stream"

    @classmethod
    def recognises(cls, path: str) -> bool:
        """Whether a file begins as streams do: with a mark, and the length of the schema's message."""
        start = start_of(path)
        length = int.from_bytes(start[4:8], "little")
        return start[:4] == _STREAM_MARK and 0 < length < _LONGEST_SCHEMA and length % 8 == 0

    def _reader(self, opened: Any, **options: Any) -> Any:
        return self._arrow.ipc.open_stream(opened, **options)

    def _record_batches(self, file: Any) -> Iterator[Any]:
        return iter(file)

    @cached_property
    def rows(self) -> int:
        """The number of rows; only the heads of record batches are read for it."""
        try:
            return sum(
                batch.num_rows
                for path in self.files.paths
                for batch in self._reader(self._arrow.memory_map(path))
            )
        except (self._arrow.ArrowException, OSError) as problem:
            raise BadFile.at(self.path, f"the file is damaged: {problem}") from None


def _checked(batches: Iterator[Any]) -> Iterator[Any]:
    """The record batches of a file; a damaged one is refused, because it would read foreign memory."""
    for batch in batches:
        batch.validate(full=True)
        yield batch
