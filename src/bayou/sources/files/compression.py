"""How text files are compressed: by their first bytes, whatever their names are."""

from __future__ import annotations

import os
from pathlib import Path

from bayou.errors import BadFile
from bayou.files.first_bytes import LONGEST_START, packed_kind
from bayou.sources.files.found_files import FoundFiles, is_remote

_START = max(LONGEST_START, 8)
_LOOK = 1 << 12
_READ_PACKED = {"gzip": "gzip", "zstd": "zstd", "": "none"}
_REMEDIES = {
    "zip": "unpack it first",
    "bzip2": "unpack it first (bunzip2)",
    "xz": "unpack it first (unxz)",
    "Excel": "save the sheet as CSV (UTF-8)",
}
"""What to do with a file that is packed in a way that is not read."""


def start_of(path: str) -> bytes:
    """The first bytes of a file."""
    return _bytes_at(path, 0)


def begins_and_ends_with(path: str, magic: bytes) -> bool:
    """Whether a file begins and ends with these bytes, as files of some kinds do."""
    return start_of(path).startswith(magic) and _bytes_at(path, -_START).endswith(magic)


def _bytes_at(path: str, place: int) -> bytes:
    try:
        with open(path, "rb") as file:
            if place < 0:
                file.seek(max(place, -os.fstat(file.fileno()).st_size), os.SEEK_END)
            return file.read(_START)
    except OSError as problem:
        raise BadFile.at(path, f"the file cannot be read: {problem.strerror}.") from None


def compression_of(files: FoundFiles) -> str:
    """The compression of text files in duckdb's words: "none", "gzip", "zstd", or "auto" for remote files."""
    kinds = {path: _compression(path) for path in files.paths}
    first, expected = next(iter(kinds.items()))
    for path, kind in kinds.items():
        if kind != expected:
            raise BadFile.at(
                path, f"the compression is {kind} here, but {expected} in {first}; every file needs the same."
            )
    return expected


def _compression(path: str) -> str:
    if is_remote(path):
        return "auto"
    kind = packed_kind(start_of(path))
    if kind not in _READ_PACKED and not _is_text(path):
        name = Path(path).name
        article = "an" if kind in ("xz", "Excel") else "a"
        remedy = _REMEDIES.get(kind, "name it " + name.partition(".")[0] + f".{kind.lower()}")
        raise BadFile.at(path, f"this is {article} {kind} file: {remedy}.")
    return _READ_PACKED.get(kind, "none")


def _is_text(path: str) -> bool:
    """Whether a file is text after all: a column may be called like the start of a packed file."""
    with open(path, "rb") as file:
        start = file.read(_LOOK)
    try:
        start.decode()
    except UnicodeDecodeError as problem:
        return len(start) == _LOOK and problem.start > _LOOK - 4
    return b"\0" not in start
