"""A graph under local search whose gains come from scores: every column of them is asked for once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bayou._native import ClimbingGraph
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.scores.native_scores import NativeScores
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FINITE_WORST_SCORE, Budget, OutOfTime, Parents, rounding
from bayou.typing import FloatArray

AT_ONCE = 64
"""Steps between two looks at the clock, where nothing has to be scored."""

WALK = 2
"""Tries to turn arcs within the class of equivalent graphs, times the number of arcs."""

SLICE = 0.05
"""Seconds that the core may score before it looks whether the user wants it to stop."""


class Move(NamedTuple):
    """One change of a graph: what is done to the arc parent → child, and what the score gains by it."""

    kind: str
    parent: int
    child: int
    gain: float


class ClimbingState:
    """The graph and its gains (``_native.ClimbingGraph``), and the scores that it asks for."""

    def __init__(self, scores: LocalScores, constraints: Constraints, budget: Budget) -> None:
        self.scores, self.constraints, self.budget = scores, constraints, budget
        self.size = len(scores.variables)
        self.tolerance = 0.0
        required, allowed = (
            np.ascontiguousarray(arcs, dtype=np.uint8).reshape(-1)
            for arcs in (constraints.required, constraints.allowed)
        )
        self._graph = ClimbingGraph(self.size, required, allowed)
        # Rows in the core are scored there, without coming back for every column.
        self._asks_core = isinstance(scores, NativeScores)
        if isinstance(scores, NativeScores):
            self._graph.use_memory(
                scores.memory, int(min(constraints.max_parents, self.size)), FINITE_WORST_SCORE
            )

    @property
    def score(self) -> float:
        """The score of the whole graph."""
        self._ask()
        return self._graph.score()

    @property
    def parents(self) -> Parents:
        """The graph as it is now."""
        return self._graph.parents()

    def restart(self, parents: Parents) -> None:
        """Go to another graph at once."""
        self._graph.rebuild(parents)
        self._measure()

    def shake(self, share: float, random: np.random.Generator) -> None:
        """Walk to an equivalent graph and take out a share of its arcs, both by chance."""
        arcs = sum(map(len, self._graph.parents()))
        self._graph.perturb(share, random.random((1 + WALK) * arcs))
        self._measure()

    def _measure(self) -> None:
        self.tolerance = rounding(self.score)

    def best(self, held: Iterable[int] = ()) -> Move | None:
        """The legal move with the largest gain, perhaps a loss; of equal ones additions first, by position.

        ``held`` are pairs that are not touched, as parent · size + child.
        """
        self._ask()
        found = self._graph.best(self.tolerance, list(held))
        return None if found is None else Move(*found)

    def apply(self, move: Move) -> None:
        """Make a legal move; what it changes is scored when somebody asks next."""
        self._graph.apply(move.kind, move.parent, move.child)

    def climb(self) -> list[Move]:
        """Some of the moves that gain, the best first each time, already made; none left: none."""
        self._ask()
        seconds = min(SLICE, self.budget.left)
        return [Move(*move) for move in self._graph.climb(self.tolerance, AT_ONCE, seconds)]

    def _ask(self) -> None:
        """Score everything about the children whose parents are new."""
        if self._asks_core:
            while not self._graph.fill(min(SLICE, self.budget.left)):
                if self.budget.over:
                    raise OutOfTime
            return
        for child in self._graph.unknown():
            self._graph.set_column(child, *self._scored(child, self._graph.parents_of(child)))

    def _scored(self, child: int, parents: tuple[int, ...]) -> tuple[float, FloatArray, FloatArray]:
        """The child's score, and what more or fewer parents gain (−∞ where that may not be)."""
        if self.budget.over:
            raise OutOfTime
        fewer = [tuple(other for other in parents if other != parent) for parent in parents]
        families = [(child, parents), *((child, rest) for rest in fewer)]
        known = np.maximum(self.scores.families(families), FINITE_WORST_SCORE)
        adding, dropping = np.full((2, self.size), -np.inf)
        dropping[list(parents)] = known[1:] - known[0]
        if len(parents) < self.constraints.max_parents:
            free = self.constraints.allowed[:, child].copy()
            free[list(parents)] = False
            candidates = free.nonzero()[0]
            if len(candidates):
                scores = self.scores.additions(child, parents, candidates)
                adding[candidates] = np.maximum(scores, FINITE_WORST_SCORE) - known[0]
        return float(known[0]), adding, dropping
