"""Noisy and deterministic nodes as people state them, and what they become once the states are known."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from bayou.distributions import (
    Declaration,
    DistributionKind,
    Family,
    FunctionOfParents,
    MaxOfCauses,
    NodeKind,
    check_table_size,
    kind_from_declaration,
)
from bayou.errors import BadTable, BadVariable, UnknownState, UnknownVariable, listed
from bayou.models.nodes.table_spec import all_rows, row_description, table_from
from bayou.networks import Structure
from bayou.schema import Variable, natural_order, plain, state_key
from bayou.typing import FloatArray, Name, State

_UNSET: Any = object()


@dataclass(frozen=True)
class NoisyOr:
    """Any present cause may bring the effect about, each on its own: P(absent) = (1−leak)·∏(1−pᵢ).

    ``causes`` gives each parent its chance: a number for a parent of two states, or a mapping of states to
    numbers (states left out do nothing). ``leak`` is the chance without any cause. The last state of a
    variable is *present* unless ``present`` names it: one state for the family, or a mapping by variable.
    Without ``causes`` it declares a node to be learned: ``Network(..., nodes={"Fever": NoisyOr})``.

    >>> NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.05)
    NoisyOr({'Flu': 0.8, 'Cold': 0.4}, leak=0.05)
    """

    causes: Mapping[Any, Any] = field(default_factory=dict)
    leak: float = 0.0
    present: Any = _UNSET
    logic: ClassVar[str] = "or"

    @property
    def kind(self) -> NodeKind:
        """The declaration without the numbers."""
        return _kind(self.logic, self.present)

    def bound(self, child: Variable, parents: Sequence[Variable]) -> MaxOfCauses:
        """The node with all its states known."""
        kind = self.kind
        kind.check_family(Family(child, tuple(parents)))
        strength = kind.strength(child)
        _require_causes(kind.title, child, parents, self.causes)
        links, neutral = [], []
        for parent in parents:
            chances, code = self._chances(kind, child, parent)
            links.append(_two_state_rows(chances, strength))
            neutral.append(code)
        leak = _two_state_rows(np.array([_chance(f"the leak of {child.name!r}", self.leak)]), strength)[0]
        return MaxOfCauses(tuple(links), leak, strength, tuple(neutral), self.logic)

    def _chances(self, kind: NodeKind, child: Variable, parent: Variable) -> tuple[FloatArray, int]:
        """The chance of each state of a parent, and which has none by definition (-1: all are stated)."""
        given, neutral = self.causes[parent.name], kind.neutral(parent)
        chances = np.zeros(parent.cardinality)
        if isinstance(given, Mapping):
            _check_once(child, parent, given)
            for state, chance in given.items():
                chances[parent.code(state)] = _chance(f"{parent.name}={state}", chance)
            return chances, -1 if chances[neutral] > 0 else neutral
        if parent.cardinality != 2:
            raise BadTable(
                f"The {kind.title} of {child.name!r}: {parent.name!r} has {parent.cardinality} states, so "
                f"give a chance for each: {{{parent.name!r}: {{{parent.states[-1]!r}: {given!r}, …}}}}."
            )
        chances[1 - neutral] = _chance(f"{parent.name!r}", given)
        return chances, neutral

    def __repr__(self) -> str:
        told = [repr(dict(self.causes))] if self.causes else []
        told += [f"leak={self.leak!r}"] if self.leak else []
        told += [f"present={self.present!r}"] if self.present is not _UNSET else []
        return f"{type(self).__name__}({', '.join(told)})"


@dataclass(frozen=True, repr=False)
class NoisyAnd(NoisyOr):
    """Every absent condition may prevent the effect, each on its own: P(present) = (1−leak)·∏(1−pᵢ).

    The product is over the *absent* parents; pᵢ is the chance that the lack of a condition prevents the
    effect, ``leak`` the chance that it fails with every condition met. The rest is as for :class:`NoisyOr`.

    >>> NoisyAnd({"Key": 1.0, "Fuel": 0.9}, leak=0.02)
    NoisyAnd({'Key': 1.0, 'Fuel': 0.9}, leak=0.02)
    """

    logic: ClassVar[str] = "and"


@dataclass(frozen=True)
class NoisyMax:
    """The child takes the highest of the states that its causes propose; its states are ordered, low first.

    ``causes`` gives for each parent a table P(proposal | parent's state) by state; a state left out, such as
    the first one, always proposes the child's lowest state. ``leak`` is the proposal without any cause.
    ``absent`` names the parents' states that do nothing where they are learned (else the first of each): one
    state for all parents, or a mapping by parent.

    >>> NoisyMax({"Flu": {"yes": {"none": 0.1, "mild": 0.5, "high": 0.4}}}).kind.title
    'NoisyMax'
    """

    causes: Mapping[Any, Any] = field(default_factory=dict)
    leak: Any = None
    absent: Any = _UNSET
    logic: ClassVar[str] = "max"

    @property
    def kind(self) -> NodeKind:
        """The declaration without the numbers."""
        return _kind(self.logic, self.absent)

    def bound(self, child: Variable, parents: Sequence[Variable]) -> MaxOfCauses:
        """The node with all its states known."""
        kind = self.kind
        kind.check_family(Family(child, tuple(parents)))
        _require_causes(kind.title, child, parents, self.causes)
        lowest = np.eye(child.cardinality)[0]
        links, neutral = [], []
        for parent in parents:
            links.append(_proposals(child, parent, self.causes[parent.name], lowest))
            code = kind.neutral(parent)
            neutral.append(code if links[-1][code, 0] == 1.0 else -1)
        leak = table_from(child, [], lowest if self.leak is None else self.leak)
        return MaxOfCauses(tuple(links), leak, kind.strength(child), tuple(neutral), self.logic)


@dataclass(frozen=True)
class Deterministic:
    """The child is a function of its parents: a callable of their states, or a mapping of states to a state.

    The callable gets the parents' states in the order of the parents. A mapping has the tuple of parent
    states as key (the state itself where there is one parent). Only the resulting states are kept, and
    saved; never the code. Learned, it is the function that the data show.

    >>> Deterministic({("no", "no"): "no", ("no", "yes"): "yes", ("yes", "no"): "yes", ("yes", "yes"): "no"})
    Deterministic(...)
    """

    function: Callable[..., State] | Mapping[Any, State] | None = None

    @property
    def kind(self) -> NodeKind:
        """The declaration without the function."""
        return NodeKind("function")

    def bound(self, child: Variable, parents: Sequence[Variable]) -> FunctionOfParents:
        """The node with all its states known."""
        codes = np.empty([parent.cardinality for parent in parents], dtype=np.int64)
        for index, value in self.values(child.name, parents):
            code = child.find(plain(value))
            if code is None:
                where = f"as the function's value for {row_description(child, parents)(index)}"
                raise UnknownState.of(child.name, value, child.states, where)
            codes[index] = code
        return FunctionOfParents(codes, child.cardinality)

    def values(self, name: Name, parents: Sequence[Variable]) -> Iterable[tuple[tuple[int, ...], State]]:
        """The function's value for each combination of parent states (by their codes)."""
        check_table_size(Variable(name, [0]), parents)
        child = Variable(name)
        if isinstance(self.function, Mapping):
            stated = _values_of_mapping(child, parents, self.function)
        elif callable(self.function):
            function = self.function
            stated = ((i, _called(function, child, parents, i, states)) for i, states in all_rows(parents))
        else:
            raise BadTable(
                f"Deterministic of {name!r}: give a callable of the parents' states or a mapping of them to "
                f"a state, not {self.function!r}."
            )
        for index, value in stated:
            if not isinstance(value, Hashable):
                raise BadTable(f"{row_description(child, parents)(index)} is {value!r}, which is no state.")
            yield index, value

    def __repr__(self) -> str:
        return "Deterministic()" if self.function is None else "Deterministic(...)"


Node = NoisyOr | NoisyMax | Deterministic
"""What ``set_cpt`` takes beside tables and Gaussians."""


def kinds_from(nodes: Mapping[Any, Any], known: Sequence[Name]) -> dict[Name, DistributionKind]:
    """Read ``nodes={"Fever": NoisyOr}``: a class, or an instance that says more (present=…).

    Any kind of distribution will do: a class of one, or a declaration such as ``features.KernelFeature()``.
    """
    kinds: dict[Name, DistributionKind] = {}
    for name, given in nodes.items():
        if name not in known:
            raise UnknownVariable.named(name, known, "in nodes")
        node = given() if isinstance(given, type) and issubclass(given, Node | Declaration) else given
        if isinstance(node, Node):
            kinds[name] = node.kind
        elif isinstance(node, Declaration):
            kinds[name] = kind_from_declaration(node.declaration())  # as a file will give it back
        elif hasattr(node, "needs") and hasattr(node, "estimate") and hasattr(node, "check_family"):
            kinds[name] = node
        else:
            raise BadVariable(
                f"nodes={{{name!r}: {given!r}}}: use NoisyOr, NoisyAnd, NoisyMax or Deterministic, or a kind "
                "of distribution such as features.PoissonFeature()."
            )
    return kinds


def kinds_with(structure: Structure, name: Name, node: Node | None) -> Structure:
    """The structure after a distribution was stated: a noisy node or a function stays one when it is
    learned, a table ends that. Other users of a shared block follow, their parents by position.
    """
    block = structure.slot(name)
    kinds = dict(structure.kinds)
    own = (*structure.dag.parents(name), name)
    for user in structure.sharing.get(block, (name,)):
        kinds.pop(user, None)
        if node is not None:
            theirs = dict(zip(own, (*structure.dag.parents(user), user), strict=True))
            marked = {theirs.get(marked, marked): state for marked, state in node.kind.marked.items()}
            kinds[user] = replace(node.kind, marked=marked)
    return structure if kinds == structure.kinds else replace(structure, kinds=kinds)


def states_of_node(name: Name, parents: Sequence[Variable], node: Node) -> list[State] | None:
    """The states that a function itself shows, for a child that nobody declared; else None."""
    if not isinstance(node, Deterministic):
        return None
    values = {state_key(value): plain(value) for _, value in node.values(name, parents)}
    return list(natural_order(values.values()))


def _kind(logic: str, present: Any) -> NodeKind:
    if isinstance(present, Mapping):
        return NodeKind(logic, dict(present))
    return NodeKind(logic, everywhere=() if present is _UNSET else (plain(present),))


def _require_causes(
    title: str, child: Variable, parents: Sequence[Variable], causes: Mapping[Any, Any]
) -> None:
    names = [parent.name for parent in parents]
    if not isinstance(causes, Mapping):
        raise BadTable(f"The {title} of {child.name!r}: give a mapping of its parents, not {causes!r}.")
    for name in causes:
        if name not in names:
            raise UnknownVariable.named(name, names, f"among the causes in the {title} of {child.name!r}")
    lacking = [name for name in names if name not in causes]
    if lacking:
        raise BadTable(f"The {title} of {child.name!r} says nothing about its parents {listed(lacking)}.")


def _proposals(child: Variable, parent: Variable, given: Any, lowest: FloatArray) -> FloatArray:
    """P(proposal | parent's state); states that a mapping leaves out propose the lowest."""
    if not isinstance(given, Mapping):
        return table_from(child, [parent], given)
    _check_once(child, parent, given)
    table = np.tile(lowest, (parent.cardinality, 1))
    for state, row in given.items():
        code = parent.code(state)
        table[code] = table_from(child, [Variable(parent.name, [state])], {state: row})[0]
    return table


def _check_once(child: Variable, parent: Variable, given: Mapping[Any, Any]) -> None:
    """Two numbers may mean the same interval."""
    if len({parent.code(state) for state in given}) < len(given):
        raise BadTable(f"The node {child.name!r} says twice what a state of its parent {parent.name!r} does.")


def _two_state_rows(chances: FloatArray, strength: tuple[int, ...]) -> FloatArray:
    """Rows over the child's two states from the chance of the stronger one."""
    rows = np.empty((len(chances), 2))
    rows[:, strength[1]], rows[:, strength[0]] = chances, 1 - chances
    return rows


def _chance(where: str, given: Any) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError):
        raise BadTable(f"The chance of {where} is {given!r}, not a number.") from None
    if not 0 <= value <= 1:
        raise BadTable(f"The chance of {where} is {value:g}; it must lie between 0 and 1.")
    return value


