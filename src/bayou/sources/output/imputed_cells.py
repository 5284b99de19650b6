"""The imputed values of the missing cells of one column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.sources.output.table_kinds import plain_kind
from bayou.typing import State


@dataclass(frozen=True)
class ImputedCells:
    """The rows whose missing cell is imputed, and their values; a continuous variable has no ``states``.

    >>> ImputedCells(np.array([0]), np.array([2], dtype=object), (1, 2)).makes_whole(np.array([2.0, 1.0]))
    True
    """

    rows: npt.NDArray[np.intp]
    values: npt.NDArray[Any]
    states: tuple[State, ...]

    @property
    def continuous(self) -> bool:
        """Whether the values are numbers of a continuous variable."""
        return not self.states

    def makes_whole(self, column: npt.NDArray[Any]) -> bool:
        """Whether a column of floats can become integers again: it had been floats only for its NaNs."""
        whole = plain_kind(self.states) == "int"
        return whole and bool(np.isfinite(column).all() and (column == np.floor(column)).all())

    def spread(self, rows: int) -> npt.NDArray[np.int64]:
        """For every row of the table, the position of its imputed value in ``values``; -1 if it has none."""
        places = np.full(rows, -1, dtype=np.int64)
        places[self.rows] = np.arange(len(self.rows))
        return places


def as_objects(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Return values as a one-dimensional array of Python objects, even if they are tuples.

    >>> as_objects([(1, 2), "a"]).shape
    (2,)
    """
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def packed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array of objects as int64, float or bool if all its values are of that type; else unchanged.

    >>> packed(np.array([1, 2], dtype=object)).dtype.kind, packed(np.array([1, "1"], dtype=object)).dtype.kind
    ('i', 'O')
    """
    if values.dtype != object:
        return values
    kinds = {type(value) for value in values.tolist()}
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values.tolist()):
        return values.astype(np.int64)
    if kinds == {float} or kinds == {bool}:
        return values.astype(kinds.pop())
    return values
