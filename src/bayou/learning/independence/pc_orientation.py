"""Directions for a skeleton: required arcs, v-structures (common effects), and the arcs these compel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bayou.graphs.meek import EdgeBits, close, extend
from bayou.learning.independence.separation_tests import (
    NOT_MADE,
    Pair,
    Question,
    SeparationResult,
    SeparationTests,
)
from bayou.learning.scores.local_scores import LARGEST_TABLE
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import Parents
from bayou.learning.time_budget import TimeBudget
from bayou.typing import BoolArray

Triple = tuple[int, int, int]
"""(x, z, y) stands for the v-structure x -> z <- y."""

HasDensity = Callable[[int, Sequence[int]], bool]
"""Whether a child varies given its parents: a continuous variable that they determine cannot be fitted."""

CONFIRMED_AT_ONCE = 256
"""The number of v-structures that are tested between two checks of the clock."""


@dataclass(frozen=True)
class Oriented:
    """The partly directed graph, and the v-structures that contradicted clearer ones or the constraints.

    ``finished`` is False if the time limit or the user ended it before all v-structures were tested.
    """

    marks: EdgeBits
    conflicts: tuple[Triple, ...]
    finished: bool


def oriented(
    adjacent: BoolArray,
    separations: Mapping[Pair, SeparationResult],
    constraints: Constraints,
    tests: SeparationTests,
    level: float,
    budget: TimeBudget | None = None,
) -> Oriented:
    """Required arcs and one-way pairs first, then v-structures, then Meek's rules.

    x -> z <- y is a v-structure if z is joined to both, x and y are not joined, the set that separates them
    does not contain z, and a test rejects x ⟂ y given that set and z. (Causes become dependent given their
    common effect. Without this second test, pairs that are nearly independent given any set would give false
    v-structures.) Those with the largest p-value of the separation come first; one that would reverse an arc
    or close a cycle is left out and reported. When the time is up, the second test is skipped.
    """
    directed = _Directed(adjacent, constraints)
    conflicts = []
    triples, finished = _common_effects(adjacent, separations, tests, level, budget or TimeBudget())
    for x, z, y in triples:
        if not directed.point((x, z), (y, z)):
            conflicts.append((x, z, y))
    return Oriented(close(directed.marks()), tuple(conflicts), finished)


def extended(marks: EdgeBits, constraints: Constraints) -> tuple[Parents, bool]:
    """A DAG with these arcs, and whether it belongs to the same equivalence class as the graph.

    If the tests contradict each other there may be no DAG with the same v-structures: then the edges are
    directed one by one without closing a cycle, which may add v-structures.
    """
    size = len(marks.parents)
    bits = extend(marks)
    exact = bits is not None and _is_allowed(bits, constraints)
    if bits is None or not exact:
        bits = _any_extension(marks, constraints)
    return tuple(tuple(p for p in range(size) if found >> p & 1) for found in bits), exact


def limited(
    parents: Parents,
    weakest: Mapping[Pair, SeparationResult],
    constraints: Constraints,
    cards: Sequence[int],
    has_density: HasDensity,
) -> tuple[Parents, tuple[Pair, ...]]:
    """The DAG without arcs that give too many parents, too large a table or a child without a density.

    Returns the parents and the arcs left out. Required arcs are kept; of the others the strongest, those with
    the smallest p-value in ``weakest``, are kept.
    """

    def strength(parent: int, child: int) -> tuple[bool, float, float]:
        test = weakest.get((min(parent, child), max(parent, child)), NOT_MADE)
        return not constraints.required[parent, child], test.p_value, -abs(test.statistic)

    kept: list[tuple[int, ...]] = []
    left_out = []
    for child, own in enumerate(parents):
        chosen: list[int] = []
        cells = cards[child]
        for parent in sorted(own, key=lambda parent: strength(parent, child)):
            fits = len(chosen) < constraints.max_parents and cells * cards[parent] <= LARGEST_TABLE
            fits = fits and has_density(child, (*chosen, parent))
            if fits or constraints.required[parent, child]:
                chosen.append(parent)
                cells *= cards[parent]
            else:
                left_out.append((parent, child))
        kept.append(tuple(sorted(chosen)))
    return tuple(kept), tuple(left_out)


class _Directed:
    """The arcs that are directed so far, always without a cycle."""

    def __init__(self, adjacent: BoolArray, constraints: Constraints) -> None:
        self.adjacent, self.allowed = adjacent, constraints.allowed
        self.arcs = np.zeros_like(adjacent)
        one_way = adjacent & constraints.allowed & ~constraints.allowed.T
        for arcs in (constraints.required & adjacent, one_way):
            for parent, child in np.argwhere(arcs & ~self.arcs).tolist():
                self.point((parent, child))

    def point(self, *arcs: Pair) -> bool:
        """Direct these edges, all or none; return False if one is forbidden, reversed or closes a cycle."""
        before = self.arcs.copy()
        for parent, child in arcs:
            if not self.allowed[parent, child] or self.arcs[child, parent] or self._leads(child, parent):
                self.arcs = before
                return False
            self.arcs[parent, child] = True
        return True

    def _leads(self, start: int, end: int) -> bool:
        """Whether a directed path leads from ``start`` to ``end``."""
        reached = np.zeros(len(self.arcs), dtype=bool)
        front = np.array([start])
        while len(front):
            reached[front] = True
            front = np.flatnonzero(self.arcs[front].any(axis=0) & ~reached)
        return bool(reached[end])

    def marks(self) -> EdgeBits:
        """The partly directed graph as sets of bits."""
        edges = self.adjacent & ~self.arcs & ~self.arcs.T
        return EdgeBits(_bits(self.arcs.T), _bits(edges))


def _common_effects(
    adjacent: BoolArray,
    separations: Mapping[Pair, SeparationResult],
    tests: SeparationTests,
    level: float,
    budget: TimeBudget,
) -> tuple[list[Triple], bool]:
    """The v-structures by the separating sets and the second test, the clearest separation first.

    The second value is False if the time or the user ended the tests.
    """
    found: list[tuple[float, Triple]] = []
    for z in range(len(adjacent)):
        for x, y in combinations(np.flatnonzero(adjacent[z]).tolist(), 2):
            separation = separations.get((x, y))
            if not adjacent[x, y] and separation is not None and z not in separation.given:
                found.append((-separation.p_value, (x, z, y)))
    found.sort()
    questions = [(x, y, tuple(sorted((*separations[x, y].given, z)))) for _, (x, z, y) in found]
    p_values, finished = _p_values(questions, tests, budget)
    return [triple for (_, triple), p in zip(found, p_values, strict=True) if p <= level], finished


def _p_values(
    questions: Sequence[Question], tests: SeparationTests, budget: TimeBudget
) -> tuple[list[float], bool]:
    """The p-value of each test, and whether there was time for all.

    It is 0 for tests that do not count and for those that there was no time for.
    """
    found = [0.0] * len(questions)
    some = max(CONFIRMED_AT_ONCE, tests.least_at_once)
    try:
        for first in range(0, len(questions), some):
            if budget.over:
                return found, False
            for place, outcome in enumerate(tests.outcomes(questions[first : first + some]), start=first):
                found[place] = 0.0 if outcome is None else outcome[0]
    except KeyboardInterrupt:
        return found, False
    return found, True


def _bits(matrix: BoolArray) -> list[int]:
    return [sum(1 << int(k) for k in np.flatnonzero(row)) for row in matrix]


def _is_allowed(parents: list[int], constraints: Constraints) -> bool:
    size = len(parents)
    return all(
        constraints.allowed[p, child]
        for child, found in enumerate(parents)
        for p in range(size)
        if found >> p & 1
    )


def _any_extension(marks: EdgeBits, constraints: Constraints) -> list[int]:
    """Direct every edge in turn, from the earlier variable if the constraints allow it, without a cycle."""
    size = len(marks.parents)
    arcs = np.array(
        [[marks.parents[child] >> p & 1 for child in range(size)] for p in range(size)], dtype=bool
    )
    edges = np.array(
        [[marks.edges[child] >> p & 1 for child in range(size)] for p in range(size)], dtype=bool
    )
    # Required arcs come first: they have no cycles, while together with the arcs of ``marks`` they may.
    free = _Directed(arcs | arcs.T | edges, constraints)
    for parent, child in (*np.argwhere(arcs).tolist(), *np.argwhere(np.triu(edges)).tolist()):
        if not free.arcs[parent, child] and not free.point((parent, child)):
            free.point((child, parent))
    return _bits(free.arcs.T)
