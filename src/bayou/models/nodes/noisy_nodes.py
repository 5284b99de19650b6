"""Noisy nodes as written by users, and their distributions once the states are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from bayou.distributions import (
    Family,
    MaxOfCauses,
    NodeKind,
)
from bayou.errors import BadTable, UnknownVariable, listed
from bayou.models.nodes.node_spec import NodeSpec
from bayou.models.nodes.table_spec import table_from
from bayou.schema import Variable, plain
from bayou.typing import FloatArray

_UNSET: Any = object()


@dataclass(frozen=True)
class NoisyOr(NodeSpec):
    """Each present cause can produce the effect independently: P(absent) = (1−leak)·∏(1−pᵢ).

    ``causes`` gives for each parent the probability pᵢ that it produces the effect: a number for a parent of
    two states, or a mapping of states to numbers (omitted states have 0). ``leak`` is the probability of the
    effect without any cause. A state called yes, true, present, on or 1 (or the one beside no, false …)
    means *present*, of two numbers the larger; ``present`` names another: one state for the whole family, or
    a mapping by variable. Without ``causes`` it declares a node to be learned:
    ``Network(..., nodes={"Fever": NoisyOr})``.

    Raises ``BadTable``, as a table of a network, for a number outside 0 … 1.

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
        """Return the distribution, now that the states of the child and the parents are known."""
        kind = self.kind
        kind.check_family(Family(child, tuple(parents)))
        _require_clear(kind, child, child)
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
        """Return the probability of each state of a parent, and the code of the neutral state (-1: none).

        The neutral state has probability 0 by definition.
        """
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
                f"give a probability for each: {{{parent.name!r}: {{{parent.states[-1]!r}: {given!r}, …}}}}."
            )
        _require_clear(kind, parent, child)
        chances[1 - neutral] = _chance(f"{parent.name!r}", given)
        return chances, neutral

    def __repr__(self) -> str:
        arguments = [repr(dict(self.causes))] if self.causes else []
        arguments += [f"leak={self.leak!r}"] if self.leak else []
        arguments += [f"present={self.present!r}"] if self.present is not _UNSET else []
        return f"{type(self).__name__}({', '.join(arguments)})"


@dataclass(frozen=True, repr=False)
class NoisyAnd(NoisyOr):
    """Each absent condition can prevent the effect independently: P(present) = (1−leak)·∏(1−pᵢ).

    The product is over the *absent* parents; pᵢ is the probability that the absence of condition i prevents
    the effect, ``leak`` the probability that the effect fails although every condition is met. The arguments
    are those of :class:`NoisyOr`.

    ``causes`` has the pᵢ by parent, ``present`` the state in which a condition is met.

    Raises ``BadTable``, as a table of a network, for a number outside 0 … 1.

    >>> NoisyAnd({"Key": 1.0, "Fuel": 0.9}, leak=0.02)
    NoisyAnd({'Key': 1.0, 'Fuel': 0.9}, leak=0.02)
    """

    logic: ClassVar[str] = "and"


@dataclass(frozen=True)
class NoisyMax(NodeSpec):
    """The child takes the highest state that its causes propose; its states are ordered from low to high.

    ``causes`` gives for each parent a table P(proposal | parent's state) by state; an omitted state always
    proposes the child's lowest state. ``leak`` is the distribution of the proposal without any cause.
    ``absent`` names the states of the parents that have no effect when the node is learned (default: a
    state called no, none, false …, else the first): one state for all parents, or a mapping by parent.

    Raises ``UnknownState``, as a table of a network, for a proposal that the child does not have.

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
        """Return the distribution, now that the states of the child and the parents are known."""
        kind = self.kind
        kind.check_family(Family(child, tuple(parents)))
        _require_clear(kind, child, child)
        _require_causes(kind.title, child, parents, self.causes)
        lowest = np.eye(child.cardinality)[0]
        links, neutral = [], []
        for parent in parents:
            links.append(_proposals(child, parent, self.causes[parent.name], lowest))
            code = kind.neutral(parent)
            neutral.append(code if links[-1][code, 0] == 1.0 else -1)
        leak = table_from(child, [], lowest if self.leak is None else self.leak)
        return MaxOfCauses(tuple(links), leak, kind.strength(child), tuple(neutral), self.logic)


def _kind(logic: str, present: Any) -> NodeKind:
    """The declaration of a noisy node; ``present`` is one state for the family or a mapping by variable."""
    if isinstance(present, Mapping):
        return NodeKind(logic, dict(present))
    return NodeKind(logic, everywhere=() if present is _UNSET else (plain(present),))


def _require_clear(kind: NodeKind, variable: Variable, child: Variable) -> None:
    """Raise if the states of a variable do not tell which of them means present."""
    doubt = kind.doubt(variable, child)
    if doubt:
        raise BadTable(f"The {kind.title} of {child.name!r}: {doubt}.")


def _require_causes(
    title: str, child: Variable, parents: Sequence[Variable], causes: Mapping[Any, Any]
) -> None:
    """Check that the causes are a mapping whose keys are exactly the parents."""
    names = [parent.name for parent in parents]
    if not isinstance(causes, Mapping):
        raise BadTable(f"The {title} of {child.name!r}: give a mapping of its parents, not {causes!r}.")
    for name in causes:
        if name not in names:
            raise UnknownVariable.named(name, names, f"among the causes in the {title} of {child.name!r}")
    absent = [name for name in names if name not in causes]
    if absent:
        raise BadTable(f"The {title} of {child.name!r} has no entry for its parents {listed(absent)}.")


def _proposals(child: Variable, parent: Variable, given: Any, lowest: FloatArray) -> FloatArray:
    """Return P(proposal | parent's state); states omitted from a mapping propose the lowest state."""
    if not isinstance(given, Mapping):
        return table_from(child, [parent], given)
    _check_once(child, parent, given)
    table = np.tile(lowest, (parent.cardinality, 1))
    for state, row in given.items():
        code = parent.code(state)
        table[code] = table_from(child, [Variable(parent.name, [state])], {state: row})[0]
    return table


def _check_once(child: Variable, parent: Variable, given: Mapping[Any, Any]) -> None:
    """Raise if two keys mean the same state, as two numbers in one interval do."""
    if len({parent.code(state) for state in given}) < len(given):
        raise BadTable(
            f"The node {child.name!r} has two entries for one state of its parent {parent.name!r}."
        )


def _two_state_rows(chances: FloatArray, strength: tuple[int, ...]) -> FloatArray:
    """Rows over the child's two states from the probability of the stronger state."""
    rows = np.empty((len(chances), 2))
    rows[:, strength[1]], rows[:, strength[0]] = chances, 1 - chances
    return rows


def _chance(where: str, given: Any) -> float:
    """Return a probability given by the user as a float, or raise."""
    try:
        value = float(given)
    except (TypeError, ValueError):
        raise BadTable(f"The probability of {where} is {given!r}, not a number.") from None
    if not 0 <= value <= 1:
        raise BadTable(f"The probability of {where} is {value:g}; it must lie between 0 and 1.")
    return value
