"""Scores summed up some rows at a time are those of all rows at once, and those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from bayou import decisions
from bayou.decisions.rank_tally import RankTally
from bayou.decisions.score_sums import ScoreSums
from bayou.decisions.scoring_rules import scores_from, scores_of
from bayou.decisions.utility_table import utility_table
from bayou.typing import BoolArray, FloatArray

ROWS, CLASSES = 3_000, ("a", "b", "c")
_random = np.random.default_rng(14)
TRUTH = _random.integers(0, 3, ROWS)
PROBA = _random.dirichlet([1.0, 1.0, 1.0], ROWS) * 0.7 + 0.3 * np.eye(3)[TRUTH]
WEIGHTS = _random.integers(1, 5, ROWS)
COSTS = utility_table(CLASSES, costs={"act": {"a": 1, "b": 2, "c": 0}, "wait": {"a": 3, "b": 0, "c": 1}})


def _summed(weights: FloatArray | None, block: int = 170) -> ScoreSums:
    sums = ScoreSums(3, COSTS)
    for first in range(0, ROWS, block):
        some = slice(first, first + block)
        sums.add(TRUTH[some], PROBA[some], None if weights is None else weights[some], rank=True)
    return sums


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_all_scores(weights: FloatArray | None) -> None:
    found, expected = (
        scores_from(_summed(weights), CLASSES),
        scores_of(TRUTH, PROBA, CLASSES, weights, COSTS),
    )
    assert found.rows == ROWS
    np.testing.assert_array_equal(found.confusion.counts, expected.confusion.counts)
    for measure in ("accuracy", "balanced_accuracy", "auc", "f1", "average_precision"):
        assert getattr(found, measure) == pytest.approx(getattr(expected, measure), rel=1e-12)
    assert found.cost == pytest.approx(expected.cost, rel=1e-12)
    assert found.log_loss == pytest.approx(log_loss(TRUTH, PROBA, sample_weight=weights), rel=1e-12)
    squares = brier_score_loss(TRUTH, PROBA, sample_weight=weights, labels=[0, 1, 2], scale_by_half=False)
    assert found.brier == pytest.approx(squares, rel=1e-12)
    error = decisions.expected_calibration_error(TRUTH, PROBA, classes=[0, 1, 2], weights=weights)
    assert found.ece == pytest.approx(error, rel=1e-10)
    for place, one in enumerate(found.by_class):
        members = place == TRUTH
        auc = roc_auc_score(members, PROBA[:, place], sample_weight=weights)
        assert one.auc == pytest.approx(auc, rel=1e-12)
        precision = average_precision_score(members, PROBA[:, place], sample_weight=weights)
        assert one.average_precision == pytest.approx(precision, rel=1e-12)


def _tally(members: BoolArray, scores: FloatArray, most: int) -> RankTally:
    tally = RankTally(most)
    for first in range(0, len(scores), 1_000):
        tally.add(members[first : first + 1_000], scores[first : first + 1_000], None)
    return tally


@pytest.mark.parametrize("tied", [0.0, 0.3])
def test_more_scores_than_are_told_apart(tied: float) -> None:
    """Groups of 6 / 6,000 of the rows; a score that very many rows have is not joined with others."""
    scores = _random.random(50_000) ** 8
    scores[_random.random(50_000) < tied] = 0.01
    members = _random.random(50_000) < 0.2 + 0.6 * scores
    sums = _tally(members, scores, 6_000).sums()
    assert sums.auc == pytest.approx(roc_auc_score(members, scores), abs=2e-5)
    assert sums.average_precision == pytest.approx(average_precision_score(members, scores), abs=3e-3)
    exact = _tally(members, scores, 100_000).sums()
    assert exact.auc == pytest.approx(roc_auc_score(members, scores), rel=1e-12)


def test_a_class_that_appears_late_had_probability_zero() -> None:
    sums = ScoreSums(2)
    truth, proba = TRUTH % 2, PROBA[:, :2] / PROBA[:, :2].sum(axis=1, keepdims=True)
    sums.add(truth[:2_000], proba[:2_000], None, rank=True)
    sums.widen(3)
    truth[2_500:] = 2
    whole = np.column_stack([proba, np.zeros(ROWS)])
    sums.add(truth[2_000:], whole[2_000:], None, rank=True)
    found, expected = scores_from(sums, CLASSES), scores_of(truth, whole, CLASSES)
    assert found.by_class[2].auc == expected.by_class[2].auc == 0.5
    for one, other in zip(found.by_class, expected.by_class, strict=True):
        assert one.auc == pytest.approx(other.auc, rel=1e-12)
        assert one.average_precision == pytest.approx(other.average_precision, rel=1e-12)
    assert found.brier == pytest.approx(expected.brier, rel=1e-12)


def test_rows_of_folds_are_compared_within_them() -> None:
    folds = np.arange(ROWS) % 4
    total = ScoreSums(3)
    for fold in range(4):
        sums = ScoreSums(3)
        sums.add(TRUTH[folds == fold], PROBA[folds == fold], None, rank=True)
        total.include(sums.compared())
    expected = scores_of(TRUTH, PROBA, CLASSES, folds=folds)
    assert scores_from(total, CLASSES).auc == pytest.approx(expected.auc, rel=1e-12)
