"""The text files of one table as an SQL query: layout, compression, encoding, columns in one order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from bayou.errors import BadFile
from bayou.sources.files.compression import compression_of
from bayou.sources.files.duckdb_reading import sql_name, sql_paths, sql_text
from bayou.sources.files.file_options import FileOptions
from bayou.sources.files.found_files import FoundFiles
from bayou.sources.files.text.text_copy import utf8_copy
from bayou.sources.files.text.text_layout import first_record, text_layout
from bayou.sources.files.typed.parquet_schemas import refuse_other_columns
from bayou.typing import Name

_UNPACKED = 6
"""A compressed text file is taken to have so many times its size."""
_UTF8 = ("utf-8", "utf8", "utf_8", "utf-8-sig", "ascii", "us-ascii")


class _Part(NamedTuple):
    """The columns of a file by their places in the first file, and the empty lines above its first record."""

    order: tuple[int, ...]
    blank_lines: int


class TextParts:
    """Text files with the same columns in any order; the layout is that of the first."""

    def __init__(self, files: FoundFiles, options: FileOptions, columns: Sequence[Name] | None) -> None:
        self._files, packed = files, compression_of(files)
        self.folders: tuple[str, ...] = ()
        self.originals: dict[str, str] = {}
        encoding = options.encoding
        if encoding is not None and encoding.lower() not in _UTF8:
            if files.is_remote:
                raise BadFile.at(
                    files.shown, "encoding= is for files on this machine; copy the file here first."
                )
            self._copies = [utf8_copy(path, encoding, packed) for path in files.paths]
            self.originals = {c.path: path for c, path in zip(self._copies, files.paths, strict=True)}
            packed = "none"
        self.paths = tuple(self.originals) or files.paths
        self.compression = packed
        self.layout = text_layout(self.paths[0], packed, options, columns)
        known = {str(name) for name in self.layout.names}
        if files.partitions and self.originals:
            raise BadFile.at(
                files.shown, "encoding= is not for folders such as year=2024; convert the files first."
            )
        self.folders = tuple(name for name in files.partitions if name not in known)

    @property
    def only_file(self) -> str | None:
        """The file, if there is just one and it is not compressed; it can be scanned by the core."""
        return self.paths[0] if len(self.paths) == 1 and self.compression == "none" else None

    @property
    def estimated_rows(self) -> int | None:
        """About how many rows there are; None if the size of the files is unknown."""
        if self._files.is_remote:
            return None
        size = self._files.bytes * (1 if self.compression == "none" else _UNPACKED)
        return int(size / max(1.0, self.layout.bytes_per_row))

    @cached_property
    def query(self) -> str:
        """The SQL query of all rows, every field as text; columns are called c0, c1, …"""
        parts = [self._part(place) for place in range(len(self.paths))]
        queries = []
        for part, places in groupby(range(len(self.paths)), lambda place: parts[place]):
            queries.append(self._group([self.paths[place] for place in places], part))
        return " union all ".join(queries)

    def each_file(self) -> list[tuple[str, str]]:
        """The path of each file and the SQL query of its rows."""
        places = range(len(self.paths))
        return [(self._files.paths[p], self._group([self.paths[p]], self._part(p))) for p in places]

    def query_from(self, first_row: int) -> str:
        """The SQL query of the rows after the first ones; the lines of one file are skipped as they are."""
        if not first_row:
            return self.query
        if len(self.paths) > 1:
            return f"select * from ({self.query}) offset {first_row}"
        part = self._part(0)
        return self._group(self.paths, part._replace(blank_lines=part.blank_lines + first_row))

    def _part(self, place: int) -> _Part:
        if place == 0:
            return _Part(tuple(range(len(self.layout.names))), self.layout.blank_lines)
        path, shown = self.paths[place], self._files.paths[place]
        header, blank = first_record(path, self.compression, self.layout.separator)
        if not self.layout.has_header:
            if len(header) != len(self.layout.names):
                raise BadFile.at(
                    shown, f"the line has {len(header)} fields; {len(self.layout.names)} were expected.", 1
                )
            return _Part(tuple(range(len(header))), blank)
        if tuple(header) != self.layout.names:
            refuse_other_columns(shown, header, self._files.paths[0], self.layout.names)
            if len(header) != len(self.layout.names):
                raise BadFile.at(shown, "two columns have the same name.", 1)
        return _Part(tuple(header.index(str(name)) for name in self.layout.names), blank)

    def _group(self, paths: Sequence[str], part: _Part) -> str:
        layout = self.layout
        declared = ", ".join(f"'c{p}': 'VARCHAR'" for p in range(len(layout.names)))
        hive = str(bool(self.folders)).lower()
        cells = [f"c{place} as c{p}" if place != p else f"c{p}" for p, place in enumerate(part.order)]
        width = len(cells)
        cells += [f"{sql_name(name)} as c{width + k}" for k, name in enumerate(self.folders)]
        return (
            f"select {', '.join(cells)} from read_csv({sql_paths(paths)}, auto_detect=false, "
            f"header={str(layout.has_header).lower()}, skip={part.blank_lines}, "
            f"delim={sql_text(layout.separator)}, quote='\"', escape='\"', compression='{self.compression}', "
            f"hive_partitioning={hive}, hive_types_autocast=false, columns={{{declared}}})"
        )
