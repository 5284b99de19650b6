"""Kernels of linear Gaussian series against their plain numpy references, and on long and hard series."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou import _native
from bayou._native import _core
from bayou._native.reference.temporal import kalman as reference

Series = tuple[list[np.ndarray], np.ndarray, np.ndarray, np.ndarray]


def random_covariance(chance: np.random.Generator, size: int, rank: int | None = None) -> np.ndarray:
    root = chance.normal(size=(size, size if rank is None else rank))
    return root @ root.T / max(size, 1) + (0.2 * np.eye(size) if rank is None else 0.0)


def random_series(seed: int, *, flat: bool = False) -> Series:
    """A random system, and sequences of it with gaps and inputs; ``flat``: some noise is singular."""
    chance = np.random.default_rng(seed)
    n, m, k = (int(chance.integers(low, 5)) for low in (1, 1, 0))
    turn, _ = np.linalg.qr(chance.normal(size=(n, n)))
    transition = turn * chance.uniform(0.3, 1.02)
    system = [
        transition,
        chance.normal(size=(n, k)),
        random_covariance(chance, n, int(chance.integers(0, n + 1)) if flat else None),
        chance.normal(size=(m, n)),
        chance.normal(size=(m, k)),
        random_covariance(chance, m),
        chance.normal(size=n),
        random_covariance(chance, n, int(chance.integers(0, n + 1)) if flat else None),
    ]
    lengths = chance.integers(0, 12, int(chance.integers(1, 5)))
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = chance.normal(size=(starts[-1], m)) * 2
    values[chance.random(values.shape) < chance.choice([0.0, 0.3])] = np.nan
    return (
        [np.ascontiguousarray(part) for part in system],
        starts,
        values,
        chance.normal(size=(starts[-1], k)),
    )


def assert_close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, tolerance)
    else:
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_filter_and_smoother_equal_the_textbook_formulas(seed: int, flat: bool, threads: int) -> None:
    case = random_series(seed, flat=flat)
    assert_close(_core.kalman_filter(*case, True, threads), reference.kalman_filter(*case))
    # Where noise is singular the reference, which inverts covariances, loses digits that the kernel keeps.
    lost = 1e-7 if flat else 1e-9
    assert_close(_core.kalman_smooth(*case, threads), reference.kalman_smooth(*case), lost)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_expected_statistics_equal_the_textbook_formulas(seed: int, flat: bool) -> None:
    system, starts, values, inputs = random_series(seed, flat=flat)
    other = random_series(seed)[0]
    chance = np.random.default_rng(seed)
    about = [part + 0.1 * chance.normal(size=part.shape) for part in other]
    weights = chance.uniform(0, 2, len(starts) - 1)
    case = (system, about, starts, values, inputs, weights)
    assert_close(_core.kalman_expect(*case), reference.kalman_expect(*case), 1e-6 if flat else 1e-8)


def tracking(start: float, noise: float) -> list[np.ndarray]:
    """Four states, position and speed in two directions; two positions are seen."""
    move = np.kron(np.eye(2), np.array([[1.0, 1.0], [0.0, 1.0]]))
    jerk = np.kron(np.eye(2), np.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])) * 1e-3
    seen = np.kron(np.eye(2), np.array([[1.0, 0.0]]))
    none = np.zeros((4, 0)), np.zeros((2, 0))
    return [move, none[0], jerk, seen, none[1], np.eye(2) * noise, np.zeros(4), np.eye(4) * start]


@pytest.mark.parametrize(("start", "noise"), [(10.0, 1.0), (1e7, 1e-6)])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_covariances_stay_positive_definite_for_many_steps(start: float, noise: float, gaps: float) -> None:
    chance = np.random.default_rng(0)
    rows = 100_000
    values = np.cumsum(chance.normal(size=(rows, 2)), axis=0)
    values[chance.random(values.shape) < gaps] = np.nan
    ends = np.array([0, rows])
    system = tracking(start, noise)
    nothing = np.zeros((rows, 0))
    _, _, means, covariances, failed = _core.kalman_filter(system, ends, values, nothing)
    assert failed == -1
    np.linalg.cholesky(covariances)  # raises unless all are positive definite
    _, smooth, narrow, failed = _core.kalman_smooth(system, ends, values, nothing)
    assert failed == -1
    np.linalg.cholesky(narrow)
    assert np.isfinite(means).all()
    assert np.isfinite(smooth).all()
    assert (np.einsum("tii->ti", narrow) <= np.einsum("tii->ti", covariances) * (1 + 1e-9)).all()


@pytest.mark.parametrize("gaps", [0.0, 0.01])
def test_a_steady_filter_is_the_filter_beyond_twelve_digits(gaps: float) -> None:
    chance = np.random.default_rng(1)
    rows = 3000
    values = np.cumsum(chance.normal(size=(rows, 2)), axis=0)
    values[chance.random(rows) < gaps] = np.nan
    case = (tracking(10.0, 1.0), np.array([0, rows]), values, np.zeros((rows, 0)))
    assert_close(_core.kalman_filter(*case), reference.kalman_filter(*case), 1e-11)
    assert_close(_core.kalman_smooth(*case), reference.kalman_smooth(*case), 1e-10)
    covariances = _core.kalman_filter(*case)[3]
    assert gaps or np.array_equal(covariances[-1], covariances[-600])  # the matrices are kept


def test_long_series_in_blocks_are_smoothed_as_in_one() -> None:
    chance = np.random.default_rng(2)
    rows = 200_000  # so many that the backward pass keeps blocks
    values = np.cumsum(chance.normal(size=(rows, 2)), axis=0)
    values[chance.random(values.shape) < 0.2] = np.nan
    system = tracking(10.0, 1.0)
    _, means, covariances, _ = _core.kalman_smooth(system, np.array([0, rows]), values, np.zeros((rows, 0)))
    # The states near the end depend on rows before only through the filtered state there.
    _, _, filtered, spreads, _ = _core.kalman_filter(system, np.array([0, rows]), values, np.zeros((rows, 0)))
    cut = rows - 150_000
    prior = [*system[:6], filtered[cut], spreads[cut]]
    tail = values[cut:].copy()
    tail[0] = np.nan
    rest = len(tail)
    _, again, narrow, _ = _core.kalman_smooth(prior, np.array([0, rest]), tail, np.zeros((rest, 0)))
    assert_close(again, means[cut:], 1e-8)
    assert_close(narrow, covariances[cut:], 1e-8)


def test_threads_change_no_bit() -> None:
    chance = np.random.default_rng(3)
    lengths = chance.integers(0, 3000, 40)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = chance.normal(size=(starts[-1], 2))
    values[chance.random(values.shape) < 0.05] = np.nan
    nothing, system = np.zeros((starts[-1], 0)), tracking(10.0, 1.0)
    one, two = (_core.kalman_expect(system, system, starts, values, nothing, None, k) for k in (1, 2))
    for left, right in zip(one[1:4], two[1:4], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


def test_a_row_without_a_density_is_named() -> None:
    one, none = np.ones((1, 1)), np.zeros((1, 0))
    still = [one, none, 0 * one, one, none, 0 * one, np.zeros(1), 0 * one]
    for kernels in (_core, reference):
        values = np.array([[np.nan], [np.nan], [1.0]])
        found = kernels.kalman_filter(still, np.array([0, 1, 3]), values, np.zeros((3, 0)))
        assert found[-1] == 2
    grows = [one * 1e200, none, one, one, none, one, np.zeros(1), one]
    values = np.full((10, 1), np.nan)
    assert _core.kalman_filter(grows, np.array([0, 10]), values, np.zeros((10, 0)))[-1] > 0


def test_arrays_of_other_shapes_are_refused() -> None:
    system, starts, values, inputs = random_series(1)
    with pytest.raises(ValueError, match="eight arrays"):
        _native.kalman_filter(system[:7], starts, values, inputs)
    with pytest.raises(ValueError, match="values has length"):
        _native.kalman_filter(system, starts, values[1:], inputs[1:])
    with pytest.raises(ValueError, match="start mean"):
        _native.kalman_filter([*system[:6], np.zeros(9), system[7]], starts, values, inputs)
