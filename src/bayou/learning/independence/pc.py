"""PC-stable: learn an equivalence class of networks (a CPDAG) by tests of independence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayou.arguments import real_number, whole_number
from bayou.errors import BadData, BadQuestion, listed
from bayou.graphs.partly_directed import PartlyDirected
from bayou.learning.independence.pc_orientation import HasDensity, extended, limited, oriented
from bayou.learning.independence.pc_skeleton import Skeleton, adjacent_pairs
from bayou.learning.independence.separation_tests import (
    NOT_MADE,
    GaussianTests,
    Pair,
    SeparationResult,
    SeparationTests,
    separation_tests,
)
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import Parents
from bayou.learning.time_budget import TimeBudget
from bayou.schema import Variable, state_key
from bayou.statistics import Source
from bayou.typing import Name

TESTS = {"g": "g", "mi": "g", "chi2": "chi2", "correlation": "correlation"}
"""The tests by name; mutual information is tested by G, which is 2n times the information."""
LEVEL = 0.01


@dataclass(frozen=True)
class PcResult:
    """The result of PC; variables are positions in ``names``.

    ``separations`` has for each separated pair (i < j) the set that separates it; ``weakest`` has for each
    joined pair the test that came nearest to separating it. ``conflicts`` are v-structures (x, z, y) that
    follow from the tests but contradict clearer ones. ``exact`` says whether ``parents`` (a DAG) has exactly
    the v-structures of ``cpdag``. Pairs that have too few rows for a test (``untestable``) or were not tested
    before the end (``unreached``) are not joined. ``left_out`` are arcs (parent, child) of ``cpdag`` that
    ``parents`` lacks because the child would have too many parents or no distribution.
    """

    names: tuple[Name, ...]
    cpdag: PartlyDirected
    parents: Parents
    exact: bool
    separations: dict[Pair, SeparationResult]
    weakest: dict[Pair, SeparationResult]
    conflicts: tuple[tuple[int, int, int], ...]
    untestable: tuple[Pair, ...]
    unreached: tuple[Pair, ...]
    left_out: tuple[Pair, ...]
    tests: int
    finished: bool

    @property
    def skeleton(self) -> list[tuple[Name, Name]]:
        """The pairs that are joined."""
        return [(self.names[i], self.names[j]) for i, j in sorted(self.weakest)]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for the user: pairs that are not joined although no test separates them; omitted arcs."""
        remarks = []
        if self.untestable:
            remarks.append(
                f"Too few rows for a test, so not joined: {_grouped(self.untestable, self.names)}."
            )
        if self.unreached:
            remarks.append(f"{len(self.unreached):,} pairs were not tested before the end, so not joined.")
        if self.left_out:
            arcs = listed([f"{self.names[parent]} -> {self.names[child]}" for parent, child in self.left_out])
            why = "the weakest of too many parents (or of too large a table, or that determine a number)"
            remarks.append(f"Left out, {why}: {arcs}.")
        return tuple(remarks)

    def __str__(self) -> str:
        lines = [str(self.cpdag), f"{self.tests} tests" + ("" if self.finished else ", not finished")]
        for x, z, y in self.conflicts:
            one, common, other = self.names[x], self.names[z], self.names[y]
            lines.append(f"left out, since it contradicts clearer ones: {one} -> {common} <- {other}")
        return "\n".join([*lines, *self.remarks])


def learn_pc(
    source: Source,
    variables: Sequence[Variable],
    *,
    test: str | None = None,
    level: float = LEVEL,
    constraints: Constraints | None = None,
    max_given: int | None = None,
    budget: TimeBudget | None = None,
) -> PcResult:
    """Join every pair that no set of neighbours separates, then direct the edges whose direction follows.

    ``test``: "g", "chi2" or "mi" (the same as "g") for discrete variables, "correlation" for continuous ones;
    None chooses. A p-value above ``level`` separates, unless the test has fewer than five rows per degree of
    freedom (or per stratum, if there is no degree of freedom). A pair without such a test given the empty set
    is not joined. The order of the columns does not matter. Pairs that are not tested when the time is up, or
    at Ctrl-C, are not joined.

    >>> from bayou.sources import open_source
    >>> rows = {"a": [0, 0, 1, 1] * 50, "b": [0, 1, 0, 1] * 50}
    >>> rows["c"] = [x | y if k % 9 else 1 - (x | y) for k, (x, y) in enumerate(zip(rows["a"], rows["b"]))]
    >>> source = open_source(rows)
    >>> print(learn_pc(source, [source.variable(name) for name in rows]).cpdag)
    a, b -> c
    """
    # Sorted by name, so that ties (two sets with the p-value 1) do not depend on the order of the columns.
    order = sorted(range(len(variables)), key=lambda k: [str(part) for part in state_key(variables[k].name)])
    rules = Constraints.none(len(variables)) if constraints is None else constraints
    tests = _tests_for(source, [variables[k] for k in order], test)
    found = pc_from_tests(
        tests,
        tuple(variables[k].name for k in order),
        level=level,
        constraints=Constraints(
            rules.allowed[np.ix_(order, order)], rules.required[np.ix_(order, order)], rules.max_parents
        ),
        max_given=max_given,
        budget=budget,
        cards=[1 if variables[k].is_continuous else variables[k].cardinality for k in order],
        has_density=tests.has_density if isinstance(tests, GaussianTests) else None,
    )
    return _renumbered(found, order)


