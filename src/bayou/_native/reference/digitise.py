"""Numpy reference of coding numbers by cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import missing_code
from bayou.typing import CodeArray, FloatArray


def digitise(values: npt.NDArray[Any], cuts: FloatArray, threads: int = 0) -> CodeArray:
    """The code of the interval of each value, which is the number of cuts below it; NaN is missing.

    >>> digitise(np.array([29.0, 30.0, 31.0, np.nan]), np.array([30.0, 50.0])).tolist()
    [0, 0, 1, 255]
    """
    if threads < 0:
        raise ValueError(f"threads is {threads}: expected 0 (every core) or a positive number")
    if values.ndim != 1 or values.dtype.kind not in "fiu" or values.dtype.itemsize > 8:
        raise ValueError("values: expected a one-dimensional array of float64, float32 or whole numbers")
    if np.isnan(cuts).any() or not (cuts[:-1] < cuts[1:]).all():
        raise ValueError("cuts must ascend, without NaN")
    numbers = values.astype(np.float64)
    kind = np.uint8 if len(cuts) < 0xFF else np.uint16 if len(cuts) < 0xFFFF else np.uint32
    codes: CodeArray = np.searchsorted(cuts, numbers, side="left").astype(kind)
    codes[np.isnan(numbers)] = missing_code(kind)
    return codes
