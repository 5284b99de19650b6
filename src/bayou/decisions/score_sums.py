"""Sums over rows that the scores of predictions are made of: rows come some at a time, and folds add."""

from __future__ import annotations

import numpy as np

from bayou.codes import PlaceArray, row_blocks
from bayou.decisions.beliefs import Beliefs
from bayou.decisions.calibration import Reliability
from bayou.decisions.rank_tally import MOST_SCORES, RankTally
from bayou.decisions.ranking_curves import RankSums
from bayou.decisions.utilities import Decisions
from bayou.decisions.utility_table import UtilityTable
from bayou.special_functions import weighted_sum
from bayou.typing import CountArray, FloatArray

SMALLEST = 1e-15
"""Smaller probabilities are raised to this before their logarithm is taken, so that the mean stays finite."""
_EDGES = np.linspace(0, 1, 11)
"""The bins of the expected calibration error."""


class ScoreSums:
    """The confusion matrix, and sums of losses, of costs and of predictions in bins, over weighted rows.

    ``ranks`` has what AUC and average precision of each class are made of, for rows that were
    :meth:`compared`.

    >>> sums = ScoreSums(2)
    >>> sums.add(np.array([0, 1]), np.array([[0.75, 0.25], [0.5, 0.5]]), None)
    >>> sums.rows, sums.confusion.tolist(), sums.squared_error
    (2, [[1, 0], [1, 0]], 0.625)
    """

    def __init__(self, classes: int, costs: UtilityTable | None = None) -> None:
        self.costs = costs
        self.rows = 0
        self.confusion: CountArray = np.zeros((classes, classes), dtype=np.int64)
        self.log_loss = self.squared_error = self.cost = 0.0
        self.decisions: CountArray | None = None
        """With costs: the rows of each class that got each action, the one of least expected cost."""
        if costs is not None:
            self.decisions = np.zeros((classes, len(costs.actions)), dtype=np.int64)
        self.bins: FloatArray = np.zeros((3, len(_EDGES) - 1))
        """The rows in each bin of the probability of the predicted class, these probabilities, the hits."""
        self.ranks = [RankSums()] * classes
        self._tallies: list[RankTally] | None = None

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.confusion.sum())

    @property
    def reliability(self) -> Reliability:
        """How often the predicted class was the true one, by the probability that it was given."""
        counts, said, hits = self.bins
        with np.errstate(invalid="ignore"):  # an empty bin has no means
            means, shares = said / counts, hits / counts
        return Reliability(_EDGES, counts.astype(self.confusion.dtype), means, shares, "the predicted class")

    def add(
        self, truth: PlaceArray, proba: FloatArray, weights: FloatArray | None, *, rank: bool = False
    ) -> None:
        """Add rows: the place of the true class, P(class), the weight; with ``rank`` their order, too."""
        for some in row_blocks(len(truth)):
            own = None if weights is None else np.asarray(weights[some], dtype=np.float64)
            self._add(truth[some], proba[some], own)
            if rank:
                self._rank(truth[some], proba[some], own)

    def compared(self) -> ScoreSums:
        """Compare the ranked rows so far with each other, and not with rows that are added later."""
        if self._tallies is not None:
            self.ranks = [own + tally.sums() for own, tally in zip(self.ranks, self._tallies, strict=True)]
            self._tallies = None
        return self

    def include(self, other: ScoreSums) -> None:
        """Add the sums of other rows."""
        self.rows += other.rows
        self.confusion = self.confusion + other.confusion
        self.log_loss += other.log_loss
        self.squared_error += other.squared_error
        self.cost += other.cost
        if self.decisions is not None and other.decisions is not None:
            self.decisions = self.decisions + other.decisions
        self.bins += other.bins
        self.ranks = [own + another for own, another in zip(self.ranks, other.ranks, strict=True)]

    def widen(self, classes: int) -> None:
        """Make room for more classes, which had probability 0 in all rows so far."""
        more = classes - len(self.confusion)
        if more <= 0:
            return
        before = self.weight
        self.confusion = np.pad(self.confusion, (0, more))
        if self.decisions is not None:
            self.decisions = np.pad(self.decisions, ((0, more), (0, 0)))
        self.ranks += [RankSums()] * more
        for _ in range(more if self._tallies is not None else 0):
            assert self._tallies is not None
            tally = RankTally(MOST_SCORES // classes)
            tally.add(np.array([False]), np.zeros(1), np.array([before]))
            self._tallies.append(tally)

    def _add(self, truth: PlaceArray, proba: FloatArray, weights: FloatArray | None) -> None:
        rows, size = np.arange(len(truth)), len(self.confusion)
        predicted, share = proba.argmax(axis=1), np.ones(len(truth)) if weights is None else weights
        cells = np.bincount(truth.astype(np.intp) * size + predicted, weights, size * size)
        self.rows += len(truth)
        self.confusion = self.confusion + cells.reshape(size, size)
        errors = np.array(proba, dtype=np.float64)
        self.log_loss -= weighted_sum(share, np.log(np.maximum(errors[rows, truth], SMALLEST)))
        errors[rows, truth] -= 1.0
        self.squared_error += weighted_sum(share, (errors * errors).sum(axis=1))
        said = proba[rows, predicted]
        bins = len(_EDGES) - 1
        place = np.clip(np.searchsorted(_EDGES, said, side="right") - 1, 0, bins - 1)
        for row, values in enumerate((share, share * said, share * (predicted == truth))):
            self.bins[row] += np.bincount(place, values, bins)
        if self.costs is not None:
            chosen = Decisions(Beliefs(tuple(range(size)), proba, False), self.costs).chosen
            self.cost -= weighted_sum(share, self.costs.values[chosen, truth])
            assert self.decisions is not None
            actions = len(self.costs.actions)
            taken = np.bincount(truth.astype(np.intp) * actions + chosen, weights, size * actions)
            self.decisions = self.decisions + taken.reshape(size, actions)

    def _rank(self, truth: PlaceArray, proba: FloatArray, weights: FloatArray | None) -> None:
        classes = len(self.confusion)
        if self._tallies is None:
            self._tallies = [RankTally(MOST_SCORES // classes) for _ in range(classes)]
        for place, tally in enumerate(self._tallies):
            tally.add(truth == place, proba[:, place], weights)
