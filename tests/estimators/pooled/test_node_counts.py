"""Counts of the nodes of many trees: there are millions of them, so that their types matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.estimators.pooled.test_bayes_ensemble import table
from tests.estimators.pooled.test_many_rows import KEPT, counts, small

from bayou.estimators.pooled import bayes_ensemble
from bayou.estimators.pooled.frozen.frozen_structure import FrozenStructure
from bayou.estimators.pooled.frozen.node_counts import NodeCounts


def _listed(*counts: float) -> NodeCounts:
    """Three nodes, the second without rows, two classes."""
    return NodeCounts.of_lists(np.array([1, 0, 2]), np.array([1, 0, 1]), np.array(counts), 2)


def test_counts_and_places_are_held_in_narrow_types() -> None:
    found = _listed(3.0, 300.0, 1.0)
    assert (found.places.dtype, found.counts.dtype) == (np.uint32, np.uint16)
    assert found.places.tolist() == [1, 4, 5]
    assert [each.tolist() for each in found.lists()] == [[1, 0, 2], [1, 0, 1], [3, 300, 1]]
    assert _listed(3.0, 0.5, 1.0).counts.dtype == np.float64


def test_sums_and_products_outgrow_narrow_types() -> None:
    found = _listed(200.0, 1.0, 2.0)
    assert found.plus(found).counts.tolist() == [400, 2, 4]
    assert found.plus(_listed(0.5, 1.0, 2.0)).counts.tolist() == [200.5, 2, 4]
    assert found.times(2).counts.tolist() == [400, 2, 4]
    assert found.plus(found.times(2)).counts.tolist() == [600, 3, 6]


def test_counts_move_to_further_classes() -> None:
    moved = _listed(200.0, 1.0, 2.0).moved(np.array([2, 0]), 3)
    assert (moved.places.tolist(), moved.counts.tolist()) == ([0, 6, 8], [200, 2, 1])


def test_rows_are_counted_without_making_all_trees_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes_ensemble, "MOST_ROWS", KEPT)
    made: list[Any] = []
    whole = FrozenStructure.trees
    monkeypatch.setattr(FrozenStructure, "trees", lambda *given: made.append(1) or whole(*given))
    model = small(*table(600))
    assert made == [1]  # those of the model
    assert counts(model).nodes.counts.sum() == 40 * 600
