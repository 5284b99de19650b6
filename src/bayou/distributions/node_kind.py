"""Declarations of noisy-OR, noisy-AND, noisy-MAX and deterministic nodes, before they are learned."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bayou.distributions.base import Distribution
from bayou.distributions.declaration import Declaration
from bayou.distributions.deterministic import FunctionOfParents
from bayou.distributions.distribution_kind import DistributionKind, StartingData
from bayou.distributions.distribution_registry import DISTRIBUTIONS
from bayou.distributions.family import Family
from bayou.distributions.finite import refuse_continuous_parents
from bayou.distributions.noisy.noisy_max import MaxOfCauses
from bayou.distributions.noisy.present_state import absent_code, present_code
from bayou.distributions.priors import Prior
from bayou.distributions.table import STIRRING
from bayou.errors import BadFile, BadTable, UnknownVariable, listed
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics import Proposals, RowCounts
from bayou.typing import Name, State

LOGICS = ("or", "and", "max", "function")
_NOTHING: Mapping[Name, State] = MappingProxyType({})


@dataclass(frozen=True)
class NodeKind(Declaration):
    """A noisy-OR, noisy-AND, noisy-MAX or function, and its marked states.

    For a noisy-OR or -AND the marked states are the *present* ones, for a noisy-MAX the *absent* ones.
    ``marked`` gives them by variable, ``everywhere`` one state for all variables of the family; others are
    told by their names (``yes``, ``no`` …, see :mod:`bayou.distributions.noisy.present_state`).

    >>> fever, flu = Variable("Fever", ["no", "yes"]), Variable("Flu", ["no", "yes"])
    >>> NodeKind("or").strength(fever), NodeKind("or").neutral(flu)
    ((0, 1), 0)
    >>> NodeKind("and").strength(fever), NodeKind("and").neutral(flu)
    ((1, 0), 1)
    """

    logic: str
    marked: Mapping[Name, State] = field(default_factory=lambda: _NOTHING)
    everywhere: tuple[State, ...] = ()

    @property
    def title(self) -> str:
        """The name by which users declare it."""
        return {"or": "NoisyOr", "and": "NoisyAnd", "max": "NoisyMax"}.get(self.logic, "Deterministic")

    @property
    def learned_as(self) -> type[Distribution]:
        """``FunctionOfParents`` or ``MaxOfCauses``."""
        return FunctionOfParents if self.logic == "function" else MaxOfCauses

    def estimate(self, answer: RowCounts, family: Family, prior: Prior) -> Distribution:
        """Estimate the noisy node, or read the function, from the distinct rows."""
        if self.logic == "function":
            return FunctionOfParents.estimate(answer, family)
        self.check_family(family)
        return MaxOfCauses.learned(answer, family, prior, *self._marks(family), self.logic)

    def start(self, known: StartingData) -> Distribution:
        """A noisy node with random links, because proposals are never observed; a function from its rows."""
        if self.logic == "function":
            return FunctionOfParents.start(known)
        family, chance = known.family, known.chance
        size = family.child.cardinality
        links = tuple(chance.gamma(STIRRING, size=(parent.cardinality, size)) for parent in family.parents)
        proposed = Proposals(links, chance.gamma(STIRRING, size=(size,)))
        return MaxOfCauses.from_proposals(proposed, family, known.prior, *self._marks(family), self.logic)

    def meaning(self, family: Family) -> Hashable:
        """The child's codes by strength and the parents' neutral codes; None for a function."""
        return None if self.logic == "function" else self._marks(family)

    def _marks(self, family: Family) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The child's codes by strength, and each parent's neutral code."""
        return self.strength(family.child), tuple(self.neutral(parent) for parent in family.parents)

    def check_family(self, family: Family) -> None:
        """Raise an error for a family that such a node cannot have."""
        child, parents = family.child, family.parents
        refuse_continuous_parents(family)
        names = [variable.name for variable in (*parents, child)]
        for name in self.marked:
            if name not in names:
                raise UnknownVariable.named(name, names, f"in the {self.title} of {child.name!r}")
        if child.is_continuous:
            raise BadTable(f"{child.name!r} is continuous: a {self.title} needs states (states=…).")
        if self.logic in ("or", "and") and child.cardinality != 2:
            raise BadTable(
                f"The {self.title} of {child.name!r} needs two states, absent and present, but it has "
                f"{listed(child.states)}. Declare them (states=…), or use NoisyMax."
            )
        for variable in parents if self.logic == "max" else (child, *parents):
            self.mark(variable)

    def mark(self, variable: Variable) -> int | None:
        """The code of the marked state of a variable; None if none is marked."""
        if variable.name in self.marked:
            return variable.code(self.marked[variable.name])
        if not self.everywhere:
            return None
        code = variable.find(self.everywhere[0])
        if code is None:
            raise BadTable(
                f"{self.everywhere[0]!r} is not a state of {variable.name!r} ({listed(variable.states)}). "
                "Name the states one by one: a mapping of variables to states."
            )
        return code

    def present(self, variable: Variable) -> int:
        """The code of the present state (noisy-OR and noisy-AND); if nothing tells, it is the last."""
        marked = self.mark(variable)
        told = present_code(variable) if marked is None else marked
        return variable.cardinality - 1 if told is None else told

    def doubt(self, variable: Variable, child: Variable) -> str:
        """What is not clear about the states of a variable of the family, and how to say it; else ""."""
        if self.logic == "max":
            return _order_doubt(child) if variable == child else ""
        if self.logic == "function" or variable.cardinality != 2 or self.mark(variable) is not None:
            return ""
        if present_code(variable) is not None or not all(isinstance(state, str) for state in variable.states):
            return ""
        first, last = variable.states
        return (
            f"which state of {variable.name!r} means present, {first!r} or {last!r}? Say it: "
            f"{self.title}(…, present={{{variable.name!r}: {last!r}}})"
        )

    def pinned(self, family: Family) -> NodeKind:
        """The same kind with the present states by name, so that states added later change nothing."""
        if self.logic not in ("or", "and"):
            return self
        return NodeKind(self.logic, {v.name: v.states[self.present(v)] for v in family.variables})

    def strength(self, child: Variable) -> tuple[int, ...]:
        """The child's codes from the weakest state, which any cause overrides, to the strongest."""
        if self.logic == "max":
            return tuple(range(child.cardinality))
        present = self.present(child)
        return (1 - present, present) if self.logic == "or" else (present, 1 - present)

    def neutral(self, parent: Variable) -> int:
        """The code of the parent's state without effect on the child: absent, or present for an AND."""
        if self.logic == "and":
            return self.present(parent)
        marked = self.mark(parent)
        if self.logic == "max" or marked is None:
            told = absent_code(parent) if marked is None else marked
            return 0 if told is None else told
        return 0 if marked != 0 else parent.cardinality - 1

    # In a file

    def state(self) -> dict[str, Any]:
        """The logic and the marked states."""
        return {
            "logic": self.logic,
            "marked": [[encode_value(name), encode_value(state)] for name, state in self.marked.items()],
            "everywhere": [encode_value(state) for state in self.everywhere],
        }

    declaration = state

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> NodeKind:
        """Read :meth:`state`."""
        if state["logic"] not in LOGICS:
            raise BadFile(f"there is no node of the kind {state['logic']!r}.")
        marked = {decode_value(name): decode_value(marked) for name, marked in state["marked"]}
        return cls(state["logic"], marked, tuple(map(decode_value, state["everywhere"])))


def _order_doubt(child: Variable) -> str:
    """What is wrong with the order of a noisy-MAX child whose state ``no`` or ``none`` is not the first."""
    lowest = absent_code(child)
    if lowest is None or lowest == 0:
        return ""
    states = list(child.states)
    order = [states[lowest], *states[:lowest], *states[lowest + 1 :]]
    return (
        f"its states run from low to high, but {states[lowest]!r} is not the first of {listed(states)}. "
        f"Declare them in order: states={{{child.name!r}: {order!r}}}"
    )


def kind_from_declaration(state: Mapping[str, Any]) -> DistributionKind:
    """Return the kind that a file declares: a noisy or deterministic node, or another distribution."""
    return (
        NodeKind.from_state(state) if "logic" in state else DISTRIBUTIONS.find(state["kind"]).declared(state)
    )
