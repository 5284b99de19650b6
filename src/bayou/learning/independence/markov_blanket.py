"""The Markov blanket of a variable, found on data: given it, nothing else tells anything more."""

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
    """The names in the order in which they came in, and what each name tells beside the blanket's others."""

    names: tuple[Name, ...]
    tests: dict[Name, CountsTest]


def markov_blanket(
    target: Name, candidates: Sequence[Name], source: Source, level: float, at_most: int | None = None
) -> Blanket:
    """Tsamardinos' incremental association (IAMB): grow by the name that tells most, then shrink.

    Every step is a conditional G test at ``level``; a test with fewer than five rows a degree of freedom
    says nothing, and does not let a name in (nor throw one out).
    """
    sizes = {name: max(1, source.variable(name).cardinality) for name in (target, *candidates)}
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
    """Information less what chance alone gives, so that many states are no advantage."""
    return test.information - test.degrees / (2 * test.rows)


@dataclass(frozen=True)
class _TargetTests:
    target: Name
    source: Source
    sizes: Mapping[Name, int]

    def tests(self, names: Sequence[Name], given: Sequence[Name]) -> dict[Name, CountsTest]:
        """Target ⟂ name | given, for every name whose table is not too large."""
        base = math.prod(self.sizes[name] for name in (self.target, *given))
        small = [name for name in names if base * self.sizes[name] <= LARGEST_TABLE]
        requests = {name: CountTable((*given, self.target, name)) for name in small}
        counted = self.source.collect(list(requests.values()))
        results = {}
        for name, request in requests.items():
            values = counted[request].values
            results[name] = counts_test(values.reshape(-1, *values.shape[-2:]))
        return results
