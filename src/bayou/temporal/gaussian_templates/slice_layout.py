"""Where the numbers and states of a slice stand for the kernels, and what happens in each kind of slice.

Numbers have places, states have cells: first the present value of every variable, then those of earlier
slices that later ones depend on. Each slice copies what it keeps of the slice before, then draws its states
and its numbers, parents first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayou._native import MixedSlices
from bayou.distributions import LinearGaussian
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.temporal.templates.template import DynamicTemplate, Node
from bayou.typing import FloatArray, IntArray, Name


@dataclass(frozen=True)
class SliceStep:
    """A kind of slice: the step, as far as it matters, and whether it is the last one."""

    step: int
    last: bool


@dataclass(frozen=True, eq=False)
class SliceLayout:
    """The places and cells of a template whose variables are known to be numbers or to have states."""

    template: DynamicTemplate
    variables: Mapping[Name, Variable]

    @cached_property
    def numbers(self) -> tuple[Name, ...]:
        """The variables that are numbers."""
        return tuple(name for name in self.template.names if self.variables[name].is_continuous)

    @cached_property
    def states(self) -> tuple[Name, ...]:
        """The variables that have states."""
        return tuple(name for name in self.template.names if not self.variables[name].is_continuous)

    @cached_property
    def _standing(self) -> dict[tuple[Name, int], int]:
        """The place or cell of each variable, by its age in slices."""
        found: dict[tuple[Name, int], int] = {}
        for group in (self.numbers, self.states):
            own = {(name, 0): k for k, name in enumerate(group)}
            for name in group:
                if not self.template.outside(name):
                    for age in range(1, self.template.lasts(name)):
                        own[name, age] = len(own)
            found |= own
        return found

    def _count(self, group: tuple[Name, ...]) -> int:
        return sum(1 for name, _ in self._standing if name in group)

    @cached_property
    def kinds(self) -> tuple[SliceStep, ...]:
        """All kinds of slices."""
        ends = (False, True) if self.template.last else (False,)
        return tuple(SliceStep(step, last) for step in range(self.last_kind + 1) for last in ends)

    @property
    def last_kind(self) -> int:
        """The step from which on all slices are alike."""
        return max(self.template.order, 1)

    def row_kinds(self, starts: IntArray) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        """The number of the kind of each row of sequences."""
        lengths = np.diff(starts)
        steps = np.arange(int(starts[-1])) - np.repeat(starts[:-1], lengths)
        kinds = np.minimum(steps, self.last_kind)
        if self.template.last:
            kinds = 2 * kinds
            kinds[starts[1:][lengths > 0] - 1] += 1
        return kinds.astype(np.uint32)

    @cached_property
    def blocks(self) -> tuple[Name, ...]:
        """The tables of numbers: the lines that the kernels count with."""
        return tuple(table for table in self.template.tables if self._owner(table) in self.numbers)

    @cached_property
    def tables(self) -> tuple[Name, ...]:
        """The tables of states."""
        return tuple(table for table in self.template.tables if self._owner(table) in self.states)

    def _owner(self, table: Name) -> Name:
        return self.template.behind[table].name

    def compiled(self, network: FrozenNetwork) -> MixedSlices:
        """The slices with the parameters of a network of the first slices. Lines without any are N(0, 1)."""
        lines = [self._line(network, block) for block in self.blocks]
        tables = [_rows_of_table(network.table(table)) for table in self.tables]
        return MixedSlices(
            len(self.numbers),
            self._count(self.numbers),
            [self.variables[name].cardinality for name in self.states],
            self._count(self.states),
            lines,
            tables,
            self._slices,
        )

    @staticmethod
    def _line(network: FrozenNetwork, block: Name) -> tuple[FloatArray, FloatArray, FloatArray]:
        family = network.family(block)
        groups, inputs = family.groups, len(family.continuous)
        if network.slots[block] not in network.blocks:
            return np.zeros(groups), np.zeros((groups, inputs)), np.ones(groups)
        line = network.distribution(block)
        assert isinstance(line, LinearGaussian)
        parts = (line.intercept.ravel(), line.coefficients.reshape(groups, inputs), line.variance.ravel())
        return (*(np.ascontiguousarray(part) for part in parts),)  # type: ignore[return-value]

    @cached_property
    def _slices(self) -> list[tuple[IntArray, ...]]:
        return [self._slice(kind) for kind in self.kinds]

    def _slice(self, kind: SliceStep) -> tuple[IntArray, ...]:
        """The arrays of one kind of slice, as MixedSlices takes them."""
        nodes: list[list[int]] = []
        node_parents: list[list[int]] = []
        lines: list[list[int]] = []
        parents: list[list[int]] = []
        groups: list[list[int]] = []
        for node in self.ordered(kind):
            block = self.template.block(node)
            place = self._standing[node.name, 0]
            family = self.template.parents(node)
            stated = [parent for parent in family if parent.name in self.states]
            if node.name in self.states:
                node_parents += [[len(nodes), *part] for part in self._group_cells(node, stated)]
                nodes.append([place, self.tables.index(block)])
                continue
            groups += [[len(lines), *part] for part in self._group_cells(node, stated)]
            parents += [
                [len(lines), *self._seat(node, parent)] for parent in family if parent.name in self.numbers
            ]
            lines.append([place, self.blocks.index(block)])
        copies, cell_copies = (self._copies(kind, group) for group in (self.numbers, self.states))
        return (
            _whole(copies, 2),
            _whole(cell_copies, 2),
            _whole(nodes, 2),
            _whole(node_parents, 4),
            _whole(lines, 2),
            _whole(parents, 3),
            _whole(groups, 4),
        )

    def ordered(self, kind: SliceStep) -> list[Node]:
        """The nodes of a kind of slice, each after its parents."""
        left, done = list(self.template.nodes(kind.step, last=kind.last)), []
        while left:
            ready = [n for n in left if not any(parent in left for parent in self.template.parents(n))]
            done += ready
            left = [n for n in left if n not in ready]
        return done

    def _seat(self, node: Node, parent: Node) -> list[int]:
        """(1 for a value of the slice before, its place)."""
        age = 0 if self.template.outside(parent.name) else node.step - parent.step
        return [0, self._standing[parent.name, 0]] if age == 0 else [1, self._standing[parent.name, age - 1]]

    def _group_cells(self, node: Node, stated: list[Node]) -> list[list[int]]:
        stride, found = 1, []
        for parent in reversed(stated):
            found.append([*self._seat(node, parent), stride])
            stride *= self.variables[parent.name].cardinality
        return found

    def _copies(self, kind: SliceStep, group: tuple[Name, ...]) -> list[list[int]]:
        """What is kept of the slice before: values outside time, and those of timed variables one slice
        older.
        """
        if kind.step == 0:
            return []
        found = []
        for (name, age), place in self._standing.items():
            if name in group and age > 0:
                found.append([place, self._standing[name, age - 1]])
            elif name in group and (name in self.template.constant or name in self.template.first):
                found.append([place, place])
        return found


def _whole(rows: list[list[int]], columns: int) -> IntArray:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)


def _rows_of_table(table: FloatArray) -> FloatArray:
    return np.ascontiguousarray(np.asarray(table, dtype=np.float64).reshape(-1, table.shape[-1]))
