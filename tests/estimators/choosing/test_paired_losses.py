"""The statistics of a choice, beside the formulas of the paper and numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bayou.estimators.choosing.paired_losses import mixed_losses, paired_difference


def nadeau_bengio(losses: np.ndarray, others: np.ndarray, folds: np.ndarray) -> float:
    """The variance of the paper, from the means of the folds: (1/J + n₂/n₁) · σ²."""
    count = int(folds.max()) + 1
    means = [(losses - others)[folds == fold].mean() for fold in range(count)]
    tested = len(losses) / count
    return (1 / count + tested / (len(losses) - tested)) * float(np.var(means, ddof=1))


def test_the_error_is_that_of_nadeau_and_bengio_on_average() -> None:
    random = np.random.default_rng(0)
    folds = np.arange(200) % 10
    by_rows, by_folds = [], []
    for _ in range(2000):
        losses, others = random.gamma(1.0, 1.0, 200), random.gamma(2.0, 0.4, 200)
        by_rows.append(paired_difference(losses, others, folds).error ** 2)
        by_folds.append(nadeau_bengio(losses, others, folds))
    assert np.mean(by_rows) == pytest.approx(np.mean(by_folds), rel=0.03)
    assert np.std(by_rows) < 0.5 * np.std(by_folds)  # why rows are used: there are more of them than folds


def test_numbers_by_hand() -> None:
    # Differences 0, 2, 0, 2: mean 1, variance 4/3, and two folds of two: (4/3)/4 · (1 + 4/2) = 1.
    found = paired_difference(np.array([0.0, 2, 1, 3]), np.array([0.0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    assert (found.mean, found.error) == (pytest.approx(1.0), pytest.approx(1.0))


def test_weights_count_as_rows_of_equal_weight_would() -> None:
    random = np.random.default_rng(1)
    losses, others, folds = random.random(60), random.random(60), np.arange(60) % 5
    plain = paired_difference(losses, others, folds)
    scaled = paired_difference(losses, others, folds, np.full(60, 200_000.0))
    assert (scaled.mean, scaled.error) == (pytest.approx(plain.mean), pytest.approx(plain.error))
    half = np.where(np.arange(60) < 30, 1.0, 1e-12)
    alone = paired_difference(losses[:30], others[:30], folds[:30])
    weighed = paired_difference(losses, others, folds, half)
    assert (weighed.mean, weighed.error) == (pytest.approx(alone.mean), pytest.approx(alone.error))


def test_a_confident_mistake_costs_no_more_than_a_row_can() -> None:
    proba = np.tile([1.0, 0.0], (100, 1))
    truth = np.zeros(100, dtype=np.int64)
    truth[7] = 1
    folds = np.arange(100) % 10
    losses = mixed_losses(proba, truth, folds)
    # Row 7 is in fold 7: no other row has its class, whose share is (0 + 1)/(90 + 2).
    assert losses[7] == pytest.approx(-np.log(1 / 101 / 92))
    # Row 0 is in fold 0: of the 90 others 89 have its class, whose share is (89 + 1)/(90 + 2).
    assert losses[0] == pytest.approx(-np.log(100 / 101 + 90 / 92 / 101))
