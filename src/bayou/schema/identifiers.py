"""Columns that identify rows, such as numbers of customers: nothing can be learned from them."""

from __future__ import annotations

_FEW_ROWS = 20
"""With fewer rows, many different values do not show that a column identifies rows."""


def identifies_rows(distinct: int, rows: float) -> bool:
    """Whether a column with this many different values has a different one in most rows.

    >>> identifies_rows(9_000, 10_000), identifies_rows(12, 10_000), identifies_rows(9, 9)
    (True, False, False)
    """
    return distinct > max(rows, _FEW_ROWS) / 2
