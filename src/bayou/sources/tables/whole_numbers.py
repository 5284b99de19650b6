"""Columns of whole numbers that are kept unchanged; their codes or floats are computed when needed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from bayou._native import encode_integer_matrix
from bayou.sources.tables.columns import CodedColumn, NumberColumn
from bayou.typing import CodeArray, FloatArray


class WholeMatrix:
    """A matrix of whole numbers; all columns are coded in one pass when the codes of one are needed."""

    def __init__(self, cells: np.ndarray[Any, Any]) -> None:
        self.cells = cells

    @cached_property
    def coded(self) -> tuple[list[CodeArray], list[np.ndarray[Any, Any]]]:
        """The codes of each column, and the numbers that they stand for, ascending."""
        return encode_integer_matrix(self.cells)


class WholeColumn(NumberColumn):
    """A column of a :class:`WholeMatrix`.

    >>> column = WholeColumn(WholeMatrix(np.array([[7], [3], [7]], dtype=np.uint8)), 0)
    >>> column.coded().codes.tolist(), column.coded().labels, column.values.tolist()
    ([1, 0, 1], (3, 7), [7.0, 3.0, 7.0])
    """

    matrix: WholeMatrix
    position: int

    def __init__(self, matrix: WholeMatrix, position: int) -> None:
        fields: dict[str, Any] = {"matrix": matrix, "position": position, "integral": True, "kind": "int"}
        self.__dict__.update(fields)  # a frozen dataclass does not allow setting attributes

    def __len__(self) -> int:
        return len(self.matrix.cells)

    @cached_property
    def values(self) -> FloatArray:
        """The numbers as floats."""
        return self.matrix.cells[:, self.position].astype(np.float64)

    def coded(self) -> CodedColumn:
        """The same column with its distinct numbers as labels, ascending."""
        codes, numbers = self.matrix.coded
        return CodedColumn(codes[self.position], tuple(numbers[self.position].tolist()))


def is_exact(values: np.ndarray[Any, Any], limit: int) -> bool:
    """Whether the absolute values of all numbers are below the limit."""
    if values.dtype.itemsize < 8 or not values.size:
        return True
    return max(abs(int(values.min())), abs(int(values.max()))) < limit
