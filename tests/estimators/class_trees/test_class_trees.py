"""Class trees as estimators use them: held-out rows, explanations, saved state."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bayou.estimators.class_trees.class_trees import ClassTrees
from bayou.typing import FloatArray


def _table(rows: int = 600, seed: int = 1, noise: float = 0.0) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 6, (5, rows)).astype(np.uint8)
    y = ((codes[0] > 2) ^ (codes[1] == 4)).astype(np.int32) + (codes[2] == 1)
    y = np.where(random.random(rows) < noise, random.integers(0, 3, rows), y)
    return {
        "codes": codes,
        "y": y.astype(np.int32),
        "n_classes": 3,
        "row_hashes": random.integers(0, 2**64, rows, dtype=np.uint64),
        "cards": [7] * 5,
        "ordered": [True, False, True, False, True],
        "kept": np.arange(rows),
    }


def _loss(logs: FloatArray, y: npt.NDArray[np.int32]) -> float:
    return -float(logs[np.arange(len(y)), y].mean())


def test_rows_held_out_are_judged_as_rows_never_seen() -> None:
    table, unseen = _table(1500, noise=0.3), _table(1500, seed=2, noise=0.3)
    trees = ClassTrees.grow(**table, n_trees=40)
    pools = trees.predict(unseen["codes"])
    for held, new in zip(
        (trees.held_out.arithmetic, trees.held_out.geometric),
        (pools.arithmetic, pools.geometric),
        strict=True,
    ):
        assert _loss(held, table["y"]) == pytest.approx(_loss(new, unseen["y"]), rel=0.1)
        np.testing.assert_allclose(np.exp(held).sum(axis=1), 1.0, rtol=1e-12)
    seen = trees.predict(table["codes"])
    assert _loss(seen.arithmetic, table["y"]) < _loss(trees.held_out.arithmetic, table["y"])


def test_classes_that_have_nothing_to_do_with_columns_are_not_foretold_by_held_out_rows() -> None:
    table = _table(1500)
    table["y"] = np.random.default_rng(7).permutation(table["y"])
    trees = ClassTrees.grow(**table)
    shares = np.bincount(table["y"]) / len(table["y"])
    entropy = -float((shares * np.log(shares)).sum())
    assert _loss(trees.held_out.arithmetic, table["y"]) > entropy
    assert _loss(trees.held_out.geometric, table["y"]) > entropy


def test_what_columns_contribute_adds_up_to_the_pool() -> None:
    table = _table()
    trees = ClassTrees.grow(**table, n_trees=20)
    codes = table["codes"].copy()
    codes[1, 3] = 6  # a gap where there was none: the row stops in the nodes that ask for it
    pools = trees.predict(codes)
    for row in (0, 3, 17):
        paths = trees.paths(codes, row)
        root, columns = paths.contributions()
        total = root + columns.sum(axis=0)
        odds = pools.geometric[row] - pools.geometric[row][0]
        np.testing.assert_allclose(total - total[0], odds, atol=1e-12)
        leaves = np.array([path.posteriors[-1] for path in paths.paths])
        np.testing.assert_allclose(np.log(leaves.mean(axis=0)), pools.arithmetic[row], atol=1e-12)
        for path in paths.paths:
            for condition in path.conditions:
                assert codes[condition.column, row] in condition.codes
                assert len(condition.codes) < 7
        asked = {condition.column for path in paths.paths for condition in path.conditions}
        assert all(columns[column].any() == (column in asked) for column in range(5))


def test_a_column_that_never_differs_contributes_exactly_nothing() -> None:
    table = _table()
    table["codes"][4] = 2
    _, columns = ClassTrees.grow(**table, n_trees=20).paths(table["codes"], 0).contributions()
    assert not columns[4].any()


@pytest.mark.parametrize("weights", [None, "whole", "parts"])
def test_a_saved_state_predicts_the_same_bits_and_learns_on(weights: str | None) -> None:
    table = _table()
    random = np.random.default_rng(3)
    given = {"whole": random.integers(0, 400, 600).astype(float), "parts": random.random(600)}
    trees = ClassTrees.grow(**table, weights=None if weights is None else given[weights], n_trees=15)
    state = trees.state()
    again = ClassTrees.from_state(state)
    assert again.smoothing == trees.smoothing
    for _ in range(2):
        mine, theirs = trees.predict(table["codes"]), again.predict(table["codes"])
        np.testing.assert_array_equal(mine.arithmetic, theirs.arithmetic)
        np.testing.assert_array_equal(mine.geometric, theirs.geometric)
        for each in (trees, again):
            each.add(table["codes"][:, :50], table["y"][:50])
    assert all(state[name].dtype.itemsize == 1 for name in ("columns", "thresholds", "lengths", "classes"))
    with pytest.raises(ValueError, match="kept no rows"):
        _ = again.held_out


def test_rows_added_later_are_judged_by_all_trees() -> None:
    table = _table()
    trees = ClassTrees.grow(**table, n_trees=10)
    later = _table(200, seed=9)
    trees.add(later["codes"], later["y"])
    rows = later["codes"], later["y"], later["row_hashes"]
    none = trees.held_out_rows(*rows, np.zeros(200), grown=np.zeros(200, dtype=np.bool_))
    np.testing.assert_allclose(none.arithmetic, trees.predict(later["codes"]).arithmetic, atol=1e-12)
    without = trees.held_out_rows(*rows, np.ones(200), grown=np.zeros(200, dtype=np.bool_))
    assert _loss(without.arithmetic, later["y"]) > _loss(none.arithmetic, later["y"])


def test_trees_of_many_rows_grow_on_some_of_them_and_count_all() -> None:
    table = _table(3000)
    small = ClassTrees.grow(**table, n_trees=5, most_grown=100)
    large = ClassTrees.grow(**table, n_trees=5)
    small_state, large_state = small.state(), large.state()
    assert 5 < small_state["sizes"].sum() < large_state["sizes"].sum() / 3
    assert small_state["counts"].sum() == large_state["counts"].sum() == 5 * 3000
