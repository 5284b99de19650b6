"""A bundle of answered requests that adds, subtracts and scales as one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from bayou.errors import BadStatistics
from bayou.statistics.counts import Counts
from bayou.statistics.forgetting import lost_states, without_states
from bayou.statistics.moments import GroupMoments
from bayou.statistics.pair_tables import PairTables
from bayou.statistics.requests import Request, RequestFor
from bayou.statistics.row_counts import RowCounts
from bayou.statistics.row_sample import SampledRows
from bayou.statistics.token_counts import TokenCounts
from bayou.statistics.value_histogram import ValueCounts

R = TypeVar("R")
Result: TypeAlias = Counts | PairTables | GroupMoments | RowCounts | SampledRows | TokenCounts | ValueCounts
_Labelled: TypeAlias = Counts | PairTables | GroupMoments | RowCounts | ValueCounts


class Statistics(Mapping[Request, Result]):
    """Answers by request, and ``rows``: the number (or weight) of records behind them.

    >>> import numpy as np
    >>> from bayou.schema import Variable
    >>> from bayou.statistics import CountTable
    >>> request = CountTable(("R",))
    >>> one = Statistics({request: Counts((Variable("R", [4, 5]),), np.array([2, 1]))}, rows=3)
    >>> (one + one)[request].values.tolist(), (one + one).rows
    ([4, 2], 6)
    """

    def __init__(self, results: Mapping[Request, Result], rows: float) -> None:
        self._results = dict(results)
        self.rows = rows

    def __getitem__(self, request: RequestFor[R]) -> R:
        try:
            result: Any = self._results[request]
        except KeyError:
            raise BadStatistics(f"These statistics do not answer {request}.") from None
        answer: R = result
        return answer

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
        merged: dict[Request, Result] = {}
        for request in self:
            merged[request] = _combine(self._results[request], other._results[request], sign)
        if sign < 0:
            lost = lost_states(_labelled(self), _labelled(other), _labelled(merged))
            for request, result in merged.items():
                if not isinstance(result, SampledRows | TokenCounts):
                    merged[request] = without_states(result, lost)
        return Statistics(merged, self.rows + sign * other.rows)

    def __repr__(self) -> str:
        return f"Statistics({len(self)} answers about {self.rows:g} rows)"


def _labelled(results: Mapping[Request, Result]) -> list[_Labelled]:
    """Those with axes of states."""
    return [result for result in results.values() if not isinstance(result, SampledRows | TokenCounts)]


def _combine(left: Result, right: Result, sign: int) -> Result:
    if isinstance(left, Counts) and isinstance(right, Counts):
        return left + right if sign > 0 else left - right
    if isinstance(left, PairTables) and isinstance(right, PairTables):
        return left + right if sign > 0 else left - right
    if isinstance(left, GroupMoments) and isinstance(right, GroupMoments):
        return left + right if sign > 0 else left - right
    if isinstance(left, RowCounts) and isinstance(right, RowCounts):
        return left + right if sign > 0 else left - right
    if isinstance(left, SampledRows) and isinstance(right, SampledRows):
        return left + right if sign > 0 else left - right
    if isinstance(left, TokenCounts) and isinstance(right, TokenCounts):
        return left + right if sign > 0 else left - right
    if isinstance(left, ValueCounts) and isinstance(right, ValueCounts):
        return left + right if sign > 0 else left - right
    raise BadStatistics("Counts, rows and moments do not add.")
