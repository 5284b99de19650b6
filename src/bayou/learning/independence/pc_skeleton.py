"""The skeleton of PC-stable: which pairs of variables stay joined, within the time limit.

At first all allowed pairs are joined. For the sizes 0, 1, 2, … each pair that is still joined is tested given
every set of that size among the neighbours of either variable; it is separated if a p-value exceeds the level
of the test. The neighbours are those at the beginning of each size, so the result does not depend on the
order of the variables (Spirtes, Glymour & Scheines 2000; Colombo & Maathuis 2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bayou.learning.independence.separation_tests import NOT_MADE, Pair, SeparationResult, SeparationTests
from bayou.learning.independence.timed_tests import Block, separations_in_blocks
from bayou.learning.search.constraints import Constraints
from bayou.learning.time_budget import TimeBudget
from bayou.progress import tracked
from bayou.typing import BoolArray


class Skeleton:
    """The joined pairs (``adjacent``) and the tests that separated the others.

    A pair stays joined only if tests support it: a pair that cannot even be tested without conditioning
    (``untestable``), or was not tested before the time was up (``unreached``), is not joined. ``weakest``
    holds for each joined pair the test with the largest p-value.
    """

    def __init__(self, tests: SeparationTests, rules: Constraints, level: float, budget: TimeBudget) -> None:
        self.tests, self.level, self.budget = tests, level, budget
        self.adjacent: BoolArray = rules.allowed | rules.allowed.T
        np.fill_diagonal(self.adjacent, False)
        self.forbidden: BoolArray = ~self.adjacent
        np.fill_diagonal(self.forbidden, False)
        self.required: BoolArray = rules.required | rules.required.T
        self.separations: dict[Pair, SeparationResult] = {}
        self.weakest: dict[Pair, SeparationResult] = {}
        self.untestable: list[Pair] = []
        self.unreached: list[Pair] = []
        self.tests_made = 0
        self.finished = True

    def run(self, largest: int) -> None:
        """Test given sets of size 0, 1, … until no pair has enough neighbours, or time or user ends it."""
        try:
            self._join(largest)
            self._separate_forbidden(largest)
        except KeyboardInterrupt:
            self.finished = False

    def _join(self, largest: int) -> None:
        """Separate the allowed pairs, level by level."""
        for size in range(largest + 1):
            enough = self.adjacent.sum(axis=1) > size
            pairs = adjacent_pairs(self.adjacent & ~self.required & (enough[:, None] | enough[None, :]))
            if not pairs or not self.finished:
                return
            best: dict[Pair, SeparationResult] = {}
            try:
                self._test(pairs, size, best)
            finally:
                self._part(pairs, size, best)

    def _part(self, pairs: Sequence[Pair], size: int, best: dict[Pair, SeparationResult]) -> None:
        """Separate the pairs that a test found independent, and those that have no test at all."""
        for pair in pairs:
            found = best.get(pair)
            if found is not None and found.p_value > self.level:
                self.separations[pair] = found
            elif size == 0 and found is None:
                self.unreached.append(pair)
            elif size == 0 and found is not None and found.p_value < 0:
                self.untestable.append(pair)
            else:
                if found is not None and found.p_value > self.weakest.get(pair, NOT_MADE).p_value:
                    self.weakest[pair] = found
                continue
            self.adjacent[pair] = self.adjacent[pair[::-1]] = False

    def _separate_forbidden(self, largest: int) -> None:
        """Find separating sets of forbidden pairs with a common neighbour, which may be a common effect."""
        between = (self.adjacent.astype(np.int64) @ self.adjacent) > 0
        pairs = adjacent_pairs(self.forbidden & between)
        degrees = self.adjacent.sum(axis=1)
        for size in range(largest + 1):
            pairs = [pair for pair in pairs if max(degrees[pair[0]], degrees[pair[1]]) >= size]
            if not pairs or not self.finished:
                return
            best: dict[Pair, SeparationResult] = {}
            self._test(pairs, size, best)
            self.separations |= {pair: one for pair, one in best.items() if one.p_value > self.level}
            untestable = {pair for pair, one in best.items() if size == 0 and one.p_value < 0}
            pairs = [pair for pair in pairs if pair not in self.separations and pair not in untestable]

    def _test(self, pairs: Sequence[Pair], size: int, best: dict[Pair, SeparationResult]) -> None:
        """Write the test with the largest p-value of each pair into ``best``, as far as there is time."""
        neighbours = [np.flatnonzero(row).tolist() for row in self.adjacent]
        blocks = separations_in_blocks(self.tests, pairs, neighbours, size)
        for block in tracked(self._in_time(blocks), f"tests of independence given {size} variables"):
            for pair, found in block:
                self.tests_made += found.tests
                if pair not in best or found.p_value > best[pair].p_value:
                    best[pair] = found

    def _in_time(self, blocks: Iterator[Block]) -> Iterator[Block]:
        while not self.budget.over:
            block = next(blocks, None)
            if block is None:
                return
            yield block
        self.finished = False


def adjacent_pairs(adjacent: BoolArray) -> list[Pair]:
    """The pairs (i < j) of a symmetric matrix."""
    return [(x, y) for x, y in np.argwhere(np.triu(adjacent)).tolist()]
