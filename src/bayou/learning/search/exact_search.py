"""The network with the best score of all, by dynamic programming over sets of variables.

For each variable v the parent sets that can be needed are scored, level by level, with exact pruning
(:mod:`bayou.learning.search.exact_pruning`). Then, for every set W of variables (Silander & Myllymäki 2006):

    parents(v, W) = max over S ⊆ W of score(v, S)
    best(W)       = max over v ∈ W of best(W \\ {v}) + parents(v, W \\ {v}),   best(∅) = 0.

The maximising v is the sink of W: a variable without children among W. Following the sinks from the set of
all variables gives the network.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from bayou.errors import TooWide
from bayou.learning.scores.local_scores import FamilyNumbers, LocalScores
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.exact_pruning import Ceiling, Ceilings
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.search.search_result import FINITE_WORST_SCORE, FoundStructure, rounding
from bayou.learning.time_budget import TimeBudget
from bayou.progress import tracked
from bayou.typing import BoolArray, FloatArray, IntArray

MOST_VARIABLES = 20
"""With 20 variables the tables take 110 MB; each further variable doubles the memory and the time."""

_BATCH = 4096
"""The number of families per call of the scorer."""

_BETWEEN_LOOKS = 16
"""The same for the first call if the time is limited: the clock is checked between calls."""

_SHORT, _LONG = 0.03, 0.12
"""With limited time, calls that take fewer seconds than the first number are doubled, more than the second
halved."""

_LEAST = 8
"""The smallest number of families per call."""

_CLIMBING = 0.2
"""The share of a limited time that hill climbing gets: it may be better if exact search does not finish."""

_RESTARTS = 10
"""The number of restarts of this hill climbing, if there is time."""

_MEASURED = 14
"""The number of variables with which the dynamic programming is timed."""


def exact_search(scores: LocalScores, constraints: Constraints, budget: TimeBudget) -> FoundStructure:
    """The network with the best score of all, for up to 20 variables.

    If the time runs out (or the user interrupts) it is the best network with the parent sets scored so far,
    or that of hill climbing if that is better. BIC and AIC allow much pruning; BDeu, BDs and K2 little, so
    limit the time or the number of parents beyond 16 variables.

    >>> from bayou.learning.scores.local_scores import SourceScores
    >>> from bayou.learning.scores.scores import BIC
    >>> from bayou.sources import open_source
    >>> source = open_source({"A": [0, 0, 1, 1] * 9, "B": [0, 1, 0, 1] * 9, "C": [0, 1, 1, 0] * 9})
    >>> scores = SourceScores(source, [source.variable(name) for name in "ABC"], BIC())
    >>> exact_search(scores, Constraints.none(3), TimeBudget()).parents
    ((1, 2), (), ())
    """
    _check_size(len(scores.variables))
    if budget.seconds is None:
        return _searched(scores, constraints, budget)
    scoring = budget.less(_seconds_at_the_end(len(scores.variables)))
    climbing = budget if scoring.over else scoring.share(_CLIMBING)
    climbed = hill_climb(scores, constraints, climbing, restarts=_RESTARTS)
    interrupted = not climbed.finished and not climbing.over
    if not scoring.over and not interrupted:
        found = _searched(scores, constraints, scoring)
        if found.finished or found.score >= climbed.score:
            return found
    return replace(climbed, finished=False)


def _searched(scores: LocalScores, constraints: Constraints, budget: TimeBudget) -> FoundStructure:
    """Score the parent sets as far as there is time, then find the best network that uses them."""
    ceilings = Ceilings(scores, budget)
    children = [_ParentSets(scores, constraints, child, ceilings) for child in range(len(scores.variables))]
    finished = _score_sets(children, budget)
    tables = [child.best_within() for child in children]
    parents: list[tuple[int, ...]] = [()] * len(children)
    for child, before in _sinks(tables):
        parents[child] = children[child].best_among(before)
    return FoundStructure(tuple(parents), float(scores.families(list(enumerate(parents))).sum()), finished)


def _seconds_at_the_end(size: int) -> float:
    """The estimated time for the dynamic programming after all sets are scored, with a margin."""
    return 1.5 * _seconds_a_cell() * size * 2.0 ** (size - 1)


@cache
def _seconds_a_cell() -> float:
    """The time of the dynamic programming per table cell, measured on small tables."""
    tables = [np.zeros(1 << (_MEASURED - 1)) for _ in range(_MEASURED)]
    began = clock.perf_counter()
    for table in tables:
        _spread(table)
    list(_sinks(tables))
    return (clock.perf_counter() - began) / (_MEASURED * len(tables[0]))


def _check_size(size: int) -> None:
    if size > MOST_VARIABLES:
        needed = size * 2.0 ** (size - 1) * 9 + 2.0**size * 17
        raise TooWide(
            f"Exact search compares all networks and takes at most {MOST_VARIABLES} variables; there are "
            f"{size}, and their tables would take {needed / 1e9:,.1f} GB. Leave variables out, or use the "
            "order-based search, which often finds the best network too."
        )


def _score_sets(children: Sequence[_ParentSets], budget: TimeBudget) -> bool:
    """Score the parent sets of all variables, small sets first; return whether all were scored."""
    for child in children:
        child.start()
    try:
        for size in range(1, len(children)):
            going = [child for child in children if child.going]
            for child in tracked(going, f"parent sets of size {size}"):
                if not child.advance(budget):
                    return False
    except KeyboardInterrupt:
        return False
    return True


class _ParentSets:
    """The parent sets of one child, as masks over the other variables (bit b is the b-th of them).

    A set is pruned if a subset scores at least as well as the set and all its supersets can. A set that is
    not pruned is open.
    """

    def __init__(self, scores: LocalScores, constraints: Constraints, child: int, ceilings: Ceilings) -> None:
        size = len(scores.variables)
        # Scorers that remember millions of families would fill the memory.
        self._ask: Callable[[Sequence[FamilyNumbers]], FloatArray]
        self._ask = getattr(scores, "unremembered", scores.families)
        self._child = child
        self._others = [other for other in range(size) if other != child]
        required, allowed = constraints.required[:, child], constraints.allowed[:, child]
        self._base = sum(1 << bit for bit, other in enumerate(self._others) if required[other])
        self._free = [bit for bit, other in enumerate(self._others) if allowed[other] and not required[other]]
        self._room = constraints.max_parents - int(required.sum())
        self._ceiling = self._bound(ceilings)
        self._best: FloatArray = np.full(1 << (size - 1), -np.inf)
        self._open: BoolArray = np.zeros(1 << (size - 1), dtype=bool)
        self._level: IntArray = np.zeros(0, dtype=np.int64)
        self._kept: list[tuple[FloatArray, IntArray]] = []
        self._at_once = _BETWEEN_LOOKS

    def _bound(self, ceilings: Ceilings) -> Ceiling | None:
        usable = self._members(self._base | sum(1 << bit for bit in self._free))
        return ceilings.of(self._child, self._others, list(usable))

    @property
    def going(self) -> bool:
        """Whether larger sets may have to be scored."""
        return bool(len(self._level)) and self._room > 0

    def start(self) -> None:
        """Score the smallest set: the required parents alone."""
        base = np.array([self._base], dtype=np.int64)
        self._keep(base, np.array([-np.inf]), self._scored(base))
        self._level = base

    def advance(self, budget: TimeBudget) -> bool:
        """Score the sets with one parent more; return False if the time ran out."""
        self._room -= 1
        found = []
        for masks in self._blocks(self._larger(), budget):
            if budget.over:
                return False
            before = self._best_of_subsets(masks)
            if self._ceiling is not None:
                needed = self._ceiling.of(masks, before) > before
                masks, before = masks[needed], before[needed]
                if budget.over:
                    return False
            self._keep(masks, before, self._scored(masks))
            found.append(masks)
        self._level = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
        return True

    def _blocks(self, masks: IntArray, budget: TimeBudget) -> Iterator[IntArray]:
        """Cut the masks into blocks for one call each; with limited time their size adapts to the calls.

        The time per call depends on the source: a file, for example, is read again for each.
        """
        start = 0
        while start < len(masks):
            began = clock.perf_counter()
            size = _BATCH if budget.seconds is None else self._at_once
            yield masks[start : start + size]
            start += size
            seconds = clock.perf_counter() - began
            if seconds < _SHORT:
                self._at_once = min(2 * self._at_once, _BATCH)
            elif seconds > _LONG:
                self._at_once = max(self._at_once // 2, _LEAST)

    def _larger(self) -> IntArray:
        """The sets with one parent more whose subsets with one parent less are all open."""
        grown = []
        for bit in self._free:
            without = self._level[(self._level & ~self._base) < (1 << bit)]
            grown.append(without | (1 << bit))
        masks = np.concatenate(grown) if grown else np.zeros(0, dtype=np.int64)
        for bit in self._free:
            masks = masks[(masks >> bit & 1 == 0) | self._open[masks & ~(1 << bit)]]
        # Sorted so that families that differ only in the last parent are together: they are counted at once.
        last = np.left_shift(1, np.frexp(masks)[1] - 1, dtype=np.int64)
        return masks[np.lexsort((last, masks ^ last))]

    def _best_of_subsets(self, masks: IntArray) -> FloatArray:
        """The best score of a proper subset of each set."""
        best = np.full(len(masks), -np.inf)
        for bit in self._free:
            smaller = np.where(masks >> bit & 1, self._best[masks & ~(1 << bit)], -np.inf)
            best = np.maximum(best, smaller)
        return best

    def _scored(self, masks: IntArray) -> FloatArray:
        values = self._ask([(self._child, self._members(int(mask))) for mask in masks])
        return np.maximum(values, FINITE_WORST_SCORE)

    def _keep(self, masks: IntArray, before: FloatArray, values: FloatArray) -> None:
        """Store the scores of open sets; ``before`` holds the best score of a subset of each."""
        self._open[masks] = True
        self._best[masks] = np.maximum(before, values)
        better = values > before
        self._kept.append((values[better], masks[better]))

    def _members(self, mask: int) -> tuple[int, ...]:
        return tuple(other for bit, other in enumerate(self._others) if mask >> bit & 1)

    def best_within(self) -> FloatArray:
        """The table parents(v, W): for each set W of the other variables the best score with parents in W."""
        _spread(self._best)
        return self._best

    def best_among(self, before: int) -> tuple[int, ...]:
        """The best parents among the variables of a mask; of equal sets the smallest, then the first one.

        The mask ``before`` counts all variables, the child included.
        """
        known = before & ((1 << self._child) - 1) | before >> (self._child + 1) << self._child
        values, masks = map(np.concatenate, zip(*self._kept, strict=True))
        admitted = masks & ~known == 0
        best = float(values[admitted].max())
        equals = masks[admitted & (values >= best - rounding(best))].tolist()
        return self._members(min(equals, key=lambda mask: (mask.bit_count(), mask)))


def _spread(best: FloatArray) -> None:
    """Replace the value of every set by the best value of its subsets."""
    for bit in range(len(best).bit_length() - 1):
        halves = best.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])


def _sinks(tables: Sequence[FloatArray]) -> Iterator[tuple[int, int]]:
    """The sinks of the best network, the last one first, each with the mask of the variables before it."""
    size = len(tables)
    every = np.arange(1 << size, dtype=np.int64)
    best = np.full(1 << size, -np.inf)
    best[0] = 0.0
    sink = np.full(1 << size, -1, dtype=np.int8)
    sizes = np.zeros(1 << size, dtype=np.int8)
    for bit in range(size):
        sizes[1 << bit : 2 << bit] = sizes[: 1 << bit] + 1
    # Equivalent networks differ by rounding, which depends on the scorer: the first of them is taken.
    slack = rounding(sum(float(table[-1]) for table in tables if table[-1] > FINITE_WORST_SCORE))
    for level in range(1, size + 1):
        masks = every[sizes == level]
        for child, table in enumerate(tables):
            with_child = masks[masks >> child & 1 == 1]
            rest = with_child ^ (1 << child)
            others = rest & ((1 << child) - 1) | rest >> (child + 1) << child
            reached = best[rest] + table[others]
            better = reached > best[with_child] + slack
            best[with_child[better]] = reached[better]
            sink[with_child[better]] = child
    left = (1 << size) - 1
    while left:
        child = int(sink[left])
        left ^= 1 << child
        yield child, left
