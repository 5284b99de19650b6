"""A source with a memory: what a larger table already tells is added up, not counted again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.counts import Counts, CountTable
from bayou.statistics.request import Request
from bayou.statistics.result import Result
from bayou.statistics.source import Source
from bayou.statistics.statistics import Statistics
from bayou.typing import Name

T = TypeVar("T")
MOST_CELLS = 1 << 24
"""The most cells of all tables that are remembered together (128 MiB)."""


class CachedSource(Source):
    """Wraps any source; asks it only for the counts that its earlier answers do not imply.

    A count over fewer variables is a sum over a larger table, provided no row was left out of that table
    for a gap. Searches for structures ask for such counts all the time, and each answer from memory may save
    a pass over the data: ``asked`` counts the requests that had to go down to them.

    >>> from bayou.sources import open_source
    >>> cached = CachedSource(open_source({"A": ["x", "y"], "B": [0, 1]}))
    >>> both, one = CountTable(("A", "B")), CountTable(("B",))
    >>> cached.collect([both]), cached.collect([one])[one].values.tolist(), cached.asked
    (Statistics(1 answers about 2 rows), [1, 1], 1)
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.is_streamed = source.is_streamed
        self.asked = 0
        self._tables: list[Counts] = []
        self._with: dict[Name, set[int]] = {}
        self._cells = 0
        self._rows: float | None = None

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.source.names

    def variable(self, name: Name) -> Variable:
        """What the data say about a column."""
        return self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """Passed on."""
        return self.source.batches(variables)

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """Passed on: only counts are remembered."""
        return self.source.map_batches(kernel, variables)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer from memory where possible, the rest in one batch from the source."""
        known: dict[Request, Result] = {}
        for request in requests:
            table = self._recalled(request)
            if table is not None:
                known[request] = table
        unknown = [request for request in dict.fromkeys(requests) if request not in known]
        if unknown or self._rows is None:
            fresh = self.source.collect(unknown)
            self.asked += len(unknown)
            self._rows = fresh.rows
            known.update(fresh)
            for request in unknown:
                self._remember(fresh[request])
        return Statistics({request: known[request] for request in requests}, self._rows)

    def _recalled(self, request: Request) -> Counts | None:
        """The smallest table that has all of the request's variables, summed over the others."""
        if not isinstance(request, CountTable) or not self._tables:
            return None
        holders = [self._with.get(name, set()) for name in request.variables]
        found = set.intersection(*holders) if holders else range(len(self._tables))
        if not found:
            return None
        smallest = min(found, key=lambda number: self._tables[number].values.size)
        return self._tables[smallest].marginal(request.variables)

    def _remember(self, answer: Result) -> None:
        """Keep a table that has every row of the data (none left out for a gap), as long as there is room."""
        assert self._rows is not None
        if not isinstance(answer, Counts) or abs(answer.total - self._rows) > 1e-12 * abs(self._rows):
            return
        if self._cells + answer.values.size > MOST_CELLS:
            return
        self._cells += answer.values.size
        for name in answer.names:
            self._with.setdefault(name, set()).add(len(self._tables))
        self._tables.append(answer)
