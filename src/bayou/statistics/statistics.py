"""Answers to many requests, which add, subtract and scale together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar, overload

from bayou.errors import BadFile, BadStatistics, UnknownVariable, counted
from bayou.statistics.dropped_states import dropped_states
from bayou.statistics.request import Request, RequestFor
from bayou.statistics.result import Result, result_from_state
from bayou.typing import Name

R = TypeVar("R", bound=Result)


class Statistics(Mapping[Request, Result]):
    """Answers by request, and ``rows``: the number (or weight) of records behind them.

    >>> import numpy as np
    >>> from bayou.schema import Variable
    >>> from bayou.statistics import Counts, CountTable
    >>> request = CountTable(("R",))
    >>> one = Statistics({request: Counts((Variable("R", [4, 5]),), np.array([2, 1]))}, rows=3)
    >>> (one + one)[request].values.tolist(), (one + one).rows
    ([4, 2], 6)
    """

    def __init__(self, results: Mapping[Request, Result], rows: float) -> None:
        self._results = dict(results)
        self.rows = rows

    @overload
    def __getitem__(self, request: RequestFor[R]) -> R: ...
    @overload
    def __getitem__(self, request: Name) -> Any: ...
    def __getitem__(self, request: Any) -> Any:
        """The answer to a request, or that about a variable and its parents by the variable's name."""
        found = self._results.get(request)
        if found is None and not isinstance(request, RequestFor):
            found = self._about(request)
        if found is None:
            raise BadStatistics(f"These statistics do not answer {request}.")
        return found

    def _about(self, name: Name) -> Result:
        """The largest answer whose last variable has this name: its counts or moments by its parents."""
        asked = {request: tuple(getattr(request, "variables", ())) for request in self}
        own = [request for request, variables in asked.items() if variables[-1:] == (name,)]
        if not own:
            known = dict.fromkeys(variables[-1] for variables in asked.values() if variables)
            raise UnknownVariable.named(name, tuple(known), "in these statistics")
        return self._results[max(own, key=lambda request: len(asked[request]))]

    def __contains__(self, request: object) -> bool:
        return request in self._results

    def __iter__(self) -> Iterator[Request]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def only(self, requests: Collection[Request]) -> Statistics:
        """The answers to some of the requests."""
        kept = {request: result for request, result in self.items() if request in requests}
        return Statistics(kept, self.rows)

    def __add__(self, other: Statistics) -> Statistics:
        return self._combined(other, 1)

    def __sub__(self, other: Statistics) -> Statistics:
        return self._combined(other, -1)

    def __mul__(self, weight: float) -> Statistics:
        return Statistics({request: result * weight for request, result in self.items()}, self.rows * weight)

    __rmul__ = __mul__

    def _combined(self, other: Statistics, sign: int) -> Statistics:
        if set(self) != set(other):
            missing = set(self) ^ set(other)
            raise BadStatistics(f"Only one of the two statistics answers {next(iter(missing))}.")
        merged = {
            request: _combined(self._results[request], other._results[request], sign) for request in self
        }
        if sign < 0:
            dropped = dropped_states(self.values(), other.values(), merged.values())
            merged = {request: result.without_states(dropped) for request, result in merged.items()}
        return Statistics(merged, self.rows + sign * other.rows)

    def state(self) -> dict[str, Any]:
        """All answers and the number of rows, as plain data for a file."""
        return {"rows": self.rows, "statistics": [result.state() for result in self.values()]}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Statistics:
        """Read :meth:`state`; each answer is checked by its own class."""
        rows = state["rows"]
        if isinstance(rows, bool) or not isinstance(rows, int | float) or not 0 <= rows < float("inf"):
            raise BadFile(f"it claims to have learned from {rows!r} rows.")
        results = [result_from_state(entry) for entry in state["statistics"]]
        return cls({result.request: result for result in results}, rows)

    def __repr__(self) -> str:
        return f"Statistics({counted(len(self), 'answer')} about {counted(self.rows, 'row')})"


def _combined(left: Result, right: Result, sign: int) -> Result:
    if type(left) is not type(right):
        raise BadStatistics(f"{left.kind.capitalize()} and {right.kind} cannot be added.")
    return left + right if sign > 0 else left - right
