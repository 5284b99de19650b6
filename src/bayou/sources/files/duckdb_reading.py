"""duckdb as the reader of files: its answers as columns, its complaints as ours."""

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
    """What a query finds in a file, under these names."""
    with as_bad_file(path):
        yield from stream_batches(connection.sql(query), known=names, batch_rows=batch_rows)


def connect() -> Any:
    """A duckdb of our own, in memory."""
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "Reading a CSV or Parquet file") from None
    connection = duckdb.connect()
    # Text as views: duckdb then hands over its own short strings as they lie in memory.
    connection.execute("set arrow_output_version='1.4'; set produce_arrow_string_view=true")
    return connection


def sql_path(path: Path) -> str:
    """A path as SQL text."""
    # A bracket, star or question mark in a file's name is no pattern.
    literal = re.sub(r"([\[*?])", r"[\1]", str(path))
    return "'" + literal.replace("'", "''") + "'"


class as_bad_file:
    """Turns what duckdb says of a file into a :class:`BadFile` with the line, where it tells one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, BadData) or (
            error is not None and type(error).__module__ in ("duckdb", "_duckdb")
        ):
            raise _bad_file(self.path, str(error)) from None


def _bad_file(path: Path, said: str) -> BadFile:
    line = re.search(r"CSV Error on Line: (\d+)", said)
    number = int(line[1]) if line else None
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if widths:
        return BadFile.at(path, f"the line has {widths[2]} fields; {widths[1]} were expected.", number)
    if "not utf-8" in said or "Invalid unicode" in said:
        return BadFile.at(path, "the file is not UTF-8 text; save it as UTF-8.", number)
    if "unterminated quote" in said:
        return BadFile.at(path, "a quoted field is never closed.", number)
    if "state machine reached an invalid state" in said:
        return BadFile.at(path, "the line ends or quotes are mixed; use one kind of line end throughout.")
    return BadFile.at(path, said.partition("\n")[0], number)
