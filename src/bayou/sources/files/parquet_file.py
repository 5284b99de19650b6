"""A Parquet file as columns, read by duckdb."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from bayou.sources.files.column_widths import column_widths
from bayou.sources.files.duckdb_reading import as_bad_file, connect, query_batches, sql_path
from bayou.sources.tables.columns import Columns, wanted_positions
from bayou.typing import Name


class ParquetFile:
    """A Parquet file, read by duckdb; its columns have the names that the file gives them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect()
        # Without hive partitioning, a folder called 'year=2024' does not become a column.
        self._everything = f"select * from read_parquet({sql_path(path)}, hive_partitioning=false)"
        with as_bad_file(path):
            self._sql_names: list[str] = self._connection.sql(self._everything).columns
            self.names = self._stored_names()
            self.widths = column_widths(self._connection, path, self._everything)

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all), some rows at a time; ``as_text`` is ignored, columns are typed."""
        positions = wanted_positions(self.names, names)
        # A column whose numbers fit a narrower type is read as that type, which is faster and smaller.
        quoted = ", ".join(f"{_quoted(self._sql_names[p])}{self.widths[p].cast}" for p in positions)
        query = self._everything.replace("*", quoted, 1)
        chosen = [self.names[position] for position in positions]
        return query_batches(self._connection.cursor(), self.path, query, chosen, batch_rows)

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The whole file as an SQL query, and the SQL names of its columns."""
        return self._everything, [_quoted(name) for name in self._sql_names]

    def bytes_in_memory(self, names: Sequence[Name] | None) -> int:
        """About how many bytes these columns (None: all) take in memory; labels of text come on top."""
        return self.rows * self.bytes_per_row(names)

    def bytes_per_row(self, names: Sequence[Name] | None) -> int:
        """About how many bytes a row of these columns (None: all) takes in memory."""
        return sum(self.widths[p].bytes for p in wanted_positions(self.names, names))

    def bounds(self, name: Name) -> tuple[int, int] | None:
        """The smallest and the largest number of a column of integers, if the file states them; else None."""
        (position,) = wanted_positions(self.names, [name])
        return self.widths[position].bounds

    def _stored_names(self) -> tuple[Name, ...]:
        """The names stored in the file; duckdb renames the second of ``a`` and ``A``: SQL ignores case."""
        rows = self._connection.execute(
            f"select name, coalesce(num_children, 0) from parquet_schema({sql_path(self.path)})"
        ).fetchall()
        names: list[Name] = []
        below = 0
        for name, children in rows[1:]:  # the first is the root; then depth first, parents before children
            if below == 0:
                names.append(name)
                below = children
            else:
                below += children - 1
        return tuple(names)

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        query = f"select coalesce(sum(num_rows), 0) from parquet_file_metadata({sql_path(self.path)})"
        with as_bad_file(self.path):
            return int(self._connection.execute(query).fetchone()[0])


def _quoted(name: str) -> str:
    """An SQL name."""
    return '"' + name.replace('"', '""') + '"'
