"""Parquet files as columns, read by duckdb."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from bayou.errors import BadFile
from bayou.sources.files.column_widths import ColumnWidth, stated_bounds
from bayou.sources.files.duckdb_reading import sql_paths, sql_text
from bayou.sources.files.typed.parquet_durations import duration_columns
from bayou.sources.files.typed.parquet_schemas import check_schemas, stored_names
from bayou.sources.files.typed.typed_file import TypedFile
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Columns
from bayou.typing import Name

_ROW_NUMBERS = re.compile(r"__index_level_\d+__")


class ParquetFile(TypedFile):
    """Parquet files; columns have the names that the first file gives them."""

    endings = (".parquet", ".pq")
    magic = b"PAR1"
    kind = "a Parquet file"
    is_decoded_fast = True

    def _table(self) -> str:
        return self._read_parquet("")

    def _read_parquet(self, options: str) -> str:
        # Without hive partitioning, a folder called 'year=2024' does not become a column.
        hive = str(bool(self.files.partitions)).lower()
        several = "" if self.files.is_one else ", union_by_name=true"
        return f"read_parquet({self._paths}, hive_partitioning={hive}{several}{options})"

    def _rows_from(self, first_row: int) -> str:
        """The SQL for the rows after the first ones; duckdb reads no file and no row group before them."""
        added = ("filename", "file_row_number")
        if any(str(name).lower() in added for name in self._sql_names):
            return super()._rows_from(first_row)
        files = list(self.files.paths)
        while len(files) > 1 and first_row >= (rows := self._rows_in(sql_paths(files[:1]))):
            first_row -= rows
            del files[0]
        table = self._read_parquet(", filename=true, file_row_number=true")
        if self.files.is_one:
            return f"{table} where file_row_number >= {first_row}"
        first, every = sql_text(files[0]), ", ".join(map(sql_text, files))
        return (
            f"{table} where filename in ({every}) and (filename <> {first} or file_row_number >= {first_row})"
        )

    def _batches(
        self, rows: str, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        for position in wanted_positions(self.names, names):
            if str(self.names[position]) in self._durations:
                # duckdb would read the integers that stand for them, in any unit.
                raise BadFile.at(
                    self.path,
                    f"The column {self.names[position]!r} holds durations, which are read from frames but "
                    "not from Parquet files. Leave the column out (name the columns that are needed, or "
                    "ignore it), or convert it before the file is written, such as to seconds as numbers.",
                )
        return super()._batches(rows, names, as_text, batch_rows)

    def _columns(self) -> list[tuple[Name, str, ColumnWidth]]:
        names = stored_names(self._connection, self.files.paths[0])
        check_schemas(self._connection, self.files)
        self._durations = duration_columns(self._connection, self.files.paths)
        found = self._connection.sql(f"select * from {self._from}")
        types = [str(kind) for kind in found.types]
        # duckdb renames the second of 'a' and 'A', because SQL ignores case.
        sql_names = found.columns
        folders = [name for name in self.files.partitions if name not in names]
        known = dict(zip(sql_names, types, strict=True))
        stored = list(zip(names, sql_names, types, strict=False))[: len(names)]
        columns = [*stored, *((name, name, known[name]) for name in folders)]
        bounds = stated_bounds(self._connection, self._paths, [str(name) for name, _, _ in columns])
        # pandas writes the numbers of rows of a filtered or shuffled frame as one more column.
        return [
            (name, sql, ColumnWidth.of(kind, bounds.get(str(name))))
            for name, sql, kind in columns
            if not _ROW_NUMBERS.fullmatch(str(name))
        ]

    @property
    def _paths(self) -> str:
        return sql_paths(self.files.paths)

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return self._rows_in(self._paths)

    def _rows_in(self, paths: str) -> int:
        query = f"select coalesce(sum(num_rows), 0) from parquet_file_metadata({paths})"
        return int(self._first_row(query)[0])
