"""Moments by group: against the reference, against exact arithmetic, and for any number of threads."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import FloatArray

MISSING = 0xFFFFFFFF


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 5),
    st.sampled_from([0, 1, 7, 8, 9, 255, 256, 257, 1000, 16384, 33000]),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.1]),
    st.booleans(),
    st.booleans(),
)
def test_moments_are_those_of_the_reference(
    k: int, rows: int, q: int, gaps: float, grouped: bool, weighted: bool
) -> None:
    random = np.random.default_rng(rows + k)
    columns = [random.normal(3, 2, rows) for _ in range(k)]
    for column in columns:
        column[random.random(rows) < gaps] = np.nan
    groups = random.integers(0, q, rows).astype(np.uint32) if grouped else None
    if groups is not None:
        groups[random.random(rows) < gaps] = MISSING
    weights = random.integers(0, 4, rows) * 0.5 if weighted else None
    n_groups = q if grouped else 1
    got = _core.group_moments(columns, groups, n_groups, weights, 2)
    for mine, theirs in zip(got, reference.group_moments(columns, groups, n_groups, weights), strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-9)


def _exact(columns: list[FloatArray]) -> tuple[list[float], list[list[float]]]:
    exact = [[Fraction(float(value)) for value in column] for column in columns]
    means = [sum(column) / len(column) for column in exact]
    left = [[value - mean for value in column] for column, mean in zip(exact, means, strict=True)]
    scatter = [[float(sum(x * y for x, y in zip(a, b, strict=True))) for b in left] for a in left]
    return [float(mean) for mean in means], scatter


@pytest.mark.parametrize("centre", [0.0, 1e9, -1e12])
def test_a_large_mean_costs_no_digits_of_the_scatter(centre: float) -> None:
    random = np.random.default_rng(8)
    columns = [random.normal(centre, 1, 2000), random.normal(-centre, 1, 2000)]
    means, scatter = _exact(columns)
    _, got_mean, got_scatter = _core.group_moments(columns, None, 1, None)
    np.testing.assert_allclose(got_mean[0], means, rtol=1e-15, atol=1e-13)
    np.testing.assert_allclose(got_scatter[0], scatter, rtol=1e-12)


def test_an_outlier_in_the_first_row_costs_no_digits_of_the_others_group() -> None:
    random = np.random.default_rng(9)
    column = random.normal(0, 1, 40_000)
    column[0] = 1e12
    groups = np.ones(40_000, np.uint32)
    groups[0] = 0
    n, _, scatter = _core.group_moments([column], groups, 2, None)
    assert n.tolist() == [1.0, 39_999.0]
    np.testing.assert_allclose(scatter[1, 0, 0], np.var(column[1:]) * 39_999, rtol=1e-12)
    assert scatter[0, 0, 0] == 0.0


def test_moments_are_bit_identical_for_any_number_of_threads() -> None:
    random = np.random.default_rng(10)
    columns = [random.normal(1e6, 3, 200_003) for _ in range(4)]
    groups: npt.NDArray[np.uint32] = random.integers(0, 5, 200_003).astype(np.uint32)
    weights = random.random(200_003)
    once = _core.group_moments(columns, groups, 5, weights, 1)
    for threads in (2, 3, 8):
        for first, second in zip(
            once, _core.group_moments(columns, groups, 5, weights, threads), strict=True
        ):
            np.testing.assert_array_equal(first, second)


def test_scatter_is_symmetric_and_groups_without_rows_are_zero() -> None:
    random = np.random.default_rng(11)
    columns = [random.normal(size=500) for _ in range(3)]
    n, mean, scatter = _core.group_moments(columns, np.full(500, 2, np.uint32), 4, None)
    np.testing.assert_array_equal(scatter, np.swapaxes(scatter, 1, 2))
    assert n.tolist() == [0.0, 0.0, 500.0, 0.0]
    assert not mean[[0, 1, 3]].any()
    assert not scatter[[0, 1, 3]].any()


def test_bad_columns_groups_and_weights_are_named() -> None:
    x = np.zeros(4)
    g = np.array([0, 1, 2, MISSING], np.uint32)
    for kernels in (_core, reference):
        with pytest.raises(ValueError, match="groups, row 2: group 2"):
            kernels.group_moments([x], g, 2, None)
        with pytest.raises(ValueError, match="n_groups must be 1"):
            kernels.group_moments([x], None, 2, None)
        with pytest.raises(ValueError, match="column 0, row 3 is infinite"):
            kernels.group_moments([np.array([0, 0, 0, np.inf])], None, 1, None)
        for bad in (-1.0, np.nan, np.inf):
            with pytest.raises(ValueError, match="weights, row 1"):
                kernels.group_moments([x], None, 1, np.array([1, bad, 1, 1]))
        with pytest.raises(ValueError, match="rows"):
            kernels.group_moments([x, x[:2]], None, 1, None)
        with pytest.raises(ValueError, match="rows"):
            kernels.group_moments([x], g[:3], 4, None)
    with pytest.raises(ValueError, match="float64"):
        _core.group_moments([np.zeros(4, np.float32)], None, 1, None)
