"""A file that keeps the statistics of an interrupted count, so that it can go on where it stopped."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from bayou.counting.counted_rows import CountedRows
from bayou.counting.model_statistics import ModelStatistics
from bayou.errors import BadFile, counted, warn_user
from bayou.formats.bundle import damage_named, read_bundle, write_bundle
from bayou.formats.file_content import FilePath
from bayou.sources import FileSource, TableSource
from bayou.sources.files.file_kinds import data_endings
from bayou.sources.files.file_options import DescribedFile
from bayou.sources.files.found_files import found_files
from bayou.statistics import Source

EVERY = 5.0
"""The least number of seconds between two writes; the last state is always written."""
_ANEW = "Delete it (or name another file) to count from the beginning."


class InterruptedCount:
    """How far a count has come, in memory and in a file; without a path it only remembers.

    ``parts`` are the data in order; ``settings`` say what is counted, and must be the same when it goes on.
    """

    def __init__(self, path: FilePath | None, parts: Sequence[Any], settings: Mapping[str, Any]) -> None:
        self._path, self._settings = path, dict(settings)
        self._marks = [_mark(part) for part in parts]
        self.part = 0
        self.before = CountedRows()
        """What an earlier run has counted of the part that comes next."""
        self.is_unchanged = False
        """Whether that part is a file of the same size and time as then, or no file."""
        self.resumed: ModelStatistics | None = None
        self._rows = CountedRows()
        self._source: Source | None = None
        self._kinds: Any = None
        self._statistics: Callable[[], ModelStatistics] | None = None
        self._written_at = time.monotonic()
        if path is not None and os.path.exists(path):
            self._read(path)

    def begin(self, part: int) -> None:
        """Begin with the next part of the data."""
        if part != self.part:
            self.part, self.before, self._kinds = part, CountedRows(), None
            self._rows = CountedRows()

    def opened(self, source: Source) -> None:
        """Take the source of the part; what an earlier run knew of the columns of the file is told to it."""
        self._source = source
        if self._kinds is not None and self.is_unchanged and isinstance(source, FileSource):
            assert self._path is not None
            with damage_named(self._path):
                source.column_kinds = self._kinds

    def goes_on(self, rows: CountedRows) -> None:
        """Go on after these rows, which were counted before."""
        self._rows = rows

    def counted(self, table: TableSource, statistics: Callable[[], ModelStatistics]) -> None:
        """Remember that the next rows of the part, this table, were counted."""
        if self._path is None:
            return
        self._rows, self._statistics = self._rows.ending_with(table), statistics
        if time.monotonic() - self._written_at >= EVERY:
            self.write()

    def changed_rows(self) -> BadFile:
        """The error for rows that are not those that were counted before."""
        assert self._path is not None
        rows = counted(self.before.rows, "row")
        return BadFile.at(
            self._path,
            f"the rows that were counted before ({rows}) have changed since in the data. {_ANEW}",
        )

    def write(self) -> bool:
        """Write what was counted so far; return whether there is anything."""
        if self._path is None or self._statistics is None:
            return False
        kinds = self._source.column_kinds if isinstance(self._source, FileSource) else self._kinds
        progress = {
            "settings": self._settings,
            "parts": self._marks,
            "part": self.part,
            "counted": self._rows.state(),
            "column_kinds": kinds,
        }
        made = self._statistics()
        write_bundle(self._path, "statistics", {**made.state(), "progress": progress})
        self._written_at = time.monotonic()
        return True

    def keep(self) -> None:
        """Write what was counted so far, after an error that must not be hidden by another one."""
        try:
            self.write()
        except BadFile as error:
            warn_user(f"{error} What was counted so far is lost.")

    def finish(self) -> None:
        """Delete the file: all rows were counted."""
        if self._path is not None:
            with suppress(FileNotFoundError):
                os.unlink(self._path)

    def _read(self, path: FilePath) -> None:
        kind, state = read_bundle(path)
        if kind != "statistics" or not state.get("progress"):
            raise BadFile.at(path, "exists already and is not an interrupted count; name another file.")
        with damage_named(path):
            kept = state["progress"]
            resumed = self.resumed = ModelStatistics.from_state({**state, "progress": None})
            marks = [list(mark) for mark in kept["parts"]]
            part, settings = int(kept["part"]), dict(kept["settings"])
            self.before = self._rows = CountedRows.from_state(kept["counted"])
            self._kinds = kept["column_kinds"]
        if settings != self._settings:
            differ = [name for name in self._settings if settings.get(name) != self._settings[name]]
            raise BadFile.at(path, f"was counted with another {' and '.join(differ)}. {_ANEW}")
        if part >= len(self._marks) or marks[:part] != self._marks[:part] or len(marks) != len(self._marks):
            raise BadFile.at(path, f"is an interrupted count of other data, or they have changed. {_ANEW}")
        if marks[part][0] != self._marks[part][0]:
            raise BadFile.at(path, f"is an interrupted count of {marks[part][0]}. {_ANEW}")
        self.part, self.is_unchanged = part, marks[part] == self._marks[part]
        self._statistics = lambda: resumed


def _mark(part: Any) -> list[Any]:
    """The name, size and time of a file, with the options that it is read with; of other data their type."""
    if not isinstance(part, str | os.PathLike):
        return [type(part).__name__, 0, 0]
    described = DescribedFile.of(part)
    options = described.options
    how = "".join(f", {name}={getattr(options, name)!r}" for name in options.given)
    found = found_files(described.paths, data_endings()).state()
    if len(found) == 1:
        return [f"{described}{how}", *found[0][1:]]
    # Of several files (or none, as of an address, which duckdb reads) one number stands for names and times.
    return [f"{described}{how}", sum(size for _, size, _ in found), zlib.crc32(repr(found).encode())]
