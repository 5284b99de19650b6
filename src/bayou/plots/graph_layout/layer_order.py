"""The order of the nodes in each layer, with few crossings.

Several starts (two searches of the graph, then random orders) are swept down and up by barycentres: each
layer is ordered by the mean position of its neighbours in the layer before. Then each layer is sifted: every
node in turn moves to the place in its layer where the arcs to both neighbouring layers cross least, until no
single move helps. Last, a piece of the best order is shuffled and sifted again, many times, and kept if it is
not worse. Only counts of steps limit the work, never the time, so the result is always the same.

Gansner, Koutsofios, North and Vo (1993), section 3; Matuszewski, Schönfeld and Molitor (1999), Using sifting
for k-layer straightline crossing minimization, Graph Drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bayou.plots.graph_layout.acyclic_arcs import Arc, components
from bayou.plots.graph_layout.crossing_table import CrossingTables
from bayou.plots.graph_layout.layers import Layers
from bayou.typing import IntArray

Orders = list[IntArray]
_SWEEPS = 12
_RANDOM_STARTS = 2
_WORK, _MOST_WORK = 1500, 1_000_000
"""About the microseconds that shuffling may take: for each node and bend, and for a connected part."""


def ordered(layers: Layers, seed: int = 0) -> Layers:
    """The same layers with their rows in an order with few crossings; connected parts stand side by side.

    >>> from bayou.plots.graph_layout.layers import with_bends
    >>> ordered(with_bends(4, [(0, 3), (1, 2)], [0, 0, 1, 1])).crossings()
    0
    """
    steps = layers.steps()
    parts = components(layers.size, steps)
    part_of = {node: number for number, part in enumerate(parts) for node in part}
    inside: list[list[Arc]] = [[] for _ in parts]
    for step in steps:
        inside[part_of[step[0]]].append(step)
    rows: list[list[int]] = [[] for _ in layers.rows]
    for part, own in sorted(zip(parts, inside, strict=True), key=lambda pair: -len(pair[0])):
        for row, found in zip(rows, _ordered_part(part, own, layers.layer, seed), strict=True):
            row += found
    return Layers(rows, layers.ways, layers.layer, layers.nodes)


def _ordered_part(
    part: Sequence[int], steps: Sequence[Arc], layer: Sequence[int], seed: int
) -> list[list[int]]:
    """The rows of one connected part; it may leave rows at the top and at the bottom empty."""
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for node in part:
        rows[layer[node]].append(node)
    if not steps or max(map(len, rows)) == 1:
        return rows
    place = {node: k for row in rows for k, node in enumerate(row)}
    pairs: list[list[Arc]] = [[] for _ in rows[1:]]
    for upper, lower in steps:
        pairs[layer[upper]].append((place[upper], place[lower]))
    best = _Search(CrossingTables([len(row) for row in rows], pairs), seed).best()
    return [[row[k] for k in order] for row, order in zip(rows, best, strict=True)]


class _Search:
    """The search for the best order of one connected part."""

    def __init__(self, tables: CrossingTables, seed: int) -> None:
        self.tables = tables
        self.random = np.random.default_rng(seed)

    def best(self) -> Orders:
        """The order with the fewest crossings that was found."""
        found: tuple[int, Orders] | None = None
        for start in self._starts():
            self._sweep(start)
            crossings = self._sift(start, range(len(start)))
            if found is None or crossings < found[0]:
                found = crossings, start
            if not found[0]:
                break
        assert found is not None
        return self._shaken(*found)

    def _starts(self) -> Iterator[Orders]:
        yield self.tables.searched(from_top=True)
        yield self.tables.searched(from_top=False)
        for _ in range(_RANDOM_STARTS):
            yield [self.random.permutation(size) for size in self.tables.sizes]

    def _sweep(self, orders: Orders) -> None:
        """Sweep down and up by barycentres; leave the best order that was met."""
        best, fewest = [order.copy() for order in orders], self.tables.crossings(orders)
        for sweep in range(_SWEEPS):
            if not fewest:
                break
            down = sweep % 2 == 0
            depths = range(1, len(orders)) if down else range(len(orders) - 2, -1, -1)
            for depth in depths:
                orders[depth] = self.tables.by_barycentre(orders, depth, down)
            crossings = self.tables.crossings(orders)
            if crossings < fewest:
                best, fewest = [order.copy() for order in orders], crossings
        orders[:] = best

    def _sift(self, orders: Orders, depths: Sequence[int]) -> int:
        """Sift these layers, and those beside layers that changed, until nothing changes; count crossings."""
        waiting = set(depths)
        down = True
        while waiting:
            for depth in sorted(waiting, reverse=not down):
                waiting.discard(depth)
                if self.tables.sift(orders, depth):
                    waiting |= {near for near in (depth - 1, depth + 1) if 0 <= near < len(orders)}
            down = not down
        return self.tables.crossings(orders)

    def _shaken(self, fewest: int, orders: Orders) -> Orders:
        """Shuffle a piece of the order and sift again, as long as there is work left."""
        wide = [depth for depth, size in enumerate(self.tables.sizes) if size > 2]
        limit = self.tables.work + min(_WORK * sum(self.tables.sizes), _MOST_WORK)
        while wide and fewest and self.tables.work < limit:
            tried = [order.copy() for order in orders]
            depth = int(self.random.choice(wide))
            self._shuffle_piece(tried[depth])
            near = range(max(depth - 1, 0), min(depth + 2, len(tried)))
            crossings = self._sift(tried, near)
            if crossings <= fewest:
                fewest, orders = crossings, tried
        return orders

    def _shuffle_piece(self, order: IntArray) -> None:
        length = int(self.random.integers(2, min(len(order), 12) + 1))
        start = int(self.random.integers(0, len(order) - length + 1))
        order[start : start + length] = self.random.permutation(order[start : start + length])
