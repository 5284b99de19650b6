"""Partly directed graphs by position, as sets of bits: compelled arcs, Meek's rules, consistent extensions.

Bit j of ``parents[i]`` stands for an arc j -> i, bit j of ``edges[i]`` (and bit i of ``edges[j]``) for an
undirected edge. With bits each rule takes a few operations: 223 nodes take milliseconds.

Meek's rules (1995) direct an undirected edge a - b as a -> b if one of these holds:

1. c -> a, and c and b are not joined (else a would be a new common effect of c and b).
2. a -> c -> b (else there would be a cycle).
3. a - c -> b and a - d -> b, and c and d are not joined.
4. a - d -> c -> b, c is joined to a, and d and b are not joined.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Bits = list[int]


class EdgeBits(NamedTuple):
    """The arcs into each node and the undirected edges at each node, as bits."""

    parents: Bits
    edges: Bits


def set_bits(bits: int) -> Iterator[int]:
    """The positions of the bits that are set, in ascending order.

    >>> list(set_bits(0b1101))
    [0, 2, 3]
    """
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def as_bits(parents: Sequence[Sequence[int]]) -> Bits:
    """Lists of positions as sets of bits.

    >>> as_bits([[], [0], [0, 1]])
    [0, 1, 3]
    """
    return [sum(1 << parent for parent in found) for found in parents]


def children_of(parents: Bits) -> Bits:
    """The children of each node, from the parents of each node."""
    children = [0] * len(parents)
    for child, found in enumerate(parents):
        for parent in set_bits(found):
            children[parent] |= 1 << child
    return children


def compelled(parents: Bits) -> EdgeBits:
    """The equivalence class of a DAG: the arcs of v-structures, and the arcs that Meek's rules add.

    >>> compelled([0, 0, 0b011, 0b100])  # A -> C <- B, C -> D: every arc is compelled
    EdgeBits(parents=[0, 0, 3, 4], edges=[0, 0, 0, 0])
    >>> compelled([0, 1, 2])  # a chain: none is
    EdgeBits(parents=[0, 0, 0], edges=[2, 5, 2])
    """
    adjacent = [up | down for up, down in zip(parents, children_of(parents), strict=True)]
    kept = [0] * len(parents)
    edges = [0] * len(parents)
    for child, found in enumerate(parents):
        for parent in set_bits(found):
            if found & ~adjacent[parent] & ~(1 << parent):
                kept[child] |= 1 << parent
            else:
                edges[child] |= 1 << parent
                edges[parent] |= 1 << child
    return close(EdgeBits(kept, edges))


def close(marks: EdgeBits) -> EdgeBits:
    """Direct every edge that Meek's four rules compel; if rules contradict, the first direction stays.

    >>> close(EdgeBits([0, 1, 0], [0, 4, 2]))  # A -> B - C becomes A -> B -> C
    EdgeBits(parents=[0, 1, 2], edges=[0, 0, 0])
    """
    closing = _Closing(marks)
    waiting = deque((a, b) for a, near in enumerate(marks.edges) for b in set_bits(near))
    while waiting:
        a, b = waiting.popleft()
        if closing.edges[a] >> b & 1 and closing.compels(a, b):
            closing.direct(a, b)
            waiting.extend(closing.touched(a, b))
    return EdgeBits(closing.parents, closing.edges)


class _Closing:
    def __init__(self, marks: EdgeBits) -> None:
        self.parents, self.edges = list(marks.parents), list(marks.edges)
        self.children = children_of(self.parents)
        everything = zip(self.parents, self.children, self.edges, strict=True)
        self.adjacent = [up | down | near for up, down, near in everything]

    def compels(self, a: int, b: int) -> bool:
        """Whether the undirected edge a - b must be a -> b."""
        apart = ~self.adjacent[b]
        if self.parents[a] & apart & ~(1 << b):  # rule 1
            return True
        if self.children[a] & self.parents[b]:  # rule 2
            return True
        between = self.edges[a] & self.parents[b]  # rule 3
        if any(between & ~self.adjacent[c] & ~(1 << c) for c in set_bits(between)):
            return True
        ends = self.edges[a] & apart & ~(1 << b)  # rule 4
        return ends != 0 and any(self.parents[c] & ends for c in set_bits(self.parents[b] & self.adjacent[a]))

    def direct(self, a: int, b: int) -> None:
        self.edges[a] &= ~(1 << b)
        self.edges[b] &= ~(1 << a)
        self.parents[b] |= 1 << a
        self.children[a] |= 1 << b

    def touched(self, a: int, b: int) -> Iterator[tuple[int, int]]:
        """The edges, in both directions, to which a rule may apply after a -> b was added."""
        for node in set_bits(1 << a | 1 << b | self.children[b]):
            for other in set_bits(self.edges[node]):
                yield node, other
                yield other, node


def extend(marks: EdgeBits) -> Bits | None:
    """The parents in a DAG with these arcs, this skeleton and no further v-structures (Dor & Tarsi 1992).

    Nodes are removed one by one: a node without children, whose undirected neighbours are joined to all its
    other neighbours; its edges become arcs to it. Later nodes become children if possible. None if there is
    no such DAG.

    >>> extend(EdgeBits([0, 0, 0], [2, 5, 2])), extend(EdgeBits([0b10, 0b01], [0, 0]))
    ([0, 1, 2], None)
    """
    parents, edges, children = list(marks.parents), list(marks.edges), children_of(marks.parents)
    adjacent = [up | down | near for up, down, near in zip(parents, children, edges, strict=True)]
    found = list(parents)
    left = (1 << len(parents)) - 1
    waiting = [-node for node in range(len(parents))]
    heapq.heapify(waiting)
    while waiting:
        node = -heapq.heappop(waiting)
        if not left >> node & 1 or children[node] & left:
            continue
        around = adjacent[node] & left
        if any(around & ~adjacent[near] & ~(1 << near) for near in set_bits(edges[node] & left)):
            continue
        found[node] |= edges[node] & left
        left ^= 1 << node
        for near in set_bits(around):  # only these nodes can have become removable
            heapq.heappush(waiting, -near)
    return None if left else found
