"""How wide the columns of a Parquet file need to be, by the smallest and largest numbers that it states."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayou.sources.files.duckdb_reading import sql_path

_NARROW = {
    "UTINYINT": (0, 2**8 - 1),
    "TINYINT": (-(2**7), 2**7 - 1),
    "USMALLINT": (0, 2**16 - 1),
    "SMALLINT": (-(2**15), 2**15 - 1),
    "INTEGER": (-(2**31), 2**31 - 1),
}
"""The integer types of SQL with their bounds, the narrowest first."""
_INTEGERS = (*_NARROW, "UINTEGER", "BIGINT", "UBIGINT")
_NUMBERS = ("FLOAT", "DOUBLE", "DECIMAL", "HUGEINT", "UHUGEINT")


@dataclass(frozen=True)
class ColumnWidth:
    """The SQL type, the bytes of a cell in memory, the bounds of its numbers if known, how SQL narrows it.

    ``cast`` is an SQL suffix, "" where the column is read as it is.
    """

    type: str
    bytes: int
    bounds: tuple[int, int] | None = None
    cast: str = ""


def column_widths(connection: Any, path: Path, query: str) -> list[ColumnWidth]:
    """Return the width of each column of a Parquet file; ``query`` selects all of them."""
    types = [str(kind) for kind in connection.sql(query).types]
    # Leaves are listed, not columns: with nested columns their numbers differ, and no bounds are used.
    leaves = connection.execute(
        "select min(low), max(high), count(low) = count(*) and count(high) = count(*) from (select "
        "column_id, try_cast(stats_min_value as bigint) as low, try_cast(stats_max_value as bigint) as high "
        f"from parquet_metadata({sql_path(path)})) group by column_id order by column_id"
    ).fetchall()
    if len(leaves) != len(types):
        return [_width(kind, None) for kind in types]
    bounds = [(low, high) if all_stated else None for low, high, all_stated in leaves]
    return [_width(kind, known) for kind, known in zip(types, bounds, strict=True)]


def _width(kind: str, bounds: tuple[int, int] | None) -> ColumnWidth:
    if kind not in _INTEGERS:
        return ColumnWidth(kind, 8 if kind.startswith(_NUMBERS) else 1 if kind == "BOOLEAN" else 4)
    if bounds is None:
        return ColumnWidth(kind, 8)
    low, high = bounds
    span = high - low
    cells = 1 if span < 2**8 - 1 else 2 if span < 2**16 - 1 else 8
    for narrow, (least, most) in _NARROW.items():
        if narrow == kind:
            break
        if least <= low and high <= most:
            return ColumnWidth(kind, cells, bounds, "::" + narrow)
    return ColumnWidth(kind, cells, bounds)
