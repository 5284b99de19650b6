"""The best of all graphs whose arcs point at whole units, by dynamic programming over sets of units.

As in Silander & Myllymäki (2006), with units in place of variables: a graph without a cycle has an order of
the units in which all parents of a unit are in units before it. So the best graph over a set S of units is,
for the best choice of its last unit u, the best graph over S without u, and the best parents of u among the
variables of the other units of S.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FoundStructure, Parents, rounding
from bayou.learning.sharing.unit_scores import UnitScores
from bayou.learning.time_budget import OutOfTime, TimeBudget
from bayou.typing import FloatArray, IntArray

MOST_VARIABLES = 14
"""Every set of parents is scored: with more variables this takes too long."""

AT_ONCE = 256
"""The sets of parents that are scored between two checks of the clock."""


def tied_exact_search(scores: UnitScores, constraints: Constraints, budget: TimeBudget) -> FoundStructure:
    """The best graph; ``constraints`` are tied. Raises ``OutOfTime`` if the time is up."""
    units = scores.units
    tables = [_best_parents(scores, constraints, unit, budget) for unit in range(len(units.names))]
    inside = [sum(1 << member for member in members) for members in units.members]
    size = 1 << len(inside)
    value, last, variables = np.full(size, -np.inf), np.full(size, -1), np.zeros(size, dtype=np.int64)
    value[0] = 0.0
    for chosen in range(1, size):
        for unit, own in enumerate(inside):
            if chosen >> unit & 1:
                before = chosen ^ (1 << unit)
                variables[chosen] = variables[before] | own
                found = value[before] + tables[unit][0][variables[before]]
                if np.isfinite(found) and found > value[chosen] + rounding(found):
                    value[chosen], last[chosen] = found, unit
    parents: list[tuple[int, ...]] = [()] * len(inside)
    chosen = size - 1
    while chosen:
        unit = int(last[chosen])
        chosen ^= 1 << unit
        parents[unit] = _places(int(tables[unit][1][variables[chosen]]))
    return FoundStructure(units.spread(tuple(parents)), _score(scores, tuple(parents)))


def _best_parents(
    scores: UnitScores, constraints: Constraints, unit: int, budget: TimeBudget
) -> tuple[FloatArray, IntArray]:
    """For each set of variables (as bits) the unit's best score with parents in it, and these parents."""
    first = scores.units.members[unit][0]
    needed = np.flatnonzero(constraints.required[:, first]).tolist()
    free = np.flatnonzero(constraints.allowed[:, first] & ~constraints.required[:, first]).tolist()
    most = min(len(free), constraints.max_parents - len(needed))
    sets = [
        tuple(sorted((*needed, *more))) for count in range(most + 1) for more in combinations(free, count)
    ]
    best = np.full(1 << len(scores.variables), -np.inf)
    chosen = np.arange(len(best))
    for begin in range(0, len(sets), AT_ONCE):
        if budget.over:
            raise OutOfTime
        part = sets[begin : begin + AT_ONCE]
        best[[sum(1 << parent for parent in own) for own in part]] = scores.families(
            [(unit, own) for own in part]
        )
    slack = rounding(float(best.max()))
    for variable in range(len(scores.variables)):
        having = np.flatnonzero(np.arange(len(best)) >> variable & 1)
        without = having ^ (1 << variable)
        # Of equally good sets the one with fewer parents is taken.
        better = best[having] <= best[without] + slack
        best[having[better]] = best[without[better]]
        chosen[having[better]] = chosen[without[better]]
    return best, chosen


def _places(chosen: int) -> tuple[int, ...]:
    return tuple(place for place in range(chosen.bit_length()) if chosen >> place & 1)


def _score(scores: UnitScores, parents: Parents) -> float:
    return float(scores.families(list(enumerate(parents))).sum())
