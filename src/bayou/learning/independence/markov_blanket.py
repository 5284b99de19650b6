"""The Markov blanket of a variable, learned from data: given it, the variable is independent of the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bayou.learning.independence.counts_tests import CountsTest, counts_test
from bayou.learning.scores.local_scores import LARGEST_TABLE
from bayou.statistics import CountTable, Source
from bayou.typing import Name


@dataclass(frozen=True)
class Blanket:
    """The members in the order in which they were added, and each candidate's test given (other) members."""

    names: tuple[Name, ...]
    tests: dict[Name, CountsTest]


def markov_blanket(
    target: Name, candidates: Sequence[Name], source: Source, level: float, at_most: int | None = None
) -> Blanket:
    """Incremental association (IAMB, Tsamardinos et al. 2003): add informative variables, then remove some.

    A variable is added while a G test given the blanket rejects its independence of the target at ``level``,
    and removed if a G test given the other members does not. A test with fewer than five rows per degree of
    freedom neither adds nor removes a variable.
    """
    variables = source.with_all_states((target, *candidates))
    sizes = {variable.name: max(1, variable.cardinality) for variable in variables}
    independence = _TargetTests(target, source, sizes)
    blanket: list[Name] = []
    while at_most is None or len(blanket) < at_most:
        tests = independence.tests([name for name in candidates if name not in blanket], blanket)
        hopeful = [name for name, test in tests.items() if test.reliable and test.p_value <= level]
        if not hopeful:
            break
        blanket.append(max(hopeful, key=lambda name: _gain(tests[name])))
    for name in list(blanket):
        others = [other for other in blanket if other != name]
        test = independence.tests([name], others).get(name)
        if test is not None and test.reliable and test.p_value > level:
            blanket = others
    final = {}
    for name in candidates:
        others = [other for other in blanket if other != name]
        final.update(independence.tests([name], others) or independence.tests([name], []))
    return Blanket(tuple(blanket), final)


def _gain(test: CountsTest) -> float:
    """Information minus its expectation under independence, so that many states give no advantage."""
    return test.information - test.degrees / (2 * test.rows)


@dataclass(frozen=True)
class _TargetTests:
    """Tests of independence between the target and other variables; ``sizes`` are their numbers of states."""

    target: Name
    source: Source
    sizes: Mapping[Name, int]

    def tests(self, names: Sequence[Name], given: Sequence[Name]) -> dict[Name, CountsTest]:
        """The test of target ⟂ name | given for every name whose table is not too large."""
        base = math.prod(self.sizes[name] for name in (self.target, *given))
        small = [name for name in names if base * self.sizes[name] <= LARGEST_TABLE]
        requests = {name: CountTable((*given, self.target, name)) for name in small}
        counted = self.source.collect(list(requests.values()))
        results = {}
        for name, request in requests.items():
            values = counted[request].values
            results[name] = counts_test(values.reshape(-1, *values.shape[-2:]))
        return results
