"""The tables and scores of one-dependence estimators against their numpy references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core as core
from bayou._native.reference import all_kernels as reference


def model(seed: int, cards: list[int], n_classes: int, kind: type):
    random = np.random.default_rng(seed)
    cells = (sum(cards) ** 2 - sum(card**2 for card in cards)) // 2
    return random, random.integers(0, 4, size=(n_classes, cells)).astype(kind)


@given(
    st.integers(0, 10_000),
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([np.int64, np.float64]),
)
@settings(max_examples=60, deadline=None)
def test_tables_and_scores_are_those_of_the_reference(seed, cards, n_classes, strength, kind) -> None:
    random, tables = model(seed, cards, n_classes, kind)
    logs = core.one_dependence_tables(tables, cards, strength)
    assert np.allclose(logs, reference.one_dependence_tables(tables, cards, strength), rtol=1e-13)
    codes = np.array([random.integers(0, card + 2, 40) for card in cards], dtype=np.uint32)
    states = sum(cards)
    parts = (
        random.normal(size=(states, n_classes)),
        random.integers(0, 2, states).astype(np.uint8),
        random.normal(size=len(cards)),
        logs,
    )
    with np.errstate(invalid="ignore"):
        expected = reference.one_dependence_scores(codes, cards, *parts)
    for threads in (1, 3):
        found = core.one_dependence_scores(codes, cards, *parts, threads)
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_pairs_of_few_rows_are_counted_as_others() -> None:
    random = np.random.default_rng(0)
    columns = [random.integers(0, card, 700).astype(np.uint8) for card in (2, 3, 30)]
    columns[1][random.random(700) < 0.1] = 255
    groups = random.integers(0, 3, 700).astype(np.uint32)  # group 2 is beyond the two groups that count
    for rows in (700, 60):  # enough rows for bit planes, and too few
        part = [column[:rows].copy() for column in columns], [2, 3, 30], groups[:rows].copy(), 2
        assert np.array_equal(core.count_pairs_by(*part), reference.count_pairs_by(*part))


def test_codes_out_of_range_are_refused_in_few_rows_too() -> None:
    columns = [np.array([0, 1], dtype=np.uint8), np.array([0, 7], dtype=np.uint8)]
    with pytest.raises(ValueError, match="7"):
        core.count_pairs_by(columns, [2, 2], np.zeros(2, dtype=np.uint32), 1)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="cells"):
        core.one_dependence_tables(np.zeros((1, 5), dtype=np.int64), [2, 2], 1.0)
    codes, own = np.zeros((1, 3), dtype=np.uint32), np.zeros((2, 2))
    frequent, weights = np.ones(2, dtype=np.uint8), np.zeros(1)
    with pytest.raises(ValueError, match="logs"):
        core.one_dependence_scores(codes, [2], own, frequent, weights, np.zeros((2, 2, 1)))
