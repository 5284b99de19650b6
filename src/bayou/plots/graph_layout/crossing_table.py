"""How many arcs cross between layers, as tables of numbers: what the search for an order asks most.

For one layer, with the layers above and below in their present order, C[v, w] is the number of crossings
of the arcs of v with those of w if v stands left of w. The crossings of a layer are the sum of C over its
pairs from left to right, so a node's best place is the minimum of a running sum along one row of C − Cᵀ.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence

import numpy as np

from bayou.plots.graph_layout.acyclic_arcs import Arc
from bayou.typing import BoolArray, IntArray

_LARGEST = 2_000_000
"""Layers whose table would have more cells are not sifted; they keep the order of the sweeps."""
_COMPARED = 1500
"""With at most this many arcs between two layers all pairs are compared at once."""


class CrossingTables:
    """The arcs between adjacent layers; in each layer nodes are numbered from 0.

    An order of a layer is the array of its nodes from left to right. ``work`` counts about the microseconds
    that sifting has taken.
    """

    def __init__(self, sizes: Sequence[int], pairs: Sequence[Sequence[Arc]]) -> None:
        self.sizes = sizes
        self.down = [_Beside(sizes[k], sizes[k + 1], arcs) for k, arcs in enumerate(pairs)]
        turned = [[(lower, upper) for upper, lower in arcs] for arcs in pairs]
        self.up = [_Beside(sizes[k + 1], sizes[k], arcs) for k, arcs in enumerate(turned)]
        self.work = 0

    def _sides(self, depth: int) -> Iterator[tuple[_Beside, int]]:
        """The arcs of a layer to the layers beside it, with their depths."""
        if depth > 0:
            yield self.up[depth - 1], depth - 1
        if depth < len(self.sizes) - 1:
            yield self.down[depth], depth + 1

    def crossings(self, orders: Sequence[IntArray]) -> int:
        """The number of crossings between all adjacent layers."""
        self.work += 50 * len(self.down)
        return sum(arcs.crossings(orders[k], orders[k + 1]) for k, arcs in enumerate(self.down))

    def by_barycentre(self, orders: Sequence[IntArray], depth: int, down: bool) -> IntArray:
        """The layer ordered by the mean position of the neighbours in the layer before it."""
        arcs, fixed = (self.up[depth - 1], depth - 1) if down else (self.down[depth], depth + 1)
        return arcs.by_barycentre(orders[depth], orders[fixed])

    def sift(self, orders: list[IntArray], depth: int) -> bool:
        """Move the nodes of a layer, one by one, to their best places; whether crossings became fewer."""
        size = self.sizes[depth]
        if size < 2 or any(size * self.sizes[near] > _LARGEST for _, near in self._sides(depth)):
            return False
        self.work += 300 + size * size // 40
        table = np.zeros((size, size), dtype=np.int64)
        for arcs, near in self._sides(depth):
            arcs.add_crossings(table, orders[near])
        return _sifted(orders[depth], table - table.T)

    def searched(self, from_top: bool) -> list[IntArray]:
        """The order in which a depth-first search from the top or from the bottom meets the nodes."""
        found: list[list[int]] = [[] for _ in self.sizes]
        seen = [np.zeros(size, dtype=bool) for size in self.sizes]
        depths = range(len(self.sizes)) if from_top else range(len(self.sizes) - 1, -1, -1)
        for depth in depths:
            for first in range(self.sizes[depth]):
                self._visit(depth, first, found, seen, from_top)
        return [np.array(row, dtype=np.int64) for row in found]

    def _visit(
        self, depth: int, first: int, found: list[list[int]], seen: list[BoolArray], top: bool
    ) -> None:
        stack = [(depth, first)]
        while stack:
            depth, node = stack.pop()
            if seen[depth][node]:
                continue
            seen[depth][node] = True
            found[depth].append(node)
            sides = list(self._sides(depth))
            for arcs, near in sides if top else sides[::-1]:
                stack += [(near, int(other)) for other in arcs.neighbours(node)[::-1]]


class _Beside:
    """The arcs from the nodes of a layer to those of a layer beside it."""

    def __init__(self, size: int, other: int, arcs: Sequence[Arc]) -> None:
        pairs = np.array(sorted(arcs), dtype=np.int64).reshape(-1, 2)
        self.size, self.other = size, other
        self.here, self.there = pairs[:, 0], pairs[:, 1]
        self.degree = np.bincount(self.here, minlength=size)
        self.first = np.concatenate([[0], np.cumsum(self.degree)])
        self.joined = np.flatnonzero(self.degree)

    def neighbours(self, node: int) -> IntArray:
        return self.there[self.first[node] : self.first[node + 1]]

    def crossings(self, order: IntArray, beside: IntArray) -> int:
        here, there = _places(order)[self.here], _places(beside)[self.there]
        ends = there[np.lexsort((there, here))]
        if len(ends) <= _COMPARED:
            return int(np.count_nonzero(np.triu(ends[:, None] > ends)))
        seen: list[int] = []
        total = 0
        for end in ends.tolist():
            total += len(seen) - bisect_right(seen, end)
            insort(seen, end)
        return total

    def by_barycentre(self, order: IntArray, beside: IntArray) -> IntArray:
        """Nodes without arcs here keep their place, scaled to the other layer."""
        sums = np.bincount(self.here, _places(beside)[self.there], self.size)
        scale = max(self.other - 1, 1) / max(self.size - 1, 1)
        mean = np.where(self.degree > 0, sums / np.maximum(self.degree, 1), _places(order) * scale)
        found: IntArray = order[np.argsort(mean[order], kind="stable")]
        return found

    def add_crossings(self, table: IntArray, beside: IntArray) -> None:
        """Add to C[v, w] the pairs of arcs that cross if v stands left of w."""
        there = _places(beside)[self.there]
        before = np.zeros((self.other + 1, self.size), dtype=np.int64)
        before[there + 1, self.here] = 1
        np.cumsum(before, axis=0, out=before)  # row p: how many arcs of each node end left of place p
        table[self.joined] += np.add.reduceat(before[there], self.first[self.joined], axis=0)


def _places(order: IntArray) -> IntArray:
    """The position of each node of an order."""
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


def _sifted(order: IntArray, gap: IntArray) -> bool:
    """Sift an order in place; gap[v, w] is the change of crossings from w before v to v before w."""
    improved = False
    while True:
        sums = np.cumsum(gap[order[:, None], order], axis=1)
        here = np.diagonal(sums)
        # The cost of standing right after place j is −sums[j], that of standing first 0.
        lowest = np.minimum(-sums.max(axis=1), 0)
        movable = order[lowest < -here]
        if not len(movable):
            return improved
        for node in movable.tolist():
            improved |= _move(order, gap, node)


def _move(order: IntArray, gap: IntArray, node: int) -> bool:
    """Move a node to its best place; whether that made crossings fewer."""
    costs = np.concatenate([[0], -np.cumsum(gap[node, order])])
    here = int(np.flatnonzero(order == node)[0])
    there = int(np.argmin(costs))
    if costs[there] >= costs[here]:
        return False
    if there < here:
        order[there + 1 : here + 1] = order[there:here].copy()
        order[there] = node
    else:
        order[here : there - 1] = order[here + 1 : there].copy()
        order[there - 1] = node
    return True
