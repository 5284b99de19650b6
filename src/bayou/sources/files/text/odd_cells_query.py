"""The few cells that keep a column of a large text file from being numbers, found by one query."""

from __future__ import annotations

from bayou.sources.files.duckdb_reading import connect
from bayou.sources.files.text.text_kinds import GAP_WORD
from bayou.sources.tables.odd_cells import FEWEST_NUMBERS, MOST_ODD, tell_odd_cells
from bayou.typing import Name


def tell_odd_cells_of(rows: str, cell: str, name: Name) -> None:
    """Warn if a column with many different numbers has a few cells that are none.

    ``rows`` is the SQL of all rows with every field as text, ``cell`` the SQL name of the column.
    """
    number = f"try_cast(nullif({cell}, '') as double)"
    odd = f"n is null and coalesce(c, '') <> '' and not regexp_full_match(c, '{GAP_WORD}')"
    cells = f"select {cell} as c, {number} as n, row_number() over () - 1 as r from ({rows})"
    summary = (
        f"count(*), count(*) filter ({odd}), count(distinct c) filter ({odd}), approx_count_distinct(n), "
        f"min(r) filter ({odd}), arg_min(c, r) filter ({odd})"
    )
    every, several, different, numbers, row, text = (
        connect().execute(f"select {summary} from ({cells})").fetchone()
    )
    if different <= MOST_ODD and numbers >= FEWEST_NUMBERS:
        tell_odd_cells(name, several, every, row, text)
