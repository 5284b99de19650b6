"""Trees as they are saved: their columns, and arrays in the narrowest types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

NAMES = ("ranks", "sizes", "columns", "thresholds", "lengths", "classes", "counts")
DTYPES = (np.uint8, np.int64, np.uint16, np.int16, np.uint32, np.uint16, np.float64)
SPLITS = NAMES[:4]
_LEAF = 255
_DTYPES = dict(zip(NAMES, DTYPES, strict=True))

_Array: TypeAlias = npt.NDArray[Any]


def packed_arrays(names: Sequence[str], arrays: Sequence[_Array]) -> dict[str, _Array]:
    """The arrays by these names; a threshold of 255 marks a leaf.

    >>> packed_arrays(["thresholds"], [np.array([4, -1], dtype=np.int16)])["thresholds"]
    array([  4, 255], dtype=uint8)
    """
    named = dict(zip(names, arrays, strict=True))
    thresholds = named["thresholds"]
    named["thresholds"] = np.where(thresholds < 0, thresholds.dtype.type(_LEAF), thresholds)
    return {name: narrowest(array) for name, array in named.items()}


def unpacked_arrays(names: Sequence[str], state: Mapping[str, Any]) -> dict[str, Any]:
    """What ``packed_arrays`` was given, in the types of the kernel."""
    found = {name: np.ascontiguousarray(state[name], dtype=_DTYPES[name]) for name in names}
    thresholds = found["thresholds"]
    found["thresholds"] = np.where(thresholds == _LEAF, thresholds.dtype.type(-1), thresholds)
    return found


def saved_columns(cards: Sequence[int], ordered: Sequence[bool]) -> dict[str, npt.NDArray[Any]]:
    """The columns of trees: their numbers of codes, and which are ordered."""
    return {"cards": np.array(cards, dtype=np.uint8), "ordered": np.array(ordered, dtype=np.bool_)}


def columns_read(state: Mapping[str, Any]) -> tuple[list[int], list[bool]]:
    """What ``saved_columns`` was given.

    >>> columns_read(saved_columns([3, 2], [True, False]))
    ([3, 2], [True, False])
    """
    return [int(card) for card in state["cards"]], [bool(each) for each in state["ordered"]]


def narrowest(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in the narrowest type, others as they are."""
    if array.size == 0:
        return array.astype(np.uint8)
    most = array.max()
    if most >= 2**32 or (array.dtype.kind == "f" and not np.array_equal(array, np.floor(array))):
        return array
    return array.astype(np.min_scalar_type(int(most)))
