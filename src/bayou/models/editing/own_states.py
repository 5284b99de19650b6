"""What becomes of the distribution of a variable, and of its kind, when its own states change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayou.distributions import (
    Distribution,
    DistributionKind,
    FunctionOfParents,
    MaxOfCauses,
    NodeKind,
    Table,
)
from bayou.errors import BadTable, BayouError
from bayou.models.editing.network_content import NetworkContent
from bayou.models.editing.refusals import cannot_follow
from bayou.models.editing.state_change import StateChange
from bayou.models.nodes.table_spec import row_description
from bayou.schema import Variable
from bayou.typing import FloatArray, Name


def with_own_states(
    content: NetworkContent, name: Name, change: StateChange, distribution: Distribution | None
) -> Distribution | None:
    """Return the distribution of a variable for its new states.

    Probabilities of merged states are added, a new state has probability 0, and without a removed state the
    rest of each row is divided by its sum.
    """
    if distribution is None or change.keeps_order:
        return distribution
    if isinstance(distribution, Table):
        return Table(_columns(content, name, change, distribution.values))
    if isinstance(distribution, FunctionOfParents):
        return _function(content, name, change, distribution)
    if isinstance(distribution, MaxOfCauses):
        return _noisy(content, name, change, distribution)
    raise cannot_follow(content, name, "its parameters cannot follow other states")


def _columns(content: NetworkContent, name: Name, change: StateChange, values: FloatArray) -> FloatArray:
    """The table with new columns."""
    nothing = np.zeros(values.shape[:-1])
    columns = [values[..., list(codes)].sum(axis=-1) if codes else nothing for codes in change.own]
    table = np.stack(columns, axis=-1)
    if sum(map(len, change.own)) == change.old.cardinality:
        return table
    sums = table.sum(axis=-1, keepdims=True)
    empty = np.argwhere(sums[..., 0] <= 0)
    if len(empty):
        lost = [state for code, state in enumerate(change.old.states) if change.place(code) is None]
        family = content.family(name)
        row = row_description(family.child, family.parents)(tuple(int(k) for k in empty[0]))
        raise BadTable(
            f"{row} gives all its probability to {lost[0]!r}: without this state nothing is left to divide "
            "by. Give that row other probabilities first (net.set_row), or merge the state into another "
            "(net.merge_states)."
        )
    result: FloatArray = table / sums
    return result


def _function(
    content: NetworkContent, name: Name, change: StateChange, function: FunctionOfParents
) -> FunctionOfParents:
    """The function with the codes of the new states; it must not have a removed state as a value."""
    places = [change.place(code) for code in range(function.states)]
    for code, place in enumerate(places):
        if place is None and np.any(function.codes == code):
            raise cannot_follow(content, name, f"{change.old.states[code]!r} is one of its values")
    moved = np.array([-1 if place is None else place for place in places] + [-1], dtype=np.int64)
    return FunctionOfParents(moved[function.codes], len(change.own))  # code -1, unknown, stays -1


def _noisy(content: NetworkContent, name: Name, change: StateChange, node: MaxOfCauses) -> MaxOfCauses:
    """The noisy node with its two states exchanged, or with states of a noisy-MAX that nothing proposes."""
    kept = [codes for codes in change.own if codes]
    in_order = kept == [(k,) for k in range(change.old.cardinality)]
    if node.logic == "max" and not (in_order and change.own[0]):
        raise cannot_follow(content, name, "the order of its states is their strength")
    if node.logic != "max" and not change.is_relabelling:
        raise cannot_follow(content, name, "it needs two states, absent and present")
    places = [change.own.index((code,)) for code in range(change.old.cardinality)]
    strength = tuple(places[code] for code in node.strength)
    if node.logic == "max":
        strength = tuple(range(len(change.own)))

    def moved(rows: FloatArray) -> FloatArray:
        result = np.zeros((*rows.shape[:-1], len(change.own)))
        result[..., places] = rows
        return result

    return replace(node, links=tuple(map(moved, node.links)), leak=moved(node.leak), strength=strength)


def kind_after(
    content: NetworkContent, name: Name, kind: DistributionKind, change: StateChange
) -> DistributionKind:
    """Return the kind of a node after the states of a variable of its family change.

    Where a noisy node told by names or by the order which state means present (or absent), and these change,
    that state is marked from now on, so that the meaning stays.
    """
    variable = change.old
    if not isinstance(kind, NodeKind) or kind.logic == "function":
        return kind
    if kind.logic == "max" and variable.name == name:
        return kind
    own = variable.name == name
    code = kind.present(variable) if own else kind.neutral(variable)
    place = change.place(code)
    for candidate in () if place is None or len(change.own[place]) > 1 else _kinds(kind, change, own, place):
        if _told(candidate, change.new, own) == place:
            return candidate
    what = f"it is defined by the state {variable.states[code]!r} of {variable.name!r}"
    raise cannot_follow(content, name, what)


def _told(kind: NodeKind, variable: Variable, own: bool) -> int | None:
    """The code that a kind takes for present (of the node itself) or without effect; None: it cannot tell."""
    try:
        return kind.present(variable) if own else kind.neutral(variable)
    except BayouError:
        return None


def _kinds(kind: NodeKind, change: StateChange, own: bool, place: int) -> list[NodeKind]:
    """The kind as it is, with its marked state moved along, and with a mark that says what is meant."""
    name, states = change.new.name, change.new.states
    found = [kind]
    if name in kind.marked:
        moved = change.place(change.old.code(kind.marked[name]))
        found = [] if moved is None else [replace(kind, marked={**kind.marked, name: states[moved]})]
    if kind.logic == "or" and not own:
        # The state without effect is the first, or the last if the first is marked as present.
        marks = {0: len(states) - 1, len(states) - 1: 0}
        return [
            *found,
            *(replace(kind, marked={**kind.marked, name: states[marks[k]]}) for k in marks if k == place),
        ]
    return [*found, replace(kind, marked={**kind.marked, name: states[place]})]
