"""CSV, TSV and Parquet files; the ending of the name decides the kind."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from bayou.errors import BadData, BadFile
from bayou.sources.files.duckdb_reading import as_bad_file, connect, query_batches, sql_path
from bayou.sources.files.text_file import TextFile
from bayou.sources.tables.columns import Columns, wanted_positions
from bayou.typing import Name

BATCH_ROWS = 1 << 18
"""Number of rows in memory at a time while a file is streamed."""
_TEXT_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


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

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all), some rows at a time; ``as_text`` is ignored, columns are typed."""
        positions = wanted_positions(self.names, names)
        quoted = ", ".join('"' + self._sql_names[p].replace('"', '""') + '"' for p in positions)
        query = self._everything.replace("*", quoted, 1)
        chosen = [self.names[position] for position in positions]
        return query_batches(self._connection.cursor(), self.path, query, chosen, batch_rows)

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The whole file as an SQL query, and the SQL names of its columns."""
        return self._everything, ['"' + name.replace('"', '""') + '"' for name in self._sql_names]

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


OpenFile: TypeAlias = TextFile | ParquetFile


def open_file(path: str | os.PathLike[str], columns: Sequence[Name] | None = None) -> OpenFile:
    """Open a CSV, TSV or Parquet file; its ``batches`` can be read any number of times.

    ``columns`` names the columns of a text file without a header.
    """
    file = Path(path)
    if not file.exists():
        raise BadFile.at(file, "there is no such file.")
    if file.is_dir():
        raise BadFile.at(file, "this is a folder; a .csv, .tsv or .parquet file was expected.")
    if file.name.lower().endswith(_TEXT_ENDINGS):
        return TextFile(file, columns)
    if not file.name.lower().endswith(".parquet"):
        raise BadFile.at(file, "unknown kind of file; expected .csv, .tsv (also .gz) or .parquet.")
    if columns is not None:
        raise BadData(f"{file}: columns= is for data without names; a Parquet file has its own names.")
    return ParquetFile(file)
