"""The beginning of a text file as text, unpacked."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

from bayou.errors import BadFile
from bayou.sources.files.duckdb_reading import as_bad_file, connect, sql_paths

_LINES = 2_100
"""Lines of a sample that duckdb reads."""


def text_sample(path: str, compression: str, most: int) -> tuple[str, bool]:
    """Return the first ``most`` bytes of a UTF-8 file as text, and whether that is all of it."""
    if compression not in ("none", "gzip"):
        return _first_lines(path, compression, most)
    try:
        with gzip.open(path) if compression == "gzip" else open(path, "rb") as file:
            raw = file.read(most)
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise BadFile.at(path, f"the file is not a complete gzip file: {problem}.") from None
    except OSError as problem:
        raise BadFile.at(path, f"the file cannot be read: {problem.strerror}.") from None
    complete = len(raw) < most
    try:
        return raw.decode("utf-8-sig"), complete
    except UnicodeDecodeError as problem:
        if not complete and problem.start > len(raw) - 4:
            return raw[: problem.start].decode("utf-8-sig"), False
        line = raw.count(b"\n", 0, problem.start) + 1
        wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
        remedy = "encoding='utf-16'" if wide else "its encoding, such as encoding='cp1252'"
        raise BadFile.at(
            path, f"the file is not UTF-8 text; save it as UTF-8, or give {remedy}.", line
        ) from None


def _first_lines(path: str, compression: str, most: int) -> tuple[str, bool]:
    """The first lines of a file that only duckdb can open."""
    query = (
        f"select line from read_csv({sql_paths([path])}, auto_detect=false, header=false, delim=chr(1), "
        f"quote='', escape='', compression='{compression}', columns={{'line': 'VARCHAR'}}) limit {_LINES}"
    )
    with as_bad_file(path):
        lines: list[Any] = connect().execute(query).fetchall()
    kept, size = [], 0
    for (line,) in lines:
        kept.append(line or "")
        size += len(kept[-1]) + 1
        if size > most:
            break
    text = "\n".join(kept)
    return text.removeprefix("\ufeff"), len(kept) < _LINES and size <= most
