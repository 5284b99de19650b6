"""The counts of all tables and trees of a structure, by class: they add, subtract and are saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou import _native
from bayou.errors import BadFile
from bayou.estimators.class_trees.class_trees import counts_of_rows
from bayou.estimators.pooled.feature_codes import UNKNOWN, Codes
from bayou.estimators.pooled.frozen.frozen_structure import FrozenStructure
from bayou.estimators.pooled.frozen.node_counts import NodeCounts, what_is_left
from bayou.estimators.pooled.members.tree_inputs import tree_codes
from bayou.estimators.pooled.saved_arrays import narrow, reals, wholes
from bayou.memory import release_memory, require_memory
from bayou.statistics.rows.row_sample import sums_by_place
from bayou.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MemberTables:
    """The weight of each class, the cells [cell, class] of every k-dependence member, and those of nodes."""

    by_class: FloatArray
    cells: tuple[FloatArray, ...]
    nodes: NodeCounts

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.by_class.sum())

    def plus(self, other: MemberTables, sign: int = 1) -> MemberTables:
        """The counts of both, or what is left."""
        of_both = np.add if sign > 0 else what_is_left
        by_class = of_both(self.by_class, other.by_class)
        cells = tuple(of_both(one, two) for one, two in zip(self.cells, other.cells, strict=True))
        return MemberTables(by_class, cells, self.nodes.plus(other.nodes, sign))

    def times(self, weight: float) -> MemberTables:
        """The same rows with other weights."""
        cells = tuple(part * weight for part in self.cells)
        return MemberTables(self.by_class * weight, cells, self.nodes.times(weight))

    def moved(self, places: IntArray, classes: int) -> MemberTables:
        """The counts among other classes; a class whose place is −1 is dropped."""
        kept = places >= 0

        def wide(part: FloatArray) -> FloatArray:
            found = np.zeros((*part.shape[:-1], classes))
            found[..., places[kept]] = part[..., kept]
            return found

        cells = tuple(wide(part) for part in self.cells)
        return MemberTables(wide(self.by_class), cells, self.nodes.moved(places, classes))

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {
            "by_class": self.by_class,
            "sizes": np.array([len(part) for part in self.cells], dtype=np.int64),
            "cells": narrow(np.concatenate(self.cells)),
            "nodes": self.nodes.state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: int) -> MemberTables:
        """Read :meth:`state`: counts by class."""
        require_memory(16 * state["cells"].size, "The tables of an ensemble", "Open it with more memory.")
        cells, by_class = reals(state, "cells", (None, classes)), reals(state, "by_class", (classes,))
        ends = np.cumsum(wholes(state, "sizes", (None,), 0, len(cells)))
        nodes = NodeCounts.from_state(state["nodes"])
        if not len(ends) or ends[-1] != len(cells) or nodes.classes != classes:
            raise BadFile("the counts of an ensemble have other sizes than its tables.")
        if min(cells.min(initial=0.0), by_class.min(initial=0.0)) < 0:
            raise BadFile("a count of an ensemble is negative.")
        return cls(by_class, tuple(np.split(cells, ends[:-1])), nodes)


def counted_rows(
    structure: FrozenStructure, fine: Codes, own: IntArray, weights: FloatArray, classes: int
) -> MemberTables:
    """Count rows, given as fine codes, into the tables and trees of a structure."""
    prepared = structure.prepared
    given = None if (weights == 1).all() else weights
    labels = own.astype(np.uint32)
    cells = [
        _cells(prepared.of_member(number, fine), cards, parents, labels, classes, given)
        for number, (cards, parents) in enumerate(
            zip(prepared.cards, structure.parents.astype(np.int32), strict=True)
        )
    ]
    codes = tree_codes(prepared, fine)
    found = counts_of_rows(structure.saved["trees"], codes, own.astype(np.int32), classes, given)
    nodes = NodeCounts.of_lists(found.lengths, found.classes, found.counts, classes)
    del found
    release_memory()
    return MemberTables(sums_by_place(own, weights, classes), tuple(cells), nodes)


def _cells(
    codes: Codes,
    cards: np.typing.NDArray[np.uint32],
    parents: np.typing.NDArray[np.int32],
    own: np.typing.NDArray[np.uint32],
    classes: int,
    weights: FloatArray | None,
) -> FloatArray:
    """The cells of one member, [cell, class].

    A value that is not known (a new state, a gap in a column that had none) is counted in no table: not in
    that of its own column, nor in those of the columns whose parent it is.
    """
    if not (codes == UNKNOWN).any():
        counts = _native.count_dependences(codes, cards, parents, own, classes, weights)
        return counts.reshape(-1, classes)
    spare = np.minimum(codes, cards[:, None].astype(np.uint8))
    wide = _native.count_dependences(spare, cards + 1, parents, own, classes, weights)
    parts, start = [], 0
    for column, own_parents in enumerate(parents.tolist()):
        second, first = ((int(cards[parent]) if parent >= 0 else 0) for parent in reversed(own_parents))
        card = int(cards[column])
        shape = (second + 1, first + 1, card + 1, classes)
        size = int(np.prod(shape))
        table = wide[start : start + size].reshape(shape)
        parts.append(table[: second or 1, : first or 1, :card].reshape(-1, classes))
        start += size
    return np.concatenate(parts)