def _values_of_mapping(
    child: Variable, parents: Sequence[Variable], given: Mapping[Any, State]
) -> Iterable[tuple[tuple[int, ...], State]]:
    stated: dict[tuple[int, ...], State] = {}
    for key, value in given.items():
        states = key if len(parents) != 1 and isinstance(key, tuple) else (key,)
        if len(states) != len(parents):
            names = listed(parent.name for parent in parents)
            raise BadTable(f"Deterministic of {child.name!r}: {key!r} is not one state each of {names}.")
        index = tuple(parent.code(s) for parent, s in zip(parents, states, strict=True))
        if index in stated:
            raise BadTable(f"Deterministic: {row_description(child, parents)(index)} is stated twice.")
        stated[index] = value
    for index, _ in all_rows(parents):
        if index not in stated:
            raise BadTable(f"Deterministic: {row_description(child, parents)(index)} is not stated.")
        yield index, stated[index]


def _called(
    function: Callable[..., State],
    child: Variable,
    parents: Sequence[Variable],
    index: tuple[int, ...],
    states: tuple[State, ...],
) -> State:
    try:
        return function(*states)
    except Exception as error:
        where = row_description(child, parents)(index)
        raise BadTable(f"The function of {child.name!r} fails for {where}: {error!r}.") from error
