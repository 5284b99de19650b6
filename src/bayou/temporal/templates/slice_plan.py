"""The program of a slice: which tables a row enters, and in which order they are multiplied and summed.

Observed and set variables have no axis in any table or message: tables are entered at their codes. So the
interface is only as wide as the variables that are not known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayou._native import SliceProgram
from bayou._native.reference.temporal.slices import LATER, LIKELIHOOD, MESSAGE, ONE, TABLE
from bayou.errors import TooWide
from bayou.memory import require_memory
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.temporal.templates.contraction import TRIES, Contraction, contracted, planned
from bayou.temporal.templates.slice_evidence import KNOWN, SET, WEIGHED
from bayou.temporal.templates.template import DynamicTemplate, Node
from bayou.typing import FloatArray, IntArray, Name

MOST_ENTRIES = 2**25
"""A larger table is refused: its numbers alone would need 256 MiB."""
_BYTES = 16
"""For each entry of a table: the number and, on the way back, its derivative."""
_LARGE = 2**22
"""From so many entries on the memory that is left is looked at."""
_REMEDY = 'Observe more variables, leave out arcs between slices, or use engine="factored".'
_THOROUGH, _QUICK = 4, 2
"""After so many plans of a template, of which the rows use the first ones most, fewer orders are tried for
each.
"""


@dataclass(frozen=True)
class SliceKind:
    """What decides the program of a row: the slice (of those that differ), whether it is the last one, the
    status of its variables and of earlier ones [variable, age], and what is asked.
    """

    step: int
    last: bool
    status: tuple[tuple[int, ...], ...]
    wanted: tuple[Name, ...] = ()
    counts: bool = False
    factored: bool = False
    smoothed: bool = False


@dataclass(frozen=True)
class TableUse:
    """A table as a program reads it: the axes of known variables first."""

    block: Name
    axes: tuple[int, ...]

    def values(self, network: FrozenNetwork) -> FloatArray:
        """The entries of a network's table in this order."""
        return np.ascontiguousarray(np.transpose(network.table(self.block), self.axes)).ravel()


@dataclass(frozen=True, eq=False)
class SlicePlan:
    """A program without numbers; ``program`` enters the tables of a network."""

    arguments: Mapping[str, Any]
    uses: tuple[TableUse, ...]
    cost: float
    largest: float
    interface: tuple[Node, ...]

    def program(self, network: FrozenNetwork) -> SliceProgram:
        """The program with the tables of a network."""
        return SliceProgram(tables=[use.values(network) for use in self.uses], **self.arguments)


@dataclass
class _Parts:
    """The operands of a program while they are listed."""

    operands: list[tuple[int, int, int]] = field(default_factory=list)
    scopes: list[tuple[int, ...]] = field(default_factory=list)
    picks: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    uses: list[TableUse] = field(default_factory=list)
    family_of: dict[Node, int] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)

    def add(self, source: int, index: int, scope: Sequence[int], sizes: Mapping[int, int]) -> int:
        self.operands.append((source, index, math.prod((sizes[v] for v in scope), start=1)))
        self.scopes.append(tuple(scope))
        return len(self.operands) - 1


