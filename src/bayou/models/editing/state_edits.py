"""States renamed, reordered, added, removed and merged; tables of the variable and its children follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bayou.arguments import is_whole
from bayou.distributions import Distribution
from bayou.errors import BadQuestion, BadVariable, listed
from bayou.models.editing.network_content import NetworkContent
from bayou.models.editing.own_states import kind_after, with_own_states
from bayou.models.editing.parent_axes import with_parent_states
from bayou.models.editing.state_change import (
    StateChange,
    relabelled,
    variable_with_states,
    with_states,
)
from bayou.networks import same_domains
from bayou.schema import Interval, Variable, plain
from bayou.typing import Name, State

Changes = dict[Name, StateChange]


def renamed_state(content: NetworkContent, name: Name, old: State, new: State) -> Changes:
    """Return the changes that rename a state, in all variables that must have the same states."""
    code = variable_with_states(content, name).code(old)

    def change(variable: Variable) -> StateChange:
        states = [new if k == code else state for k, state in enumerate(variable.states)]
        return relabelled(variable, states, range(len(states)))

    return _for_all_alike(content, name, change)


def reordered_states(content: NetworkContent, name: Name, order: Iterable[State]) -> Changes:
    """Return the changes that put the states in another order, in all variables that must have the same."""
    variable = variable_with_states(content, name)
    codes = [variable.code(state) for state in _several("order", order)]
    if sorted(codes) != list(range(variable.cardinality)):
        raise BadVariable(
            f"The states of {name!r} are {listed(variable.states)}; give each of them once, in the new order."
        )

    def change(variable: Variable) -> StateChange:
        return relabelled(variable, [variable.states[code] for code in codes], codes)

    return _for_all_alike(content, name, change)


def added_state(content: NetworkContent, name: Name, state: State, at: int | None, like: Any) -> Changes:
    """Return the change that adds a state: the variable has it with probability 0.

    The rows of children for it are those for the state ``like`` (None: the average over all states).
    """
    variable = variable_with_states(content, name)
    size = variable.cardinality
    place = size if at is None else at
    if not is_whole(place) or not -size - 1 <= place <= size:
        raise BadQuestion(f"at={at!r}: give the new place of the state, a whole number from 0 to {size}.")
    place = int(place) + (size + 1 if place < 0 else 0)
    rows = tuple(range(size)) if like is None else (variable.code(like),)
    singles = [(code,) for code in range(size)]
    states = [*variable.states[:place], plain(state), *variable.states[place:]]
    own: list[tuple[int, ...]] = [*singles[:place], (), *singles[place:]]
    taken: list[tuple[int, ...]] = [*singles[:place], rows, *singles[place:]]
    _require_unshared(content, name, f"A new state of {name!r}")
    return {name: StateChange(variable, with_states(variable, states), tuple(own), tuple(taken))}


def removed_state(content: NetworkContent, name: Name, state: State) -> Changes:
    """Return the change that removes a state: the rest of each own row is divided by its sum."""
    variable = variable_with_states(content, name)
    code = variable.code(state)
    if variable.cardinality == 1:
        raise BadVariable(
            f"{state!r} is the only state of {name!r}, and a variable needs one. Remove the variable: "
            f"net.remove_node({name!r})."
        )
    _require_unshared(content, name, f"The removal of a state of {name!r}")
    kept = [k for k in range(variable.cardinality) if k != code]
    codes = tuple((k,) for k in kept)
    new = with_states(variable, [variable.states[k] for k in kept])
    return {name: StateChange(variable, new, codes, codes)}


def merged_states(content: NetworkContent, name: Name, states: Iterable[State], into: Any) -> Changes:
    """Return the change that merges states into one, at the place of the first of them."""
    variable = variable_with_states(content, name)
    codes = sorted({variable.code(state) for state in _several("states", states)})
    if len(codes) < 2:
        raise BadVariable(f"Give at least two states of {name!r} to merge: {listed(variable.states)}.")
    _require_unshared(content, name, f"States of {name!r} that are merged")
    merged = _union(variable, codes) if into is None else plain(into)
    groups = [
        tuple(codes) if k == codes[0] else (k,) for k in range(variable.cardinality) if k not in codes[1:]
    ]
    named = [merged if len(group) > 1 else variable.states[group[0]] for group in groups]
    new = with_states(variable, named)
    return {name: StateChange(variable, new, tuple(groups), tuple(groups))}


def _union(variable: Variable, codes: Sequence[int]) -> State:
    """The range that merged ranges make; other states need a name."""
    ranges = [variable.states[code] for code in codes]
    if variable.cuts is None or codes != list(range(codes[0], codes[-1] + 1)):
        raise BadQuestion(
            f"Say what the merged state of {variable.name!r} is called: merge_states({variable.name!r}, "
            f"{ranges!r}, into={ranges[0]!r}); neighbouring ranges of numbers need no name."
        )
    first, last = ranges[0], ranges[-1]
    assert isinstance(first, Interval)
    assert isinstance(last, Interval)
    return Interval(first.lower, last.upper, first.closed_left)


def states_changed(content: NetworkContent, changes: Mapping[Name, StateChange]) -> NetworkContent:
    """Return the content after the states of some variables change; these count as declared from now on."""
    blocks: dict[Name, Distribution] = dict(content.blocks)
    touched = dict.fromkeys([*changes, *(child for name in changes for child in content.dag.children(name))])
    done = set()
    for name in touched:
        slot = content.slot(name)
        if slot in done or slot not in blocks:
            continue
        done.add(slot)
        blocks[slot] = _block_after(content, name, changes)
    kinds = dict(content.kinds)
    for name in touched:
        for member in (*content.dag.parents(name), name):
            if name in kinds and member in changes:
                kinds[name] = kind_after(content, name, kinds[name], changes[member])
    variables = {**content.variables, **{name: change.new for name, change in changes.items()}}
    declared = content.declared | set(changes)
    return content.changed(variables=variables, declared=declared, kinds=kinds, blocks=blocks)


def _block_after(content: NetworkContent, name: Name, changes: Mapping[Name, StateChange]) -> Distribution:
    """The parameters of a variable after states of its parents and its own states change, one by one."""
    slot = content.slot(name)
    for parent in content.dag.parents(name):
        if parent in changes:
            block = with_parent_states(content, name, changes[parent])
            assert block is not None
            content = _with_one(content, slot, block, changes[parent])
    block = content.blocks[slot]
    if name in changes:
        found = with_own_states(content, name, changes[name], block)
        assert found is not None
        block = found
    return block


def _with_one(
    content: NetworkContent, slot: Name, block: Distribution, change: StateChange
) -> NetworkContent:
    """The content for the next axis of a block; where weights are needed only one variable changes."""
    variables = {**content.variables, change.old.name: change.new}
    return content.changed(blocks={**content.blocks, slot: block}, variables=variables)


def _for_all_alike(content: NetworkContent, name: Name, change: Any) -> Changes:
    """The change of all variables that share parameters in which they need the same states."""
    group = next(group for group in same_domains(content.dag, content.sharing) if name in group)
    return {member: change(content.variables[member]) for member in group if member in content.variables}


def _require_unshared(content: NetworkContent, name: Name, what: str) -> None:
    """Raise if the variable or a child shares its parameters, whose shape would change for one user only."""
    for member in (name, *content.dag.children(name)):
        content.require_own_block(member, what)


def _several(what: str, states: Any) -> list[State]:
    """A list of states as given; a text is refused, because its letters are not meant."""
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise BadQuestion(f"{what}={states!r}: give a list of states.")
    return list(states)
