"""Numpy reference of the codes of a matrix of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import missing_code
from bayou.typing import CodeArray

Whole = npt.NDArray[Any]


def encode_integer_matrix(
    matrix: Whole, values: list[Whole] | None = None, threads: int = 0
) -> tuple[list[CodeArray], list[Whole]]:
    """(codes, values) of each column of a matrix of whole numbers; with values given, others are missing.

    >>> codes, values = encode_integer_matrix(np.array([[30], [10], [30]]))
    >>> codes[0].tolist(), values[0].tolist()
    ([1, 0, 1], [10, 30])
    """
    if matrix.ndim != 2 or matrix.dtype.kind not in "iub":
        raise ValueError("matrix: expected a two-dimensional array of whole numbers or booleans")
    if values is None:
        found: list[Whole] = [np.unique(matrix[:, j]) for j in range(matrix.shape[1])]
        return [_coded(matrix[:, j], found[j]) for j in range(matrix.shape[1])], found
    if len(values) != matrix.shape[1]:
        raise ValueError(f"values has length {len(values)}, expected {matrix.shape[1]}")
    for j, known in enumerate(values):
        if len(known) > 1 and not (known[1:] > known[:-1]).all():
            raise ValueError(f"values of column {j}: expected distinct numbers in ascending order")
    return [_coded(matrix[:, j], known) for j, known in enumerate(values)], values


def _coded(column: Whole, values: Whole) -> CodeArray:
    kind: Any = np.uint8 if len(values) <= 255 else np.uint16 if len(values) <= 65535 else np.uint32
    place = {int(value): code for code, value in enumerate(values)}
    missing = missing_code(kind)
    return np.array([place.get(int(cell), missing) for cell in column], dtype=kind)
