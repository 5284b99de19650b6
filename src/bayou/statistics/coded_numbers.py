"""Columns of numbers of which some are codes of few distinct numbers: a byte or two a cell, not eight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayou.typing import CodeArray, FloatArray, Name


@dataclass(frozen=True, eq=False)
class CodedNumbers:
    """A column of numbers as codes; ``distinct`` has the number of each code, ascending.

    >>> CodedNumbers(np.array([1, 0, 255], dtype=np.uint8), np.array([4.0, 5.0])).values.tolist()
    [5.0, 4.0, nan]
    """

    codes: CodeArray
    distinct: FloatArray

    @cached_property
    def values(self) -> FloatArray:
        """The numbers themselves, NaN where missing; made when they are first needed."""
        return self.at(slice(None))

    def at(self, rows: slice | np.typing.NDArray[np.int64]) -> FloatArray:
        """The numbers of some rows."""
        places = np.minimum(self.codes[rows], len(self.distinct)).astype(np.intp)
        result: FloatArray = np.append(self.distinct, np.nan)[places]
        return result


class Numbers(Mapping[Name, FloatArray]):
    """Columns of numbers by name; those that are held as codes become numbers when they are looked up.

    >>> few = CodedNumbers(np.array([1, 0], dtype=np.uint8), np.array([4.0, 5.0]))
    >>> columns = Numbers({"a": few, "b": np.array([0.5, 1.5])})
    >>> columns["a"].tolist(), columns.coded("a") is few, columns.coded("b")
    ([5.0, 4.0], True, None)
    """

    def __init__(self, columns: Mapping[Name, FloatArray | CodedNumbers]) -> None:
        self._columns = columns

    def __getitem__(self, name: Name) -> FloatArray:
        column = self._columns[name]
        return column.values if isinstance(column, CodedNumbers) else column

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[Name]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def coded(self, name: Name) -> CodedNumbers | None:
        """The column as codes, if it is held so."""
        column = self._columns.get(name)
        return column if isinstance(column, CodedNumbers) else None
