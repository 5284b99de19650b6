"""Noisy and deterministic nodes, shown and asked by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bayou.distributions import FunctionOfParents, MaxOfCauses, NodeKind
from bayou.errors import BadTable, UnknownVariable
from bayou.models.cpt_input import all_rows
from bayou.models.text_table import TextTable
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.typing import FloatArray, Name, State


@dataclass(frozen=True)
class NoisyNode:
    """A noisy-OR, -AND or -MAX with its numbers found by parent and state."""

    child: Variable
    parents: Sequence[Variable]
    distribution: MaxOfCauses

    @property
    def leak(self) -> float | dict[State, float]:
        """The chance without any cause; for a noisy-MAX the distribution over the child's states."""
        return self._told(self.distribution.leak)

    def chance(self, parent: Name, state: State) -> float | dict[State, float]:
        """What a parent in this state does on its own: a chance, or for a noisy-MAX a distribution."""
        names = [variable.name for variable in self.parents]
        if parent not in names:
            raise UnknownVariable.named(parent, names, f"among the parents of {self.child.name!r}")
        position = names.index(parent)
        return self._told(self.distribution.links[position][self.parents[position].code(state)])

    def _told(self, row: FloatArray) -> float | dict[State, float]:
        if self.distribution.logic != "max":
            return float(row[self.distribution.strength[-1]])
        return {state: float(p) for state, p in zip(self.child.states, row, strict=True)}

    @property
    def lines(self) -> int:
        """How many lines the printed table has."""
        return 1 + sum(
            len(link) - (k >= 0)
            for link, k in zip(self.distribution.links, self.distribution.neutral, strict=True)
        )

    def to_table(self) -> TextTable:
        """A line for each parent's state that does something, and one for the leak."""
        node = self.distribution
        shown = range(len(node.leak)) if node.logic == "max" else [node.strength[-1]]
        rows = []
        for parent, link, neutral in zip(self.parents, node.links, node.neutral, strict=True):
            for code, state in enumerate(parent.states):
                if code != neutral:
                    rows.append([label(parent.name), label(state), *(f"{link[code, k]:.6g}" for k in shown)])
        rows.append(["(leak)", "", *(f"{node.leak[k]:.6g}" for k in shown)])
        header = ["cause", "state", *(f"→ {label(self.child.states[k])}" for k in shown)]
        names = ", ".join(label(parent.name) for parent in self.parents)
        title = f"{NodeKind(node.logic).title}({label(self.child.name)}{f' | {names}' if names else ''})"
        return TextTable(header, rows, title=title)

    def __str__(self) -> str:
        return str(self.to_table())

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()


@dataclass(frozen=True)
class FunctionNode:
    """A child that is a function of its parents; call it with the parents' states."""

    child: Variable
    parents: Sequence[Variable]
    distribution: FunctionOfParents

    def __call__(self, *states: State) -> State:
        """The child's state, or None where the data never showed these parent states."""
        if len(states) != len(self.parents):
            raise BadTable(f"{self.child.name!r} is a function of {len(self.parents)} states.")
        index = tuple(parent.code(state) for parent, state in zip(self.parents, states, strict=True))
        code = int(self.distribution.codes[index])
        return None if code < 0 else self.child.states[code]

    @property
    def lines(self) -> int:
        """How many lines the printed table has."""
        return int(self.distribution.codes.size)

    def to_table(self) -> TextTable:
        """A line for each combination of parent states."""
        rows = [
            [*map(label, states), label(value) if (value := self(*states)) is not None else "(unknown)"]
            for _, states in all_rows(self.parents)
        ]
        names = [label(parent.name) for parent in self.parents]
        return TextTable(
            [*names, label(self.child.name)], rows, title=f"{label(self.child.name)} = f({', '.join(names)})"
        )

    def __str__(self) -> str:
        return str(self.to_table())

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()


def factored_node(network: FrozenNetwork, name: Name) -> NoisyNode | FunctionNode | None:
    """The noisy or deterministic node of a variable; None where it has a table."""
    distribution = network.distribution(name)
    if isinstance(distribution, MaxOfCauses):
        return NoisyNode(network.schema[name], network.parents(name), distribution)
    if isinstance(distribution, FunctionOfParents):
        return FunctionNode(network.schema[name], network.parents(name), distribution)
    return None
