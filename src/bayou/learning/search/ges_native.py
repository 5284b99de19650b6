"""Greedy equivalence search in the core, on rows that are scored there: the steps that Python would make."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayou._native import EquivalenceSearch
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.scores.native_scores import NativeScores
from bayou.learning.search.climbing_state import SLICE
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.ges_operators import ClassStep, slack_of
from bayou.learning.search.search_result import Budget, OutOfTime, Parents


def native_search(scores: LocalScores, constraints: Constraints, budget: Budget) -> NativeSearch | None:
    """The search in the core, where rows are kept there; None where the search in Python must do."""
    # The references of the kernels have no search of their own: the one in Python is it.
    if not isinstance(scores, NativeScores) or EquivalenceSearch is None:
        return None
    return NativeSearch(scores, constraints, budget)


class NativeSearch:
    """The class at hand and one of its networks (``_native.EquivalenceSearch``), under a time budget."""

    def __init__(self, scores: NativeScores, constraints: Constraints, budget: Budget) -> None:
        self._budget = budget
        joinable = np.ascontiguousarray(constraints.allowed, dtype=np.uint8).reshape(-1)
        most = int(min(constraints.max_parents, len(scores.variables)))
        self._search = EquivalenceSearch(scores.memory, joinable, most, slack_of(scores))

    @property
    def parents(self) -> Parents:
        """The network as it is now."""
        return self._search.parents()

    def steps(self) -> Iterator[ClassStep]:
        """Add while that gains, then delete, then turn, and again until nothing does."""
        while not self._search.is_finished():
            # The core comes back between steps and amid them, for the budget and for the user's interrupt.
            for gain, tail, head, clique in self._search.steps(min(SLICE, self._budget.left)):
                yield ClassStep(gain, tail, head, sum(1 << member for member in clique))
            if self._budget.over and not self._search.is_finished():
                raise OutOfTime
