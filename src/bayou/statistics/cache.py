"""A source with a cache of count tables: a smaller table is summed from a larger one, not counted again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.counts import Counts, CountTable
from bayou.statistics.pairs.pair_tables import PairTables
from bayou.statistics.request import Request
from bayou.statistics.result import Result
from bayou.statistics.source import Source
from bayou.statistics.statistics import Statistics
from bayou.typing import Name

T = TypeVar("T")
MOST_CELLS = 1 << 24
"""The most cells of all cached tables together (128 MiB)."""


class CachedSource(Source):
    """Wraps any source and asks it only for counts that earlier answers do not contain.

    A count over fewer variables is a sum over a larger table, provided no row was left out of that table
    because of a gap; tables of all pairs hold those of up to two of their variables. Structure searches need
    such counts again and again, and each cached answer may save a pass over the data. ``asked`` is the number
    of requests that went to the source.

    >>> from bayou.sources import open_source
    >>> cached = CachedSource(open_source({"A": ["x", "y"], "B": [0, 1]}))
    >>> both, one = CountTable(("A", "B")), CountTable(("B",))
    >>> cached.collect([both]), cached.collect([one])[one].values.tolist(), cached.asked
    (Statistics(1 answer about 2 rows), [1, 1], 1)
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.is_streamed = source.is_streamed
        self.asked = 0
        self._tables: list[Counts] = []
        self._pairs: list[PairTables] = []
        self._with: dict[Name, set[int]] = {}
        self._cells = 0
        self._rows: float | None = None

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns of the source."""
        return self.source.names

    def variable(self, name: Name) -> Variable:
        """The variable that the source infers for a column."""
        return self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """The batches of the source."""
        return self.source.batches(variables)

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """Passed on to the source: only counts are cached."""
        return self.source.map_batches(kernel, variables)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer from the cache where possible, the rest by one call of the source."""
        answers: dict[Request, Result] = {}
        for request in requests:
            table = self._recalled(request)
            if table is not None:
                answers[request] = table
        others = [request for request in dict.fromkeys(requests) if request not in answers]
        if others or self._rows is None:
            fresh = self.source.collect(others)
            self.asked += len(others)
            self._rows = fresh.rows
            answers.update(fresh)
            for request in others:
                self._remember(fresh[request])
        return Statistics({request: answers[request] for request in requests}, self._rows)

    def _recalled(self, request: Request) -> Counts | None:
        """The smallest cached table with all of the request's variables, summed over the others, or None."""
        if not isinstance(request, CountTable):
            return None
        holders = [self._with.get(name, set()) for name in request.variables]
        found = set.intersection(*holders) if holders else set(range(len(self._tables)))
        if not found:
            return self._from_pairs(request.variables)
        smallest = min(found, key=lambda number: self._tables[number].values.size)
        return self._tables[smallest].marginal(request.variables)

    def _from_pairs(self, names: Sequence[Name]) -> Counts | None:
        """The table of these variables from the tables of all pairs; None if these do not hold it."""
        held = (pairs.family(names) for pairs in self._pairs)
        return next((table for table in held if table is not None), None)

    def _remember(self, answer: Result) -> None:
        """Cache tables that count every row of the data (none left out for a gap), if there is room."""
        assert self._rows is not None
        if not isinstance(answer, Counts | PairTables):
            return
        # A row counts once for each pair.
        times = 1 if isinstance(answer, Counts) else len(answer.axes) * (len(answer.axes) - 1) // 2
        complete = abs(answer.total - times * self._rows) <= 1e-12 * abs(times * self._rows)
        if not complete or self._cells + answer.values.size > MOST_CELLS:
            return
        self._cells += answer.values.size
        if isinstance(answer, PairTables):
            self._pairs.append(answer)
            return
        for name in answer.names:
            self._with.setdefault(name, set()).add(len(self._tables))
        self._tables.append(answer)
