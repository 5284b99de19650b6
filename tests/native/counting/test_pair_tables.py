"""Pairs by group and the information in them: the compiled kernels against their numpy references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.strategies import Coded, coded

from bayou._native import _core
from bayou._native.reference import all_kernels as reference


@settings(max_examples=40, deadline=None)
@given(coded(most=4), st.integers(1, 4), st.integers(0, 3), st.integers(0, 2**32))
def test_pairs_by_group_equal_the_reference(table: Coded, groups: int, threads: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, groups + 1, table.rows).astype(np.uint32)
    found = _core.count_pairs_by(table.columns, table.cards, codes, groups, threads)
    expected = reference.count_pairs_by(table.columns, table.cards, codes, groups)
    np.testing.assert_array_equal(found, expected)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 5), max_size=5),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 3),
    st.integers(0, 2**32),
)
def test_information_equals_the_reference(
    cards: list[int], groups: int, real: bool, threads: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    cells = sum(a * b for k, a in enumerate(cards) for b in cards[k + 1 :])
    tables = random.integers(0, 4, (groups, cells)) * (random.random((groups, cells)) < 0.7)
    counts = tables * 0.37 if real else tables
    for ours, theirs in zip(
        _core.pair_information(counts, cards, threads), reference.pair_information(counts, cards), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kernels", [_core, reference])
def test_sizes_that_do_not_belong_together_are_refused(kernels: object) -> None:
    codes = np.zeros(3, dtype=np.uint8)
    with pytest.raises(ValueError, match="groups has 2 rows, the columns have 3"):
        kernels.count_pairs_by([codes, codes], [1, 1], np.zeros(2, np.uint32), 1)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="tables has 5 cells a group"):
        kernels.pair_information(np.zeros((1, 5), np.int64), [2, 2])  # type: ignore[attr-defined]
