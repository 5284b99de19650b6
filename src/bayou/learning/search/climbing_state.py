"""The graph of a local search and the gain of every single change of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bayou._native import ClimbingGraph
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.scores.native_scores import NativeScores
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FINITE_WORST_SCORE, Parents, rounding
from bayou.learning.time_budget import OutOfTime, TimeBudget
from bayou.typing import FloatArray

AT_ONCE = 64
"""The most steps between two checks of the clock, where nothing has to be scored."""

WALK = 2
"""Attempts per arc to turn an arc within the class of equivalent graphs."""

SLICE = 0.05
"""The most seconds that the core computes before it returns to check for Ctrl-C."""


class Move(NamedTuple):
    """One change of a graph: what is done to the arc parent → child, and the gain in score."""

    kind: str
    parent: int
    child: int
    gain: float


class ClimbingState:
    """The graph and its gains (``_native.ClimbingGraph``), and the scores that they come from."""

    def __init__(self, scores: LocalScores, constraints: Constraints, budget: TimeBudget) -> None:
        self.scores, self.constraints, self.budget = scores, constraints, budget
        self.size = len(scores.variables)
        self.tolerance = 0.0
        required, allowed = (
            np.ascontiguousarray(arcs, dtype=np.uint8).reshape(-1)
            for arcs in (constraints.required, constraints.allowed)
        )
        self._graph = ClimbingGraph(self.size, required, allowed)
        # Rows in the core are scored there, without a call from Python for every child.
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
        """The parents of each variable in the current graph."""
        return self._graph.parents()

    def restart(self, parents: Parents) -> None:
        """Replace the graph by another one."""
        self._graph.rebuild(parents)
        self._measure()

    def shake(self, share: float, random: np.random.Generator) -> None:
        """Move to a random equivalent graph, then delete a random share of its arcs."""
        arcs = sum(map(len, self._graph.parents()))
        self._graph.perturb(share, random.random((1 + WALK) * arcs))
        self._measure()

    def _measure(self) -> None:
        self.tolerance = rounding(self.score)

    def best(self, excluded: Iterable[int] = ()) -> Move | None:
        """The legal move with the largest gain (which may be negative), or None if there is no legal move.

        Of equal moves additions come first, then the order of the variables decides. ``excluded`` lists pairs
        that must not be changed, as parent · size + child.
        """
        self._ask()
        found = self._graph.best(self.tolerance, list(excluded))
        return None if found is None else Move(*found)

    def apply(self, move: Move) -> None:
        """Make a legal move; new gains are computed when they are next needed."""
        self._graph.apply(move.kind, move.parent, move.child)

    def climb(self) -> list[Move]:
        """Make some moves that gain, the best one each time, and return them; empty if none gains."""
        self._ask()
        seconds = min(SLICE, self.budget.left)
        return [Move(*move) for move in self._graph.climb(self.tolerance, AT_ONCE, seconds)]

    def _ask(self) -> None:
        """Compute the gains of the children whose parents have changed."""
        if self._asks_core:
            while not self._graph.fill(min(SLICE, self.budget.left)):
                if self.budget.over:
                    raise OutOfTime
            return
        for child in self._graph.unknown():
            self._graph.set_column(child, *self._scored(child, self._graph.parents_of(child)))

    def _scored(self, child: int, parents: tuple[int, ...]) -> tuple[float, FloatArray, FloatArray]:
        """The child's score, and the gain of adding and of dropping each parent (−∞ if not allowed)."""
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
