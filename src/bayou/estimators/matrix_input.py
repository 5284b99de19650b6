"""Features as one matrix of numbers: the user's own where it is one, otherwise filled column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.estimators.table_input import FeatureTable


def number_matrix(features: FeatureTable) -> npt.NDArray[np.floating[Any]]:
    """A float64 or float32 matrix [row, feature], NaN where missing; text is refused by name."""
    matrix = features.matrix
    if matrix is not None:
        fast = matrix.dtype in (np.float64, np.float32) and matrix.dtype.isnative and matrix.flags.aligned
        # Strides that are no whole number of cells (fields of records) need a copy too.
        fast = fast and all(step % matrix.itemsize == 0 for step in matrix.strides)
        return matrix if fast else matrix.astype(np.float64)
    filled = np.empty((features.rows, len(features.names)), order="F")
    for position, name in enumerate(features.names):
        filled[:, position] = features.numbers(name)
    return filled
