"""Tests that look for sets separating two variables: on rows in memory, on any source, on continuous data.

A set Z separates x and y if a test does not reject x ⟂ y | Z. For each pair the set with the largest p-value
is kept. The statistics (G, X², Fisher's z) are in :mod:`bayou.learning.independence.counts_tests`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from bayou._native import IndependenceTester
from bayou.learning.independence.counts_tests import correlation_p_values, counts_test, partial_correlations
from bayou.learning.scores.gaussian_scores import family_evidence, refuse_overflow
from bayou.learning.scores.local_scores import LARGEST_TABLE
from bayou.schema import Variable
from bayou.statistics import LARGEST_HELD, Batch, CountTable, Moments, Source, rows_in_memory
from bayou.typing import FloatArray

RELIABLE = 5
"""A test counts if it has at least this many rows per degree of freedom (in strata that have any). A test
without a degree of freedom (the set determines x or y) counts if it has this many rows per stratum."""
TOGETHER = 1024
"""The number of tests whose counts are requested from a source at once."""

Pair: TypeAlias = tuple[int, int]
Question: TypeAlias = tuple[int, int, tuple[int, ...]]
"""A test of x ⟂ y given a set: (x, y, set), all by position."""


class SeparationResult(NamedTuple):
    """The test of a pair with the largest p-value over sets of one size; ``tests`` is how many tests counted.

    ``p_value`` is negative if no test counted: then there is no evidence for independence.
    """

    given: tuple[int, ...]
    p_value: float
    statistic: float
    tests: int


NOT_MADE = SeparationResult((), -1.0, 0.0, 0)
"""The result for a pair without a test."""


class SeparationTests(Protocol):
    """What PC needs: tests of independence, in batches."""

    @property
    def least_at_once(self) -> int:
        """The smallest sensible batch: this many tests take hardly longer than one."""

    def separate(
        self, pairs: Sequence[Pair], neighbours: Sequence[Sequence[int]], size: int
    ) -> list[SeparationResult]:
        """For each pair the test with the largest p-value, over all sets of ``size`` neighbours of either."""

    def outcomes(self, questions: Sequence[Question]) -> list[tuple[float, float] | None]:
        """The p-value and the statistic of each question; None for a test that does not count."""


class NativeTests:
    """Tests on the codes of rows in memory, by the compiled kernel."""

    least_at_once = 16

    def __init__(self, batch: Batch, variables: Sequence[Variable], method: str) -> None:
        self.method = method
        self._cards = [variable.cardinality for variable in variables]
        self._tester = IndependenceTester(
            [np.ascontiguousarray(batch.codes[variable.name]) for variable in variables],
            self._cards,
        )
        self._neighbours: Sequence[Sequence[int]] | None = None
        self._offsets = self._flat = np.zeros(0, dtype=np.int64)

    def outcomes(self, questions: Sequence[Question]) -> list[tuple[float, float] | None]:
        """The p-value and the statistic of each question, in one call; None if the table is too large."""
        cells = [math.prod(self._cards[k] for k in (x, y, *given)) for x, y, given in questions]
        small = [question for question, many in zip(questions, cells, strict=True) if many <= LARGEST_TABLE]
        offsets = np.cumsum([0, *(len(given) for _, _, given in small)], dtype=np.int64)
        flat = np.array([member for _, _, given in small for member in given], dtype=np.int64)
        pairs = np.array([(x, y) for x, y, _ in small], dtype=np.int64).reshape(-1, 2)
        tested = self._tester.tests(pairs, offsets, flat, self.method, RELIABLE)
        statistics, _, _, p_values, counted = (part.tolist() for part in tested)
        columns = zip(p_values, statistics, counted, strict=True)
        found = ((p, statistic) if counts else None for p, statistic, counts in columns)
        return [next(found) if many <= LARGEST_TABLE else None for many in cells]

    def separate(
        self, pairs: Sequence[Pair], neighbours: Sequence[Sequence[int]], size: int
    ) -> list[SeparationResult]:
        """All sets of all pairs in one call."""
        if neighbours is not self._neighbours:
            # The neighbours are the same for all blocks of one size, so they are converted only once.
            self._neighbours = neighbours
            self._offsets = np.cumsum([0, *(len(near) for near in neighbours)], dtype=np.int64)
            self._flat = np.fromiter(chain.from_iterable(neighbours), np.int64, int(self._offsets[-1]))
        tested = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        statistics, _, _, p_values, sets, tests, made = self._tester.separate(
            tested, self._offsets, self._flat, size, self.method, RELIABLE, LARGEST_TABLE
        )
        p_values = np.where(made > 0, p_values, -1.0)
        columns = zip(sets.tolist(), p_values.tolist(), statistics.tolist(), tests.tolist(), strict=True)
        return [SeparationResult(tuple(given), p, g, many) for given, p, g, many in columns]


class BatchedTests:
    """Base class of tests that answer many questions at once; None stands for a test that does not count."""

    least_at_once = 64

    def outcomes(self, questions: Sequence[Question]) -> list[tuple[float, float] | None]:
        """The p-value and the statistic of each question."""
        raise NotImplementedError

    def separate(
        self, pairs: Sequence[Pair], neighbours: Sequence[Sequence[int]], size: int
    ) -> list[SeparationResult]:
        """For each pair the test with the largest p-value; ``TOGETHER`` questions are asked at a time."""
        best = [NOT_MADE] * len(pairs)
        tests = [0] * len(pairs)
        questions = (
            (place, question)
            for place, pair in enumerate(pairs)
            for question in questions_of(pair, neighbours, size)
        )
        while some := list(islice(questions, TOGETHER)):
            found = self.outcomes([question for _, question in some])
            for (place, question), outcome in zip(some, found, strict=True):
                if outcome is None:
                    continue
                tests[place] += 1
                if outcome[0] > best[place].p_value:
                    best[place] = SeparationResult(question[2], *outcome, 0)
        return [one._replace(tests=many) for one, many in zip(best, tests, strict=True)]


class SourceTests(BatchedTests):
    """Tests on counts that are requested from any source."""

    least_at_once = TOGETHER

    def __init__(self, source: Source, variables: Sequence[Variable], method: str) -> None:
        self.source, self.variables, self.method = source, tuple(variables), method

    def outcomes(self, questions: Sequence[Question]) -> list[tuple[float, float] | None]:
        """The p-value and the statistic of each question; tables that are too large are not requested."""
        requests = [self._request(question) for question in questions]
        counted = self.source.collect(list(dict.fromkeys(one for one in requests if one is not None)))
        results: list[tuple[float, float] | None] = []
        for request in requests:
            if request is None:
                results.append(None)
                continue
            values = counted[request].values
            found = counts_test(values.reshape(-1, *values.shape[-2:]), self.method)
            results.append((found.p_value, found.statistic) if found.counts(RELIABLE) else None)
        return results

    def _request(self, question: Question) -> CountTable | None:
        x, y, given = question
        members = [self.variables[member] for member in (*given, x, y)]
        if math.prod(variable.cardinality for variable in members) > LARGEST_TABLE:
            return None
        return CountTable(tuple(variable.name for variable in members))


class GaussianTests(BatchedTests):
    """Fisher's z tests of partial correlations, from the scatter matrix of the complete rows."""

    def __init__(self, source: Source, variables: Sequence[Variable]) -> None:
        request = Moments(tuple(variable.name for variable in variables))
        moments = source.collect([request])[request]
        refuse_overflow(moments)
        self.rows = float(moments.n)
        self.scatter: FloatArray = moments.scatter
        self._moments = moments

    def outcomes(self, questions: Sequence[Question]) -> list[tuple[float, float] | None]:
        """The p-value and the correlation of each question; questions of one size are computed together."""
        results: list[tuple[float, float] | None] = [None] * len(questions)
        for size in {len(given) for _, _, given in questions}:
            places = [k for k, (_, _, given) in enumerate(questions) if len(given) == size]
            if self.rows - size - 3 <= 0:
                continue
            members = np.array([[*questions[k][:2], *questions[k][2]] for k in places])
            correlations = partial_correlations(self.scatter, members)
            p_values = correlation_p_values(correlations, self.rows, size)
            for place, p, correlation in zip(places, p_values.tolist(), correlations.tolist(), strict=True):
                results[place] = p, correlation
        return results

    def has_density(self, child: int, parents: Sequence[int]) -> bool:
        """Whether the child varies given the parents; if they determine it, no density can be fitted."""
        return family_evidence(self._moments, child, parents)[0] > -math.inf


def separation_tests(source: Source, variables: Sequence[Variable], method: str) -> SeparationTests:
    """Tests on rows in memory if they fit and have no weights, else by requests to the source."""
    kept = rows_in_memory(source, variables, LARGEST_HELD)
    if kept is None or kept.weights is not None:
        return SourceTests(source, variables, method)
    return NativeTests(kept, variables, method)


def questions_of(pair: Pair, neighbours: Sequence[Sequence[int]], size: int) -> Iterator[Question]:
    """The tests of a pair: given each set of x's neighbours, then each further set of y's neighbours.

    >>> list(questions_of((0, 1), [[1, 2], [0, 2, 3], [0, 1], [1]], 1))
    [(0, 1, (2,)), (0, 1, (3,))]
    """
    x, y = pair
    of_x = sorted(other for other in neighbours[x] if other != y)
    of_y = sorted(other for other in neighbours[y] if other != x)
    for given in combinations(of_x, size):
        yield x, y, given
    for given in combinations(of_y, size):
        if size and not set(given) <= set(of_x):
            yield x, y, given
