"""The table of one variable, and the counts behind it."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion, BayouError
from bayou.models.network import Network
from bayou.server.messages import Message, Value, decoded, encoded, labels_of
from bayou.server.operations.operation import Operation
from bayou.statistics import Counts
from bayou.typing import Name

_MOST_CELLS = 2_000_000


class TableRequest(Message):
    """The variable whose table is wanted."""

    variable: Value


class Axis(Message):
    """A variable of the table with its states, typed and as texts."""

    name: Any
    states: list[Any]
    labels: list[str]


class TableAnswer(Message):
    """P(variable | parents): a row for each combination of the parents' states, the last parent fastest.

    ``counts`` are the rows behind each probability where the table was learned by counting, in the same form.
    """

    variable: Axis
    parents: list[Axis]
    rows: list[list[float]]
    counts: list[list[float]] | None


def table(net: Network, request: TableRequest) -> TableAnswer:
    """The table of a discrete variable."""
    name: Name = decoded(request.variable)
    variable = net.variables[name]
    if variable.is_continuous:
        raise BadQuestion(f"{name!r} is continuous and has no table.")
    values = net.frozen.table(name)
    if values.size > _MOST_CELLS:
        raise BadQuestion(
            f"The table of {name!r} has {values.size:,} numbers; at most {_MOST_CELLS:,} are shown. "
            "Save the network as a file to get all of them."
        )
    width = values.shape[-1]
    rows = values.reshape(-1, width).tolist()
    parents = [_axis(net, parent) for parent in net.parents(name)]
    return TableAnswer(_axis(net, name), parents, rows, _counts(net, name, values.shape))


def _axis(net: Network, name: Name) -> Axis:
    states = net.variables[name].states
    return Axis(encoded(name), [encoded(state) for state in states], labels_of(states))


def _counts(net: Network, name: Name, shape: tuple[int, ...]) -> list[list[float]] | None:
    """The counts in the order of the table; None if it was not counted, or from other states."""
    try:
        found = net.statistics[name]
    except BayouError:  # stated, not learned
        return None
    axes = [net.variables[each] for each in (*net.parents(name), name)]
    if not isinstance(found, Counts) or [axis.states for axis in found.axes] != [v.states for v in axes]:
        return None
    rows: list[list[float]] = found.values.reshape(-1, shape[-1]).astype(float).tolist()
    return rows


TABLE = Operation("table", "The table of one variable", TableRequest, TableAnswer, table)
