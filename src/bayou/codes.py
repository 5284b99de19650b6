"""Codes of states in columns: the largest code of a column's type means that the cell is missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bayou.typing import BoolArray, CodeArray, ColumnArray


def code_type(states: int) -> type[np.uint8] | type[np.uint16] | type[np.uint32]:
    """The narrowest type for codes of so many states, with room for 'missing'.

    >>> code_type(255).__name__, code_type(256).__name__
    ('uint8', 'uint16')
    """
    if states <= 0xFF:
        return np.uint8
    return np.uint16 if states <= 0xFFFF else np.uint32


def in_code_type(codes: CodeArray, states: int) -> CodeArray:
    """The same codes in the narrowest type for so many states; missing cells stay missing.

    >>> in_code_type(np.array([0, 65535], dtype=np.uint16), 2).tolist()
    [0, 255]
    """
    kind = code_type(states)
    if codes.dtype == kind:
        return codes
    return np.where(is_missing_code(codes), missing_code(kind), codes).astype(kind)


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


def coded_texts(values: Iterable[str | None]) -> tuple[CodeArray, tuple[str, ...]]:
    """Return the code of each text (the largest of the type: missing) and the distinct texts in order.

    >>> codes, texts = coded_texts(["buy", None, "buy"])
    >>> codes.tolist(), texts
    ([0, 4294967295, 0], ('buy',))
    """
    place: dict[str | None, int] = {None: missing_code(np.uint32)}
    codes = [place.setdefault(text, len(place) - 1) for text in values]
    return np.array(codes, dtype=np.uint32), tuple(text for text in place if text is not None)


def is_missing_cell(column: ColumnArray) -> BoolArray:
    """Return a mask of the missing cells of any column: NaN, None among texts, or the missing code.

    >>> is_missing_cell(np.array([0.5, np.nan])).tolist()
    [False, True]
    """
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind == "O":
        return np.fromiter((cell is None for cell in column), dtype=bool, count=len(column))
    return is_missing_code(column)
