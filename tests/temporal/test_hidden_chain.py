"""The kernels of hidden chains against their numpy references, which work in logarithms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou import _native
from bayou._native.reference import all_kernels as reference


def problem(
    seed: int, states: int, symbols: int, lengths: list[int], *, dense: bool, zeros: bool, ends: bool
):
    chance = np.random.default_rng(seed)
    start = chance.dirichlet(np.ones(states))
    transition = chance.dirichlet(np.ones(states), size=states)
    if zeros:
        transition = np.triu(transition) + np.eye(states) * 1e-3
        transition /= transition.sum(axis=1, keepdims=True)
    end = chance.uniform(0.01, 0.3, states) if ends else None
    if end is not None:
        transition = transition * (1 - end)[:, None]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rows = int(starts[-1])
    codes = chance.integers(0, symbols + 1, rows).astype(np.uint8)
    codes[codes == symbols] = 255
    table = np.vstack([chance.dirichlet(np.ones(symbols), size=states).T, np.ones(states)])
    logs = chance.normal(0, 3, (rows, states)) if dense else None
    columns, tables = ([codes], [np.ascontiguousarray(table)])
    if dense and seed % 2:
        columns, tables = [], []
    return (start, np.ascontiguousarray(transition), end, starts, columns, tables, logs)


def agree(own, plain, **tolerance):
    """The results of a kernel and its reference are the same, also in lists and tuples of arrays."""
    for left, right in zip(own, plain, strict=True):
        if isinstance(left, (list, tuple)):
            agree(left, right, **tolerance)
        else:
            np.testing.assert_allclose(left, right, **{"rtol": 1e-10, "atol": 1e-12, **tolerance})


def gaussian_columns(seed: int, rows: int, states: int, columns: int, scale: float = 1.0):
    """Columns of a matrix, as the kernels take them, with means, whiteners and constants."""
    chance = np.random.default_rng(seed)
    whiteners = np.tril(chance.normal(0, 0.4, (states, columns, columns)))
    whiteners[:, np.arange(columns), np.arange(columns)] = chance.uniform(0.5, 2, (states, columns))
    packed = np.ascontiguousarray(whiteners[:, np.tril_indices(columns)[0], np.tril_indices(columns)[1]])
    matrix = chance.normal(0, scale, (rows, columns))
    return (
        [matrix[:, j] for j in range(columns)],
        chance.normal(0, 1, (states, columns)),
        packed,
        chance.random(states),
    )


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.integers(1, 6),
    st.lists(st.integers(0, 90), min_size=1, max_size=20),
    st.sampled_from(["alone", "coded", "dense"]),
    st.booleans(),
)
def test_gaussian_columns_agree_with_the_references(seed, states, columns, lengths, beside, ends):
    given_ = problem(seed, states, 3, lengths, dense=beside == "dense", zeros=False, ends=ends)
    given_ = (*given_[:4], [], [], given_[6]) if beside == "alone" else given_
    gaussian = gaussian_columns(seed, int(given_[3][-1]), states, columns)
    weights = np.random.default_rng(seed).uniform(0, 2, len(lengths))
    agree(
        _native.filter_chain(*given_, gaussian=gaussian), reference.filter_chain(*given_, gaussian=gaussian)
    )
    own = _native.expect_chain(*given_, weights, smoothed=True, gaussian=gaussian)
    agree(
        own, reference.expect_chain(*given_, weights, smoothed=True, gaussian=gaussian), rtol=1e-9, atol=1e-9
    )
    path, logs = _native.best_paths(*given_, gaussian=gaussian)
    other, expected = reference.best_paths(*given_, gaussian=gaussian)
    np.testing.assert_allclose(logs, expected, rtol=1e-12, atol=1e-12)
    assert path.tolist() == other.tolist()


def test_gaussian_columns_far_from_all_states_and_of_long_sequences():
    given_ = problem(5, 6, 3, [20_000, 3, 900], dense=False, zeros=True, ends=False)
    given_ = (*given_[:4], [], [], None)
    for scale in (1.0, 60.0):  # the second needs logarithms
        gaussian = gaussian_columns(1, int(given_[3][-1]), 6, 2, scale)
        own = [
            _native.expect_chain(*given_, None, smoothed=True, gaussian=gaussian, threads=k) for k in (1, 2)
        ]
        agree(own[0], own[1], rtol=0, atol=0)
        agree(
            own[0],
            reference.expect_chain(*given_, None, smoothed=True, gaussian=gaussian),
            rtol=1e-8,
            atol=1e-8,
        )


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.integers(1, 5),
    st.lists(st.integers(0, 30), min_size=1, max_size=20),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_kernels_agree_with_the_references(seed, states, symbols, lengths, dense, zeros, ends):
    given_ = problem(seed, states, symbols, lengths, dense=dense, zeros=zeros, ends=ends)
    weights = np.random.default_rng(seed).uniform(0, 2, len(lengths))
    agree(_native.filter_chain(*given_), reference.filter_chain(*given_))
    agree(
        _native.expect_chain(*given_, weights, smoothed=True),
        reference.expect_chain(*given_, weights, smoothed=True),
    )
    path, logs = _native.best_paths(*given_)
    other, expected = reference.best_paths(*given_)
    np.testing.assert_allclose(logs, expected, rtol=1e-12, atol=1e-12)
    assert path.tolist() == other.tolist()


def test_a_sequence_longer_than_a_stretch_and_any_number_of_threads():
    given_ = problem(3, 5, 4, [5000, 1, 2500, 1024, 1025, 1023], dense=False, zeros=False, ends=True)
    plain = reference.expect_chain(*given_, None, smoothed=True)
    one = _native.expect_chain(*given_, None, smoothed=True, threads=1)
    two = _native.expect_chain(*given_, None, smoothed=True, threads=2)
    agree(one, two, rtol=0, atol=0)
    agree(one, plain, rtol=1e-9, atol=1e-11)
    path, logs = _native.best_paths(*given_)
    other, expected = reference.best_paths(*given_)
    np.testing.assert_allclose(logs, expected, rtol=1e-12)
    assert path.tolist() == other.tolist()


def test_states_that_hardly_can_be_reached_are_not_lost():
    # State 0 fits the first steps far better, but cannot emit the last one; only what state 1 kept counts.
    start = np.array([0.5, 0.5])
    transition = np.array([[1.0, 0.0], [0.0, 1.0]])
    logs = np.array([[0.0, -800.0], [0.0, -900.0], [-np.inf, 0.0]])
    starts = np.array([0, 3])
    found = _native.expect_chain(start, transition, None, starts, [], [], logs, None, smoothed=True)
    assert found[0][0] == pytest.approx(np.log(0.5) - 1700)
    assert found[5].tolist() == [[0.0, 1.0]] * 3
    # The same, lost step by step, none of which is small by itself.
    logs = np.vstack([np.tile([0.0, -100.0], (20, 1)), [[-5000.0, 0.0]]])
    found = _native.filter_chain(start, transition, None, np.array([0, 21]), [], [], logs)
    assert found[0][0] == pytest.approx(np.log(0.5) - 2000, rel=1e-12)


def test_empty_sequences_beside_states_that_hardly_can_be_reached():
    transition = np.array([[1 - 1e-300, 1e-300], [0.5, 0.5]])
    table = np.array([[1 - 1e-9, 1e-9], [1e-9, 1 - 1e-9], [1.0, 1.0]])
    codes = np.array([0, 1, 1, 0, 0, 1, 0], np.uint8)
    starts = np.array([0, 3, 3, 7], np.int64)
    arguments = (np.array([1.0, 0.0]), transition, None, starts, [codes], [table], None, None)
    agree(_native.expect_chain(*arguments), reference.expect_chain(*arguments))


def test_impossible_sequences_have_minus_infinity_and_count_nothing():
    start, transition = np.array([1.0, 0.0]), np.array([[0.0, 1.0], [0.0, 1.0]])
    logs = np.array([[0.0, 0.0], [0.0, -np.inf], [0.0, 0.0]])
    found = _native.expect_chain(
        start, transition, None, np.array([0, 2, 3]), [], [], logs, None, smoothed=True
    )
    assert found[0].tolist() == [-np.inf, 0.0]
    assert found[1].tolist() == [1.0, 0.0]
    assert found[5][:2].tolist() == [[0.0, 0.0]] * 2
    path, probability = _native.best_paths(start, transition, None, np.array([0, 2, 3]), [], [], logs)
    assert probability.tolist() == [-np.inf, 0.0]
    assert path.tolist() == [0, 0, 0]


@pytest.mark.parametrize("rows", [0, 1, 7, 40_000])
def test_shared_moments(rows):
    chance = np.random.default_rng(rows)
    matrix, weights = chance.normal(5, 2, (rows, 3)), chance.random((rows, 4))
    centres = chance.normal(5, 1, (4, 3))
    own = _native.shared_moments(matrix, weights, centres, threads=2)
    for left, right in zip(own, reference.shared_moments(matrix, weights, centres), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)
    again = _native.shared_moments(matrix, weights, centres, threads=1)
    assert all(np.array_equal(left, right) for left, right in zip(own, again, strict=True))


def test_bad_arguments_are_refused():
    start, transition = np.array([0.5, 0.5]), np.full((2, 2), 0.5)
    with pytest.raises(ValueError, match="transition"):
        _native.best_paths(start, np.full((3, 3), 1 / 3), None, np.array([0]), [], [], None)
    with pytest.raises(ValueError, match="starts"):
        _native.best_paths(start, transition, None, np.array([1, 2]), [], [], None)
    with pytest.raises(ValueError, match="logs"):
        _native.best_paths(start, transition, None, np.array([0, 2]), [], [], np.zeros((1, 2)))
    with pytest.raises(ValueError, match="table"):
        _native.best_paths(
            start, transition, None, np.array([0, 1]), [np.zeros(1, np.uint8)], [np.ones((2, 3))], None
        )


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("dense", [False, True])
def test_a_long_sequence_runs_in_pieces_that_fit_together(dense, ends):
    given_ = problem(4, 3, 4, [20_000, 30], dense=dense, zeros=False, ends=ends)
    weights = np.array([2.0, 1.0])
    plain = reference.expect_chain(*given_, weights, smoothed=True)
    own = _native.expect_chain(*given_, weights, smoothed=True)
    # The reference adds 20,000 logarithms, which leaves it eight digits; the sum of all moves is exact.
    assert own[2].sum() == pytest.approx(2.0 * 19_999 + 29, rel=1e-13) or ends
    agree(own, plain, rtol=1e-7, atol=1e-8)
    for left, right in zip(_native.filter_chain(*given_), reference.filter_chain(*given_), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-7, atol=1e-8)


def test_a_chain_that_never_forgets_is_not_run_in_pieces():
    # Which of two states a sequence is in is settled by its first row only, so no piece can know it.
    start, transition = np.array([0.3, 0.7]), np.eye(2) * (1 - 1e-12) + 1e-12 * np.eye(2)[::-1]
    logs = np.zeros((40_000, 2))
    logs[0] = [0.0, -2.0]
    given_ = (start, transition, None, np.array([0, 40_000]), [], [], logs)
    own, plain = _native.filter_chain(*given_), reference.filter_chain(*given_)
    np.testing.assert_allclose(own[2], plain[2], atol=1e-9)
    np.testing.assert_allclose(own[0], plain[0], rtol=1e-9)


@pytest.mark.parametrize("dense", [False, True])
def test_codes_of_all_widths_and_several_columns(dense: bool) -> None:
    """Sequences of different length, so that lanes end before others; missing codes in each width."""
    start, transition, end, starts, columns, tables, logs = problem(
        4, 5, 7, [3, 70, 0, 41, 64, 65, 1, 2, 90, 33], dense=dense, zeros=False, ends=True
    )
    (codes,), (table,) = columns, tables
    wide = codes.astype(np.uint32)
    wide[codes == 255] = 2**32 - 1
    middle = wide.astype(np.uint16)
    assert middle.max() == 2**16 - 1
    both = (start, transition, end, starts, [middle, codes], [table, table[::-1].copy()], logs)
    agree(_native.filter_chain(*both), reference.filter_chain(*both))
    agree(_native.expect_chain(*both, None), reference.expect_chain(*both, None))
    agree(_native.best_paths(*both), reference.best_paths(*both))
    for other in (middle, wide):
        for kernel in (_native.filter_chain, _native.best_paths):
            same = kernel(start, transition, end, starts, [other], [table], logs)
            for left, right in zip(
                same, kernel(start, transition, end, starts, [codes], [table], logs), strict=True
            ):
                np.testing.assert_array_equal(left, right)
