"""Codes of states in columns: the largest code of a column's type means that the cell is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.typing import BoolArray, CodeArray, ColumnArray, CountArray

PlaceArray = npt.NDArray[np.signedinteger[Any]]
"""Positions, one for each row; -1 for none."""


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


AT_ONCE = 1 << 16
"""How many rows are looked at together, where arrays about all rows of a large file would fill memory."""


def row_blocks(rows: int) -> Iterator[slice]:
    """All rows, some at a time.

    >>> list(row_blocks(AT_ONCE + 1))
    [slice(0, 65536, None), slice(65536, 131072, None)]
    """
    return (slice(first, first + AT_ONCE) for first in range(0, rows, AT_ONCE))


def place_type(places: int) -> np.dtype[Any]:
    """The narrowest type for so many positions and -1: a large file has very many rows.

    >>> place_type(2), place_type(200)
    (dtype('int8'), dtype('int16'))
    """
    return np.min_scalar_type(-1 - places)


def places_of_codes(codes: CodeArray, places: Sequence[int]) -> PlaceArray:
    """The place of each row by its code; -1 where the cell is missing.

    >>> places_of_codes(np.array([1, 255, 0], dtype=np.uint8), [7, 3]).tolist()
    [3, -1, 7]
    """
    by_code = np.array([*places, -1], dtype=place_type(max(places, default=0)))
    found: PlaceArray = np.empty(len(codes), dtype=by_code.dtype)
    for some in row_blocks(len(codes)):
        found[some] = by_code[np.minimum(codes[some], len(places)).astype(np.intp)]
    return found


def counted_places(
    places: npt.NDArray[np.integer[Any]], size: int, weights: npt.NDArray[Any] | None = None
) -> CountArray:
    """How many rows (or their weight) have each of ``size`` places; -1 is none of them.

    >>> counted_places(np.array([0, 2, 2, -1], dtype=np.int8), 3).tolist()
    [1, 0, 2]
    """
    total: CountArray = np.zeros(size, dtype=np.int64 if weights is None else np.float64)
    for some in row_blocks(len(places)):
        own = None if weights is None else np.append(0.0, weights[some])
        total += np.bincount(np.append(-1, places[some]) + 1, own, size + 1)[1 : size + 1]
    return total
