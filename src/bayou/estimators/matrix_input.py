"""Features as one matrix of numbers: the user's own where it is one, otherwise filled column by column."""

from __future__ import annotations

import numpy as np

from bayou.estimators.table_input import FeatureTable
from bayou.sources.matrix import float_matrix
from bayou.statistics.batch import FloatMatrix


def number_matrix(features: FeatureTable) -> FloatMatrix:
    """A float64 or float32 matrix [row, feature], NaN where missing; text is refused by name."""
    if features.matrix is not None:
        return float_matrix(features.matrix)
    filled = np.empty((features.rows, len(features.names)), order="F")
    for position, name in enumerate(features.names):
        filled[:, position] = features.numbers(name)
    return filled
