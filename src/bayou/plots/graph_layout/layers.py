"""A graph in layers: every arc goes from layer to layer, through a bend in each layer between its ends.

A bend is a node without a box, so that an arc over several layers avoids the boxes in its way. Sugiyama,
Tagawa and Toda (1981), Methods for visual understanding of hierarchical system structures, IEEE Trans.
Systems, Man, and Cybernetics 11.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bayou.plots.graph_layout.acyclic_arcs import Arc

Ways = Mapping[Arc, Sequence[int]]


@dataclass(frozen=True)
class Layers:
    """The nodes and bends of each layer from left to right, the way of each arc, the layer of each node.

    Bends are numbered after the nodes.
    """

    rows: list[list[int]]
    ways: dict[Arc, list[int]]
    layer: list[int]
    nodes: int
    row_layers: tuple[int, ...] = ()
    """The layer to which each row belongs, where wide layers are folded into several rows."""

    @property
    def size(self) -> int:
        """The number of nodes and bends."""
        return len(self.layer)

    def layer_of_row(self, row: int) -> int:
        """The layer to which a row belongs."""
        return self.row_layers[row] if self.row_layers else row

    def steps(self) -> list[Arc]:
        """All pieces of arcs from a layer to the next, each once."""
        return list(dict.fromkeys(step for way in self.ways.values() for step in pairwise(way)))

    def crossings(self) -> int:
        """The number of pairs of arcs that cross between adjacent layers."""
        below: list[list[int]] = [[] for _ in range(self.size)]
        for way in self.ways.values():
            for upper, lower in pairwise(way):
                below[upper].append(lower)
        return sum(_crossings(upper, lower, below) for upper, lower in pairwise(self.rows))


def with_bends(nodes: int, arcs: Sequence[Arc], layer: Sequence[int]) -> Layers:
    """Give each arc its bends; each row is in the order of the numbers.

    >>> with_bends(3, [(0, 1), (1, 2), (0, 2)], [0, 1, 2]).rows
    [[0], [1, 3], [2]]
    """
    ways: dict[Arc, list[int]] = {}
    depths = list(layer)
    for start, end in arcs:
        bends = range(len(depths), len(depths) + layer[end] - layer[start] - 1)
        depths += range(layer[start] + 1, layer[end])
        ways[start, end] = [start, *bends, end]
    rows: list[list[int]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for node, depth in enumerate(depths):
        rows[depth].append(node)
    return Layers(rows, ways, depths, nodes)


def _crossings(upper: Sequence[int], lower: Sequence[int], below: Sequence[Sequence[int]]) -> int:
    place = {node: position for position, node in enumerate(lower)}
    seen: list[int] = []
    total = 0
    for node in upper:
        ends = sorted(place[other] for other in below[node])
        total += sum(len(seen) - bisect_right(seen, end) for end in ends)
        for end in ends:
            insort(seen, end)
    return total
