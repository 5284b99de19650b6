"""Arcs turned so that they close no directed cycle. Nodes are numbers."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

Arc = tuple[int, int]


def acyclic_arcs(count: int, arcs: Iterable[Arc]) -> list[Arc]:
    """The arcs without repetition, reversed where they close a cycle, in an order from top to bottom.

    All arcs into a node come before all arcs out of it.

    >>> acyclic_arcs(3, [(1, 2), (0, 1), (2, 0)])
    [(0, 1), (0, 2), (1, 2)]
    """
    distinct = list(dict.fromkeys(arcs))
    place = _order(count, distinct)
    forward = [(a, b) if place[a] < place[b] else (b, a) for a, b in distinct]
    return sorted(dict.fromkeys(forward), key=lambda arc: (place[arc[0]], place[arc[1]]))


def _order(count: int, arcs: Sequence[Arc]) -> dict[int, int]:
    """An order of the nodes in which few arcs point backward, found greedily."""
    children: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for start, end in arcs:
        children[start].append(end)
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
    return place


def components(count: int, arcs: Iterable[Arc]) -> list[list[int]]:
    """The nodes of each connected part of the graph, the part of the first node first.

    >>> components(4, [(0, 2), (3, 1)])
    [[0, 2], [1, 3]]
    """
    near: list[list[int]] = [[] for _ in range(count)]
    for start, end in arcs:
        near[start].append(end)
        near[end].append(start)
    found: list[list[int]] = []
    seen = [False] * count
    for first in range(count):
        if seen[first]:
            continue
        seen[first], part = True, [first]
        for node in part:  # the list grows while it is read
            for other in near[node]:
                if not seen[other]:
                    seen[other] = True
                    part.append(other)
        found.append(sorted(part))
    return found
