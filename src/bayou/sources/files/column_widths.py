"""How wide the columns of a file need to be, by the smallest and largest numbers that Parquet files state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

LABEL_BYTES = 70
"""What a label takes in memory besides its characters."""
MANY_LABELS = 200
"""A column with at least this many distinct values in its first rows may have any number of them."""
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

    @classmethod
    def of(cls, kind: str, bounds: tuple[int, int] | None = None) -> ColumnWidth:
        """The width of a column of this SQL type whose numbers are within these bounds (None: unknown)."""
        if kind not in _INTEGERS:
            return cls(kind, 8 if kind.startswith(_NUMBERS) else 1 if kind == "BOOLEAN" else 4)
        if bounds is None:
            return cls(kind, 8)
        low, high = bounds
        span = high - low
        cells = 1 if span < 2**8 - 1 else 2 if span < 2**16 - 1 else 8
        for narrow, (least, most) in _NARROW.items():
            if narrow == kind:
                break
            if least <= low and high <= most:
                return cls(kind, cells, bounds, "::" + narrow)
        return cls(kind, cells, bounds)


def stated_bounds(connection: Any, paths: str, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the bounds of the columns for which every part of the Parquet files (SQL) states them."""
    # Parts of nested columns are listed as "column, part": they are none of the names.
    leaves = connection.execute(
        "select name, min(low), max(high), count(low) = count(*) and count(high) = count(*) from (select "
        "path_in_schema as name, try_cast(stats_min_value as bigint) as low, "
        f"try_cast(stats_max_value as bigint) as high from parquet_metadata({paths})) group by name"
    ).fetchall()
    known = set(names)
    return {name: (low, high) for name, low, high, all_stated in leaves if all_stated and name in known}
