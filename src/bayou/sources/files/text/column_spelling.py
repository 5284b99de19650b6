"""What a column with an SQL type is over all its rows, decided by duckdb: files with types, relations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bayou.sources.files.text.text_kinds import Kinds, kinds_query, may_spell, spelling_of, units_query
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.sources.tables.number_text import Spelling
from bayou.sources.tables.spelled_columns import spelled_as, warn_of_units
from bayou.typing import Name

_HEAD = 2_000
"""Rows that show which columns must be looked through."""


def spelling_of_column(
    name: Name, kind: str, summary: Callable[[str, int | None], tuple[Any, ...]]
) -> Spelling | None:
    """Return what a column of floats or of text is over all rows; None for another type and plain text.

    ``summary`` evaluates aggregates of the column ``v`` (floats: as DOUBLE) over its first rows, or over all.
    """
    if has_digits_after_the_point(kind):
        aggregates = (
            "bool_and(isfinite(v) and v = floor(v)) filter (where not isnan(v)), "
            "coalesce(bool_or(v is null or isnan(v)), false)"
        )
        first, _ = summary(aggregates, _HEAD)
        whole, gaps = (False, False) if first is False else summary(aggregates, None)
        open_floats = bool(whole) and gaps
        return Spelling(True, open_floats, False, True, integral=bool(whole), floats=open_floats)
    if kind != "VARCHAR":
        return None
    (head,) = summary(kinds_query("v"), _HEAD)
    if not may_spell(Kinds(head or 0)):
        return None
    every, *units = summary(f"{kinds_query('v')}, {units_query('v')}", None)
    spelling = spelling_of(Kinds(every or 0), *units)
    if spelling.units:
        warn_of_units(name, spelling.units)
    return spelling


def as_over_all_rows(spelling: Spelling, column: Column) -> Column:
    """Return some rows of a column, of the kind that it has over all rows."""
    if isinstance(column, NumberColumn):
        return NumberColumn(
            column.values, spelling.integral, "int" if spelling.whole else "float", spelling.floats
        )
    # Truth values and plain numbers that are stored as text stay text.
    return spelled_as(column, spelling) if spelling.other not in ("", "truth") else column


def has_digits_after_the_point(kind: str) -> bool:
    """Whether an SQL type is one of floats, or of decimals such as DECIMAL(9,2).

    >>> [has_digits_after_the_point(kind) for kind in ("DOUBLE", "DECIMAL(9,2)", "DECIMAL(9,0)", "BIGINT")]
    [True, True, False, False]
    """
    return kind in ("DOUBLE", "FLOAT") or (kind.startswith("DECIMAL") and not kind.endswith(",0)"))
