"""The kernels of particle filters against their references, and against what is known of their results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayou._native import _core
from bayou._native.reference.temporal import particles as reference

KINDS = {"systematic": 0, "stratified": 1, "residual": 2, "multinomial": 3}


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 1023, 1024, 1025, 3333, 20000])
def test_normal_numbers_are_those_of_the_reference_for_any_number_of_threads(n: int) -> None:
    for seed, stream in ((0, 0), (2**64 - 1, 2**63 + 7)):
        one, two = (_core.normal_numbers(seed, stream, n, threads=threads) for threads in (1, 2))
        assert np.array_equal(one, two)
        assert np.allclose(one, reference.normal_numbers(seed, stream, n), rtol=0, atol=1e-11)


def test_normal_numbers_are_normal_and_do_not_repeat() -> None:
    numbers = _core.normal_numbers(5, 1, 400_000)
    assert len(np.unique(numbers)) > 399_900
    assert stats.kstest(numbers, "norm").pvalue > 0.001
    assert abs(stats.kurtosis(numbers)) < 0.04
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.008
    assert abs(np.corrcoef(numbers**2, _core.normal_numbers(5, 2, 400_000) ** 2)[0, 1]) < 0.008
    block = numbers[: 1024 * 390].reshape(-1, 4, 256)  # cosines and sines of the same words
    for other in (1, 2, 3):
        assert abs(np.corrcoef(block[:, 0].ravel(), block[:, other].ravel())[0, 1]) < 0.012
        assert abs(np.corrcoef(block[:, 0].ravel() ** 2, block[:, other].ravel() ** 2)[0, 1]) < 0.012


@given(st.integers(1, 3000), st.floats(0, 400), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_weights_are_those_of_the_reference(n: int, scale: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    before, logs = random.normal(0, scale, n), random.normal(-50, scale, n)
    logs[random.random(n) < 0.1] = -np.inf
    ours, expected = _core.weigh_particles(before, logs), reference.weigh_particles(before, logs)
    assert np.array_equal(ours[0], expected[0])
    assert np.allclose(ours[1], expected[1], rtol=1e-12, atol=1e-300)
    assert np.allclose(ours[2:], expected[2:], rtol=1e-12)


def test_weights_of_logs_that_are_no_numbers_are_refused_by_a_nan() -> None:
    zeros = np.zeros(3)
    assert np.isnan(_core.weigh_particles(zeros, np.array([0.0, np.nan, 1.0]))[2])
    assert np.isnan(_core.weigh_particles(zeros, np.array([0.0, np.inf, 1.0]))[2])
    assert _core.weigh_particles(zeros, np.full(3, -np.inf))[2] == -np.inf


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@given(
    st.integers(1, 5000), st.integers(0, 2**64 - 1), st.integers(0, 999), st.sampled_from([0.0, 1.0, 30.0])
)
@settings(max_examples=25, deadline=None)
def test_ancestors_are_those_of_the_reference(kind: int, n: int, seed: int, step: int, scale: float) -> None:
    random = np.random.default_rng(seed)
    weights = np.exp(random.normal(0, scale, n))
    weights[random.random(n) < 0.3] = 0
    weights[random.integers(n)] = 1.0
    one, two = (_core.resample_particles(weights, kind, seed, step, threads) for threads in (1, 2))
    assert np.array_equal(one, two)
    assert (weights[one] > 0).all()
    # Points that lie on the border of two particles to the last digit may fall to either of them.
    assert (one != reference.resample_particles(weights, kind, seed, step)).sum() <= 1


@pytest.mark.parametrize("kind", KINDS, ids=KINDS)
def test_every_particle_has_its_share_of_offspring(kind: str) -> None:
    n = 1500
    weights = np.random.default_rng(1).gamma(0.3, 1, n)
    expected = n * weights / weights.sum()
    runs = 4000
    counts = np.zeros((runs, n), np.int16)
    for seed in range(runs):
        counts[seed] = np.bincount(_core.resample_particles(weights, KINDS[kind], seed, 3), minlength=n)
    apart = counts.mean(axis=0) - expected
    error = np.maximum(counts.std(axis=0), 1e-3) / np.sqrt(runs)
    assert np.abs(apart / np.maximum(error, 1e-2 / np.sqrt(runs))).max() < 6
    assert abs((apart / np.maximum(error, 1e-3)).mean()) < 0.2
    if kind in ("systematic", "residual"):
        assert (counts >= np.floor(expected - 1e-9)).all()
    if kind == "systematic":
        assert (counts <= np.ceil(expected + 1e-9)).all()
    if kind == "stratified":
        assert (np.abs(counts - expected) < 2).all()


def test_weights_that_cannot_be_resampled_are_refused() -> None:
    for bad in ([0.0, 0.0], [1.0, -0.1], [np.nan, 1.0], [np.inf, 1.0]):
        for kernels in (_core, reference):
            with pytest.raises(ValueError, match="weights"):
                kernels.resample_particles(np.array(bad), 0, 0, 1)
    with pytest.raises(ValueError, match="resampling"):
        _core.resample_particles(np.ones(2), 4, 0, 1)


@given(st.integers(1, 3000), st.integers(0, 99), st.booleans())
@settings(max_examples=40, deadline=None)
def test_quantiles_are_those_of_the_reference(n: int, seed: int, even: bool) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(0, 50, n).astype(np.float64)
    weights = np.full(n, 1 / n) if even else random.gamma(0.2, 1, n)
    levels = [0.0, 0.05, 0.5, 0.95, 1.0]
    ours = _core.weighted_quantiles(values, weights, levels)
    assert np.array_equal(ours, reference.weighted_quantiles(values, weights, levels))
    if even:
        assert np.array_equal(ours[1:], np.quantile(values, levels[1:], method="inverted_cdf"))


@given(st.integers(1, 3000), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_moments_are_those_of_the_reference(n: int, columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    values, weights = random.normal(1e6, 1, (n, columns)), random.gamma(0.2, 1, n) + 1e-9
    values[0] = 0.0
    ours, expected = _core.weighted_moments(values, weights), reference.weighted_moments(values, weights)
    assert np.allclose(ours[0], expected[0], rtol=1e-12)
    assert np.allclose(ours[1], expected[1], rtol=1e-9, atol=1e-7)
    shifted = _core.normal_numbers(seed, 1, n, 3.0, 0.5)
    assert np.allclose(shifted, 3 + 0.5 * reference.normal_numbers(seed, 1, n), atol=1e-10)


def linear(run: Any, guided: bool, rows: int, keep: bool, d: int, threads: int | None) -> Any:
    random = np.random.default_rng(d)
    k = 1 if d == 1 else 2
    sets = np.arange(rows, dtype=np.int64) % 2
    F, G, H, ahead = (random.normal(0, 0.4, (2, a, d)) for a in (d, d, k, k))
    vectors = [random.normal(0, 1, (rows, d)), random.normal(0, 1, (rows, k)), random.normal(0, 1, rows)]
    last = [random.normal(0, 1, (rows, k)), random.normal(0, 1, rows)]
    more = () if threads is None else (threads,)
    return run.run_linear(sets, F, G, H, *vectors, guided, ahead, *last, [0.1, 0.9], keep, *more)


def volatility(run: Any, guided: bool, rows: int, keep: bool, d: int, threads: int | None) -> Any:
    seen = np.random.default_rng(3).normal(0, 0.7, rows)
    seen[rows // 2] = np.nan
    seen[1] = 30.0
    more = () if threads is None else (threads,)
    return run.run_volatility(-0.5, 0.9, 0.4, 0.9, seen, guided, [0.5], keep, *more)


def codes(run: Any, guided: bool, rows: int, keep: bool, d: int, threads: int | None) -> Any:
    random = np.random.default_rng(4)
    k = 20 if d > 1 else 3
    transition = random.dirichlet(np.full(k, 0.3), k)
    transition[0] = np.eye(k)[1]
    more = () if threads is None else (threads,)
    logs = random.normal(0, 1, (rows, k))
    logs[2] = 0.0
    return run.run_codes(np.full(k, 1 / k), transition, logs, guided, keep, *more)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize(("guided", "ahead"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("work", [linear, volatility, codes])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_runs_are_those_of_the_reference(kind: int, work: Any, guided: bool, ahead: bool, d: int) -> None:
    for n, below in ((700, 0.6), (5000, 1.0)):
        one, two = (_core.ParticleRun(n, 11, kind, below, ahead) for _ in range(2))
        known = reference.ParticleRun(n, 11, kind, below, ahead)
        for _ in range(2):  # a run goes on
            first, second = work(one, guided, 5, True, d, 1), work(two, guided, 5, True, d, 2)
            expected = work(known, guided, 5, True, d, None)
            assert first[0] == expected[0] == 5
            assert all(np.array_equal(a, b) for a, b in zip(first[1:], second[1:], strict=True))
            assert np.array_equal(first[3], expected[3])
            for ours, theirs in zip(first[1:], expected[1:], strict=True):
                assert np.allclose(ours.ravel(), theirs.ravel(), rtol=1e-9, atol=1e-9)
        assert np.allclose(one.particles()[1], known.particles()[1], atol=1e-9)


def test_a_run_stops_at_the_row_that_leaves_no_weight() -> None:
    logs = np.zeros((4, 2))
    logs[2] = -np.inf
    for kernels in (_core, reference):
        run = kernels.ParticleRun(10, 0, 0, 0.5, False)
        assert run.run_codes(np.array([0.5, 0.5]), np.eye(2), logs, False, False)[0] == 2


def test_arrays_that_do_not_fit_are_refused() -> None:
    run = _core.ParticleRun(10, 0, 0, 0.5, False)
    with pytest.raises(ValueError, match="transition"):
        run.run_codes(np.array([0.5, 0.5]), np.eye(3), np.zeros((4, 2)), False, False)
    with pytest.raises(ValueError, match="particles"):
        _core.ParticleRun(0, 0, 0, 0.5, False)
    one, sets = np.ones((1, 1, 1)), np.array([1])
    with pytest.raises(ValueError, match="a set is 1"):
        run.run_linear(
            sets, one, one, one, one[0], one[0], one[0, 0], False, one, one[0], one[0, 0], [], False
        )
