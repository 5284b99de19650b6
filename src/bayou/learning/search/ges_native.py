"""Greedy equivalence search in the core, for rows that are scored there; same steps as :mod:`ges`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayou._native import EquivalenceSearch
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.scores.native_scores import NativeScores
from bayou.learning.search.climbing_state import SLICE
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.ges_operators import ClassStep, slack_of
from bayou.learning.search.search_result import Parents
from bayou.learning.time_budget import OutOfTime, TimeBudget


def native_search(scores: LocalScores, constraints: Constraints, budget: TimeBudget) -> NativeSearch | None:
    """The search in the core if the rows are there, else None: then the search in Python is used."""
    # With the reference kernels there is no EquivalenceSearch: the search in Python is its reference.
    if not isinstance(scores, NativeScores) or EquivalenceSearch is None:
        return None
    return NativeSearch(scores, constraints, budget)


class NativeSearch:
    """The search of the core (``_native.EquivalenceSearch``) under a time budget."""

    def __init__(self, scores: NativeScores, constraints: Constraints, budget: TimeBudget) -> None:
        self._budget = budget
        joinable = np.ascontiguousarray(constraints.allowed, dtype=np.uint8).reshape(-1)
        most = int(min(constraints.max_parents, len(scores.variables)))
        self._search = EquivalenceSearch(scores.memory, joinable, most, slack_of(scores))

    @property
    def parents(self) -> Parents:
        """The parents of each variable in the current network."""
        return self._search.parents()

    def steps(self) -> Iterator[ClassStep]:
        """Add edges while that gains, then delete, then turn; repeat until no step gains."""
        while not self._search.is_finished():
            # The core returns after each time slice, so that the budget and Ctrl-C are checked.
            for gain, tail, head, clique in self._search.steps(min(SLICE, self._budget.left)):
                yield ClassStep(gain, tail, head, sum(1 << member for member in clique))
            if self._budget.over and not self._search.is_finished():
                raise OutOfTime
