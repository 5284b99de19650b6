"""Ceilings: upper bounds on the score of a parent set S and of all its supersets within the usable parents U.

A set whose ceiling does not exceed the score of one of its subsets is pruned, with all its supersets. The
child has r states; L(S) is its maximal log-likelihood with the parents S, which have q(S) combinations of
states.

- Penalised likelihood, L(S) − c · q(S)(r − 1): L grows with every parent, and so does the penalty. Hence the
  ceiling L(U) − c · q(S)(r − 1). For Gaussian children it is L(U) − c · (|S| + 2).
- Marginal likelihood with the pseudocount a in every cell. Let a cell (one combination of S, one state of the
  child) have n rows. Predicted one after the other, without rows of other states, they have the probability
  Π_{i<n} (a + i) / (ra + i). Rows of other states make the denominators larger. More parents split the cell,
  and the rows of each part start again at i = 0, with smaller factors. So a ceiling is the sum over the cells
  that occur of ln Γ(a + n) − ln Γ(a) + ln Γ(ra) − ln Γ(ra + n). The factor for i = 0 is 1/r for every a, and
  the others fall as a grows, so the smallest a of all supersets, that of U, serves for all of them.

(After de Campos & Ji 2011; Cussens 2012; Correia et al. 2020.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from bayou.learning.scores.gaussian_scores import GaussianScores
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.scores.scores import AIC, BIC, LogLikelihood, MarginalLikelihood, Score, log_likelihood
from bayou.learning.time_budget import TimeBudget
from bayou.schema import Variable
from bayou.special_functions import log_rising
from bayou.statistics import Batch, RowBuffer, RowCounts, Source
from bayou.statistics.rows.distinct_rows import compress_rows, sorted_distinct_rows
from bayou.typing import ColumnArray, FloatArray, IntArray

LARGEST_ROWS = 1 << 27
"""If the distinct rows take more bytes than this there are no ceilings: a file may have any size."""

_DENSE = 1 << 20
"""In tables with more cells than this only the cells that occur are numbered."""

_BUILDING = 0.3
"""After this share of a limited time no more ceilings are built: the search goes on without them."""


class Ceiling(Protocol):
    """A bound on the scores of parent sets (masks of positions in ``parents``) and of all their supersets."""

    def of(self, masks: IntArray, known: FloatArray) -> FloatArray:
        """The bound of each set; ``known`` is the best score of its subsets.

        A bound above ``known`` cannot prune the set, so it need not be tight.
        """


class Ceilings:
    """Makes the ceilings of a search, where its score and data allow one."""

    def __init__(self, scores: LocalScores, budget: TimeBudget) -> None:
        self._score: Score | None = getattr(scores, "score", None)
        self._budget, self._building = budget, budget.share(_BUILDING)
        self._rows = _complete_rows(scores)
        self._numbers = scores if isinstance(scores, GaussianScores) else None

    def of(self, child: int, parents: Sequence[int], usable: Sequence[int]) -> Ceiling | None:
        """The ceiling of a child, or None if there is none.

        Bit b of a mask is the b-th of ``parents``; sets contain only ``usable`` parents.
        """
        if self._numbers is not None and isinstance(self._score, BIC | AIC | LogLikelihood):
            most, price = self._numbers.most(child, usable), self._score.price(self._numbers.rows)
            return _GaussianCeiling(len(parents), most, price)
        if self._rows is None or not len(self._rows.counts) or self._building.over:
            return None
        if isinstance(self._score, BIC | AIC | LogLikelihood):
            return _PenalisedCeiling(self._rows, child, parents, usable, self._score)
        # The bound predicts rows one after the other, so it needs whole-number counts.
        if isinstance(self._score, MarginalLikelihood) and self._rows.counts.dtype.kind in "iu":
            return _MarginalCeiling(self._rows, child, parents, usable, self._score, self._budget)
        return None


class _Rows:
    """The distinct rows, shared by all ceilings: one column per variable, in the smallest type of codes."""

    def __init__(self, rows: RowCounts) -> None:
        self.cards = [axis.cardinality for axis in rows.axes]
        self.codes = np.asfortranarray(rows.codes, dtype=np.min_scalar_type(max(self.cards)))
        self.counts, self.total = rows.counts, rows.total
        self.weights = None if np.all(rows.counts == 1) else rows.counts.astype(np.float64)

    def distinct(self, members: Sequence[int]) -> tuple[IntArray, IntArray]:
        """The distinct rows of some variables: where each first occurs, and for every row its number."""
        return sorted_distinct_rows(self.codes[:, members], [self.cards[member] for member in members])


def _complete_rows(scores: LocalScores) -> _Rows | None:
    """The distinct rows; None if values are missing (families then have different rows) or continuous."""
    variables = scores.variables
    if not variables or any(variable.is_continuous for variable in variables):
        return None
    batch: Batch | None = getattr(scores, "batch", None)
    source: Source | None = getattr(scores, "source", None)
    if batch is None and source is not None:
        batch = source.map_batches(_distinct, variables).whole()
    rows = None if batch is None else _rows_of(batch, variables)
    return None if rows is None else _Rows(rows)


def _distinct(batch: Batch) -> RowBuffer:
    """The distinct rows of a batch; buffers of several batches add up, as long as they fit."""
    return RowBuffer((compress_rows(batch),), LARGEST_ROWS, shrink=compress_rows).within()


def _rows_of(batch: Batch, variables: Sequence[Variable]) -> RowCounts | None:
    if any(batch.missing(variable.name).any() for variable in variables):
        return None
    codes: ColumnArray = np.stack([batch.codes[variable.name] for variable in variables], axis=1)
    counts = np.ones(batch.rows, dtype=np.int64) if batch.weights is None else batch.weights
    if np.all(counts == np.rint(counts)):
        counts = counts.astype(np.int64)
    return RowCounts.of(variables, codes, counts)


class _PenalisedCeiling:
    """The log-likelihood with all usable parents, minus the penalty of the set."""

    def __init__(
        self,
        rows: _Rows,
        child: int,
        parents: Sequence[int],
        usable: Sequence[int],
        score: BIC | AIC | LogLikelihood,
    ) -> None:
        self._cards, states = [rows.cards[parent] for parent in parents], rows.cards[child]
        first, places = rows.distinct(usable)
        table = np.zeros((len(first), states))
        np.add.at(table, (places, rows.codes[:, child]), rows.counts)
        self._most = log_likelihood(table)
        self._price = score.price(rows.total) * max(states - 1, 0)

    def of(self, masks: IntArray, known: FloatArray) -> FloatArray:
        """The bound of each set."""
        bounds: FloatArray = self._most - self._price * _configurations(masks, self._cards)
        return bounds


class _GaussianCeiling:
    """The log-likelihood with all usable parents, minus the penalty of the set.

    The parameters are one slope per parent, an intercept and a variance.
    """

    def __init__(self, parents: int, most: float, price: float) -> None:
        self._parents, self._most, self._price = parents, most, price

    def of(self, masks: IntArray, known: FloatArray) -> FloatArray:
        """The bound of each set."""
        slopes = np.zeros(len(masks))
        for bit in range(self._parents):
            slopes += masks >> bit & 1
        bounds: FloatArray = self._most - self._price * (slopes + 2)
        return bounds


class _MarginalCeiling:
    """The sum over the cells that occur of the log-probability that their rows have on their own."""

    def __init__(
        self,
        rows: _Rows,
        child: int,
        parents: Sequence[int],
        usable: Sequence[int],
        score: MarginalLikelihood,
        budget: TimeBudget,
    ) -> None:
        self._rows, self._budget = rows, budget
        self._members = (*parents, child)
        self._cards = [rows.cards[member] for member in self._members]
        self._states = self._cards[-1]
        seen = len(rows.distinct(usable)[0])
        self._cells = len(rows.distinct([*usable, child])[0])
        combinations = math.prod(float(rows.cards[parent]) for parent in usable)
        self._alpha = max(score.per_cell(combinations, seen, self._states), 1e-300)

    def of(self, masks: IntArray, known: FloatArray) -> FloatArray:
        """The bound of each set; infinite if counting could not prune the set, or the time is up."""
        cells = np.minimum(_configurations(masks, self._cards[:-1]) * self._states, self._cells)
        # _pure is convex in n, so of all bounds with m cells equal counts give the least, m · _pure(n / m).
        # It falls as m grows; if it is above ``known`` for the largest m, counting cannot prune the set.
        worth_counting = cells * self._pure(self._rows.total / cells) <= known
        bounds = np.full(len(masks), np.inf)
        for place in np.flatnonzero(worth_counting):
            if self._budget.over:
                break
            bounds[place] = self._pure(self._occurring(int(masks[place]))).sum()
        return bounds

    def _occurring(self, mask: int) -> FloatArray:
        """The counts of the cells that occur."""
        codes = self._rows.codes
        key: IntArray = codes[:, self._members[-1]].astype(np.int64)
        size = self._states
        for bit, member in enumerate(self._members[:-1]):
            if mask >> bit & 1:
                key, size = key * self._cards[bit] + codes[:, member], size * self._cards[bit]
                if size > _DENSE:
                    found, key = np.unique(key, return_inverse=True)
                    size = len(found)
        counts = np.bincount(key, weights=self._rows.weights, minlength=size).astype(np.float64)
        return counts[counts > 0]

    def _pure(self, counts: FloatArray) -> FloatArray:
        """The log-probability of n rows of one state, predicted one after the other without other rows."""
        a, r = self._alpha, self._states
        values: FloatArray = log_rising(a, counts) - log_rising(r * a, counts)
        return values


def _configurations(masks: IntArray, cards: Sequence[int]) -> FloatArray:
    """The number of combinations of the parents' states, for each set."""
    size = np.ones(len(masks))
    for bit, card in enumerate(cards):
        size *= np.where(masks >> bit & 1, float(card), 1.0)
    return size
