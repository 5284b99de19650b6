"""Hill climbing over graphs whose arcs point at whole units."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from bayou.learning.search.constraints import Constraints
from bayou.learning.search.hill_climbing import SHAKEN
from bayou.learning.search.search_result import FoundStructure, Parents, rounding
from bayou.learning.sharing.tied_graph import TiedGraph, TiedMove
from bayou.learning.sharing.unit_scores import UnitScores
from bayou.learning.time_budget import OutOfTime, TimeBudget

TiedWatch: TypeAlias = Callable[[TiedMove, float], None]
"""Called after every step with the move and the score after it."""


def tied_climb(
    scores: UnitScores,
    constraints: Constraints,
    budget: TimeBudget,
    *,
    start: Parents | None = None,
    restarts: int = 0,
    idle_restarts: int | None = None,
    seed: int = 0,
    watch: TiedWatch | None = None,
) -> FoundStructure:
    """The best graph that is reached by adding, dropping and turning the arcs of a parent to a unit.

    ``constraints`` are tied, and ``start`` and the result have the parents of each variable. ``restarts``
    times a random share of the best graph's arcs is dropped and the rest is climbed again; after
    ``idle_restarts`` in a row without a better graph it ends.
    """
    units = scores.units
    needed = tuple(tuple(np.flatnonzero(column).tolist()) for column in constraints.required.T)
    best = units.gathered(needed if start is None else start)
    graph = TiedGraph(scores, constraints, best)
    score, random, idle = graph.score, np.random.default_rng(seed), 0
    try:
        for attempt in range(restarts + 1):
            if attempt:
                graph.replace(_shaken(graph, best, random))
            before = score
            for _ in _climb(graph, watch):
                if graph.score > score + rounding(score):
                    best, score = graph.parents, graph.score
                if budget.over:
                    raise OutOfTime
            idle = 0 if score > before else idle + 1
            if idle == idle_restarts:
                break
    except (OutOfTime, KeyboardInterrupt):
        return FoundStructure(units.spread(best), score, finished=False)
    return FoundStructure(units.spread(best), score)


def _climb(graph: TiedGraph, watch: TiedWatch | None) -> Iterator[TiedMove]:
    """Make the best move as long as one gains; yield each when it is made."""
    while (move := graph.best()) is not None:
        graph.apply(move)
        if watch is not None:
            watch(move, graph.score)
        yield move


def _shaken(graph: TiedGraph, parents: Parents, random: np.random.Generator) -> Parents:
    """The graph without a random share of its arcs; required ones stay."""
    share = random.uniform(*SHAKEN)
    return tuple(
        tuple(parent for parent in own if graph.required[parent, unit] or random.random() >= share)
        for unit, own in enumerate(parents)
    )
