"""Trees as they are saved: their columns, and arrays in the narrowest types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

NAMES = ("ranks", "sizes", "columns", "thresholds", "lengths", "classes", "counts")
DTYPES = (np.uint8, np.int64, np.uint16, np.int16, np.uint32, np.uint16, np.float64)
_LEAF = 255

_Array: TypeAlias = npt.NDArray[Any]
Arrays: TypeAlias = tuple[_Array, _Array, _Array, _Array, _Array, _Array, _Array]


def packed_arrays(arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """The arrays by name; a threshold of 255 marks a leaf.

    >>> none = np.zeros(0)
    >>> packed_arrays((none, none, none, np.array([4, -1]), none, none, none))["thresholds"]
    array([  4, 255], dtype=uint8)
    """
    named = dict(zip(NAMES, arrays, strict=True))
    thresholds = named["thresholds"]
    named["thresholds"] = np.where(thresholds < 0, _LEAF, thresholds)
    return {name: narrowest(array) for name, array in named.items()}


def unpacked_arrays(state: dict[str, Any]) -> Arrays:
    """What ``packed_arrays`` was given."""
    named = {name: np.asarray(state[name]) for name in NAMES}
    thresholds = named["thresholds"].astype(np.int16)
    named["thresholds"] = np.where(thresholds == _LEAF, -1, thresholds)
    ranks, sizes, columns, turns, lengths, classes, counts = (
        np.ascontiguousarray(named[name], dtype=dtype) for name, dtype in zip(NAMES, DTYPES, strict=True)
    )
    return ranks, sizes, columns, turns, lengths, classes, counts


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
