"""Answers to many requests at once, from a batch of rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayou.errors import BadData
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.counts import CountTable, count_tables
from bayou.statistics.request import Request
from bayou.statistics.statistics import Statistics
from bayou.statistics.value_counting import histograms_of_codes, value_histograms
from bayou.statistics.value_histogram import ValueHistogram
from bayou.typing import Name


def answer_requests(
    requests: Sequence[Request], batch: Batch, variables: Mapping[Name, Variable]
) -> Statistics:
    """Answer all requests from a batch of rows; all count tables are made in one pass.

    ``variables`` give the meaning of the batch's codes.

    >>> import numpy as np
    >>> rows = Batch(3, {"A": np.array([0, 1, 1], dtype=np.uint8)}, {})
    >>> request = CountTable(("A",))
    >>> answer_requests([request], rows, {"A": Variable("A", ["x", "y"])})[request].values.tolist()
    [1, 2]
    """
    return Statistics(dict(answers(requests, batch, variables)), batch.total)


def answers(
    requests: Sequence[Request],
    batch: Batch,
    variables: Mapping[Name, Variable],
    before: Statistics | None = None,
) -> Iterator[tuple[Request, Any]]:
    """Yield each distinct request with its answer, count tables first.

    ``before`` has the answers for earlier rows, to which these are going to be added.
    """
    tables: list[CountTable] = []
    histograms: list[ValueHistogram] = []
    others: list[Request] = []
    for request in dict.fromkeys(requests):
        if isinstance(request, CountTable) and request.variables:
            tables.append(request)
        elif isinstance(request, ValueHistogram):
            histograms.append(request)
        else:
            others.append(request)
    yield from zip(tables, count_tables(tables, batch, variables), strict=True)
    counted = histograms_of_codes(histograms, batch, variables)
    yield from counted.items()
    rest = [request for request in histograms if request not in counted]
    yield from value_histograms(rest, batch, variables)
    for request in others:
        if before is None:
            yield request, request.answer(batch, variables)
        else:
            yield request, request.answer_after(batch, variables, before[request])


@dataclass(frozen=True)
class AnswerRequests:
    """:func:`answer_requests` as a picklable function of a batch."""

    requests: tuple[Request, ...]
    variables: Mapping[Name, Variable]

    def __call__(self, batch: Batch) -> Statistics:
        return answer_requests(self.requests, batch, self.variables)


def needed_variables(
    requests: Iterable[Request], variable: Callable[[Name], Variable], empty: Collection[Name] = ()
) -> tuple[list[Variable], dict[Name, Variable]]:
    """Return the variables that a batch must have to answer the requests, and the variables by name.

    A column that is needed both as states and as numbers is listed twice. Columns in ``empty`` have no value
    in any row: they are counted as having no states, by codes that need not be read.
    """
    by_name: dict[Name, Variable] = {}
    counted: dict[Name, Variable] = {}
    measured: dict[Name, Variable] = {}
    for request in requests:
        measured.update({name: Variable(name) for name in request.numbers})
        for name in (*request.states, *request.values):
            if name not in by_name:
                by_name[name] = variable(name)
            if name in request.values or name not in empty:
                (measured if by_name[name].is_continuous else counted)[name] = by_name[name]
        for name in request.states:
            if by_name[name].is_continuous and name not in empty:
                raise BadData(
                    f"Column {name!r} has real numbers, which are not counted. Declare its states "
                    "(states=…), or cut it into ranges."
                )
    return [*counted.values(), *measured.values()], by_name
