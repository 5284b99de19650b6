"""Reading files with duckdb: query results as columns, duckdb's errors as ``BadFile``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bayou.errors import BadData, BadFile, MissingPackage
from bayou.sources.tables.arrow import stream_batches
from bayou.sources.tables.columns import Columns
from bayou.typing import Name


def query_batches(
    connection: Any, path: Path, query: str, names: list[Name], batch_rows: int
) -> Iterator[Columns]:
    """Yield the result of a query on a file as batches of columns with these names."""
    with as_bad_file(path):
        yield from stream_batches(connection.sql(query), known=names, batch_rows=batch_rows)


def connect() -> Any:
    """Return a new in-memory duckdb connection."""
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "Reading a CSV or Parquet file") from None
    connection = duckdb.connect()
    # With string views duckdb passes on its short strings without converting them.
    connection.execute("set arrow_output_version='1.4'; set produce_arrow_string_view=true")
    return connection


def sql_path(path: Path) -> str:
    """Return a path as a quoted SQL string."""
    # A bracket, star or question mark in a file's name must not be read as a pattern.
    literal = re.sub(r"([\[*?])", r"[\1]", str(path))
    return "'" + literal.replace("'", "''") + "'"


class as_bad_file:
    """Context manager that turns duckdb's errors into a :class:`BadFile`, with the line number if known."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, BadData) or (
            error is not None and type(error).__module__ in ("duckdb", "_duckdb")
        ):
            raise _bad_file(self.path, str(error)) from None


def _bad_file(path: Path, message: str) -> BadFile:
    """The error for a message of duckdb, in our words where the message is a known one."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    number = int(line[1]) if line else None
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if widths:
        return BadFile.at(path, f"the line has {widths[2]} fields; {widths[1]} were expected.", number)
    if "not utf-8" in message or "Invalid unicode" in message:
        return BadFile.at(path, "the file is not UTF-8 text; save it as UTF-8.", number)
    if "unterminated quote" in message:
        return BadFile.at(path, "a quoted field is never closed.", number)
    if "state machine reached an invalid state" in message:
        return BadFile.at(
            path, "the line endings or quotes are inconsistent; use one kind of line ending throughout."
        )
    return BadFile.at(path, message.partition("\n")[0], number)


def sql_name(name: str) -> str:
    """Return a name as SQL quotes it.

    >>> print(sql_name('the "best" one'))
    "the ""best"" one"
    """
    return '"' + name.replace('"', '""') + '"'
