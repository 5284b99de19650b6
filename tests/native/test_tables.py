"""Row indices and sums of table entries against their references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

from .strategies import Coded, coded, coded_with_families


@settings(max_examples=100, deadline=None)
@given(coded(least=1, most=4), st.integers(1, 3))
def test_combined_codes_are_those_of_the_reference(table: Coded, threads: int) -> None:
    assume(np.prod([float(card) for card in table.cards]) < 2**32 - 1)
    got = _core.combine_codes(table.columns, table.cards, threads)
    np.testing.assert_array_equal(got, reference.combine_codes(table.columns, table.cards))
    assert got.dtype == np.uint32


def test_combined_codes_are_a_mixed_radix_number_with_the_first_column_slowest() -> None:
    columns = [np.array([0, 1, 1, 255], np.uint8), np.array([2, 0, 2, 1], np.uint16)]
    assert _core.combine_codes(columns, [2, 3]).tolist() == [2, 3, 5, 0xFFFFFFFF]


def test_the_largest_index_fits_below_the_code_for_missing() -> None:
    codes = np.array([65535 - 1], np.uint32)
    top = np.array([65537 - 1], np.uint32)
    for kernels in (_core, reference):
        # 65535 * 65537 = 2**32 - 1 is one too many
        with pytest.raises(ValueError, match="2\\*\\*32 - 1 cells"):
            kernels.combine_codes([codes, top], [65535, 65537])
        near = kernels.combine_codes([codes, np.array([65535], np.uint32)], [65535, 65536])
        assert near.tolist() == [65534 * 65536 + 65535]
        with pytest.raises(ValueError, match="no columns"):
            kernels.combine_codes([], [])


@settings(max_examples=100, deadline=None)
@given(coded_with_families(), st.integers(1, 3))
def test_sums_of_log_tables_are_those_of_the_reference(
    case: tuple[Coded, list[list[int]]], threads: int
) -> None:
    table, families = case
    random = np.random.default_rng(2)
    tables = [np.log(random.random([table.cards[i] for i in family])) for family in families]
    tables = [np.where(random.random(entries.shape) < 0.1, -np.inf, entries) for entries in tables]
    got = _core.sum_log_tables(table.columns, table.cards, families, tables, threads)
    np.testing.assert_array_equal(got, reference.sum_log_tables(table.columns, table.cards, families, tables))


def test_a_missing_cell_gives_nan_even_beside_an_impossible_one() -> None:
    columns = [np.array([0, 0, 1], np.uint8), np.array([255, 0, 0], np.uint8)]
    tables = [np.array([-np.inf, -1.0]), np.array([-2.0])]
    for kernels in (_core, reference):
        sums = kernels.sum_log_tables(columns, [2, 1], [[0], [1]], tables)
        np.testing.assert_array_equal(sums, [np.nan, -np.inf, -3.0])


def test_log_tables_of_the_wrong_shape_number_or_type_are_refused() -> None:
    codes = np.zeros(3, np.uint8)
    for kernels in (_core, reference):
        with pytest.raises(ValueError, match="log_tables\\[0\\]"):
            kernels.sum_log_tables([codes], [2], [[0]], [np.zeros(3)])
        with pytest.raises(ValueError, match="log_tables\\[0\\]"):
            kernels.sum_log_tables([codes], [2], [[0]], [np.zeros((1, 2))])
        with pytest.raises(ValueError, match="1 families but 0 log_tables"):
            kernels.sum_log_tables([codes], [2], [[0]], [])
        with pytest.raises(ValueError, match="column 0, row 2: code 7"):
            kernels.sum_log_tables([np.array([0, 1, 7], np.uint8)], [2], [[0]], [np.zeros(2)])
    with pytest.raises(ValueError, match="float64"):
        _core.sum_log_tables([codes], [2], [[0]], [np.zeros(2, np.float32)])
