"""Views of noisy and deterministic nodes, with parameters found by parent and state."""

from __future__ import annotations

from dataclasses import dataclass

from bayou.distributions import Family, FunctionOfParents, MaxOfCauses, NodeKind
from bayou.errors import BadTable, UnknownVariable
from bayou.models.nodes.table_spec import all_rows
from bayou.schema import label
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray, Name, State


@dataclass(frozen=True)
class NoisyNode(PrintedTable):
    """A noisy-OR, -AND or -MAX, with its parameters found by parent and state."""

    family: Family
    distribution: MaxOfCauses

    @property
    def leak(self) -> float | dict[State, float]:
        """The leak probability; for a noisy-MAX a distribution over the child's states."""
        return self._by_state(self.distribution.leak)

    def chance(self, parent: Name, state: State) -> float | dict[State, float]:
        """The effect of a parent in this state alone: a probability, or for a noisy-MAX a distribution."""
        names = [variable.name for variable in self.family.parents]
        if parent not in names:
            raise UnknownVariable.named(parent, names, f"among the parents of {self.family.child.name!r}")
        position = names.index(parent)
        return self._by_state(self.distribution.links[position][self.family.parents[position].code(state)])

    def _by_state(self, row: FloatArray) -> float | dict[State, float]:
        """Return the probability of the strongest state, or for a noisy-MAX that of every state."""
        if self.distribution.logic != "max":
            return float(row[self.distribution.strength[-1]])
        return {state: float(p) for state, p in zip(self.family.child.states, row, strict=True)}

    def to_table(self) -> TextTable:
        """One row per parent state that is not neutral, and one for the leak."""
        node = self.distribution
        shown = range(len(node.leak)) if node.logic == "max" else [node.strength[-1]]
        rows = []
        for parent, link, neutral in zip(self.family.parents, node.links, node.neutral, strict=True):
            for code, state in enumerate(parent.states):
                if code != neutral:
                    rows.append([label(parent.name), label(state), *(f"{link[code, k]:.6g}" for k in shown)])
        rows.append(["(leak)", "", *(f"{node.leak[k]:.6g}" for k in shown)])
        header = ["cause", "state", *(f"→ {label(self.family.child.states[k])}" for k in shown)]
        names = ", ".join(label(parent.name) for parent in self.family.parents)
        title = (
            f"{NodeKind(node.logic).title}({label(self.family.child.name)}{f' | {names}' if names else ''})"
        )
        return TextTable(header, rows, title=title)


@dataclass(frozen=True)
class FunctionNode(PrintedTable):
    """A child that is a function of its parents; call the view with the parents' states."""

    family: Family
    distribution: FunctionOfParents

    def __call__(self, *states: State) -> State:
        """The child's state, or None if these parent states never occurred in the data."""
        if len(states) != len(self.family.parents):
            raise BadTable(f"{self.family.child.name!r} is a function of {len(self.family.parents)} states.")
        index = tuple(parent.code(state) for parent, state in zip(self.family.parents, states, strict=True))
        code = int(self.distribution.codes[index])
        return None if code < 0 else self.family.child.states[code]

    def to_table(self) -> TextTable:
        """One row per combination of parent states."""
        rows = [
            [*map(label, states), label(value) if (value := self(*states)) is not None else "(unknown)"]
            for _, states in all_rows(self.family.parents)
        ]
        names = [label(parent.name) for parent in self.family.parents]
        return TextTable(
            [*names, label(self.family.child.name)],
            rows,
            title=f"{label(self.family.child.name)} = f({', '.join(names)})",
        )
