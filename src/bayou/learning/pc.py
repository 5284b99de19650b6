"""PC-stable: a structure from tests of independence, as far as data alone can tell it (a CPDAG)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayou.errors import BadData, BadQuestion, listed
from bayou.graphs.partly_directed import PartlyDirected
from bayou.learning.constraints import Constraints
from bayou.learning.found import Budget, Parents
from bayou.learning.pc_orientation import extended, oriented
from bayou.learning.separating import (
    GaussianTests,
    Pair,
    Separation,
    SeparationTests,
    separation_tests,
)
from bayou.schema import Variable, state_key
from bayou.statistics import Source
from bayou.typing import BoolArray, Name

TESTS = {"g": "g", "mi": "g", "chi2": "chi2", "correlation": "correlation"}
"""Mutual information is tested by G, which is 2n times it."""
LEVEL = 0.01
AT_ONCE = 256
"""Pairs between two looks at the clock."""


@dataclass(frozen=True)
class PcResult:
    """What the tests found, everything by the positions of ``names``.

    ``separations`` has for each pair (i < j) that is not joined the set that separates it; ``weakest`` has
    for each pair that is joined the test that came nearest to separating it. ``conflicts`` are v-structures
    (x, z, y) that the tests ask for but that contradict clearer ones; ``exact`` says that ``parents`` (a
    DAG) has exactly the v-structures of ``cpdag``.
    """

    names: tuple[Name, ...]
    cpdag: PartlyDirected
    parents: Parents
    exact: bool
    separations: dict[Pair, Separation]
    weakest: dict[Pair, Separation]
    conflicts: tuple[tuple[int, int, int], ...]
    tests: int
    finished: bool

    @property
    def skeleton(self) -> list[tuple[Name, Name]]:
        """The pairs that are joined."""
        return [(self.names[i], self.names[j]) for i, j in sorted(self.weakest)]

    def __str__(self) -> str:
        lines = [str(self.cpdag), f"{self.tests} tests" + ("" if self.finished else ", not finished")]
        for x, z, y in self.conflicts:
            one, common, other = self.names[x], self.names[z], self.names[y]
            lines.append(f"left out, since it contradicts clearer ones: {one} -> {common} <- {other}")
        return "\n".join(lines)


def learn_pc(
    source: Source,
    variables: Sequence[Variable],
    *,
    test: str = "g",
    level: float = LEVEL,
    constraints: Constraints | None = None,
    max_given: int | None = None,
    budget: Budget | None = None,
) -> PcResult:
    """Join every pair that no set of neighbours separates, then direct what can be directed.

    ``test``: "g", "chi2", "mi" (the same as "g") for states, "correlation" for numbers (chosen where all
    are). Two variables are taken for independent where the p-value is above ``level``. A test with fewer than
    five rows a degree of freedom does not separate; states that do not occur take no degree of freedom. The
    order of the columns does not matter. Of the constraints ``max_parents`` is no matter of tests.

    >>> from bayou.sources import open_source
    >>> rows = {"a": [0, 0, 1, 1] * 50, "b": [0, 1, 0, 1] * 50}
    >>> rows["c"] = [x | y if k % 9 else 1 - (x | y) for k, (x, y) in enumerate(zip(rows["a"], rows["b"]))]
    >>> source = open_source(rows)
    >>> print(learn_pc(source, [source.variable(name) for name in rows]).cpdag)
    a, b -> c
    """
    # By name, so that ties (such as two sets with the p-value 1) do not depend on the order of the columns.
    order = sorted(range(len(variables)), key=lambda k: [str(part) for part in state_key(variables[k].name)])
    rules = Constraints.none(len(variables)) if constraints is None else constraints
    found = pc_from_tests(
        _tests_for(source, [variables[k] for k in order], test),
        tuple(variables[k].name for k in order),
        level=level,
        constraints=Constraints(
            rules.allowed[np.ix_(order, order)], rules.required[np.ix_(order, order)], rules.max_parents
        ),
        max_given=max_given,
        budget=budget,
    )
    return _renumbered(found, order)


def pc_from_tests(
    tests: SeparationTests,
    names: tuple[Name, ...],
    *,
    level: float = LEVEL,
    constraints: Constraints | None = None,
    max_given: int | None = None,
    budget: Budget | None = None,
) -> PcResult:
    """The same with tests of any kind, whose positions are those of the names."""
    if not 0 < level < 1:
        raise BadQuestion(f"level={level!r}: the level of a test is between 0 and 1.")
    if max_given is not None and (isinstance(max_given, bool) or max_given < 0):
        raise BadQuestion(f"max_given={max_given!r}: the size of a set is 0 or more.")
    rules = Constraints.none(len(names)) if constraints is None else constraints
    search = _Skeleton(tests, rules, level, Budget() if budget is None else budget)
    search.run(len(names) if max_given is None else max_given)
    found = oriented(search.adjacent, search.separations, rules, tests, level)
    parents, exact = extended(found.marks, rules)
    weakest = {pair: search.weakest.get(pair, _UNTESTED) for pair in _pairs(search.adjacent)}
    return PcResult(
        names,
        PartlyDirected.from_marks(names, found.marks),
        parents,
        exact,
        search.separations,
        weakest,
        found.conflicts,
        search.tests_made,
        search.finished,
    )


def _renumbered(found: PcResult, places: Sequence[int]) -> PcResult:
    """The same result where position k becomes places[k]."""

    def moved(tests: dict[Pair, Separation]) -> dict[Pair, Separation]:
        by_pair = {}
        for (x, y), test in tests.items():
            given = tuple(sorted([places[member] for member in test.given]))
            a, b = places[x], places[y]
            by_pair[(a, b) if a < b else (b, a)] = test._replace(given=given)
        return dict(sorted(by_pair.items()))

    names: list[Name] = [None] * len(places)
    parents: list[tuple[int, ...]] = [()] * len(places)
    for k, place in enumerate(places):
        names[place] = found.names[k]
        parents[place] = tuple(sorted(places[parent] for parent in found.parents[k]))
    return replace(
        found,
        names=tuple(names),
        cpdag=PartlyDirected(names, found.cpdag.arcs, found.cpdag.edges),
        parents=tuple(parents),
        separations=moved(found.separations),
        weakest=moved(found.weakest),
        conflicts=tuple((places[x], places[z], places[y]) for x, z, y in found.conflicts),
    )


_UNTESTED = Separation((), -1.0, 0.0, 0)


class _Skeleton:
    """Levels of growing sets; within a level the neighbours stay those of its beginning (PC-stable)."""

    def __init__(self, tests: SeparationTests, rules: Constraints, level: float, budget: Budget) -> None:
        self.tests, self.level, self.budget = tests, level, budget
        self.adjacent: BoolArray = rules.allowed | rules.allowed.T
        np.fill_diagonal(self.adjacent, False)
        self.required: BoolArray = rules.required | rules.required.T
        self.separations: dict[Pair, Separation] = {}
        self.weakest: dict[Pair, Separation] = {}
        self.tests_made = 0
        self.finished = True

    def run(self, largest: int) -> None:
        """Sets of size 0, 1, … until no pair has so many neighbours, or time is up."""
        for size in range(largest + 1):
            neighbours = [np.flatnonzero(row).tolist() for row in self.adjacent]
            enough = self.adjacent.sum(axis=1) > size
            pairs = _pairs(self.adjacent & ~self.required & (enough[:, None] | enough[None, :]))
            if not pairs:
                return
            for separated in self._level(pairs, neighbours, size):
                self.adjacent[separated] = self.adjacent[separated[::-1]] = False
            if not self.finished:
                return

    def _level(self, pairs: list[Pair], neighbours: list[list[int]], size: int) -> list[Pair]:
        separated = []
        for start in range(0, len(pairs), AT_ONCE):
            if self.budget.over:
                self.finished = False
                break
            some = pairs[start : start + AT_ONCE]
            for pair, found in zip(some, self.tests.separate(some, neighbours, size), strict=True):
                self.tests_made += found.tests
                if found.p_value > self.level:
                    self.separations[pair] = found
                    separated.append(pair)
                elif pair not in self.weakest or found.p_value > self.weakest[pair].p_value:
                    self.weakest[pair] = found
        return separated


def _tests_for(source: Source, variables: Sequence[Variable], test: str) -> SeparationTests:
    if test not in TESTS:
        raise BadQuestion(f"test={test!r}: use one of {listed(TESTS)}.")
    numbers = [variable.name for variable in variables if variable.is_continuous]
    states = [variable.name for variable in variables if not variable.is_continuous]
    if numbers and states:
        raise BadData(
            f"Tests of independence are for states or for numbers, not for both: {listed(numbers)} are "
            f"numbers, {listed(states)} have states. Cut the numbers into ranges (cuts=…), or learn with a "
            "score."
        )
    if numbers:
        return GaussianTests(source, variables)
    if test == "correlation":
        raise BadData(f"test='correlation' is for numbers; {listed(states)} have states. Use test='g'.")
    return separation_tests(source, variables, TESTS[test])


def _pairs(adjacent: BoolArray) -> list[Pair]:
    return [(x, y) for x, y in np.argwhere(np.triu(adjacent)).tolist()]
