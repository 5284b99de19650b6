"""The kernel of boosted trees against its reference, and what must not change its results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.trees.tables import TreeTable, tree_tables

from bayou._native import _core
from bayou._native.reference.members.boosted_trees import BoostedTrees as Reference

OPTIONS = {"folds": 3, "most_rounds": 7, "leaves": 5, "rate": 0.3, "ridge": 0.5}


def _shape(table: TreeTable) -> dict[str, Any]:
    known = {"cards": table.cards, "ordered": table.ordered, "n_classes": max(table.n_classes, 2)}
    return {**known, **OPTIONS, "seed": table.options["seed"]}


def _grown(kind: Any, table: TreeTable, *rows: Any, threads: int = 1) -> Any:
    trees = kind(**_shape(table))
    trees.grow(*(rows or (table.codes, table.y, table.weights, table.hashes)), threads)
    return trees


def _assert_same_state(one: Any, other: Any) -> None:
    assert one.rounds == other.rounds
    for mine, theirs in zip(one.state(), other.state(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def _clear_table(n_classes: int, weights: Any = None) -> TreeTable:
    """Three hundred rows of which the classes follow from the columns, but for a few."""
    random = np.random.default_rng(n_classes)
    cards = [30, 9, 4, 70]
    codes = np.array([random.integers(0, card, 300) for card in cards], dtype=np.uint8)
    y = ((codes[0] > 12).astype(int) + (codes[1] % 3 == 1) * (codes[3] > 40)) % n_classes
    y = np.where(random.random(300) < 0.1, random.integers(0, n_classes, 300), y).astype(np.int32)
    hashes = random.integers(0, 2**64, 300, dtype=np.uint64)
    return TreeTable(codes, y, weights, hashes, cards, [True, False, False, True], n_classes, {"seed": 5})


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_splits_are_those_of_the_reference(n_classes: int, weighted: bool) -> None:
    table = _clear_table(n_classes, np.random.default_rng(2).random(300) * 2 if weighted else None)
    mine, theirs = _grown(_core.BoostedTrees, table), _grown(Reference, table)
    assert mine.rounds == theirs.rounds >= 4
    for at in range(1, 5):
        np.testing.assert_array_equal(mine.state()[at], theirs.state()[at])
    assert mine.state()[1].max() == 9
    np.testing.assert_allclose(mine.predict(table.codes), theirs.predict(table.codes), rtol=1e-9)


@given(tree_tables())
@settings(max_examples=40)
def test_trees_and_probabilities_are_those_of_the_reference(table: TreeTable) -> None:
    mine, theirs = _grown(_core.BoostedTrees, table), _grown(Reference, table)
    assert mine.rounds == theirs.rounds
    for found, expected in zip(mine.state(), theirs.state(), strict=True):
        assert found.dtype == expected.dtype
        if found.dtype == np.float64:
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        else:
            np.testing.assert_array_equal(found, expected)
    pairs = [
        (mine.predict(table.codes), theirs.predict(table.codes)),
        (mine.held_out(table.codes, table.hashes), theirs.held_out(table.codes, table.hashes)),
        (mine.contributions(table.codes, 0), theirs.contributions(table.codes, 0)),
    ]
    strange = np.array([np.arange(len(table.y)) * 7 % (card + 1) for card in table.cards], dtype=np.uint8)
    pairs += [
        (mine.predict(strange), theirs.predict(strange)),
        (mine.held_out(strange, table.hashes), theirs.held_out(strange, table.hashes)),
        (mine.contributions(strange, 0), theirs.contributions(strange, 0)),
    ]
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


@given(tree_tables(), st.integers(0, 2**32))
def test_neither_order_nor_threads_change_a_bit(table: TreeTable, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(table.y))
    codes, y, weights, hashes = table.rows(order)
    one = _grown(_core.BoostedTrees, table)
    other = _grown(_core.BoostedTrees, table, codes, y, weights, hashes, threads=3)
    _assert_same_state(one, other)
    np.testing.assert_array_equal(one.predict(table.codes, 1)[order], other.predict(codes, 3))
    held = one.held_out(table.codes, table.hashes, 1)
    np.testing.assert_array_equal(held[order], other.held_out(codes, hashes, 3))


@given(tree_tables())
def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none(table: TreeTable) -> None:
    times = np.arange(len(table.y)) % 3
    weighted = _grown(_core.BoostedTrees, table, table.codes, table.y, times.astype(float), table.hashes)
    codes, y, _, hashes = table.rows(np.repeat(np.arange(len(times)), times))
    _assert_same_state(weighted, _grown(_core.BoostedTrees, table, codes, y, None, hashes))


@given(tree_tables())
def test_a_restored_state_is_the_same_trees(table: TreeTable) -> None:
    trees, restored = _grown(_core.BoostedTrees, table), _core.BoostedTrees(**_shape(table))
    restored.restore(*trees.state(), trees.rounds)
    _assert_same_state(trees, restored)
    np.testing.assert_array_equal(trees.predict(table.codes), restored.predict(table.codes))


def test_a_stump_by_hand() -> None:
    """Balanced classes, one round: slopes are halves, curvatures quarters."""
    codes = np.repeat(np.array([0, 1], dtype=np.uint8), 40)[None, :]
    y, hashes = codes[0].astype(np.int32), np.arange(80, dtype=np.uint64)
    trees = _core.BoostedTrees([3], [True], 2, 2, 1, 2, 0.1, 1.0, 0)
    trees.grow(codes, y, None, hashes)
    base, _, columns, _, sides, left_shares, values = trees.state()
    assert trees.rounds == 1
    assert columns.tolist() == [0, 65535, 65535] * 2
    assert sides.tolist() == [0b1, 0b10] * 2  # the gap, which no row had, is on no side
    for model in range(2):
        share = 1 / (1 + np.exp(-base[model]))
        zeros = -values[3 * model + 1] / 0.1  # n share / (n share (1 - share) + 1)
        count = zeros / (share - zeros * share * (1 - share))
        assert count == pytest.approx(round(count), abs=1e-3)
        assert 0 < count < 40
        ones = values[3 * model + 2] / 0.1
        others = ones / (1 - share - ones * share * (1 - share))
        assert left_shares[model] == pytest.approx(count / (count + others), abs=1e-5)
    both = left_shares * values[1::3] + (1 - left_shares) * values[2::3]
    gap = trees.contributions(np.array([[2]], dtype=np.uint8), 0)
    np.testing.assert_allclose(gap[0, 1] + gap[1, 1], (base + both).mean())
    np.testing.assert_allclose(gap[1, 1], (both - values[::3]).mean())


def test_rows_with_values_that_no_row_had_go_both_ways() -> None:
    """A tree of two levels over every cell: what it says of a hidden cell is the mean over its rows."""
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, (2, 400)).astype(np.uint8)
    y = (codes[0] & codes[1]).astype(np.int32)
    hashes = random.integers(0, 2**64, 400, dtype=np.uint64)
    for ordered in (True, False):
        trees = _core.BoostedTrees([3, 3], [ordered, ordered], 2, 2, 30, 4, 0.1, 1.0, 0)
        trees.grow(codes, y, None, hashes)
        cells = np.array([[0, 1, 0, 1, 2, 2, 0, 1, 2], [0, 0, 1, 1, 0, 1, 2, 2, 2]], dtype=np.uint8)
        chances = np.exp(trees.predict(cells)[:, 1])
        assert chances[3] > 0.85
        assert max(chances[[0, 1, 2, 4, 6]]) < 0.1  # one zero tells it all, beside a gap too
        assert 0.1 < min(chances[[5, 7]]) <= max(chances[[5, 7]]) < 0.9
        for row in range(cells.shape[1]):
            parts = trees.contributions(cells, row).sum(axis=0)
            np.testing.assert_allclose(parts[1] - parts[0], np.log(chances[row] / (1 - chances[row])))


@pytest.mark.parametrize("total", [1e-3, 0.05, 0.2, 1e-30])
def test_small_weights_are_rows_of_small_weight(total: float) -> None:
    """Less than the curvature that each side of a split needs: no tree splits, and nothing overflows."""
    table = _clear_table(2, np.full(300, total / 300))
    mine, theirs = _grown(_core.BoostedTrees, table), _grown(Reference, table)
    assert (mine.rounds, mine.state()[2].tolist()) == (theirs.rounds, theirs.state()[2].tolist())
    np.testing.assert_allclose(mine.predict(table.codes), theirs.predict(table.codes), rtol=1e-9)


@pytest.mark.parametrize("place", range(7))
def test_damaged_states_are_refused(place: int) -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, (2, 200)).astype(np.uint8)
    y, hashes = (codes[0] == 1).astype(np.int32), random.integers(0, 2**64, 200, dtype=np.uint64)
    trees = _core.BoostedTrees([4, 4], [True, False], 2, 2, 5, 4, 0.1, 1.0, 0)
    with pytest.raises(ValueError, match="have not been grown yet"):
        trees.predict(codes)
    trees.grow(codes, y, None, hashes)
    state = list(trees.state())
    state[place] = state[place][:-1].copy()
    with pytest.raises(ValueError, match="these boosted trees are damaged"):
        trees.restore(*state, trees.rounds)
    for place, number in ((4, 2**64 - 1), (5, 2.0)):  # codes on both sides, more rows than all
        damaged = list(trees.state())
        damaged[place] = np.full_like(damaged[place], number)
        with pytest.raises(ValueError, match=r"goes left and right|between 0 and 1"):
            trees.restore(*damaged, trees.rounds)
    looping = list(trees.state())
    looping[3] = np.zeros_like(looping[3])
    with pytest.raises(ValueError, match="a split is impossible"):
        trees.restore(*looping, trees.rounds)