class SlicePlanner:
    """Compiles the programs of a template's slices."""

    def __init__(self, template: DynamicTemplate, variables: Mapping[Name, Variable]) -> None:
        self.template, self.variables = template, variables
        self.count = len(template.names)
        self._place = {name: k for k, name in enumerate(template.names)}
        self._made = 0
        self.ages = max((template.lasts(name) for name in template.names), default=0)

    @property
    def ids(self) -> int:
        """The number of variables of all ages."""
        return self.count * (self.ages + 1)

    def id(self, node: Node, step: int) -> int:
        """The number of a node as seen from a slice."""
        return self._age(node, step) * self.count + self._place[node.name]

    def _age(self, node: Node, step: int) -> int:
        return 0 if node.name in self.template.constant else step - node.step

    def plan(self, kind: SliceKind) -> SlicePlan:
        """The program of a kind of slice."""
        step, template = kind.step, self.template
        status = {}
        for name in template.names:
            for age, value in enumerate(kind.status[self._place[name]]):
                status[name, age] = value

        def state(node: Node) -> int:
            return int(status[node.name, self._age(node, step)])

        incoming = [n for n in template.kept_after(step - 1) if not state(n) & KNOWN] if step else []
        outgoing = [n for n in template.kept_after(step) if not state(n) & KNOWN]
        if not kind.factored:
            self._require_narrow(outgoing)
        fresh = list(template.nodes(step, last=kind.last))
        sizes = {self.id(n, step): self.variables[n.name].cardinality for n in (*incoming, *outgoing, *fresh)}
        parts = _Parts()
        if kind.factored:
            start = 0
            for node in incoming:
                own = self.id(node, step)
                parts.family_of[node] = parts.add(MESSAGE, start, [own], sizes)
                start += sizes[own]
        elif incoming:
            parts.add(MESSAGE, 0, [self.id(n, step) for n in incoming], sizes)
        asked = fresh if kind.counts else self._without_barren(fresh, outgoing, state, kind.wanted)
        for node in asked:
            self._add_family(parts, node, step, state, sizes)
        if kind.factored and kind.smoothed:
            start = 0
            for node in outgoing:
                own = self.id(node, step)
                parts.add(LATER, start, [own], sizes)
                start += sizes[own]
        one = parts.add(ONE, 0, (), sizes)
        keep = () if kind.factored else tuple(self.id(n, step) for n in outgoing)
        made = self._contraction(parts, keep, sizes, one)
        if made.largest > MOST_ENTRIES:
            raise TooWide(_too_wide(f"a table of {made.largest:,.0f} entries", outgoing))
        work = sum(one.entries for one in made.passes)
        if work > _LARGE:
            require_memory(_BYTES * work, "A slice of this template", _REMEDY)
        arguments = self._arguments(parts, made, incoming, outgoing, sizes, step)
        arguments |= self._marginals(kind, parts, outgoing, state, sizes, step)
        arguments["factored"] = kind.factored
        return SlicePlan(arguments, tuple(parts.uses), made.cost, made.largest, tuple(outgoing))

    def _require_narrow(self, outgoing: Sequence[Node]) -> None:
        entries = math.prod(self.variables[n.name].cardinality for n in outgoing)
        if entries > MOST_ENTRIES:
            raise TooWide(_too_wide(f"a message of {entries:,} entries", outgoing))

    def _without_barren(
        self, fresh: Sequence[Node], outgoing: Sequence[Node], state: Any, wanted: Sequence[Name]
    ) -> list[Node]:
        """The nodes without those that nothing known, kept or wanted depends on: their tables sum to 1."""
        left = list(fresh)
        while True:
            parents = {parent for node in left for parent in self.template.parents(node)}
            barren = [
                n
                for n in left
                if n not in parents and n not in outgoing and n.name not in wanted and state(n) == 0
            ]
            if not barren:
                return left
            left = [n for n in left if n not in barren]

    def _add_family(self, parts: _Parts, node: Node, step: int, state: Any, sizes: Mapping[int, int]) -> None:
        if state(node) & SET:
            return
        family = (*self.template.parents(node), node)
        known = [k for k, member in enumerate(family) if state(member) & KNOWN]
        free = [k for k in range(len(family)) if k not in known]
        uses = TableUse(self.template.block(node), (*known, *free))
        scope = [self.id(family[k], step) for k in free]
        operand = parts.add(TABLE, len(parts.uses), scope, sizes)
        parts.uses.append(uses)
        parts.family_of[node] = operand
        stride = parts.operands[operand][2]
        for k in reversed(known):
            states = self.variables[family[k].name].cardinality
            parts.picks.append(
                (operand, self._place[family[k].name], self._age(family[k], step), stride, states)
            )
            stride *= states
        if not free:
            parts.numbers.append(operand)
        if state(node) & WEIGHED:
            parts.add(LIKELIHOOD, self._place[node.name], [self.id(node, step)], sizes)

    def _contraction(
        self, parts: _Parts, keep: tuple[int, ...], sizes: Mapping[int, int], one: int
    ) -> Contraction:
        # Numbers take no part in the passes: they multiply the message.
        used = [k for k in range(len(parts.scopes)) if k not in parts.numbers and k != one]
        scopes = [parts.scopes[k] for k in used]
        if not scopes:
            return Contraction(result=one)
        self._made += 1
        tries = TRIES if self._made <= _THOROUGH else _QUICK
        pairs = planned(scopes, keep, sizes, tries)
        made = contracted([*scopes, ()], keep, sizes, pairs, len(scopes))
        names = [*used, one]
        given = len(parts.scopes)

        def numbered(operand: int) -> int:
            return names[operand] if operand < len(names) else operand - len(names) + given

        passes = [p._replace(left=numbered(p.left), right=numbered(p.right)) for p in made.passes]
        return Contraction(passes, numbered(made.result), made.cost, made.largest)

    def _arguments(
        self,
        parts: _Parts,
        made: Contraction,
        incoming: Sequence[Node],
        outgoing: Sequence[Node],
        sizes: Mapping[int, int],
        step: int,
    ) -> dict[str, Any]:
        loops = []
        for k, one in enumerate(made.passes):
            for place, (size, left, right, out) in enumerate(one.loops):
                role = (
                    3
                    if place == len(one.loops) - 1
                    else 2
                    if place == len(one.loops) - 2
                    else 0
                    if out
                    else 1
                )
                loops.append((k, role, size, left, right, out))
        axes = [(k, *axis) for k, one in enumerate(made.passes) for axis in one.axes]
        return {
            "operands": _matrix(parts.operands, 3),
            "picks": _matrix(parts.picks, 5),
            "passes": _matrix([(one.left, one.right, one.entries) for one in made.passes], 3),
            "loops": _matrix(loops, 6),
            "axes": _matrix(axes, 6),
            "result": made.result,
            "numbers": parts.numbers,
            "incoming": _matrix([(self.id(n, step), sizes[self.id(n, step)]) for n in incoming], 2),
            "outgoing": _matrix([(self.id(n, step), sizes[self.id(n, step)]) for n in outgoing], 2),
            "ids": self.ids,
        }

    def _marginals(
        self,
        kind: SliceKind,
        parts: _Parts,
        outgoing: Sequence[Node],
        state: Any,
        sizes: Mapping[int, int],
        step: int,
    ) -> dict[str, Any]:
        of_message, of_tables = [], []
        for place, name in enumerate(kind.wanted):
            node = Node(name, 0 if name in self.template.constant else step)
            if node in outgoing and not kind.factored:
                axes, own = [self.id(n, step) for n in outgoing], self.id(node, step)
                of_message.append((place, *_around(axes, own, sizes)))
            elif node in parts.family_of and not state(node) & KNOWN:
                operand = parts.family_of[node]
                around = _around(parts.scopes[operand], self.id(node, step), sizes)
                of_tables.append((place, operand, *around))
        sent = []
        for node in outgoing if kind.factored else ():
            operand = parts.family_of[node]
            sent.append((operand, *_around(parts.scopes[operand], self.id(node, step), sizes)))
        return {
            "message_marginals": _matrix(of_message, 4),
            "table_marginals": _matrix(of_tables, 5),
            "parts": _matrix(sent, 4),
        }


def _around(axes: Sequence[int], own: int, sizes: Mapping[int, int]) -> tuple[int, int, int]:
    """(entries of the axes before one, its size, entries of those after it)."""
    at = axes.index(own)
    before = math.prod((sizes[v] for v in axes[:at]), start=1)
    return before, sizes[own], math.prod((sizes[v] for v in axes[at + 1 :]), start=1)


def _matrix(rows: Sequence[Sequence[int]], columns: int) -> IntArray:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)


def _too_wide(what: str, nodes: Sequence[Node]) -> str:
    names = ", ".join(str(name) for name in dict.fromkeys(n.name for n in nodes))
    return (
        f"From one slice to the next exact inference needs {what} (at most {MOST_ENTRIES:,}): the interface "
        f"has {len(nodes)} variables that are not observed ({names}). Observe more of them, leave out "
        'arcs between slices, or filter and smooth with engine="factored", which is approximate.'
    )
