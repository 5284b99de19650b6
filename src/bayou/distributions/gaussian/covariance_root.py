"""Roots of covariances and equations with them, whatever the units of the variables.

A covariance is first divided by the deviations, D⁻¹ S D⁻¹ with D² = diagonal of S: what is too small to count
is then judged among correlations. A variable in small units would else be lost beside one in large units.
"""

from __future__ import annotations

import numpy as np

from bayou.typing import FloatArray


def covariance_root(covariance: FloatArray) -> FloatArray:
    """A matrix whose product with its transpose is the covariance, which may be singular.

    >>> root = covariance_root(np.diag([1e20, 1e-20]))
    >>> np.round(root @ root.T / [[1e20, 1], [1, 1e-20]], 12).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    scale, correlation = _scaled(covariance)
    values, vectors = np.linalg.eigh(correlation)
    found: FloatArray = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    return found


def solved(covariance: FloatArray, right: FloatArray) -> FloatArray:
    """The shortest X, in units of the deviations, with covariance · X = right; it may be singular.

    >>> solved(np.diag([4.0**30, 0.25**30]), np.array([[4.0**30], [0.25**30]])).round(9).tolist()
    [[1.0], [1.0]]
    """
    scale, correlation = _scaled(covariance)
    found = np.linalg.lstsq(correlation, right / scale[:, None], rcond=None)[0]
    return np.asarray(found / scale[:, None])


def _scaled(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The deviations (1 for those that are 0), and the covariance divided by them."""
    deviations = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    scale = np.where(deviations > 0, deviations, 1.0)
    return scale, covariance / scale[:, None] / scale
