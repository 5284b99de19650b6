"""Hill climbing over graphs: greedy steps, then tabu steps and restarts around the best graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from bayou.errors import counted
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.search.climbing_state import ClimbingState, Move
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FoundStructure, Parents
from bayou.learning.time_budget import OutOfTime, TimeBudget
from bayou.progress import tracked

Watch: TypeAlias = Callable[[Move, float], None]
"""Called after every step with the move and the score after it."""


def hill_climb(
    scores: LocalScores,
    constraints: Constraints,
    budget: TimeBudget,
    *,
    start: Parents | None = None,
    tabu: int = 0,
    patience: int = 50,
    restarts: int = 0,
    idle_restarts: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
) -> FoundStructure:
    """The best graph that is reached from ``start`` by adding, deleting and turning single arcs.

    With ``tabu`` the search continues from there: the best move is made even if it loses, without changing
    the last ``tabu`` pairs, until ``patience`` moves in a row have found nothing better. ``restarts`` times a
    random share of the best graph's arcs is deleted and the rest is climbed again; after ``idle_restarts`` in
    a row without a better graph it ends. No single legal change improves the result, unless the time limit
    or the user ended the search (then ``finished`` is False).
    """
    return _HillClimb(scores, constraints, budget, tabu, patience, watch).run(
        start, restarts, idle_restarts, seed
    )


SHAKEN = (0.3, 0.9)
"""The smallest and the largest share of the arcs that a restart deletes."""


class _HillClimb:
    """One run: the current graph (``state``) and the best graph so far."""

    def __init__(
        self,
        scores: LocalScores,
        constraints: Constraints,
        budget: TimeBudget,
        tabu: int,
        patience: int,
        watch: Watch | None,
    ) -> None:
        self.state = ClimbingState(scores, constraints, budget)
        self.required: Parents = tuple(
            tuple(np.flatnonzero(constraints.required[:, child]).tolist())
            for child in range(len(scores.variables))
        )
        self.budget, self.tabu, self.patience, self.watch = budget, tabu, patience, watch
        self.best: Parents = self.required
        self.score = -np.inf

    def run(self, start: Parents | None, restarts: int, most_idle: int | None, seed: int) -> FoundStructure:
        self.best = self.required if start is None else start
        try:
            for _ in tracked(self._moves(restarts, most_idle, seed), self._progress_text):
                pass
        except (OutOfTime, KeyboardInterrupt):
            return FoundStructure(self.best, self._own_score(), finished=False)
        return FoundStructure(self.best, self.score)

    def _moves(self, restarts: int, most_idle: int | None, seed: int) -> Iterator[Move]:
        self.state.restart(self.best)
        self.score = self.state.score
        yield from self._improve()
        random = np.random.default_rng(seed)
        idle = 0
        for _ in range(restarts):
            before = self.score
            self._shake(random)
            yield from self._improve()
            idle = 0 if self.score > before else idle + 1
            if idle == most_idle:
                return

    def _improve(self) -> Iterator[Move]:
        """Climb, then wander by tabu steps; repeat from the best graph as long as wandering improves it."""
        while True:
            yield from self._climb()
            before = self.score
            if self.tabu:
                yield from self._wander()
            if self.state.parents != self.best:
                self.state.restart(self.best)
            if not self.score > before + self.state.tolerance:
                return

    def _climb(self) -> Iterator[Move]:
        score = self.state.score
        while moves := self.state.climb():
            # Recorded before anything else is scored, so that an interrupt does not lose these moves.
            self._compare(score + sum(move.gain for move in moves))
            for move in moves:
                score += move.gain
                if self.watch is not None:
                    self.watch(move, score)
            yield from moves
            if self.budget.over:
                raise OutOfTime

    def _wander(self) -> Iterator[Move]:
        """Make the best move that changes no recent pair, until ``patience`` moves find nothing better."""
        recent: deque[int] = deque(maxlen=2 * self.tabu)
        size, idle = self.state.size, 0
        while idle < self.patience:
            move = self.state.best(recent)
            if move is None:
                return
            before = self.score
            yield self._step(move)
            idle = 0 if self.score > before + self.state.tolerance else idle + 1
            recent.extend((move.parent * size + move.child, move.child * size + move.parent))

    def _shake(self, random: np.random.Generator) -> None:
        """Move to a random graph of the same equivalence class, then delete a random share of its arcs."""
        self.state.shake(random.uniform(*SHAKEN), random)

    def _step(self, move: Move) -> Move:
        if self.budget.over:
            raise OutOfTime
        score = self.state.score + move.gain
        self.state.apply(move)
        self._compare(score)
        if self.watch is not None:
            self.watch(move, score)
        return move

    def _compare(self, score: float) -> None:
        """Keep the current graph if it is the best so far."""
        if score > self.score + self.state.tolerance:
            self.best, self.score = self.state.parents, score

    def _progress_text(self) -> str:
        arcs = sum(map(len, self.best))
        return f"best score {self.score:,.2f} with {counted(arcs, 'arc')}; steps"

    def _own_score(self) -> float:
        """The score of the best graph, computed here if the time was up before it was known."""
        if self.score > -np.inf:
            return self.score
        return float(self.state.scores.families(list(enumerate(self.best))).sum())
