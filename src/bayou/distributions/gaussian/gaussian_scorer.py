"""The densities of many columns with Gaussians, added up by one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou._native import gaussian_class_scores
from bayou.distributions.gaussian.linear_gaussian import LinearGaussian
from bayou.typing import FloatArray


class GaussianScorer:
    """Adds Σ log density over several Gaussians without continuous parents; missing values add 0."""

    def __init__(self, gaussians: Sequence[LinearGaussian]) -> None:
        self._means = np.column_stack([each.intercept.ravel() for each in gaussians])
        self._variances = np.column_stack([each.variance.ravel() for each in gaussians])

    def __call__(self, columns: Any, start: FloatArray, rows: int) -> FloatArray:
        """Return ``start`` + Σ log density of the columns, [row, group]."""
        matrix = columns if isinstance(columns, np.ndarray) else np.column_stack(columns)
        return gaussian_class_scores(matrix, self._means, self._variances, start)
