"""Columns from Python objects: lists, tuples and numpy arrays of objects, encoded together."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bayou._native._core import encode_objects
from bayou.codes import missing_code
from bayou.errors import BadData
from bayou.schema import is_missing, plain, state_key
from bayou.schema.states import decimal_number
from bayou.sources.tables.columns import LARGEST_EXACT, CodedColumn, Column, NumberColumn
from bayou.typing import CodeArray, Name, State

_TOO_LARGE = 2**1024

Objects: TypeAlias = "list[Any] | tuple[Any, ...] | npt.NDArray[np.object_]"


def identify(value: Any) -> tuple[tuple[str, State], State] | None:
    """Return a value's key and its plain form; None if the value is missing."""
    if is_missing(value):
        return None
    if type(value).__name__ == "Timestamp" and getattr(value, "nanosecond", 1) == 0:
        # A pandas Timestamp is the same state as the datetime of the standard library.
        value = value.to_pydatetime()
    value = decimal_number(value) if isinstance(value, Decimal) else plain(value)
    if isinstance(value, complex) and value.imag == 0:
        value = value.real  # equal to the real number, so the same state
    return state_key(value), value


def columns_of_objects(names: Sequence[Name], pending: Sequence[Column | Objects]) -> list[Column]:
    """Encode the columns that are still objects, in parallel; finished columns are returned unchanged."""
    done: list[Column | None] = [
        each if isinstance(each, CodedColumn | NumberColumn) else _numbers(each) for each in pending
    ]
    waiting = [position for position, column in enumerate(done) if column is None]
    encoded = encode_objects([pending[position] for position in waiting], identify)
    for position, (codes, labels, bad_row) in zip(waiting, encoded, strict=True):
        if bad_row >= 0:
            value = pending[position][bad_row]  # type: ignore[index]  # waiting ones are not Columns
            raise BadData(
                f"The column {names[position]!r} has the value {value!r} (a {type(value).__name__}) in row "
                f"{bad_row} (counting from 0), which cannot be a state: it is not hashable. Use a number, "
                "text or a tuple."
            )
        _refuse_mixed_zones(names[position], labels)
        _refuse_huge(names[position], labels)
        done[position] = settle(codes, labels)
    return [column for column in done if column is not None]


def _refuse_mixed_zones(name: Name, labels: list[State]) -> None:
    """Refuse a column that mixes times with and without a time zone: they cannot be compared."""
    times = [label for label in labels if isinstance(label, datetime.datetime | datetime.time)]
    bare = [time for time in times if time.utcoffset() is None]
    if 0 < len(bare) < len(times):
        zoned = next(time for time in times if time.utcoffset() is not None)
        raise BadData(
            f"The column {name!r} mixes times with and without a time zone, such as {zoned} and {bare[0]}. "
            "Give a time zone to all of them, or to none."
        )


def _refuse_huge(name: Name, labels: list[State]) -> None:
    """Refuse integers that are larger than every float: nothing can be computed with them."""
    for label in labels:
        if isinstance(label, int) and abs(label) >= _TOO_LARGE:
            digits = int(label.bit_length() * 0.30103) + 1
            raise BadData(
                f"The column {name!r} has an integer of about {digits:,} digits; numbers go up to 1.8e308. "
                "If such integers are names of things, convert them to text."
            )


def settle(codes: CodeArray, labels: list[State]) -> Column:
    """Return encoded objects as the kind of column that a typed table would have for them."""
    kinds = {type(label) for label in labels}
    if kinds == {bool}:
        # Both truth values, in this order, as typed tables have them.
        return CodedColumn(replaced_codes(codes, [int(bool(label)) for label in labels]), (False, True))
    if kinds and kinds <= {int, float} and not any(_inexact(label) for label in labels):
        meanings = np.array([*labels, np.nan], dtype=np.float64)
        values = meanings[np.minimum(codes, len(labels)).astype(np.intp)]
        whole = all(float(label).is_integer() for label in labels if isinstance(label, int | float))
        return NumberColumn.of_floats(values, whole) if float in kinds else NumberColumn(values, whole, "int")
    return CodedColumn(codes, tuple(labels))


def replaced_codes(codes: CodeArray, meaning: Sequence[int]) -> CodeArray:
    """Return the codes with code k replaced by ``meaning[k]`` (-1: missing), in the same type."""
    table = np.full(missing_code(codes.dtype) + 1 if codes.dtype.itemsize < 4 else len(meaning) + 1, -1)
    table[: len(meaning)] = meaning
    positions = codes if codes.dtype.itemsize < 4 else np.minimum(codes, len(meaning))
    result: CodeArray = table.astype(codes.dtype)[positions]
    return result


def _inexact(label: State) -> bool:
    return isinstance(label, int) and abs(label) >= LARGEST_EXACT


def _numbers(values: Objects) -> NumberColumn | None:
    """Return a list of ints, floats and Nones as a column of numbers; None if it holds anything else."""
    first = next((value for value in values if type(value) is float or not is_missing(value)), None)
    if type(first) not in (int, float, Decimal):
        return None
    kinds = set(map(type, values))
    if Decimal in kinds:
        return _decimals(values)
    if not kinds <= {int, float, type(None)}:
        return None
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    seen = numbers[~np.isnan(numbers)]
    if int in kinds and len(seen) and np.abs(seen).max() >= LARGEST_EXACT:
        return None
    # A NaN among integers is a missing value, and does not make the column one of floats.
    floats = float in kinds and (int not in kinds or any(type(v) is float and v == v for v in values))
    whole = is_integral(seen)
    return NumberColumn.of_floats(numbers, whole) if floats else NumberColumn(numbers, whole, "int")


def _decimals(values: Objects) -> NumberColumn | None:
    """Return decimals, perhaps with other numbers and gaps, as floats; None if there are other values.

    As in typed tables they are integers if none is written with a point.
    """
    seen = [None if is_missing(value) else value for value in values]
    if not {type(value) for value in seen} <= {Decimal, int, float, type(None)}:
        return None
    try:
        numbers = np.array([np.nan if value is None else float(value) for value in seen])
    except OverflowError:
        return None
    whole = is_integral(numbers[~np.isnan(numbers)])
    if whole and all(value is None or _written_whole(value) for value in seen):
        inexact = bool(np.nanmax(np.abs(numbers), initial=0) >= LARGEST_EXACT)
        return None if inexact else NumberColumn(numbers, True, "int")
    return NumberColumn.of_floats(numbers, whole)


def _written_whole(value: Decimal | int | float) -> bool:
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return isinstance(exponent, int) and exponent >= 0
    return isinstance(value, int)


def is_integral(seen: npt.NDArray[np.float64]) -> bool:
    """Whether every observed number is whole (infinity is not)."""
    return bool(np.isfinite(seen).all() and (seen == np.floor(seen)).all())
