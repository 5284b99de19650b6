"""Counter-based draws: published answers, the reference, and independence of batches and threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou._native.reference.sampling import philox

SEEDS = st.integers(0, 2**64 - 1)
MISSING = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_known_answers_published_with_it(
    counter: tuple[int, ...], key: tuple[int, int], answer: tuple[int, ...]
) -> None:
    assert tuple(philox(np.array([counter], np.uint64), key)[0].tolist()) == answer


@settings(max_examples=100, deadline=None)
@given(
    SEEDS, SEEDS, st.integers(0, 2**64 - 2**20), st.integers(1, 300), st.integers(1, 20), st.integers(0, 3000)
)
def test_categorical_draws_are_bit_for_bit_those_of_the_reference(
    seed: int, stream: int, first_row: int, states: int, q: int, n: int
) -> None:
    random = np.random.default_rng(states * q)
    cumulative = np.minimum(np.cumsum(random.dirichlet(np.full(states, 0.3), q), axis=1), 1.0)
    groups = random.integers(0, q, n).astype(np.uint32)
    groups[random.random(n) < 0.05] = MISSING
    got = _core.sample_categorical(seed, stream, first_row, groups, cumulative, n, 2)
    wanted = reference.sample_categorical(seed, stream, first_row, groups, cumulative, n)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


@settings(max_examples=50, deadline=None)
@given(SEEDS, SEEDS, st.integers(0, 2**64 - 2**20), st.integers(0, 3000))
def test_normal_draws_are_those_of_the_reference(seed: int, stream: int, first_row: int, n: int) -> None:
    got = _core.sample_normal(seed, stream, first_row, n)
    np.testing.assert_allclose(
        got, reference.sample_normal(seed, stream, first_row, n), rtol=1e-12, atol=1e-12
    )


def test_a_row_is_the_same_whatever_the_batch_or_the_threads() -> None:
    cumulative = np.array([[0.2, 0.5, 1.0]])
    whole = _core.sample_categorical(5, 9, 0, None, cumulative, 50_000, 1)
    normal = _core.sample_normal(5, 9, 0, 50_000, 1)
    for first, n, threads in [(0, 50_000, 4), (1, 1, 1), (255, 257, 2), (12_345, 20_000, 3)]:
        part = _core.sample_categorical(5, 9, first, None, cumulative, n, threads)
        np.testing.assert_array_equal(part, whole[first : first + n])
        np.testing.assert_array_equal(_core.sample_normal(5, 9, first, n, threads), normal[first : first + n])


def test_seeds_and_streams_differ() -> None:
    draws = [
        tuple(_core.sample_normal(seed, stream, 0, 4)) for seed in (0, 1, 2**40) for stream in (0, 1, 2**40)
    ]
    assert len(set(draws)) == 9


@pytest.mark.parametrize("states", [3, 40])
def test_states_without_probability_are_never_drawn(states: int) -> None:
    probabilities = np.zeros((2, states))
    probabilities[0, 1] = 1.0
    probabilities[1, [1, states - 2]] += [
        0.3,
        0.6999999,
    ]  # a sum below 1: the last possible state takes the rest
    cumulative = np.cumsum(probabilities, axis=1)
    groups = np.tile(np.array([0, 1], np.uint32), 100_000)
    for kernels in (_core, reference):
        codes = kernels.sample_categorical(3, 0, 0, groups, cumulative, 200_000)
        assert set(codes[::2].tolist()) == {1}
        assert set(codes[1::2].tolist()) == {1, states - 2}


def test_a_sum_far_below_one_leaves_the_rest_to_the_last_possible_state() -> None:
    for kernels in (_core, reference):
        codes = kernels.sample_categorical(3, 0, 0, None, np.array([[0.0, 1e-9, 1e-9]]), 10_000)
        assert set(codes.tolist()) == {1}


def test_frequencies_and_normal_moments_are_near_what_was_asked() -> None:
    codes = _core.sample_categorical(1, 2, 3, None, np.array([[0.1, 0.4, 1.0]]), 400_000)
    np.testing.assert_allclose(np.bincount(codes) / 400_000, [0.1, 0.3, 0.6], atol=0.004)
    normal = _core.sample_normal(1, 2, 3, 400_000)
    assert abs(normal.mean()) < 0.008
    assert abs(normal.std() - 1) < 0.006
    assert abs((normal**4).mean() - 3) < 0.1


def test_the_code_type_is_the_smallest_that_also_holds_missing() -> None:
    for kernels in (_core, reference):
        for states, dtype in [(255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.uint32)]:
            cumulative = np.linspace(0, 1, states + 1)[None, 1:].copy()
            missing = np.array([MISSING], np.uint32)
            codes = kernels.sample_categorical(0, 0, 0, missing, cumulative, 1)
            assert codes.dtype == dtype
            assert codes[0] == np.iinfo(dtype).max


def test_bad_tables_groups_and_sizes_are_refused() -> None:
    good = np.array([[0.5, 1.0]])
    groups = np.array([0, 1], np.uint32)
    for kernels in (_core, reference):
        for bad in ([[0.5, 0.4]], [[-0.1, 1.0]], [[0.5, 1.1]], [[np.nan, 1.0]], [[0.5, np.nan]]):
            with pytest.raises(ValueError, match="cumulative, group 0, state"):
                kernels.sample_categorical(0, 0, 0, None, np.array(bad), 2)
        with pytest.raises(ValueError, match="no state has a positive probability"):
            kernels.sample_categorical(0, 0, 0, None, np.zeros((1, 2)), 2)
        with pytest.raises(ValueError, match="no states"):
            kernels.sample_categorical(0, 0, 0, None, np.zeros((1, 0)), 2)
        with pytest.raises(ValueError, match="groups, row 1: group 1"):
            kernels.sample_categorical(0, 0, 0, groups, good, 2)
        with pytest.raises(ValueError, match="groups has 2 rows"):
            kernels.sample_categorical(0, 0, 0, groups, good, 3)
        with pytest.raises(ValueError, match="one row"):
            kernels.sample_categorical(0, 0, 0, None, np.ones((2, 2)), 3)
        with pytest.raises(ValueError, match="beyond 2\\*\\*64"):
            kernels.sample_normal(0, 0, 2**64 - 1, 2)
        with pytest.raises(ValueError, match="n"):
            kernels.sample_normal(0, 0, 0, -1)
