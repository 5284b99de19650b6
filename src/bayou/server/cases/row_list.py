"""The rows of a table, the most surprising first, each with its findings."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from bayou.models.network import Network
from bayou.server.cases.case_files import given_finding
from bayou.server.cases.tested_rows import TestedRows, state_places, tested_rows
from bayou.server.cases.testing import rows_of_cell
from bayou.server.messages import Finding, Message, Value, encoded, known_name
from bayou.server.operations.operation import Operation
from bayou.server.tables.table_file import TableFile
from bayou.typing import Name

Order = Literal["table", "row", "target"]


class RowListRequest(Message):
    """Which rows of an uploaded table.

    ``order``: as in the table, by log P(row) (the least probable row first), or by P(true state of the
    target). ``true`` and ``predicted`` are places of states: the rows of a cell of the confusion.
    """

    table: str
    target: Value
    order: Order = "row"
    true: Annotated[int, Meta(ge=0)] | None = None
    predicted: Annotated[int, Meta(ge=0)] | None = None
    first: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=200)] = 50


class TestedRow(Message):
    """A row by its number in the table (counting from 0), and what the network says about it.

    ``findings`` are what the row tells of other variables than the target; ``true`` and ``predicted`` are
    places of states, null where there are none; ``probabilities`` are those of the target's states.
    """

    __test__ = False

    row: int
    log_probability: float | None
    true: int | None
    predicted: int | None
    probabilities: list[float] | None
    findings: list[Finding]


class RowListAnswer(Message):
    """Some of the rows that were asked for, and how many there are."""

    target: Any
    rows_in_all: int
    rows: list[TestedRow]


def row_list(net: Network, table: TableFile, request: RowListRequest) -> RowListAnswer:
    """Some rows of a table, in order of surprise."""
    found = tested_rows(net, table, known_name(net, request.target))
    numbers = rows_of_cell(found, request.true, request.predicted)
    if request.order != "table":
        worth = found.log_probability if request.order == "row" else found.of_truth
        # NaN, a row without the target, comes last; equal rows stay in the order of the table.
        numbers = numbers[np.argsort(worth[numbers], kind="stable")]
    page = numbers[request.first : request.first + request.count]
    findings = findings_of_rows(net, found, page)
    rows = [_row(found, int(number), findings[place]) for place, number in enumerate(page)]
    return RowListAnswer(encoded(found.target.name), len(numbers), rows)


def _row(found: TestedRows, number: int, findings: list[Finding]) -> TestedRow:
    log, true, predicted = found.log_probability[number], found.truth[number], found.predicted[number]
    return TestedRow(
        number,
        float(log) if isfinite(log) else None,
        int(true) if true >= 0 else None,
        int(predicted) if predicted >= 0 else None,
        found.proba[number].tolist() if predicted >= 0 else None,
        findings,
    )


def findings_of_rows(net: Network, found: TestedRows, numbers: Any) -> list[list[Finding]]:
    """What the rows tell of all variables but the target; gaps and values that are no states tell nothing."""
    result: list[list[Finding]] = [[] for _ in numbers]
    for name in net.names:
        if name == found.target.name or name not in found.columns:
            continue
        for place, value in enumerate(_values(net, found, name, numbers)):
            if value is not None:
                result[place].append(given_finding(net, name, value))
    return result


def _values(net: Network, found: TestedRows, name: Name, numbers: Any) -> list[Any]:
    variable = net.variables[name]
    if variable.is_continuous:
        values = found.columns.seen_numbers(name)[0][numbers].tolist()
        return [value if isfinite(value) else None for value in values]
    places = state_places(found.columns, variable)[numbers].tolist()
    return [variable.states[place] if place >= 0 else None for place in places]


ROW_LIST = Operation(
    "row-list",
    "The rows of an uploaded table, the most surprising first",
    RowListRequest,
    RowListAnswer,
    row_list,
    takes_table=True,
)
