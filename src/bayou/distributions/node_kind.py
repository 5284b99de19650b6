"""How a discrete variable depends on its parents where it is not by a full table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bayou.errors import BadFile, BadTable, UnknownVariable, listed
from bayou.schema import Variable
from bayou.schema.values import decode_value, encode_value
from bayou.typing import Name, State

LOGICS = ("or", "and", "max", "function")
_NOTHING: Mapping[Name, State] = MappingProxyType({})


@dataclass(frozen=True)
class NodeKind:
    """A noisy-OR, noisy-AND, noisy-MAX or function, and which states are marked.

    The marked states are the *present* ones of a noisy-OR or -AND (else the last state of each variable)
    and the *absent* ones of a noisy-MAX (else the first). ``everywhere`` marks a state for the whole family.

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
        """The name that users type."""
        return {"or": "NoisyOr", "and": "NoisyAnd", "max": "NoisyMax"}.get(self.logic, "Deterministic")

    def check(self, child: Variable, parents: Sequence[Variable]) -> None:
        """Refuse a family that such a node can not have."""
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
        """The code of the marked state of a variable, None where nothing is said."""
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
        """The code of the present state (noisy-OR and noisy-AND)."""
        marked = self.mark(variable)
        return variable.cardinality - 1 if marked is None else marked

    def pinned(self, variables: Sequence[Variable]) -> NodeKind:
        """The same with the present states named, so that states added behind them change nothing."""
        if self.logic not in ("or", "and"):
            return self
        return NodeKind(self.logic, {v.name: v.states[self.present(v)] for v in variables})

    def strength(self, child: Variable) -> tuple[int, ...]:
        """The child's codes from the weakest, which every cause can override, to the strongest."""
        if self.logic == "max":
            return tuple(range(child.cardinality))
        present = self.present(child)
        return (1 - present, present) if self.logic == "or" else (present, 1 - present)

    def neutral(self, parent: Variable) -> int:
        """The code of the parent's state that leaves the child alone: absent, or present for an AND."""
        if self.logic == "and":
            return self.present(parent)
        marked = self.mark(parent)
        if self.logic == "max":
            return 0 if marked is None else marked
        return 0 if marked != 0 else parent.cardinality - 1

    def state(self) -> dict[str, Any]:
        """The logic and the marked states, as a file holds them."""
        return {
            "logic": self.logic,
            "marked": [[encode_value(name), encode_value(state)] for name, state in self.marked.items()],
            "everywhere": [encode_value(state) for state in self.everywhere],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> NodeKind:
        """The kind that :meth:`state` described."""
        if state["logic"] not in LOGICS:
            raise BadFile(f"there is no node of the kind {state['logic']!r}.")
        marked = {decode_value(name): decode_value(marked) for name, marked in state["marked"]}
        return cls(state["logic"], marked, tuple(map(decode_value, state["everywhere"])))
