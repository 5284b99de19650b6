"""The table of one variable, and the counts behind it."""

from __future__ import annotations

from typing import Any

from bayou.distributions import MaxOfCauses, NodeKind
from bayou.errors import BadQuestion, BayouError
from bayou.models.network import Network
from bayou.server.messages import Message, Value, decoded, encoded, labels_of
from bayou.server.operations.operation import Operation
from bayou.statistics import Counts
from bayou.typing import Name

_MOST_CELLS = 2_000_000
_Rows = list[list[float]] | None


class TableRequest(Message):
    """The variable whose table is wanted."""

    variable: Value


class Axis(Message):
    """A variable of the table with its states, typed and as texts."""

    name: Any
    states: list[Any]
    labels: list[str]


class NoisyOrForm(Message):
    """What a noisy-OR of two-state variables needs: the places of the states that mean present.

    ``chances`` of the parents and the ``leak`` are there if the variable is a noisy-OR already.
    """

    present: int
    parents: list[int]
    chances: list[float] | None
    leak: float | None


class TableAnswer(Message):
    """P(variable | parents): a row for each combination of the parents' states, the last parent fastest.

    ``counts`` are the rows behind each probability where the table was learned by counting, in the same form,
    ``lower`` and ``upper`` the ends of 95 % credible intervals. ``form`` is "table", or what the table
    follows from: "noisy-or", "noisy-and", "noisy-max", "function". ``noisy_or`` is there if the edit
    ``set_noisy_or`` can be made. The variables in ``shared_with`` have the same table.
    """

    variable: Axis
    parents: list[Axis]
    rows: list[list[float]]
    counts: list[list[float]] | None
    lower: list[list[float]] | None
    upper: list[list[float]] | None
    form: str
    noisy_or: NoisyOrForm | None
    shared_with: list[Any]


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
    counts = _counts(net, name, values.shape)
    ends = (None, None) if counts is None else _intervals(net, name, width)
    form, noisy_or, shared = _form(net, name), _noisy_or(net, name), _shared_with(net, name)
    return TableAnswer(_axis(net, name), parents, rows, counts, *ends, form, noisy_or, shared)


def _axis(net: Network, name: Name) -> Axis:
    states = net.variables[name].states
    return Axis(encoded(name), [encoded(state) for state in states], labels_of(states))


def _form(net: Network, name: Name) -> str:
    distribution = net.frozen.distribution(name)
    return f"noisy-{distribution.logic}" if isinstance(distribution, MaxOfCauses) else distribution.kind


def _shared_with(net: Network, name: Name) -> list[Any]:
    slots = net.frozen.slots
    return [encoded(other) for other, slot in slots.items() if slot == slots[name] and other != name]


def _noisy_or(net: Network, name: Name) -> NoisyOrForm | None:
    """What a noisy-OR needs; None if the states do not tell what is present, or say so differently."""
    family, kind = net.frozen.family(name), NodeKind("or")
    two = all(not each.is_continuous and each.cardinality == 2 for each in family.variables)
    if not family.parents or not two or any(kind.doubt(each, family.child) for each in family.variables):
        return None
    present, parents = kind.present(family.child), [1 - kind.neutral(each) for each in family.parents]
    now = net.frozen.distribution(name)
    if not isinstance(now, MaxOfCauses) or now.logic != "or":
        return NoisyOrForm(present, parents, None, None)
    if now.strength[-1] != present or now.neutral != tuple(1 - code for code in parents):
        return None
    chances = [float(link[code, present]) for link, code in zip(now.links, parents, strict=True)]
    return NoisyOrForm(present, parents, chances, float(now.leak[present]))


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


def _intervals(net: Network, name: Name, width: int) -> tuple[_Rows, _Rows]:
    """The ends of the intervals in the order of the table; None if a row has neither counts nor a prior."""
    try:
        found = net.cpt_intervals(name)
    except BayouError:
        return None, None
    return found.lower.reshape(-1, width).tolist(), found.upper.reshape(-1, width).tolist()


TABLE = Operation("table", "The table of one variable", TableRequest, TableAnswer, table)
