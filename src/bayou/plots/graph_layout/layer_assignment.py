"""The layer of each node, so that all arcs point down and are short in total: a network simplex.

Minimise Σ (layer[end] − layer[start]) subject to layer[end] − layer[start] ≥ 1. A spanning tree of arcs of
length 1 (tight arcs) is a corner of this linear program. Without one of its arcs the tree falls apart into
two sides; the gain of pulling them apart is the number of arcs from the head's side to the tail's side minus
the number of arcs the other way. Arcs inside a side cancel, so this number is a sum of (out-degree −
in-degree) over one side. As long as such a gain is positive, the arc leaves the tree, and the arc between the
sides that becomes tight first enters it.

Gansner, Koutsofios, North and Vo (1993), A technique for drawing directed graphs, IEEE Trans. Software
Engineering 19, section 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.plots.graph_layout.acyclic_arcs import Arc, components
from bayou.typing import BoolArray, IntArray


def assign_layers(count: int, arcs: Sequence[Arc]) -> list[int]:
    """The layer of each node from the top (0); the arcs are those of :func:`acyclic_arcs`, in its order.

    Nodes that can move without making arcs longer in total move to the layer with the fewest nodes.

    >>> assign_layers(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    layer = np.zeros(count, dtype=np.int64)
    inside: dict[int, list[Arc]] = {}
    part_of = [0] * count
    parts = components(count, arcs)
    for number, part in enumerate(parts):
        for node in part:
            part_of[node] = number
    for arc in arcs:
        inside.setdefault(part_of[arc[0]], []).append(arc)
    for number, part in enumerate(parts):
        if len(part) > 1:
            place = {node: k for k, node in enumerate(part)}
            own = [(place[a], place[b]) for a, b in inside[number]]
            layer[part] = _TightTree(len(part), own).shortest()
    return _balanced(layer.tolist(), arcs)


class _TightTree:
    """The layers of one connected part, and a spanning tree of tight arcs."""

    def __init__(self, count: int, arcs: Sequence[Arc]) -> None:
        self.count, self.arcs = count, arcs
        self.starts = np.array([arc[0] for arc in arcs])
        self.ends = np.array([arc[1] for arc in arcs])
        self.layer = self._by_longest_path()
        self.surplus = np.bincount(self.starts, minlength=count) - np.bincount(self.ends, minlength=count)
        self.tree: list[list[int]] = [[] for _ in range(count)]
        self.up = np.full(count, -1)
        self.first = np.zeros(count, dtype=np.int64)
        self.last = np.zeros(count, dtype=np.int64)

    def _by_longest_path(self) -> IntArray:
        layer = [0] * self.count
        for start, end in self.arcs:
            layer[end] = max(layer[end], layer[start] + 1)
        return np.array(layer, dtype=np.int64)

    def shortest(self) -> IntArray:
        """The layers for which the arcs are shortest in total, from 0."""
        self._span()
        for _ in range(
            20 * self.count
        ):  # far more than it takes; a bound in case of a cycle of equal corners
            self._number()
            leaving = self._leaving()
            if leaving is None:
                break
            self._exchange(*leaving)
        shortest: IntArray = self.layer - self.layer.min()
        return shortest

    def _slack(self) -> IntArray:
        slack: IntArray = self.layer[self.ends] - self.layer[self.starts] - 1
        return slack

    def _span(self) -> None:
        """Grow a tree of tight arcs from the first node; shift it where no further arc is tight."""
        inside = np.zeros(self.count, dtype=bool)
        inside[0] = True
        while not inside.all():
            slack = self._slack()
            border = np.flatnonzero(inside[self.starts] != inside[self.ends])
            arc = int(border[np.argmin(slack[border])])
            outward = bool(inside[self.starts[arc]])
            self.layer[inside] += slack[arc] if outward else -slack[arc]
            self._join(arc)
            inside[self.ends[arc] if outward else self.starts[arc]] = True

    def _join(self, arc: int) -> None:
        for node in self.arcs[arc]:
            self.tree[node].append(arc)

    def _number(self) -> None:
        """Number the nodes in postorder: the subtree of a node has the numbers from first to last."""
        tree, arcs = self.tree, self.arcs
        up, first, last = [-1] * self.count, [0] * self.count, [0] * self.count
        number = 0
        stack = [(0, iter(tree[0]))]
        while stack:
            node, rest = stack[-1]
            for arc in rest:
                if arc != up[node]:
                    child = arcs[arc][0] + arcs[arc][1] - node
                    up[child], first[child] = arc, number
                    stack.append((child, iter(tree[child])))
                    break
            else:
                stack.pop()
                last[node] = number
                number += 1
        self.up, self.first, self.last = np.array(up), np.array(first), np.array(last)

    def _leaving(self) -> tuple[int, int] | None:
        """The tree arc with the largest gain and the node below it in the tree; None: the layers are best."""
        order = np.empty(self.count, dtype=np.int64)
        order[self.last] = np.arange(self.count)
        sums = np.concatenate([[0], np.cumsum(self.surplus[order])])
        surplus = sums[self.last + 1] - sums[self.first]
        below = np.flatnonzero(self.up >= 0)
        is_tail = self.starts[self.up[below]] == below
        gain = np.where(is_tail, -surplus[below], surplus[below])
        best = int(np.argmax(gain))
        return (int(self.up[below[best]]), int(below[best])) if gain[best] > 0 else None

    def _exchange(self, leaving: int, below: int) -> None:
        """Pull the sides of an arc apart until another arc between them is tight, and take that one."""
        side: BoolArray = (self.last >= self.first[below]) & (self.last <= self.last[below])
        tail_below = bool(self.starts[leaving] == below)
        head_side = side != tail_below
        back = np.flatnonzero(head_side[self.starts] & ~head_side[self.ends])
        slack = self._slack()[back]
        entering = int(back[np.argmin(slack)])
        self.layer[side] += -slack.min() if tail_below else slack.min()
        for node in self.arcs[leaving]:
            self.tree[node].remove(leaving)
        self._join(entering)


def _balanced(layer: list[int], arcs: Sequence[Arc]) -> list[int]:
    """Move each node with as many arcs in as out to the emptiest layer that it can have."""
    count = len(layer)
    parents: list[list[int]] = [[] for _ in range(count)]
    children: list[list[int]] = [[] for _ in range(count)]
    for start, end in arcs:
        children[start].append(end)
        parents[end].append(start)
    size = [0] * (max(layer, default=-1) + 1)
    for depth in layer:
        size[depth] += 1
    for node in range(count):
        if len(parents[node]) != len(children[node]):
            continue
        top = max((layer[other] + 1 for other in parents[node]), default=0)
        bottom = min((layer[other] - 1 for other in children[node]), default=len(size) - 1)
        size[layer[node]] -= 1
        layer[node] = _emptiest(size, top, bottom, layer[node])
        size[layer[node]] += 1
    return layer


def _emptiest(size: Sequence[int], top: int, bottom: int, here: int) -> int:
    """The layer with the fewest nodes from top to bottom; of equal ones the nearest."""
    return min(range(top, bottom + 1), key=lambda depth: (size[depth], abs(depth - here)))
