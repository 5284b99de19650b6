"""Local search over graphs: greedy steps, then tabu steps and fresh starts around the best graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.search.climbing_state import ClimbingState, Move
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import Budget, FoundStructure, OutOfTime, Parents
from bayou.progress import tracked

Watch: TypeAlias = Callable[[Move, float], None]
"""Told after every step: the move, and the score that it led to."""


def hill_climb(
    scores: LocalScores,
    constraints: Constraints,
    budget: Budget,
    *,
    start: Parents | None = None,
    tabu: int = 0,
    patience: int = 50,
    restarts: int = 0,
    idle_restarts: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
) -> FoundStructure:
    """The best graph that adding, deleting and turning single arcs reaches from ``start``.

    With ``tabu`` the search goes on from there: the best move is made even when it loses, the last
    ``tabu`` pairs are left alone, until ``patience`` moves have found nothing better. ``restarts`` times a
    random share of the best graph's arcs is taken out and the rest climbed again, at most ``idle_restarts``
    times in a row without finding a better one. No single legal change of the result is better, unless time
    or the user stopped the search (``finished`` is False then).
    """
    return _HillClimb(scores, constraints, budget, tabu, patience, watch).run(
        start, restarts, idle_restarts, seed
    )


SHAKEN = (0.3, 0.9)
"""The least and the largest share of the arcs that a restart takes out."""


class _HillClimb:
    """One run: the state that moves, and the best graph so far."""

    def __init__(
        self,
        scores: LocalScores,
        constraints: Constraints,
        budget: Budget,
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
            for _ in tracked(self._moves(restarts, most_idle, seed), self._told):
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
        """Climb; wander; where that found a better graph, climb and wander from there."""
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
            # Before anything else is scored: an interrupt must not lose the moves that are made.
            self._compare(score + sum(move.gain for move in moves))
            for move in moves:
                score += move.gain
                if self.watch is not None:
                    self.watch(move, score)
            yield from moves
            if self.budget.over:
                raise OutOfTime

    def _wander(self) -> Iterator[Move]:
        """Make the best move that touches none of the last pairs, until nothing new has been found long."""
        held: deque[int] = deque(maxlen=2 * self.tabu)
        size, idle = self.state.size, 0
        while idle < self.patience:
            move = self.state.best(held)
            if move is None:
                return
            before = self.score
            yield self._step(move)
            idle = 0 if self.score > before + self.state.tolerance else idle + 1
            held.extend((move.parent * size + move.child, move.child * size + move.parent))

    def _shake(self, random: np.random.Generator) -> None:
        """Go to another graph of the same class and take out a share of its arcs, chosen by chance.

        What was right about them, climbing finds again; from another graph of the class it can find more.
        """
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
        """Keep the graph where it is the best so far."""
        if score > self.score + self.state.tolerance:
            self.best, self.score = self.state.parents, score

    def _told(self) -> str:
        arcs = sum(map(len, self.best))
        return f"best score {self.score:,.2f} with {arcs} arc{'' if arcs == 1 else 's'}; steps"

    def _own_score(self) -> float:
        """The score of the best graph, also where the time was up before it was known."""
        if self.score > -np.inf:
            return self.score
        return float(self.state.scores.families(list(enumerate(self.best))).sum())
