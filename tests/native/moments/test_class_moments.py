"""Moments and scatter matrices by class of a matrix as users hold it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

MISSING = 0xFFFFFFFF
ROWS = st.sampled_from([0, 1, 3, 63, 64, 65, 1000, 4097, 33000])
LAYOUTS = st.sampled_from(["C", "F", "every other", "backwards", "single"])


def laid_out(matrix: npt.NDArray[np.float64], layout: str) -> npt.NDArray[Any]:
    """The same numbers (to single precision where that is asked) in another order of memory."""
    if layout == "single":
        return matrix.astype(np.float32)
    if layout == "every other":
        wide = np.full((2 * matrix.shape[0], 3 * matrix.shape[1]), 77.0)
        wide[::2, ::3] = matrix
        return wide[::2, ::3]
    if layout == "backwards":
        return np.ascontiguousarray(matrix[::-1, ::-1])[::-1, ::-1]
    return np.asarray(matrix, order="F" if layout == "F" else "C")


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(0, 14), st.integers(1, 6), LAYOUTS, st.booleans(), st.sampled_from([0.0, 0.2]))
def test_class_moments_are_those_of_the_reference(
    rows: int, d: int, k: int, layout: str, weighted: bool, gaps: float
) -> None:
    random = np.random.default_rng(rows + d)
    matrix = random.normal(3, 2, (rows, d))
    matrix[random.random((rows, d)) < gaps] = np.nan
    classes = random.integers(0, k, rows).astype(np.uint32)
    classes[random.random(rows) < gaps] = MISSING
    weights = random.integers(0, 4, rows) * 0.5 if weighted else None
    x = laid_out(matrix, layout)
    got = _core.class_moments(x, classes, k, weights, 2)
    for mine, theirs in zip(got, reference.class_moments(x, classes, k, weights), strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(0, 26), st.integers(1, 5), LAYOUTS, st.booleans(), st.booleans())
def test_class_scatter_is_that_of_the_reference(
    rows: int, d: int, k: int, layout: str, weighted: bool, pooled: bool
) -> None:
    random = np.random.default_rng(rows + d)
    x = laid_out(random.normal(3, 2, (rows, d)) @ random.normal(size=(d, d)), layout)
    classes = random.integers(0, k, rows).astype(np.uint32)
    classes[random.random(rows) < 0.1] = MISSING
    weights = random.integers(0, 4, rows) * 0.5 if weighted else None
    got = _core.class_scatter(x, classes, k, weights, pooled, 2)
    for mine, theirs in zip(got, reference.class_scatter(x, classes, k, weights, pooled), strict=True):
        assert mine.shape == theirs.shape
        scale = np.abs(theirs).max() if theirs.size else 1.0
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-13 * scale)


@pytest.mark.parametrize("centre", [0.0, 1e9, -1e12])
def test_a_large_mean_costs_no_digits(centre: float) -> None:
    random = np.random.default_rng(8)
    column = random.normal(centre, 1, 2000)
    exact = [Fraction(float(value)) for value in column]
    mean = sum(exact) / len(exact)
    squares = float(sum((value - mean) ** 2 for value in exact))
    classes = np.zeros(2000, np.uint32)
    for got in (
        _core.class_moments(column[:, None], classes, 1, None),
        _core.class_scatter(column[:, None], classes, 1, None),
    ):
        np.testing.assert_allclose(got[1].ravel(), float(mean), rtol=1e-15, atol=1e-15)
        np.testing.assert_allclose(got[2].ravel(), squares, rtol=1e-12)


def test_a_constant_column_has_no_deviation_at_all() -> None:
    x = np.full((999, 2), [0.1, 1e300])
    _, mean, squares = _core.class_moments(x, np.arange(999, dtype=np.uint32) % 7, 7)
    np.testing.assert_array_equal(mean, np.tile(x[0], (7, 1)))
    np.testing.assert_array_equal(squares, np.zeros((7, 2)))


def test_a_column_that_is_nearly_all_missing_is_centred_on_what_is_there() -> None:
    x = np.full((50_000, 1), np.nan)
    x[[40_001, 49_000], 0] = [1e12, 1e12 + 2]
    n, mean, squares = _core.class_moments(x, np.zeros(50_000, np.uint32), 1)
    assert (n[0, 0], mean[0, 0], squares[0, 0]) == (2.0, 1e12 + 1, 2.0)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    random = np.random.default_rng(2)
    x, classes = random.normal(size=(70_000, 13)), random.integers(0, 3, 70_000).astype(np.uint32)
    weights = random.random(70_000)
    for kernel in (_core.class_moments, _core.class_scatter):
        one, four = (kernel(x, classes, 3, weights, threads=threads) for threads in (1, 4))
        for a, b in zip(one, four, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kernels", [_core, reference])
def test_bad_input_is_named(kernels: Any) -> None:
    x, classes = np.ones((3, 2)), np.zeros(3, np.uint32)
    with pytest.raises(ValueError, match="row 1"):
        kernels.class_moments(x, np.array([0, 5, 0], np.uint32), 1)
    with pytest.raises(ValueError, match=r"weights, row 2"):
        kernels.class_moments(x, classes, 1, np.array([1.0, 1.0, -1.0]))
    with pytest.raises(ValueError, match="classes"):
        kernels.class_scatter(x, classes[:2], 1)
    for cell in (np.inf, -np.inf):
        x[2, 1] = cell
        for kernel in (kernels.class_moments, kernels.class_scatter):
            with pytest.raises(ValueError, match="row 2, column 1 is infinite"):
                kernel(x, classes, 1)
    x[2, 1] = np.nan
    with pytest.raises(ValueError, match="row 2, column 1 is missing"):
        kernels.class_scatter(x, classes, 1)
