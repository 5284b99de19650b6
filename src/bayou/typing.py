"""Names for the types that several rooms share."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Name: TypeAlias = Hashable
"""A variable's name: usually a string, but any hashable value that labels a column is allowed."""

State: TypeAlias = Hashable
"""A value of a discrete variable; ``1``, ``"1"`` and ``True`` are three different states."""

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.int64]
CodeArray: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
"""Codes of states as uint8, uint16 or uint32; the largest value of the type means 'missing'."""
ColumnArray: TypeAlias = npt.NDArray[Any]
"""A column of a table: codes of a discrete variable, float64 values of a continuous one, or texts."""
CountArray: TypeAlias = npt.NDArray[Any]
"""Counts: int64, or float64 where the weights are not whole numbers."""
Units: TypeAlias = Mapping[Name, tuple[float, float]]
"""A mean and a deviation of continuous variables, by name."""
