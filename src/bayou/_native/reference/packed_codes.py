"""Numpy reference of taking codes out of packed 64-bit numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayou.codes import code_type, missing_code
from bayou.typing import CodeArray, IntArray


def unpack_codes(
    data: npt.NDArray[np.uint8], row_bytes: int, places: IntArray, offsets: IntArray
) -> tuple[list[CodeArray], list[IntArray]]:
    """The codes of some columns of rows of ``row_bytes`` bytes, and what the codes stand for.

    A row of ``places`` tells of a column: the byte where its field begins (a signed number of 64 bits, the
    highest byte first), the shift of its bits in the field less the column's element of ``offsets``, how
    many bits, and the number of states. There 0 is missing, and k is the code k - 1. With 0 states, the codes
    are the ranks among the numbers that occur, which are listed.

    >>> data = np.array([[0, 0, 0, 0, 0, 0, 0, byte] for byte in (0x20, 0x33, 0x02)], dtype=np.uint8)
    >>> places = np.array([[0, 0, 4, 3], [0, 4, 4, 0]])
    >>> codes, seen = unpack_codes(data.reshape(-1), 8, places, np.array([0, 0]))
    >>> [each.tolist() for each in codes], [each.tolist() for each in seen]
    ([[255, 2, 1], [0, 1, 255]], [[], [2, 3]])
    """
    _check(len(data), row_bytes, places, offsets)
    rows = len(data) // row_bytes
    cells = data.reshape(rows, row_bytes)
    found: list[CodeArray] = []
    listed: list[IntArray] = []
    for (start, shift, bits, states), offset in zip(places.tolist(), offsets.tolist(), strict=True):
        field = cells[:, start : start + 8].copy().view(">u8").reshape(rows).astype(np.uint64)
        numbers = (field - np.array(offset, dtype=np.int64).astype(np.uint64)) >> np.uint64(shift)
        number = (numbers & np.uint64((1 << bits) - 1)).astype(np.int64)
        if states and number.max(initial=0) > states:
            raise ValueError(f"data: the code {number.max()} is beyond the {states} states of its column")
        seen = np.unique(number[number > 0]) if not states else np.empty(0, dtype=np.int64)
        kind = code_type(states or len(seen))
        codes = np.searchsorted(seen, number) if not states else number - 1
        found.append(np.where(number == 0, missing_code(kind), codes).astype(kind))
        listed.append(seen)
    return found, listed


def _check(size: int, row_bytes: int, places: IntArray, offsets: IntArray) -> None:
    if row_bytes < 8 or size % row_bytes:
        raise ValueError(f"data: {size} bytes are not whole rows of {row_bytes} bytes, at least 8")
    if places.ndim != 2 or places.shape[1] != 4 or len(offsets) != len(places):
        raise ValueError("places: expected four numbers for each of the offsets")
    for start, shift, bits, states in places.tolist():
        if not 0 <= start <= row_bytes - 8:
            raise ValueError(f"places: no field of 8 bytes begins at {start} in rows of {row_bytes} bytes")
        if not (1 <= bits <= 16 and 0 <= shift <= 64 - bits and 0 <= states < 1 << bits):
            raise ValueError(f"places: {bits} bits from {shift} on cannot hold {states} states")
