"""The values of sampled rows as arrays, which become lists when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from bayou.typing import CodeArray, FloatArray, IntArray, Name, State

Objects = npt.NDArray[np.object_]


PickedColumn = FloatArray | Objects | tuple[CodeArray, tuple[State, ...]]


class PickedRows(Mapping[Name, list[State]]):
    """The values of some rows; columns are arrays, and become lists when they are asked for.

    Most rows of a batch leave the sample when it is added to that of earlier batches: they need no lists.
    """

    def __init__(self, columns: Mapping[Name, PickedColumn]) -> None:
        self._columns = columns

    def __getitem__(self, name: Name) -> list[State]:
        column = self._columns[name]
        if isinstance(column, tuple):
            codes, states = column
            return [states[code] for code in codes.tolist()]
        listed: list[State] = column.tolist()
        if column.dtype == np.object_ or not np.isnan(column).any():
            return listed
        return [None if value != value else value for value in listed]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def column(self, name: Name) -> PickedColumn:
        """A column as it is held."""
        return self._columns[name]

    def objects(self, name: Name) -> Objects:
        """A column as an array of Python's objects."""
        column = self._columns[name]
        if isinstance(column, tuple) or column.dtype != np.object_:
            return np.fromiter(self[name], dtype=np.object_)
        return column.astype(np.object_, copy=False)

    def first(self, rows: int) -> PickedRows:
        """The values of the first of these rows."""
        return PickedRows(
            {
                name: (column[0][:rows], column[1]) if isinstance(column, tuple) else column[:rows]
                for name, column in self._columns.items()
            }
        )


def joined_column(
    one: Mapping[Name, list[State]], other: Mapping[Name, list[State]], name: Name, kept: IntArray
) -> PickedColumn:
    """Some rows of a column of two samples, in the narrowest form that both have."""
    if isinstance(one, PickedRows) and isinstance(other, PickedRows):
        first, second = one.column(name), other.column(name)
        if isinstance(first, tuple) and isinstance(second, tuple) and _are_alike(first[1], second[1]):
            return np.concatenate([first[0], second[0]])[kept], first[1]
        if are_numbers(first) and are_numbers(second):
            numbers: FloatArray = np.concatenate([first, second])[kept]
            return numbers
    return np.concatenate([_objects(one, name), _objects(other, name)])[kept]


def are_numbers(column: PickedColumn) -> TypeGuard[FloatArray]:
    return not isinstance(column, tuple) and column.dtype == np.float64


def _are_alike(one: tuple[State, ...], other: tuple[State, ...]) -> bool:
    """Whether these are the same states of the same types, in the same order."""
    if one is other:
        return True
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(type(a) is type(b) and a == b for a, b in pairs)


def _objects(values: Mapping[Name, list[State]], name: Name) -> Objects:
    if isinstance(values, PickedRows):
        return values.objects(name)
    return np.fromiter(values[name], dtype=np.object_)
