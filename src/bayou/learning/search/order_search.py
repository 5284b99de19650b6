"""Order-based search: a local search over orders of the variables instead of networks.

In an order the best network is simple: each variable takes its best parent set among its predecessors, so

    score(order) = Σ over v of max { score(v, S) : S a candidate set of v, all of S before v }.

There are far fewer orders than networks, and their scores vary more smoothly (Teyssier & Koller 2005). A step
moves one variable to any other position (Scanagatta et al. 2017). Local optima are left by moving a few
variables at random. The candidate sets are those of :mod:`bayou.learning.search.candidate_sets`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from bayou._native import climb_orders
from bayou.graphs.meek import as_bits, set_bits
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.search.ancestry import topological_order
from bayou.learning.search.candidate_sets import CandidateSets, SortedSets, sorted_sets, uncertainty
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.search.search_result import FoundStructure, Parents
from bayou.learning.time_budget import TimeBudget
from bayou.progress import tracked
from bayou.typing import IntArray

_ROUND = 4
"""The number of orders that are climbed at once."""

_PASSES = 20
"""The most passes over all variables between two checks of the clock."""

_SLACK = 1e-5
"""The search continues from a slightly worse order if it loses at most this share of the score."""

_FARTHEST = 5
"""The search returns to the best order when it is more than this many times ``_SLACK`` below it."""


def order_search(
    scores: LocalScores,
    constraints: Constraints,
    budget: TimeBudget,
    *,
    start: Parents | None = None,
    expansions: int = 40,
    patience: int = 200,
    seed: int = 0,
) -> FoundStructure:
    """The best network found by moving variables of an order, never worse than hill climbing from ``start``.

    For each variable the best ``expansions`` parent sets are scored with further parents, for at most a third
    of the time. Then orders are disturbed at random and climbed again, until ``patience`` rounds in a row
    gained nothing. Without a time limit the same seed gives the same network.

    >>> from bayou.learning.scores.local_scores import SourceScores
    >>> from bayou.learning.scores.scores import BIC
    >>> from bayou.sources import open_source
    >>> source = open_source({"A": [0, 0, 1, 1] * 9, "B": [0, 1, 0, 1] * 9, "C": [0, 1, 1, 1] * 9})
    >>> scores = SourceScores(source, [source.variable(name) for name in "ABC"], BIC())
    >>> order_search(scores, Constraints.none(3), TimeBudget()).parents
    ((), (), (0, 1))
    """
    if not scores.variables:
        return FoundStructure((), 0.0)
    search = _OrderSearch(scores, constraints, budget, expansions, seed)
    try:
        search.begin(start)
        for _ in tracked(search.growing(), "parent sets that are tried"):
            pass
        for _ in tracked(search.rounds(patience), "rounds of orders"):
            pass
    except KeyboardInterrupt:
        search.finished = False
    return search.result()


class _OrderSearch:
    """The candidate parent sets and the best network so far."""

    def __init__(
        self, scores: LocalScores, constraints: Constraints, budget: TimeBudget, expansions: int, seed: int
    ) -> None:
        self._scores, self._constraints, self._budget = scores, constraints, budget
        self._expansions = expansions
        self._random = np.random.default_rng(seed)
        self._candidates: list[CandidateSets] = []
        self.parents: Parents = tuple(
            tuple(np.flatnonzero(constraints.required[:, child]).tolist())
            for child in range(len(scores.variables))
        )
        self._score = -np.inf
        self._least = uncertainty(len(scores.variables))
        self.finished = True

    def result(self) -> FoundStructure:
        """The best network, scored."""
        families = list(enumerate(self.parents))
        return FoundStructure(self.parents, float(self._scores.families(families).sum()), self.finished)

    def begin(self, start: Parents | None) -> None:
        """Climb from the start by single arcs, then score the parent sets around the network found."""
        if start is not None:
            self.parents = start
        self._polish()
        if self._budget.over:
            return
        everything = range(len(self.parents))
        self._candidates = [CandidateSets(self._scores, self._constraints, child) for child in everything]
        self._widen()

    def _polish(self) -> None:
        """Hill climb from the best network by changes of single arcs."""
        found = hill_climb(self._scores, self._constraints, self._budget, start=self.parents)
        if found.score > self._score + self._least:
            self.parents, self._score = found.parents, found.score
        if not found.finished and not self._budget.over:
            raise KeyboardInterrupt

    def _widen(self) -> bool:
        """Score each variable's parents with one more and one less; return whether a new set is better."""
        better = False
        for child, bits in zip(self._candidates, as_bits(self.parents), strict=True):
            better |= child.add([bits])
            better |= not self._budget.over and (child.expand(child.required) | child.expand(bits))
        return better

    def growing(self) -> Iterator[None]:
        """Score the best sets of each variable in turn with further parents, for a third of the time."""
        reserve = self._budget.left * 2 / 3
        while self._expansions > 0:
            for child in self._candidates:
                if self._budget.left < reserve:
                    return
                if child.grow():
                    yield
            self._expansions -= 1

    def rounds(self, patience: int) -> Iterator[None]:
        """Disturb and climb orders; after many rounds without gain, score sets around the best network."""
        more = True
        while more and not self._budget.over:
            yield from self._climbs(sorted_sets(self._candidates), patience)
            before = self._score
            if not self._budget.over:
                self._polish()
                more = self._widen() or self._score > before
                if not more and self._expansions > 0:
                    yield from self.growing()
                    more = True
        self.finished = not self._budget.over

    def _climbs(self, lists: SortedSets, patience: int) -> Iterator[None]:
        """Climb from disturbed orders until ``patience`` rounds in a row find no better network."""
        best = here = np.array(topological_order(self.parents), dtype=np.int32)
        reached = self._score
        orders = np.tile(here, (_ROUND, 1))
        idle = 0
        while idle < patience and not self._budget.over:
            visits = self._random.permutation(len(here)).astype(np.int32)
            totals, orders, chosen = climb_orders(*lists, visits, orders, _PASSES)
            first = int(np.argmax(totals))
            idle += 1
            if totals[first] > self._score + self._least:
                best, self._score, idle = orders[first], float(totals[first]), 0
                self.parents = _members(lists, chosen[first])
            slack = _SLACK * abs(self._score)
            if totals[first] > reached - slack:
                here, reached = orders[first], float(totals[first])
            if reached < self._score - _FARTHEST * slack:
                here, reached = best, self._score
            orders = np.stack([self._disturbed(here) for _ in range(_ROUND)])
            yield

    def _disturbed(self, order: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """The order with a few random variables moved to random positions."""
        size = len(order)
        count = min(size, int(self._random.integers(2, 4 + size // 10)))
        moved = self._random.choice(order, count, replace=False)
        rest = order[~np.isin(order, moved)]
        return np.insert(rest, self._random.integers(0, len(rest) + 1, count), moved)


def _members(lists: SortedSets, chosen: IntArray) -> Parents:
    """The parents of each variable, from the rows of its chosen sets."""
    sets = lists.sets[chosen]
    words = [[int(word) << 64 * at for at, word in enumerate(row)] for row in sets]
    return tuple(tuple(set_bits(sum(one))) for one in words)
