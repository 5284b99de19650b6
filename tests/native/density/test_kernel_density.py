"""Kernel densities: against direct sums, within the stated error, in the tails, integrating to 1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import FloatArray


@st.composite
def point_sets(draw: st.DrawFn) -> tuple[FloatArray, FloatArray | None, float, FloatArray]:
    """Points of many shapes (ties, outliers, gaps), weights, a bandwidth, queries near and far."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([1, 2, 3, 5, 50, 700]))
    points = {
        "normal": random.normal(size=n),
        "heavy tails": random.standard_cauchy(n),
        "rounded": np.round(random.normal(size=n), 1),
        "two heaps": np.r_[random.normal(size=n), random.normal(25, 1, n)],
        "far from zero": 1e6 + random.normal(size=n),
    }[draw(st.sampled_from(["normal", "heavy tails", "rounded", "two heaps", "far from zero"]))]
    points = np.sort(points)
    weights = {
        "none": None,
        "like": random.random(len(points)) + 0.01,
        "unlike": 10.0 ** random.uniform(-9, 3, len(points)),
    }[draw(st.sampled_from(["none", "like", "unlike"]))]
    bandwidth = draw(st.sampled_from([0.01, 0.1, 0.5, 3.0]))
    middle = float(np.median(points))
    near = random.choice(points, 150) + random.normal(0, 2 * bandwidth, 150)
    queries = np.r_[near, middle + random.uniform(-60, 60, 60), middle + 3e4, points[0], points[-1]]
    return points, weights, bandwidth, queries


@settings(max_examples=120, deadline=None)
@given(point_sets(), st.sampled_from([0.0, 1e-12, 1e-9, 1e-6, 1e-3]))
def test_densities_are_those_of_direct_sums(
    data: tuple[FloatArray, FloatArray | None, float, FloatArray], error: float
) -> None:
    points, weights, bandwidth, queries = data
    got = _core.kernel_log_density([points], [weights], [bandwidth], queries, error)
    exact = reference.kernel_log_density([points], [weights], [bandwidth], queries)
    # The oracle itself rounds: the squared distance in bandwidths, to 16 digits.
    allowed = max(error, 1e-12) + 1e-14 * np.abs(exact)
    assert np.all(np.abs(got - exact) <= allowed)


@settings(max_examples=60, deadline=None)
@given(point_sets())
def test_held_out_densities_are_those_of_the_reference(
    data: tuple[FloatArray, FloatArray | None, float, FloatArray],
) -> None:
    points, weights, bandwidth, _ = data
    points, first = np.unique(points, return_index=True)
    weights = None if weights is None else weights[first]
    got = _core.kernel_held_out(points, weights, bandwidth)
    exact = reference.kernel_held_out(points, weights, bandwidth)
    np.testing.assert_array_equal(np.isneginf(got), np.isneginf(exact))
    seen = ~np.isneginf(exact)
    assert np.all(np.abs(got[seen] - exact[seen]) <= 1e-6 + 1e-12 * np.abs(exact[seen]))


@pytest.mark.parametrize("error", [0.0, 1e-6])
def test_thousands_of_points_and_queries_of_several_classes(error: float) -> None:
    random = np.random.default_rng(1)
    points = [np.sort(random.normal(k, 1 + k, 3000 + k)) for k in range(3)]
    queries = random.normal(1, 4, 2000)
    got = _core.kernel_log_density(points, [None] * 3, [0.2, 0.15, 0.4], queries, error)
    assert got.shape == (2000, 3)
    for k, h in enumerate([0.2, 0.15, 0.4]):
        z = (queries[:, None] - points[k]) / h
        exact = logsumexp(-0.5 * z * z, axis=1) - np.log(len(points[k]) * h * np.sqrt(2 * np.pi))
        assert np.all(np.abs(got[:, k] - exact) <= max(error, 1e-10))


def test_a_density_integrates_to_one() -> None:
    random = np.random.default_rng(2)
    points, weights = np.sort(random.standard_cauchy(300)), random.random(300)
    places = np.concatenate([points + offset for offset in np.linspace(-3.0, 3.0, 1201)])
    places = np.unique(places)
    for error in (0.0, 1e-6):
        density = np.exp(_core.kernel_log_density([points], [weights], [0.25], places, error)[:, 0])
        assert abs(np.trapezoid(density, places) - 1) < 1e-4


def test_far_points_have_finite_logs_and_infinite_ones_none() -> None:
    points, weights = np.array([-1.0, 0.0, 2.0]), np.array([1.0, 2.0, 1.0])
    queries = np.array([1e3, -1e8, 1e15, 1e200, -1e308, np.inf, -np.inf, np.nan])
    for error in (0.0, 1e-6):
        got = _core.kernel_log_density([points], [weights], [0.5], queries, error)[:, 0]
        assert np.all(np.isfinite(got[:5]))
        assert np.all(np.isneginf(got[5:7]))
        assert np.isnan(got[7])
        np.testing.assert_allclose(got[:3], -0.5 * ((queries[:3] - [2, -1, 2]) / 0.5) ** 2, rtol=1e-5)
        assert got[4] == got[3] == -np.finfo(float).max


def test_a_class_without_points_has_density_zero() -> None:
    got = _core.kernel_log_density(
        [np.zeros(0), np.zeros(1)], [None, None], [1.0, 1.0], np.array([0.0, np.nan])
    )
    assert np.isneginf(got[0, 0])
    assert np.isfinite(got[0, 1])
    assert np.isnan(got[1]).all()
    assert _core.kernel_log_density([], [], [], np.zeros(3)).shape == (3, 0)


def test_the_last_point_held_out_leaves_nothing() -> None:
    assert np.isneginf(_core.kernel_held_out(np.array([4.0]), None, 1.0)).all()
    assert np.isfinite(_core.kernel_held_out(np.array([4.0]), np.array([3.0]), 1.0)).all()


def test_densities_are_bit_identical_for_any_number_of_threads() -> None:
    random = np.random.default_rng(4)
    points, queries = [np.sort(random.normal(size=4000))], random.normal(size=5000)
    for error in (0.0, 1e-6):
        once = _core.kernel_log_density(points, [None], [0.1], queries, error, 1)
        for threads in (2, 5):
            again = _core.kernel_log_density(points, [None], [0.1], queries, error, threads)
            np.testing.assert_array_equal(once, again)


def test_bad_points_bandwidths_and_errors_are_named() -> None:
    x = np.array([0.0, 1.0])
    for kernels in (_core, reference):
        for bad in (0.0, -1.0, np.nan, np.inf, 5e-324):
            with pytest.raises(ValueError, match="class 0: the bandwidth"):
                kernels.kernel_log_density([x], [None], [bad], x)
        for values in (x[::-1].copy(), np.array([0.0, np.inf]), np.array([np.nan, 1.0])):
            with pytest.raises(ValueError, match="ascending"):
                kernels.kernel_log_density([values], [None], [1.0], x)
        with pytest.raises(ValueError, match="positive"):
            kernels.kernel_held_out(x, np.array([1.0, 0.0]), 1.0)
        with pytest.raises(ValueError, match="weights"):
            kernels.kernel_held_out(x, np.array([1.0]), 1.0)
        with pytest.raises(ValueError, match="each a class"):
            kernels.kernel_log_density([x], [None, None], [1.0], x)
        for error in (1e-14, -1.0, 0.6, np.nan):
            with pytest.raises(ValueError, match="relative_error"):
                kernels.kernel_log_density([x], [None], [1.0], x, error)
