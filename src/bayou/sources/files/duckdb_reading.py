"""Reading files with duckdb: query results as columns, duckdb's errors as ``BadFile``."""

from __future__ import annotations

import atexit
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bayou.errors import BadData, BadFile, MissingPackage
from bayou.memory import reading_memory, share_heaps
from bayou.sources.ctrl_c import refuse_interrupted
from bayou.sources.files.found_files import is_remote
from bayou.sources.tables.arrow import ALL_ROWS, stream_batches
from bayou.sources.tables.columns import Columns
from bayou.typing import Name

_SHARE = 0.35
"""Which part of the memory for reading files duckdb may use; the rest is for batches and answers."""
_LEAST_MEMORY = 2**27
_COLUMN_BYTES = 2**18
"""What a column of texts may take in duckdb, in the vectors and buffers of its threads."""
_LABEL_SHARE = 0.03
"""Which part of it the labels of a batch may take; as objects of Python they take several times as much."""


def query_batches(
    connection: Any,
    path: object,
    query: str,
    names: list[Name],
    batch_rows: int,
    originals: Mapping[str, str] | None = None,
) -> Iterator[Columns]:
    """Yield the result of a query on a file as batches of columns with these names."""
    with as_bad_file(path, originals):
        most = None if batch_rows == ALL_ROWS else int(reading_memory() * _LABEL_SHARE)
        found = connection.sql(query)
        yield from stream_batches(found, known=names, batch_rows=batch_rows, label_bytes=most)


def memory_limit(share: float) -> str:
    """A part of the memory for reading files, as SQL; what does not fit is refused, or put on the disk."""
    return f"{max(_LEAST_MEMORY, int(reading_memory() * share)) >> 20}MiB"


def too_many_columns(columns: int) -> bool:
    """Whether duckdb may have too little memory for a query with so many columns, of however few rows."""
    return columns * _COLUMN_BYTES > reading_memory() * _SHARE


def connect() -> Any:
    """Return a new connection to the database in memory that readers share."""
    share_heaps()
    settings = f"set memory_limit='{memory_limit(_SHARE)}'; set temp_directory={sql_text(_temporary())}"
    with as_bad_file("duckdb"):
        database = _shared.get(settings)
        if database is None:
            database = _database(settings)
            _shared.clear()
            _shared[settings] = database
        return database.cursor()


def _database(settings: str) -> Any:
    """A new database in memory; making it takes 30 ms, a connection to one that is there less than one."""
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "Reading a CSV or Parquet file") from None
    database = duckdb.connect()
    # With string views duckdb passes on its short strings without converting them.
    database.execute(f"{settings}; set arrow_output_version='1.4'; set produce_arrow_string_view=true")
    return database


_shared: dict[str, Any] = {}
"""The last database by its settings. Its readers keep it alive when one of other settings takes its place."""
atexit.register(_shared.clear)
if hasattr(os, "register_at_fork"):  # a database has threads, which the new process would not have
    os.register_at_fork(before=_shared.clear)


def _temporary() -> str:
    return os.path.join(tempfile.gettempdir(), f"bayou-duckdb-{os.getpid()}")


def sql_paths(paths: Sequence[str]) -> str:
    """Return the paths of files as SQL: a string, or a list of strings."""
    # A bracket, star or question mark in a file's name must not be read as a pattern.
    each = [sql_text(path if is_remote(path) else re.sub(r"([\[*?])", r"[\1]", path)) for path in paths]
    return each[0] if len(each) == 1 else f"[{', '.join(each)}]"


def sql_text(text: str) -> str:
    """Return a text as a quoted SQL string.

    >>> print(sql_text("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


class as_bad_file:
    """Context manager that turns duckdb's errors into a :class:`BadFile`, with the file and line if known.

    Ctrl-C is a ``KeyboardInterrupt`` again. ``originals`` has the files by their temporary copies.
    """

    def __init__(self, path: object, originals: Mapping[str, str] | None = None) -> None:
        self.path, self.originals = path, originals or {}

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        refuse_interrupted(error)
        if isinstance(error, BadData) or type(error).__module__ in ("duckdb", "_duckdb"):
            raise _bad_file(self.path, str(error), self.originals) from None


def _bad_file(path: object, message: str, originals: Mapping[str, str]) -> BadFile:
    """The error for a message of duckdb, in our words where the message is a known one."""
    line = re.search(r"CSV Error on Line: (\d+)|in line (\d+)", message)
    number = int(line[1] or line[2]) if line else None
    file = re.search(r'^  file ?= ?(.+)$|in file "([^"]+)"', message, re.MULTILINE)
    if file:
        path = originals.get(file[1] or file[2], file[1] or file[2])
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if widths:
        return BadFile.at(path, f"the line has {widths[2]} fields; {widths[1]} were expected.", number)
    if "not utf-8" in message or "Invalid unicode" in message:
        return BadFile.at(path, "the file is not UTF-8 text; save it as UTF-8, or give encoding=.", number)
    if "unterminated quote" in message:
        return BadFile.at(path, "a quoted field is never closed.", number)
    if "state machine reached an invalid state" in message:
        return BadFile.at(
            path, "the line endings or quotes are inconsistent; use one kind of line ending throughout."
        )
    if "Malformed JSON" in message:
        problem = message.partition(": ")[2].partition(": ")[2].strip()
        # duckdb tells the line after the one that it could not read.
        return BadFile.at(path, f"the line is not a JSON object: {problem}", number and number - 1)
    if "non-record JSON" in message:
        return BadFile.at(path, 'one JSON object per line was expected, such as {"age": 41}.')
    if "httpfs" in message or "extension" in message.lower():
        return BadFile.at(
            path,
            "duckdb reads such addresses with its extension httpfs, which could not be loaded. With access "
            "to the internet, install it once: python -c \"import duckdb; duckdb.sql('install httpfs')\".",
        )
    if "Out of Memory" in message or "could not allocate" in message:
        is_parquet = str(path).lower().endswith((".parquet", ".pq"))
        remedy = (
            "write the file in smaller row groups (row_group_size=10_000)"
            if is_parquet
            else "name fewer columns, as each of them takes memory whatever the number of rows is, or read "
            "the table into a frame first (such as pandas.read_csv) and give that"
        )
        return BadFile.at(
            path,
            "the memory for reading files is too small for this one; allow more with "
            f"bayou.limits(memory=…), or {remedy}. ({message.partition(chr(10))[0]})",
        )
    return BadFile.at(path, message.partition("\n")[0], number)


def sql_name(name: str) -> str:
    """Return a name as SQL quotes it.

    >>> print(sql_name('the "best" one'))
    "the ""best"" one"
    """
    return '"' + name.replace('"', '""') + '"'
