"""Codes of states in columns: the largest code of a column's type means that the cell is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.typing import BoolArray, CodeArray, ColumnArray


def missing_code(kind: np.dtype[Any] | type[np.unsignedinteger[Any]]) -> int:
    """The code that means 'missing' in a column of this type.

    >>> missing_code(np.dtype(np.uint8)), missing_code(np.uint16)
    (255, 65535)
    """
    return int(np.iinfo(kind).max)


def is_missing_code(codes: CodeArray) -> BoolArray:
    """Return a mask of the missing cells of a column of codes.

    >>> is_missing_code(np.array([0, 255, 1], dtype=np.uint8)).tolist()
    [False, True, False]
    """
    gaps: BoolArray = codes == np.iinfo(codes.dtype).max
    return gaps


def is_missing_cell(column: ColumnArray) -> BoolArray:
    """Return a mask of the missing cells of any column: NaN among numbers, the missing code among codes.

    >>> is_missing_cell(np.array([0.5, np.nan])).tolist()
    [False, True]
    """
    return np.isnan(column) if column.dtype.kind == "f" else is_missing_code(column)
