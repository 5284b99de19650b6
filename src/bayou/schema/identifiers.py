"""Columns that identify rows, such as numbers of customers: nothing can be learned from them."""

from __future__ import annotations

import re

import numpy as np

from bayou.typing import FloatArray, Name

_FEW_ROWS = 20
"""With fewer rows, many different values do not show that a column identifies rows."""
_NEARLY_ALL = 0.95
"""The smallest share of different numbers at which a column may number the rows."""
_ID_NAME = re.compile(
    r"(^|[^a-z])(id|ids|idx|index|key|uuid|guid|nr|no|number|row)($|[^a-z])|unnamed: ?0", re.I
)


def identifies_rows(distinct: int, rows: float) -> bool:
    """Whether a column with this many different values has a different one in most rows.

    >>> identifies_rows(9_000, 10_000), identifies_rows(12, 10_000), identifies_rows(9, 9)
    (True, False, False)
    """
    return distinct > max(rows, _FEW_ROWS) / 2


def numbers_rows(
    name: Name, values: FloatArray, rows: int | None = None, distinct: int | None = None
) -> bool:
    """Whether whole numbers (without gaps) number the rows: all different, and without holes or called an id.

    >>> numbers_rows("x", np.arange(50.0)), numbers_rows("x", np.arange(50.0) ** 2)
    (True, False)
    >>> numbers_rows("customer id", np.arange(50.0) ** 2)
    True

    If the values are distinct ones, ``rows`` says how many rows have them, and ``distinct`` how many differ.
    """
    rows = len(values) if rows is None else rows
    if rows < _FEW_ROWS:
        return False
    distinct = len(np.unique(values)) if distinct is None else distinct
    if distinct < _NEARLY_ALL * rows:
        return False
    return bool(values.max() - values.min() < 1.1 * distinct) or bool(_ID_NAME.search(str(name)))
