"""The kernel of class trees against its reference, and what must not change its results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.native.trees.tables import TreeTable, tree_tables

from bayou._native import _core
from bayou._native.reference.members.class_trees import ClassTrees as Reference


def _grown(kind: Any, table: TreeTable, threads: int = 1) -> Any:
    trees = kind(**table.shape())
    trees.grow(table.codes, table.y, table.weights, table.hashes, threads)
    return trees


def _assert_same_state(one: Any, other: Any) -> None:
    for mine, theirs in zip(one.state(), other.state(), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert (one.unit, one.bag_limit, one.smoothing) == (other.unit, other.bag_limit, other.smoothing)


def _taken(table: TreeTable) -> np.ndarray[Any, Any]:
    return np.ones(len(table.y)) if table.weights is None else np.minimum(table.weights, 1.0)


@given(tree_tables())
def test_splits_and_counts_are_those_of_the_reference(table: TreeTable) -> None:
    _assert_same_state(_grown(_core.ClassTrees, table), _grown(Reference, table))


@given(tree_tables())
def test_probabilities_are_those_of_the_reference(table: TreeTable) -> None:
    mine, theirs = _grown(_core.ClassTrees, table), _grown(Reference, table)
    rows = table.codes, table.y, table.hashes, _taken(table)
    for trees in (mine, theirs):
        trees.choose_smoothing(table.codes, table.y, table.weights, *rows[2:])
    if table.weights is None or table.weights.sum() < 1e6:  # else every m gives the same, but for rounding
        assert mine.smoothing == theirs.smoothing
    theirs.smoothing = mine.smoothing
    grown = table.hashes % np.uint64(3) != 0
    pairs = [
        (mine.predict(table.codes), theirs.predict(table.codes)),
        (mine.held_out(*rows, None), theirs.held_out(*rows, None)),
        (mine.held_out(*rows, grown), theirs.held_out(*rows, grown)),
        (mine.paths(table.codes, 0), theirs.paths(table.codes, 0)),
    ]
    strange = np.array([np.arange(len(table.y)) * 7 % (card + 1) for card in table.cards], dtype=np.uint8)
    unknown = np.array(table.cards, dtype=np.uint8)[:, None]
    hidden = np.where(strange % 2 == 1, unknown, table.codes)  # of rows that were counted
    pairs += [
        (mine.predict(strange), theirs.predict(strange)),
        (mine.held_out(hidden, *rows[1:], None), theirs.held_out(hidden, *rows[1:], None)),
        (mine.paths(strange, 0), theirs.paths(strange, 0)),
    ]
    for one, other in pairs:
        for found, expected in zip(one, other, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@given(tree_tables(), st.integers(0, 2**32))
def test_codes_that_were_never_seen_stop_and_added_rows_are_counted_where_they_stop(
    table: TreeTable, seed: int
) -> None:
    random = np.random.default_rng(seed)
    codes = np.array([random.integers(0, card, 20) for card in table.cards], dtype=np.uint8)
    y = random.integers(0, table.n_classes, 20).astype(np.int32)
    mine, theirs = _grown(_core.ClassTrees, table), _grown(Reference, table)
    for trees in (mine, theirs):
        trees.add(codes, y, None)
    if table.weights is None:
        _assert_same_state(mine, theirs)
    for found, expected in zip(mine.predict(codes), theirs.predict(codes), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@given(tree_tables(), st.integers(0, 2**32))
def test_neither_order_nor_threads_change_a_bit(table: TreeTable, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(table.y))
    codes, y, weights, hashes = table.rows(order)
    one, other = _grown(_core.ClassTrees, table), _core.ClassTrees(**table.shape())
    other.grow(codes, y, weights, hashes, 3)
    taken = _taken(table)
    one.choose_smoothing(table.codes, table.y, table.weights, table.hashes, taken, 1)
    other.choose_smoothing(codes, y, weights, hashes, taken[order], 3)
    _assert_same_state(one, other)
    held = one.held_out(table.codes, table.y, table.hashes, taken, None, 1)
    for mine, theirs in zip(held, other.held_out(codes, y, hashes, taken[order], None, 3), strict=True):
        np.testing.assert_array_equal(mine[order], theirs)
    for mine, theirs in zip(one.predict(table.codes, 1), other.predict(codes, 3), strict=True):
        np.testing.assert_array_equal(mine[order], theirs)


@given(tree_tables())
def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none(table: TreeTable) -> None:
    times = np.arange(len(table.y)) % 3
    weighted, repeated = _core.ClassTrees(**table.shape()), _core.ClassTrees(**table.shape())
    weighted.grow(table.codes, table.y, times.astype(float), table.hashes)
    codes, y, _, hashes = table.rows(np.repeat(np.arange(len(times)), times))
    if len(y) == 0:
        return
    repeated.grow(codes, y, None, hashes)
    _assert_same_state(weighted, repeated)


@given(tree_tables())
def test_a_restored_state_is_the_same_trees(table: TreeTable) -> None:
    trees, restored = _grown(_core.ClassTrees, table), _core.ClassTrees(**table.shape())
    restored.restore(*trees.state(), trees.smoothing, trees.unit, trees.bag_limit)
    _assert_same_state(trees, restored)
    for mine, theirs in zip(trees.predict(table.codes), restored.predict(table.codes), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@given(tree_tables(), st.sampled_from([1, 3]))
def test_rows_are_counted_into_given_splits_as_into_the_trees(table: TreeTable, threads: int) -> None:
    trees = _grown(_core.ClassTrees, table)
    added = _core.ClassTrees(**table.shape())
    added.restore(*trees.state(), 1.0, trees.unit, trees.bag_limit)
    added.add(table.codes, table.y, table.weights)
    added.add(table.codes, table.y, table.weights)
    splits, rows = trees.splits(), (table.codes, table.y, table.weights)
    for mine, theirs in zip(splits, trees.state()[:4], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    found = _core.ClassTrees(**table.shape()).counts_of_rows(*splits, trees.unit, *rows, threads)
    expected = Reference(**table.shape()).counts_of_rows(*splits, trees.unit, *rows)
    for mine, theirs, whole in zip(found, expected, trees.state()[4:], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(mine, whole)
    np.testing.assert_array_equal(added.state()[6], 3 * found[2])


def test_a_node_by_hand() -> None:
    trees = _core.ClassTrees([3], [True], 2, 1, 1, 1.0, 100, 0)
    codes, y = np.array([[0, 0, 0, 1]], dtype=np.uint8), np.array([0, 0, 1, 1], dtype=np.int32)
    trees.grow(codes, y, None, np.arange(4, dtype=np.uint64))
    root = (2 + 0.5) / 5  # m = 1, a half each before
    left, right = (2 + root) / 4, root / 2
    arithmetic, geometric = trees.predict(np.array([[0, 1]], dtype=np.uint8))
    np.testing.assert_allclose(np.exp(arithmetic[:, 0]), [left, right], rtol=1e-14)
    np.testing.assert_allclose(geometric, arithmetic, rtol=1e-12)


def test_many_classes_and_deep_trees_are_counted() -> None:
    random = np.random.default_rng(3)
    y = np.arange(3000, dtype=np.int32) % 1000
    codes = np.array([y % 200, y // 200, random.integers(0, 50, 3000)], dtype=np.uint8)
    trees = _core.ClassTrees([255, 255, 51], [True, False, True], 1000, 20, 2, 0.632, 65536, 1)
    trees.grow(codes, y, None, random.integers(0, 2**64, 3000, dtype=np.uint64))
    assert (trees.predict(codes)[0].argmax(axis=1) == y).mean() > 0.99


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": np.full((2, 4), 3, np.uint8)}, "column 0 has the code 3: expected codes up to 2"),
        ({"codes": np.zeros((1, 4), np.uint8)}, "codes have 1 columns, the trees 2"),
        ({"y": np.array([0, 1, 2, 0], np.int32)}, "y of row 2 is 2"),
        ({"y": np.zeros(3, np.int32)}, "y has 3 entries for 4 rows"),
        ({"weights": np.array([1.0, np.nan, 1.0, 1.0])}, "the weight of row 1"),
        ({"weights": np.array([1.0, 1.0, -1.0, 1.0])}, "the weight of row 2"),
        ({"row_hashes": np.zeros(2, np.uint64)}, "row_hashes has 2 entries for 4 rows"),
    ],
)
def test_bad_rows_are_named_and_change_nothing(change: dict[str, Any], message: str) -> None:
    good = {
        "codes": np.array([[0, 1, 0, 1], [0, 0, 1, 1]], np.uint8),
        "y": np.array([0, 1, 1, 0], np.int32),
        "weights": None,
        "row_hashes": np.arange(4, dtype=np.uint64),
    }
    trees = _core.ClassTrees([3, 3], [True, True], 2, 3, 1, 0.9, 100, 0)
    with pytest.raises(ValueError, match="have not been grown yet"):
        trees.predict(good["codes"])
    trees.grow(**good)
    before = trees.state()
    with pytest.raises(ValueError, match=message):
        trees.grow(**{**good, **change})
    if not {"row_hashes", "codes"} & set(change):  # counted rows may have unknown values
        rows = {name: value for name, value in {**good, **change}.items() if name != "row_hashes"}
        with pytest.raises(ValueError, match=message):
            trees.add(**rows)
    for one, other in zip(before, trees.state(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("place", range(7))
def test_damaged_states_are_refused(place: int) -> None:
    trees = _core.ClassTrees([3, 3], [True, True], 2, 3, 1, 0.9, 100, 0)
    codes = np.array([[0, 1, 0, 1], [0, 0, 1, 1]], np.uint8)
    trees.grow(codes, np.array([0, 1, 1, 0], np.int32), None, np.arange(4, dtype=np.uint64))
    state = list(trees.state())
    state[place] = state[place][:-1].copy()
    with pytest.raises(ValueError, match="these class trees are damaged"):
        trees.restore(*state, 1.0, 1.0, 0)
    if place < 4:
        with pytest.raises(ValueError, match="these class trees are damaged"):
            trees.counts_of_rows(*state[:4], 1.0, codes, np.zeros(4, np.int32), None)
