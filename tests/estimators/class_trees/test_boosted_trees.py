"""Boosted trees as estimators use them: held-out rows, explanations, saved state, many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bayou.estimators.class_trees.boosted_trees import BoostedTrees
from bayou.typing import FloatArray


def _table(rows: int = 1200, seed: int = 1, n_classes: int = 2) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 6, (4, rows)).astype(np.uint8)
    y = ((codes[0] > 2) ^ (codes[1] == 4)).astype(int) + (codes[2] == 1) * (n_classes - 2)
    y = np.where(random.random(rows) < 0.3, random.integers(0, n_classes, rows), y)
    return {
        "codes": codes,
        "y": y.astype(np.int32),
        "n_classes": n_classes,
        "row_hashes": random.integers(0, 2**64, rows, dtype=np.uint64),
        "cards": [7] * 4,
        "ordered": [True, False, True, False],
    }


def _loss(logs: FloatArray, y: npt.NDArray[np.int32]) -> float:
    return -float(logs[np.arange(len(y)), y].mean())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_held_out_are_judged_as_rows_never_seen(n_classes: int) -> None:
    table, unseen = _table(n_classes=n_classes), _table(seed=2, n_classes=n_classes)
    trees = BoostedTrees.grow(**table, kept=np.arange(1200))
    new = trees.predict(unseen["codes"])
    assert _loss(trees.held_out, table["y"]) == pytest.approx(_loss(new, unseen["y"]), rel=0.1)
    assert _loss(trees.predict(table["codes"]), table["y"]) < _loss(trees.held_out, table["y"])
    assert (new.argmax(axis=1) == unseen["y"]).mean() > 0.75
    np.testing.assert_allclose(np.exp(new).sum(axis=1), 1.0, rtol=1e-12)


def test_classes_that_have_nothing_to_do_with_columns_stay_at_their_shares() -> None:
    table = _table()
    table["y"] = np.random.default_rng(7).permutation(table["y"])
    trees = BoostedTrees.grow(**table)
    shares = np.bincount(table["y"]) / len(table["y"])
    logs = trees.predict(_table(seed=3)["codes"])
    assert trees.rounds < 10
    assert -(np.exp(logs) * np.log(shares)).sum(axis=1).mean() < 1.02 * -(shares * np.log(shares)).sum()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_columns_contribute_adds_up_to_the_log_odds(n_classes: int) -> None:
    table = _table(n_classes=n_classes)
    table["codes"][3] = 2
    trees = BoostedTrees.grow(**table)
    logs = trees.predict(table["codes"])
    for row in (0, 5, 11):
        base, columns = trees.contributions(table["codes"], row)
        total = base + columns.sum(axis=0)
        np.testing.assert_allclose(total - total[0], logs[row] - logs[row][0], atol=1e-10)
        assert not columns[3].any()
    table["codes"][0, :3] = 6  # gaps, of which no other row has one
    logs = trees.predict(table["codes"])
    for row in range(3):
        base, columns = trees.contributions(table["codes"], row)
        total = base + columns.sum(axis=0)
        np.testing.assert_allclose(total - total[0], logs[row] - logs[row][0], atol=1e-10)
        assert np.abs(columns[0]).max() < np.abs(columns).max() / 2


def test_a_saved_state_predicts_the_same_bits() -> None:
    table = _table(n_classes=3)
    trees = BoostedTrees.grow(**table)
    again = BoostedTrees.from_state(trees.state())
    np.testing.assert_array_equal(trees.predict(table["codes"]), again.predict(table["codes"]))
    hashes = table["row_hashes"]
    np.testing.assert_array_equal(
        trees.held_out_rows(table["codes"], hashes), again.held_out_rows(table["codes"], hashes)
    )
    with pytest.raises(ValueError, match="kept no rows"):
        _ = again.held_out


def test_of_many_rows_those_with_the_smallest_hashes_are_learned_from() -> None:
    table = _table()
    some = BoostedTrees.grow(**table, most_grown=500)
    order = np.argsort(table["row_hashes"])[:500]
    chosen = {**table, "codes": table["codes"][:, order]}
    chosen |= {name: table[name][order] for name in ("y", "row_hashes")}
    same = BoostedTrees.grow(**chosen)
    np.testing.assert_array_equal(some.predict(table["codes"]), same.predict(table["codes"]))
    twice = {**table, "weights": np.full(1200, 2.0)}
    doubled = {**table, "codes": np.repeat(table["codes"], 2, axis=1)}
    doubled |= {name: np.repeat(table[name], 2) for name in ("y", "row_hashes")}
    one, other = BoostedTrees.grow(**twice, most_grown=500), BoostedTrees.grow(**doubled, most_grown=500)
    np.testing.assert_array_equal(one.predict(table["codes"]), other.predict(table["codes"]))


@pytest.mark.parametrize(("n_classes", "leaves"), [(2, 2), (2, 16), (2, 32), (3, 31), (3, 40)])
def test_many_rows_are_answered_as_one_row_is(n_classes: int, leaves: int) -> None:
    """Many rows look leaves up by bits, a few walk down the trees; codes never seen go both ways."""
    table = _table(n_classes=n_classes)
    trees = BoostedTrees.grow(**table, leaves=leaves, most_rounds=10)
    codes = np.random.default_rng(3).integers(0, 8, (4, 700)).astype(np.uint8)  # 6: gaps; 7: unknown
    one_by_one = [trees.predict(codes[:, row : row + 1]) for row in range(700)]
    assert np.array_equal(trees.predict(codes), np.concatenate(one_by_one))
    assert np.array_equal(trees.predict(codes, threads=1), trees.predict(codes, threads=2))
