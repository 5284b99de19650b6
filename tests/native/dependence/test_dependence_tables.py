"""The kernels for tables given up to two parents and the class do what their references do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

PARENTS = np.array([[-1, -1], [0, -1], [0, 1], [2, 0]], dtype=np.int32)
CARDS = np.array([3, 2, 4, 3], dtype=np.uint32)
GRID = [0.5, 2.0, 10.0]


def rows(n: int = 80, seed: int = 0, weighted: bool = True) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    codes = np.array([random.integers(0, card, n) for card in CARDS], dtype=np.uint8)
    own = random.integers(0, 3, n).astype(np.uint32)
    weights = random.integers(1, 4, n) * np.where(random.random(n) < 0.5, 1.0, 0.25)
    return codes, own, weights if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_kernels_agree_with_their_references(weighted: bool, threads: int) -> None:
    codes, own, weights = rows(weighted=weighted)
    layout: tuple[Any, ...] = (CARDS, PARENTS, 3)
    counts = _core.count_dependences(codes, CARDS, PARENTS, own, 3, weights, threads)
    np.testing.assert_allclose(counts, reference.count_dependences(codes, CARDS, PARENTS, own, 3, weights))
    strengths = _core.backoff_strengths(counts, *layout, GRID, threads)
    assert strengths.tolist() == reference.backoff_strengths(counts, *layout, GRID).tolist()
    assert len(np.unique(strengths)) > 1
    logs = _core.backoff_logs(counts, *layout, strengths, threads)
    np.testing.assert_allclose(logs, reference.backoff_logs(counts, *layout, strengths), atol=1e-13)
    part = np.ones(codes.shape[1]) if weights is None else np.minimum(weights, 1.0)
    left_out = _core.left_out_dependences(counts, *layout, strengths, codes, own, part, threads)
    expected = reference.left_out_dependences(counts, *layout, strengths, codes, own, part)
    np.testing.assert_allclose(left_out, expected, atol=1e-12)
    new = np.where(np.random.default_rng(1).random(codes.shape) < 0.2, 255, codes).astype(np.uint8)
    terms = _core.dependence_terms(logs, *layout, new, threads)
    np.testing.assert_array_equal(terms, reference.dependence_terms(logs, *layout, new))
    by_column = np.array([0.5, 0.0, 1.5, 1.0])
    scores = _core.dependence_scores(logs, *layout, new, by_column, threads)
    np.testing.assert_allclose(scores, terms @ by_column, atol=1e-12)
    found = _core.class_informations(codes, CARDS, own, 3, weights, threads)
    np.testing.assert_allclose(found, reference.class_informations(codes, CARDS, own, 3, weights), atol=1e-13)


def test_a_left_out_row_is_scored_by_the_tables_of_all_others() -> None:
    codes, own, _ = rows(n=40, weighted=False)
    counts = _core.count_dependences(codes, CARDS, PARENTS, own, 3)
    strengths = _core.backoff_strengths(counts, CARDS, PARENTS, 3, GRID)
    left_out = _core.left_out_dependences(counts, CARDS, PARENTS, 3, strengths, codes, own, np.ones(40))
    for row in range(40):
        others = np.arange(40) != row
        fewer = np.ascontiguousarray(codes[:, others])
        without = _core.count_dependences(fewer, CARDS, PARENTS, own[others], 3)
        logs = _core.backoff_logs(without, CARDS, PARENTS, 3, strengths)
        alone = np.ascontiguousarray(codes[:, [row]])
        expected = _core.dependence_terms(logs, CARDS, PARENTS, 3, alone)[0]
        np.testing.assert_allclose(left_out[row], expected, atol=1e-12)


def test_probabilities_sum_to_one_at_every_level() -> None:
    codes, own, weights = rows()
    counts = _core.count_dependences(codes, CARDS, PARENTS, own, 3, weights)
    logs = _core.backoff_logs(counts, CARDS, PARENTS, 3, np.full((4, 3), 2.0))
    for state_of_parent in (0, 1, 255):
        total = np.zeros((1, 3))
        for state in range(4):
            row = np.array([[state_of_parent], [0], [state], [0]], dtype=np.uint8)
            total += np.exp(_core.dependence_terms(logs, CARDS, PARENTS, 3, row)[:, :, 2])
        np.testing.assert_allclose(total, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parents": np.array([[0, -1], [0, -1], [0, 1], [2, 0]], np.int32)}, "no other column"),
        ({"parents": np.array([[-1, 1], [0, -1], [0, 1], [2, 0]], np.int32)}, "second parent"),
        ({"own": np.full(80, 3, np.uint32)}, "no class"),
        ({"codes": np.full((4, 80), 2, np.uint8)}, "no known value of column 1"),
        ({"weights": np.ones(3)}, "weights has 3"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], message: str) -> None:
    codes, own, weights = rows()
    given = {"codes": codes, "cards": CARDS, "parents": PARENTS, "own": own, "classes": 3, "weights": weights}
    with pytest.raises(ValueError, match=message):
        _core.count_dependences(**{**given, **change})
