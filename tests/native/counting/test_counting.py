"""The compiled counting kernels against their numpy references."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.strategies import EDGES, Coded, coded, coded_column, coded_with_families

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import CodeArray

RNG = np.random.default_rng


@settings(max_examples=150, deadline=None)
@given(coded_with_families(), st.sampled_from([None, np.int64, np.float64]), st.integers(1, 4))
def test_counts_of_families_are_those_of_the_reference(
    case: tuple[Coded, list[list[int]]], kind: type | None, threads: int
) -> None:
    table, families = case
    weights = None if kind is None else RNG(1).integers(-3, 9, table.rows).astype(kind)
    got = _core.count_families(table.columns, table.cards, families, weights, threads)
    wanted = reference.count_families(table.columns, table.cards, families, weights)
    assert len(got) == len(wanted)
    for mine, theirs in zip(got, wanted, strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.flags.c_contiguous
        np.testing.assert_array_equal(mine, theirs)


@settings(max_examples=150, deadline=None)
@given(coded(), st.integers(1, 4))
def test_counts_of_all_pairs_are_those_of_the_reference(table: Coded, threads: int) -> None:
    flat, offsets = _core.count_pairs(table.columns, table.cards, threads)
    wanted_flat, wanted_offsets = reference.count_pairs(table.columns, table.cards)
    np.testing.assert_array_equal(offsets, wanted_offsets)
    np.testing.assert_array_equal(flat, wanted_flat)
    assert (flat.dtype, offsets.dtype) == (np.int64, np.int64)


@pytest.mark.parametrize("rows", EDGES)
def test_row_counts_around_tile_edges_with_long_families(rows: int) -> None:
    random = RNG(rows)
    cards = [2, 3, 4, 2, 3, 2]
    columns = [coded_column(random, rows, card, 0.05) for card in cards]
    families = [list(chosen) for size in range(5) for chosen in combinations(range(6), size)]
    got = _core.count_families(columns, cards, families, None)
    for mine, theirs in zip(got, reference.count_families(columns, cards, families), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_many_tiles_and_stretches_of_pairs_with_gaps_in_one_stretch_only() -> None:
    random = RNG(5)
    cards = [2, 4, 3, 1, 20, 21]
    columns = [coded_column(random, 300_001, card, 0.0) for card in cards]
    columns[1][280_000:] = 255
    columns[4][7] = 255
    flat, _ = _core.count_pairs(columns, cards, 2)
    np.testing.assert_array_equal(flat, reference.count_pairs(columns, cards)[0])


def test_every_order_of_a_family_is_the_transposed_table() -> None:
    random = RNG(3)
    columns = [coded_column(random, 5000, card, 0.1) for card in (2, 3, 4)]
    forward, backward = _core.count_families(columns, [2, 3, 4], [[0, 1, 2], [2, 1, 0]], None)
    np.testing.assert_array_equal(forward, backward.T)


def test_weighted_sums_are_bit_identical_for_any_number_of_threads() -> None:
    random = RNG(4)
    cards = [3, 2, 300]
    columns = [coded_column(random, 50_000, card, 0.01) for card in cards]
    families = [[0], [1], [0, 1], [2], [2, 0], []]
    weights = random.normal(size=50_000) * 1e10
    once = _core.count_families(columns, cards, families, weights, 1)
    for threads in (2, 3, 7):
        again = _core.count_families(columns, cards, families, weights, threads)
        for first, second in zip(once, again, strict=True):
            np.testing.assert_array_equal(first, second)


def test_columns_may_be_read_only_and_a_column_with_no_states_may_be_all_missing() -> None:
    gone = np.full(10, 255, np.uint8)
    gone.flags.writeable = False
    tables = _core.count_families([gone, np.zeros(10, np.uint8)], [0, 1], [[0], [0, 1], [1], []], None)
    assert [table.shape for table in tables] == [(0,), (0, 1), (1,), ()]
    assert tables[2].tolist() == [10]
    assert tables[3].item() == 10
    assert len(_core.count_pairs([gone, gone], [0, 2])[0]) == 0
    many = [np.zeros(10, np.uint8)] * 6
    (nothing,) = _core.count_families([*many, gone], [60] * 6 + [0], [list(range(7))], None)
    assert nothing.shape == (*(60,) * 6, 0)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("card", [3, 30, 100])
def test_a_code_out_of_range_is_named_by_column_row_and_code(dtype: type, card: int) -> None:
    codes: CodeArray = np.zeros(9000, dtype)
    codes[8765] = card
    good = np.zeros(9000, np.uint8)
    message = rf"column 1, row 8765: code {card} is not below the number of states, {card}"
    for kernels in (_core, reference):
        with pytest.raises(ValueError, match=message):
            kernels.count_families([good, codes], [2, card], [[0], [0, 1]], None)
        with pytest.raises(ValueError, match=message):
            kernels.count_families([good, codes], [2, card], [[1]], np.ones(9000))
        with pytest.raises(ValueError, match=message):
            kernels.count_pairs([good, codes], [2, card])


def test_bad_arguments_are_refused_before_anything_is_allocated() -> None:
    codes = np.zeros(4, np.uint8)
    wide = np.zeros(4, np.uint32)
    calls = [
        ([codes], [2, 2], [[0]], "cards"),
        ([codes, codes[:3]], [2, 2], [[0]], "column 1 has 3 rows"),
        ([codes], [256], [[0]], "too narrow"),
        ([codes], [-1], [[0]], "card of column 0|too narrow"),
        ([codes], [2], [[1]], "family 0"),
        ([codes], [2], [[-1]], "family"),
        ([codes, codes], [2, 2], [[], [0, 0]], "family 1"),
        ([wide, wide, wide], [70_000, 70_000, 2], [[0], [0, 1, 2]], "2\\*\\*32 - 1 cells"),
        ([wide] * 9, [4_000_000_000] * 9, [list(range(9))], "2\\*\\*32 - 1 cells"),
        ([codes.astype(np.int64)], [2], [[0]], "column 0: expected"),
        ([codes.reshape(2, 2)], [2], [[0]], "column 0: expected"),
    ]
    for kernels in (_core, reference):
        for columns, cards, families, message in calls:
            with pytest.raises(ValueError, match=message):
                kernels.count_families(columns, cards, families, None)
        with pytest.raises(ValueError, match="weights has 3 rows"):
            kernels.count_families([codes], [2], [[0]], np.ones(3))
        with pytest.raises(ValueError, match="threads is -1"):
            kernels.count_families([codes], [2], [[0]], None, -1)
    with pytest.raises(ValueError, match="contiguous"):
        _core.count_families([np.zeros(8, np.uint8)[::2]], [2], [[0]], None)
    with pytest.raises(ValueError, match="weights: expected"):
        _core.count_families([codes], [2], [[0]], np.ones(4, np.float32))
