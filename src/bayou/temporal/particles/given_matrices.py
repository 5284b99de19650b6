"""Matrices and vectors that users state, checked; roots of covariances; linear series in the long run."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.errors import BadQuestion, BadTable
from bayou.typing import FloatArray


def _numbers(name: str, given: Any) -> FloatArray:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(f"{name}={given!r}: give a number, or an array of numbers.") from None


def matrix_given(name: str, given: Any, rows: int | None, columns: int | None) -> FloatArray:
    array = _numbers(name, given)
    array = array.reshape(1, 1) if array.ndim == 0 else array
    columns = len(array) if columns is None else columns
    if array.ndim != 2 or array.shape[1] != columns or (rows is not None and len(array) != rows):
        wanted = f"({rows or 'rows'}, {columns})"
        raise BadTable(f"{name} has the shape {array.shape}; expected a matrix of shape {wanted}.")
    if not np.isfinite(array).all():
        raise BadTable(f"{name} has entries that are not finite numbers.")
    return array


def covariance_given(name: str, given: Any, size: int, *, definite: bool = False) -> FloatArray:
    array = matrix_given(name, given, size, size)
    values = np.linalg.eigvalsh(array)
    least = values.min() if size else 0.0
    if not np.allclose(array, array.T) or least < -1e-9 * max(1.0, values.max()) or (definite and least <= 0):
        kind = "positive definite" if definite else "positive semidefinite"
        raise BadTable(f"{name} is a covariance (a variance for numbers): it must be symmetric and {kind}.")
    return array


def vector_given(name: str, given: Any, size: int) -> FloatArray:
    array = _numbers(name, given)
    array = np.full(size, float(array)) if array.ndim == 0 else array
    if array.shape != (size,) or not np.isfinite(array).all():
        raise BadTable(f"{name}: expected {size} finite numbers, not an array of shape {array.shape}.")
    return array


def long_run(a: FloatArray, shift: FloatArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of x in the long run: P = A P A' + Q."""
    if np.abs(np.linalg.eigvals(a)).max() >= 1:
        raise BadQuestion(
            "transition does not pull x back (an eigenvalue is 1 or more), so x has no distribution in the "
            "long run: give start_mean= and start_covariance=."
        )
    from scipy.linalg import solve_discrete_lyapunov

    mean: FloatArray = np.linalg.solve(np.eye(len(a)) - a, shift).astype(np.float64)
    return mean, np.asarray(solve_discrete_lyapunov(a, noise), dtype=np.float64)


def root_of(covariance: FloatArray) -> FloatArray:
    """A lower triangular G with G G' = covariance, which may be singular.

    >>> root_of(np.array([[4.0, 2.0], [2.0, 1.0]])).tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    d = len(covariance)
    root = np.zeros((d, d))
    for j in range(d):
        rest = covariance[j:, j] - root[j:, :j] @ root[j, :j]
        if rest[0] > 1e-14 * max(1e-300, covariance[j, j]):
            root[j:, j] = rest / np.sqrt(rest[0])
    return root


def inverse_root_of(covariance: FloatArray) -> FloatArray:
    """The inverse of the lower Cholesky factor."""
    return np.asarray(np.linalg.inv(np.linalg.cholesky(covariance)), dtype=np.float64)
