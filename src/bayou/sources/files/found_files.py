"""Which files a path, a pattern, a folder or a list of them stands for."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bayou.errors import BadFile

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PATTERN = re.compile(r"[*?\[]")
_PARTITION = re.compile(r"([^=/\\]+)=([^/\\]*)")
PACKED = (".gz", ".zst")
"""The endings of compressed text files."""


@dataclass(frozen=True)
class FoundFiles:
    """The files of one table, in order.

    ``shown`` is what messages call them. ``partitions`` are the names of columns that folders such as
    ``year=2024`` below the given folder or pattern stand for.
    """

    paths: tuple[str, ...]
    shown: str
    partitions: tuple[str, ...] = ()

    @property
    def is_one(self) -> bool:
        """Whether it is a single file."""
        return len(self.paths) == 1

    @property
    def first(self) -> Path:
        """The first file."""
        return Path(self.paths[0])

    @property
    def is_remote(self) -> bool:
        """Whether the files are not on this machine, so that only duckdb reads them."""
        return is_remote(self.paths[0])

    @property
    def bytes(self) -> int:
        """The size of all files together; 0 if that is not known."""
        return 0 if self.is_remote else sum(os.path.getsize(path) for path in self.paths)

    def state(self) -> tuple[tuple[str, int, int], ...]:
        """The size and the time of the last change of every file: they tell whether a file has changed."""
        if self.is_remote:
            return ()
        found = []
        for path in self.paths:
            try:
                status = os.stat(path)
            except OSError as problem:
                raise BadFile.at(path, f"the file can no longer be read: {problem.strerror}.") from None
            found.append((path, status.st_size, status.st_mtime_ns))
        return tuple(found)

    def refuse_changed(self, before: tuple[tuple[str, int, int], ...]) -> None:
        """Raise if a file is not what it was when ``before`` was taken."""
        for old, new in zip(before, self.state(), strict=True):
            if old != new:
                sizes = f"{old[1]:,} to {new[1]:,} bytes" if old[1] != new[1] else "the same size"
                raise BadFile.at(
                    new[0],
                    f"the file has changed while it was in use ({sizes}), so that one part of the work would "
                    "see other rows than another. Nothing was learned; start again when no program "
                    "writes to it.",
                )


def is_remote(path: str) -> bool:
    """Whether a path is an address that only duckdb can read, such as ``s3://bucket/table.parquet``.

    >>> is_remote("s3://bucket/table.parquet"), is_remote("data/table.parquet")
    (True, False)
    """
    return bool(_REMOTE.match(path))


def found_files(paths: Sequence[str], endings: Sequence[str]) -> FoundFiles:
    """Return the files that paths, patterns and folders stand for; in folders, those with these endings."""
    if len(paths) == 1:
        return _found(paths[0], endings)
    if not paths:
        raise BadFile("The list of files is empty; name a file.")
    every = [_found(path, endings) for path in paths]
    partitions = tuple(dict.fromkeys(name for found in every for name in found.partitions))
    files = tuple(dict.fromkeys(path for found in every for path in found.paths))
    return FoundFiles(files, f"{paths[0]} and {len(paths) - 1} more", partitions)


def _found(path: str, endings: Sequence[str]) -> FoundFiles:
    if is_remote(path):
        return FoundFiles((path,), path)
    if os.path.isdir(path):
        files = _below(path, endings)
        if not files:
            raise BadFile.at(
                path,
                f"this is a folder without data files; expected are files such as {', '.join(endings[:4])}.",
            )
        return FoundFiles(files, path, _partitions(path, files))
    if os.path.exists(path) or not _PATTERN.search(path):
        if not os.path.exists(path):
            raise BadFile.at(path, "there is no such file.")
        return FoundFiles((path,), path)
    files = tuple(sorted(found for found in glob.glob(path, recursive=True) if os.path.isfile(found)))
    if not files:
        raise BadFile.at(path, "no file matches this pattern.")
    return FoundFiles(files, path, _partitions(_fixed_part(path), files))


def _below(folder: str, endings: Sequence[str]) -> tuple[str, ...]:
    """All data files in a folder and its folders; names that begin with a dot or _ are left out."""
    wanted = tuple(f"{ending}{packed}" for ending in endings for packed in ("", *PACKED))
    found: list[str] = []
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found += [
            os.path.join(here, name)
            for name in names
            if not name.startswith((".", "_")) and name.lower().endswith(wanted)
        ]
    return tuple(sorted(found))


def _fixed_part(pattern: str) -> str:
    """The folder above the first part of a pattern that has a sign of patterns."""
    parts = Path(pattern).parts
    fixed = next(place for place, part in enumerate(parts) if _PATTERN.search(part))
    return str(Path(*parts[:fixed])) if fixed else "."


def _partitions(folder: str, files: Iterable[str]) -> tuple[str, ...]:
    """The names in folders called ``name=value`` between a folder and its files; all files need the same."""
    by_file = {file: _names_in(os.path.relpath(os.path.dirname(file) or ".", folder)) for file in files}
    first, names = next(iter(by_file.items()))
    for file, others in by_file.items():
        if others != names:
            raise BadFile.at(
                file,
                f"its folders give the columns {list(others)}, those of {first} give {list(names)}; every "
                "file needs the same.",
            )
    return names


def _names_in(folder: str) -> tuple[str, ...]:
    found = [_PARTITION.fullmatch(part) for part in Path(folder).parts]
    return tuple(match[1] for match in found if match)
