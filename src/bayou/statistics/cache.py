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


class CachedSource(Source):
    """Wraps any source; asks it only for what its earlier answers do not imply.

    A count over fewer variables is a sum over a larger table, provided no row was left out of that table
    for a gap: ``asked`` counts the requests that had to go down to the data.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.asked = 0
        self._answers: dict[Request, Result] = {}
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
        """Passed on: only fixed statistics are remembered."""
        return self.source.map_batches(kernel, variables)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer from memory where possible, the rest in one batch from the source."""
        unknown = [request for request in dict.fromkeys(requests) if not self._recall(request)]
        if unknown or self._rows is None:
            fresh = self.source.collect(unknown)
            self.asked += len(unknown)
            self._rows = fresh.rows
            self._answers.update({request: fresh[request] for request in unknown})
        return Statistics({request: self._answers[request] for request in requests}, self._rows)

    def _recall(self, request: Request) -> bool:
        if request in self._answers:
            return True
        if not isinstance(request, CountTable) or self._rows is None:
            return False
        wanted = set(request.variables)
        tables = [
            answer
            for answer in self._answers.values()
            if isinstance(answer, Counts) and wanted <= set(answer.names) and self._complete(answer)
        ]
        if not tables:
            return False
        self._answers[request] = min(tables, key=lambda table: table.values.size).marginal(request.variables)
        return True

    def _complete(self, table: Counts) -> bool:
        """Whether every row of the data is in this table (none dropped for a gap)."""
        assert self._rows is not None
        return abs(table.total - self._rows) <= 1e-12 * abs(self._rows)
