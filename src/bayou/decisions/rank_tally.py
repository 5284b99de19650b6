"""How the members of a class rank among other rows, added up some rows at a time within bounded memory."""

from __future__ import annotations

import numpy as np

from bayou.decisions.ranking_curves import RankSums, rank_sums
from bayou.typing import BoolArray, FloatArray

MOST_SCORES = 1 << 20
"""How many different scores, of all classes together, are told apart exactly."""


class RankTally:
    """The weights of members and of others at each score.

    Where there are more than ``most`` different scores, neighbours are taken for equal, so that each group
    has about 6 / ``most`` of the rows; a score that so many rows have stays alone.

    >>> tally = RankTally()
    >>> tally.add(np.array([True, False]), np.array([0.8, 0.4]), None)
    >>> tally.add(np.array([True, False]), np.array([0.35, 0.1]), None)
    >>> tally.sums().auc
    0.75
    """

    def __init__(self, most: int = MOST_SCORES) -> None:
        self._most = most
        self._scores: FloatArray = np.empty(0)
        self._weights: FloatArray = np.empty((2, 0))
        self._waiting: list[tuple[FloatArray, FloatArray]] = []
        self._waiting_rows = 0

    def add(self, members: BoolArray, scores: FloatArray, weights: FloatArray | None) -> None:
        """Add some rows."""
        share = np.ones(len(scores)) if weights is None else weights
        both = np.stack([np.where(members, share, 0.0), np.where(members, 0.0, share)])
        self._waiting.append((np.array(scores, dtype=np.float64), both))
        self._waiting_rows += len(scores)
        if self._waiting_rows >= self._most:
            self._settle()

    def sums(self) -> RankSums:
        """The pairs that members win, and their precision, as far as scores are told apart."""
        self._settle()
        hits, alarms = np.cumsum(self._weights[:, ::-1], axis=1)
        return rank_sums(hits, alarms) if len(hits) else RankSums()

    def _settle(self) -> None:
        """Add the rows that wait to the weights; join scores if there are too many different ones."""
        scores = np.concatenate([self._scores, *(scores for scores, _ in self._waiting)])
        weights = np.concatenate([self._weights, *(both for _, both in self._waiting)], axis=1)
        self._waiting, self._waiting_rows = [], 0
        self._scores, places = np.unique(scores, return_inverse=True)
        self._weights = _summed(weights, places.ravel())
        if len(self._scores) > self._most:
            self._join_neighbours()

    def _join_neighbours(self) -> None:
        share = self._weights.sum(axis=0)
        most = 6 * share.sum() / self._most
        alone = share >= most
        stretch = np.floor((np.cumsum(share) - share / 2) / most)
        begins = np.diff(stretch, prepend=-1.0) != 0
        begins |= alone
        begins[1:] |= alone[:-1]
        self._weights = _summed(self._weights, np.cumsum(begins) - 1)
        self._scores = self._scores[np.append(np.flatnonzero(begins)[1:] - 1, len(begins) - 1)]


def _summed(weights: FloatArray, places: np.ndarray[tuple[int], np.dtype[np.intp]]) -> FloatArray:
    """The sums of the weights of members and of others at each place."""
    return np.stack([np.bincount(places, row) for row in weights])
