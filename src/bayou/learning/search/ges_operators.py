"""The steps of greedy equivalence search: edges added to and deleted from a class of equivalent networks.

A class is a completed partly directed graph (:class:`bayou.graphs.meek.Marks`). Sets of nodes are the bits of
integers. Validity and gains are those of Chickering (2002, theorems 15 and 17). For the head y and the tail
x, P are the parents of y, N its neighbours (undirected edges), and A ⊆ N those that are also adjacent to x.

- Insert x → y with a set C, A ⊆ C ⊆ N, of neighbours that become parents of y. It is valid if C is a clique
  and every semi-directed path from y to x passes through C. Gain: s(y, P ∪ C ∪ {x}) − s(y, P ∪ C).
- Delete the edge between x and y with a set C ⊆ A of neighbours that stay parents of y; the rest of A become
  common effects of x and y. It is valid if C is a clique. Gain: s(y, P ∪ C \\ {x}) − s(y, P ∪ C ∪ {x}).

Here s(y, S) is the score of y with the parents S. A semi-directed path has no arc against its direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bayou.graphs.meek import Bits, EdgeBits, children_of, set_bits
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.search.search_result import FINITE_WORST_SCORE, rounding


class ClassStep(NamedTuple):
    """The insertion or deletion of an edge between ``tail`` and ``head``, and its gain.

    ``clique`` is the set C above: the neighbours of the head that count as its parents in the gain.
    """

    gain: float
    tail: int
    head: int
    clique: int


def slack_of(scores: LocalScores) -> float:
    """The rounding error of sums of these scores: gains that differ by less are treated as equal."""
    alone = scores.families([(child, ()) for child in range(len(scores.variables))])
    return rounding(float(np.maximum(alone, FINITE_WORST_SCORE).sum()))


class EquivalenceClass:
    """A partly directed graph, with the sets of nodes that the validity conditions need."""

    def __init__(self, marks: EdgeBits) -> None:
        self.parents, self.edges = marks
        self.children = children_of(self.parents)
        self.joined = [
            up | down | near for up, down, near in zip(self.parents, self.children, self.edges, strict=True)
        ]
        self._reached: dict[int, int] = {}

    def cliques(self, within: int) -> Iterator[int]:
        """Every clique within a set of nodes, the empty one first."""
        yield 0
        for node in set_bits(within):
            for rest in self.cliques(within & self.joined[node] & ~((2 << node) - 1)):
                yield rest | 1 << node

    def shared(self, tail: int, head: int) -> int:
        """The set A above: the neighbours of the head that are adjacent to the tail."""
        return self.edges[head] & self.joined[tail]

    def admits_insertion(self, step: ClassStep) -> bool:
        """Whether an insertion is valid; its ``clique`` is known to be one."""
        if self.joined[step.head] >> step.tail & 1 or self.shared(step.tail, step.head) & ~step.clique:
            return False
        if not self._within_reach(step.head) >> step.tail & 1:
            return True
        return step.clique != 0 and not self._trace(step.head, step.clique) >> step.tail & 1

    def _within_reach(self, start: int) -> int:
        # Most tails are not reachable from the head at all; the reachable nodes are found once per head.
        if start not in self._reached:
            self._reached[start] = self._trace(start, 0)
        return self._reached[start]

    def _trace(self, start: int, blocked: int) -> int:
        """The nodes on semi-directed paths from ``start`` that avoid ``blocked`` (which count as reached)."""
        seen = blocked | 1 << start
        front = 1 << start
        while front:
            node = front.bit_length() - 1
            fresh = (self.children[node] | self.edges[node]) & ~seen
            seen |= fresh
            front ^= 1 << node | fresh
        return seen

    def after_insertion(self, step: ClassStep) -> EdgeBits:
        """The graph with tail → head, and with the edges from C \\ A to the head directed to the head."""
        parents, edges = list(self.parents), list(self.edges)
        _direct(parents, edges, step.clique & ~self.joined[step.tail], step.head)
        parents[step.head] |= 1 << step.tail
        return EdgeBits(parents, edges)

    def after_deletion(self, step: ClassStep) -> EdgeBits:
        """The graph without the edge, in which the nodes of A \\ C are children of both head and tail."""
        parents, edges = list(self.parents), list(self.edges)
        parents[step.head] &= ~(1 << step.tail)
        edges[step.head] &= ~(1 << step.tail)
        edges[step.tail] &= ~(1 << step.head)
        for node in set_bits(self.shared(step.tail, step.head) & ~step.clique):
            for end in (step.head, step.tail):
                if edges[node] >> end & 1:
                    _direct(parents, edges, 1 << end, node)
        return EdgeBits(parents, edges)


def _direct(parents: Bits, edges: Bits, tails: int, head: int) -> None:
    """Turn the undirected edges between ``tails`` and ``head`` into arcs to the head."""
    parents[head] |= tails
    edges[head] &= ~tails
    for tail in set_bits(tails):
        edges[tail] &= ~(1 << head)
