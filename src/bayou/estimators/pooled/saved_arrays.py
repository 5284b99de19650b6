"""Arrays in files: written in narrow types, and checked when they are read: a file may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadFile
from bayou.typing import FloatArray, IntArray

Shape = tuple[int | None, ...]
"""The expected length of each axis; None: any."""


def narrow(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers from 0 in the narrowest type that holds them; other numbers as 64-bit floats.

    >>> narrow(np.array([3.0, 300.0])).dtype, narrow(np.array([0.5])).dtype
    (dtype('uint16'), dtype('float64'))
    """
    if not array.size:
        return np.zeros(array.shape, dtype=np.uint8)
    least, most = array.min(), array.max()
    if least < 0 or most >= 2**32 or (array.dtype.kind == "f" and (array != np.floor(array)).any()):
        return array.astype(np.float64)
    return array.astype(np.min_scalar_type(int(most)))


def reals(state: Mapping[str, Any], name: str, shape: Shape) -> FloatArray:
    """Finite numbers of this shape.

    >>> reals({"cuts": np.array([1.5, 2.5])}, "cuts", (None,)).tolist()
    [1.5, 2.5]
    """
    found = np.ascontiguousarray(_numbers(state, name, shape), dtype=np.float64)
    if not np.isfinite(found).all():
        raise BadFile(f"{name} has numbers that are not finite.")
    return found


def wholes(state: Mapping[str, Any], name: str, shape: Shape, least: int, most: int) -> IntArray:
    """Whole numbers of this shape, all from ``least`` to ``most``."""
    given = _numbers(state, name, shape)
    if given.dtype.kind not in "iu" and given.size:
        raise BadFile(f"{name} has numbers that are not whole.")
    found = given.astype(np.int64)
    if found.size and not least <= found.min() <= found.max() <= most:
        raise BadFile(f"{name} has numbers that are not from {least} to {most}.")
    return found


def whole(state: Mapping[str, Any], name: str, least: int, most: int) -> int:
    """One whole number from ``least`` to ``most``."""
    given = state[name]
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise BadFile(f"{name} is {given!r}, not a whole number from {least} to {most}.")
    return given


def real(state: Mapping[str, Any], name: str, least: float, most: float) -> float:
    """One number from ``least`` to ``most``."""
    given = state[name]
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise BadFile(f"{name} is {given!r}, not a number from {least} to {most}.")
    return float(given)


def truth(state: Mapping[str, Any], name: str) -> bool:
    """True or False."""
    given = state[name]
    if not isinstance(given, bool):
        raise BadFile(f"{name} is {given!r}, not true or false.")
    return given


def parts(state: Mapping[str, Any], name: str) -> list[Any]:
    """A list of parts."""
    given = state[name]
    if not isinstance(given, list):
        raise BadFile(f"{name} is no list.")
    return given


def _numbers(state: Mapping[str, Any], name: str, shape: Shape) -> npt.NDArray[Any]:
    given = state[name]
    if not isinstance(given, np.ndarray) or given.dtype.kind not in "iuf":
        raise BadFile(f"{name} is no array of numbers.")
    fits = len(shape) == given.ndim and all(
        expected is None or length == expected for length, expected in zip(given.shape, shape, strict=True)
    )
    if not fits:
        raise BadFile(f"{name} has the shape {given.shape} instead of {shape}.")
    return given
