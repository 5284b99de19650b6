"""Is one classifier worse than another? The paired differences of their losses on the same held-out rows.

Training sets of cross-validation overlap, so differences of folds are not independent, and the plain standard
error is too small. Nadeau and Bengio (2003) take (1/J + n₂/n₁) · σ² in place of σ²/J for the variance of the
mean of J folds, n₂ of whose rows are tested and n₁ learned from. With σ² = s²/n₂, s² the variance over rows,
and J = n/n₂ this is (s²/n) · (1 + n/n₁), here used with rows, of which there are more than folds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.special_functions import weighted_sum
from bayou.typing import FloatArray, IntArray


@dataclass(frozen=True)
class PairedDifference:
    """The mean of a loss minus that of another on the same rows, and its standard error."""

    mean: float
    error: float


def mixed_losses(
    proba: FloatArray, truth: IntArray, fold_of_row: IntArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return −ln of P(true class) of each row, mixed with the class shares of the other folds.

    The shares get the weight of one row, 1/(n + 1) of n rows: so one confident mistake, or a class that no
    training row has, costs about ln n at the most, and cannot decide alone.

    >>> proba, truth, folds = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 0]), np.array([0, 1])
    >>> np.exp(-mixed_losses(proba, truth, folds)).round(4).tolist()
    [0.2222, 0.8889]
    """
    rows, classes = proba.shape
    share = 1.0 / (rows + 1)
    mixed: FloatArray = (1 - share) * proba[np.arange(rows), truth]
    for fold in range(int(fold_of_row.max()) + 1):
        inside = fold_of_row == fold
        others = None if weights is None else weights[~inside]
        counts = np.bincount(truth[~inside], weights=others, minlength=classes) + 1.0
        mixed[inside] += share * (counts / counts.sum())[truth[inside]]
    return -np.log(mixed)


def paired_difference(
    losses: FloatArray, others: FloatArray, fold_of_row: IntArray, weights: FloatArray | None = None
) -> PairedDifference:
    """Return the mean of ``losses − others`` with its standard error, corrected for overlapping training.

    >>> losses, others = np.array([1.0, 3.0, 1.0, 3.0]), np.ones(4)
    >>> paired_difference(losses, others, np.array([0, 0, 1, 1]))
    PairedDifference(mean=1.0, error=1.0)
    """
    weight = np.ones(len(losses)) if weights is None else weights / weights.max()
    away, total = losses - others, float(weight.sum())
    mean = weighted_sum(weight, away) / total
    spread = weighted_sum(weight, (away - mean) ** 2) / total
    rows = total**2 / float(weight @ weight)  # as many rows of equal weight would be as certain
    spread *= rows / max(rows - 1, 1)
    folds = int(fold_of_row.max()) + 1
    learned_from = rows * (folds - 1) / folds
    return PairedDifference(mean, float(np.sqrt(spread / rows * (1 + rows / learned_from))))
