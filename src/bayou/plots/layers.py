"""The layered layout of a graph: arcs point down, with few crossings. Nodes are numbers.

An arc over several layers has a bend (a node without a box) in each layer between, so that it avoids the
boxes in its way. Sugiyama, Tagawa and Toda (1981), Methods for visual understanding of hierarchical system
structures, IEEE Trans. Systems, Man, and Cybernetics 11.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Arc = tuple[int, int]
_SWEEPS = 16


@dataclass(frozen=True)
class Layers:
    """The nodes and bends of each layer from left to right, the path of each arc, the layer of each node.

    Bends are numbered after the nodes.
    """

    rows: list[list[int]]
    ways: dict[Arc, list[int]]
    layer: list[int]

    @property
    def size(self) -> int:
        """The number of nodes and bends."""
        return len(self.layer)


def layered(count: int, arcs: Sequence[Arc]) -> Layers:
    """Put ``count`` nodes into layers; an arc that closes a directed cycle is laid out as if reversed.

    >>> layered(3, [(0, 1), (1, 2), (0, 2)]).rows
    [[0], [1, 3], [2]]
    """
    downward = _without_cycles(count, list(dict.fromkeys(arcs)))
    layer = _layers(count, downward)
    ways, layer = _with_bends(downward, layer)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, depth in enumerate(layer):
        rows[depth].append(node)
    return Layers(_uncrossed(rows, _neighbours(ways, len(layer))), ways, layer)


def _without_cycles(count: int, arcs: Sequence[Arc]) -> list[Arc]:
    """The arcs, reversed where they point backward in an order of the nodes found greedily."""
    children = _children(count, arcs)
    waiting = [0] * count
    for _, end in arcs:
        waiting[end] += 1
    place: dict[int, int] = {}
    free = [node for node in range(count) if not waiting[node]]
    while len(place) < count:
        if not free:  # a cycle: continue with the node for which the fewest arcs are reversed
            left = [node for node in range(count) if node not in place]
            free = [min(left, key=lambda node: (waiting[node], node))]
        node = heapq.heappop(free)
        if node in place:
            continue
        place[node] = len(place)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(free, child)
    forward = [(a, b) if place[a] < place[b] else (b, a) for a, b in arcs]
    return sorted(dict.fromkeys(forward), key=lambda arc: (place[arc[0]], place[arc[1]]))


def _children(count: int, arcs: Sequence[Arc]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in range(count)]
    for start, end in arcs:
        children[start].append(end)
    return children


def _layers(count: int, arcs: Sequence[Arc]) -> list[int]:
    """Layers counted from the top or from the bottom, whichever makes the arcs shorter in total."""
    from_top = _by_longest_path(count, arcs)
    turned = [(end, start) for start, end in reversed(_by_end(arcs, from_top))]
    upwards = _by_longest_path(count, turned)
    from_bottom = [max(upwards, default=0) - depth for depth in upwards]
    return min(from_top, from_bottom, key=lambda layer: sum(layer[b] - layer[a] for a, b in arcs))


def _by_end(arcs: Sequence[Arc], layer: list[int]) -> list[Arc]:
    return sorted(arcs, key=lambda arc: layer[arc[1]])


def _by_longest_path(count: int, arcs: Sequence[Arc]) -> list[int]:
    """Layers by the longest path from the top; nodes then move down to their children if that shortens arcs.

    The arcs must be ordered so that all arcs into a node come before all arcs out of it.
    """
    layer = [0] * count
    for start, end in arcs:
        layer[end] = max(layer[end], layer[start] + 1)
    parents, children = [0] * count, _children(count, arcs)
    for _, end in arcs:
        parents[end] += 1
    for start in dict.fromkeys(arc[0] for arc in reversed(arcs)):
        if len(children[start]) > parents[start]:
            layer[start] = min(layer[child] for child in children[start]) - 1
    used = {depth: place for place, depth in enumerate(sorted(set(layer)))}
    return [used[depth] for depth in layer]


def _with_bends(arcs: Sequence[Arc], layer: list[int]) -> tuple[dict[Arc, list[int]], list[int]]:
    ways: dict[Arc, list[int]] = {}
    layer = list(layer)
    for start, end in arcs:
        bends = range(len(layer), len(layer) + layer[end] - layer[start] - 1)
        layer += range(layer[start] + 1, layer[end])
        ways[start, end] = [start, *bends, end]
    return ways, layer


Neighbours = tuple[list[list[int]], list[list[int]]]


def _neighbours(ways: dict[Arc, list[int]], size: int) -> Neighbours:
    """The neighbours of each node in the layers above and below."""
    above: list[list[int]] = [[] for _ in range(size)]
    below: list[list[int]] = [[] for _ in range(size)]
    for way in ways.values():
        for upper, lower in pairwise(way):
            below[upper].append(lower)
            above[lower].append(upper)
    return above, below


def _uncrossed(rows: list[list[int]], near: Neighbours) -> list[list[int]]:
    """Sweep down and up, ordering each row by the mean position of its neighbours; return the best order."""
    best, fewest = [list(row) for row in rows], _crossings(rows, near[1])
    rows = [list(row) for row in rows]
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        order = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
        for depth in order:
            fixed = rows[depth - 1 if down else depth + 1]
            rows[depth] = _by_barycentre(rows[depth], fixed, near[0] if down else near[1])
        crossings = _crossings(rows, near[1])
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _by_barycentre(row: list[int], fixed: list[int], near: list[list[int]]) -> list[int]:
    place = {node: position for position, node in enumerate(fixed)}
    scale = max(len(fixed) - 1, 1) / max(len(row) - 1, 1)

    def barycentre(item: tuple[int, int]) -> float:
        position, node = item
        met = near[node]
        return sum(place[other] for other in met) / len(met) if met else position * scale

    return [node for _, node in sorted(enumerate(row), key=barycentre)]


def _crossings(rows: list[list[int]], below: list[list[int]]) -> int:
    """The number of pairs of arcs that cross between adjacent layers."""
    total = 0
    for upper, lower in pairwise(rows):
        place = {node: position for position, node in enumerate(lower)}
        seen: list[int] = []
        for node in upper:
            ends = sorted(place[other] for other in below[node])
            total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return total