def pc_from_tests(
    tests: SeparationTests,
    names: tuple[Name, ...],
    *,
    level: float = LEVEL,
    constraints: Constraints | None = None,
    max_given: int | None = None,
    budget: TimeBudget | None = None,
    cards: Sequence[int] | None = None,
    has_density: HasDensity | None = None,
) -> PcResult:
    """PC with tests of any kind, whose variables are positions in ``names``.

    ``cards`` are the numbers of states (1 for continuous variables).
    """
    expected = "the level of a test is between 0 and 1"
    real_number("level", level, 0, 1, above=True, below=True, expected=expected)
    if max_given is not None:
        whole_number("max_given", max_given, expected="the size of a set is 0 or more")
    rules = Constraints.none(len(names)) if constraints is None else constraints
    search = Skeleton(tests, rules, level, TimeBudget() if budget is None else budget)
    search.run(len(names) if max_given is None else max_given)
    found = oriented(search.adjacent, search.separations, rules, tests, level, budget)
    weakest = {pair: search.weakest.get(pair, NOT_MADE) for pair in adjacent_pairs(search.adjacent)}
    parents, exact = extended(found.marks, rules)
    parents, left_out = limited(
        parents, weakest, rules, [1] * len(names) if cards is None else cards, has_density or _always
    )
    return PcResult(
        names,
        PartlyDirected.from_marks(names, found.marks),
        parents,
        exact and not left_out,
        search.separations,
        weakest,
        found.conflicts,
        tuple(search.untestable),
        tuple(search.unreached),
        left_out,
        search.tests_made,
        search.finished and found.finished,
    )


def _always(child: int, parents: Sequence[int]) -> bool:
    return True


def _renumbered(found: PcResult, places: Sequence[int]) -> PcResult:
    """The same result where position k becomes places[k]."""

    def moved(tests: dict[Pair, SeparationResult]) -> dict[Pair, SeparationResult]:
        by_pair = {}
        for (x, y), test in tests.items():
            a, b = places[x], places[y]
            if test.given:  # most pairs are separated by the empty set
                test = test._replace(given=tuple(sorted([places[member] for member in test.given])))
            by_pair[(a, b) if a < b else (b, a)] = test
        return dict(sorted(by_pair.items()))

    def pairs(some: Sequence[Pair]) -> tuple[Pair, ...]:
        return tuple(sorted((min(places[x], places[y]), max(places[x], places[y])) for x, y in some))

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
        untestable=pairs(found.untestable),
        unreached=pairs(found.unreached),
        left_out=tuple((places[parent], places[child]) for parent, child in found.left_out),
    )


def _grouped(pairs: Sequence[Pair], names: Sequence[Name]) -> str:
    """The pairs as text, grouped by the variables that are in most of them."""
    groups, left = [], list(pairs)
    while left:
        most = Counter(place for pair in left for place in pair).most_common(1)[0][0]
        others = [x + y - most for x, y in left if most in (x, y)]
        groups.append(f"{names[most]!r} with {listed([names[other] for other in others])}")
        left = [pair for pair in left if most not in pair]
    return "; ".join(groups)


def _tests_for(source: Source, variables: Sequence[Variable], test: str | None) -> SeparationTests:
    """The tests that fit the kind of the variables; refuses mixed kinds and tests of the wrong kind."""
    if test is not None and test not in TESTS:
        raise BadQuestion(f"test={test!r}: use one of {listed(TESTS)}.")
    numbers = [variable.name for variable in variables if variable.is_continuous]
    states = [variable.name for variable in variables if not variable.is_continuous]
    if numbers and states:
        raise BadData(
            f"Tests of independence need variables that are all discrete or all continuous: "
            f"{listed(numbers)} are numbers, {listed(states)} have states. Cut the numbers into ranges "
            f"(states={{{numbers[0]!r}: bayou.Cuts(…)}}), or learn with a score."
        )
    if numbers and test not in (None, "correlation"):
        raise BadData(
            f"test={test!r} counts states; {listed(numbers)} are numbers. Use test='correlation' (or leave "
            "test= out), or cut the numbers into ranges."
        )
    if numbers:
        return GaussianTests(source, variables)
    if test == "correlation":
        raise BadData(f"test='correlation' is for numbers; {listed(states)} have states. Use test='g'.")
    return separation_tests(source, variables, TESTS[test or "g"])
