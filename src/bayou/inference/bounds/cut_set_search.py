"""Bounds on Σ Π tables that tighten with time: a best-first search over the states of a cut-set.

A node of the search gives states to the first d variables of the cut-set. Its part of the sum is bounded by a
bounded elimination of the other variables (:mod:`bayou.inference.bounds.mini_buckets`); where no bucket is
split the part is known exactly, and the node is closed. The open node whose bounds are the furthest apart is
replaced by one node for each state of the next variable. So

    Σ closed + Σ open lower bounds  ≤  Σ Π tables  ≤  Σ closed + Σ open upper bounds,

with equality, but for roundings, when all is closed. Bidyuk, Dechter and Rollon (2010), Active tuples-based
scheme for bounding posterior beliefs, JAIR 39; Lou, Dechter and Ihler (2017), Anytime anyspace AND/OR search
for bounding the partition function, AAAI 31.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod

import numpy as np

from bayou.inference.bounds.cut_set import next_cut
from bayou.inference.bounds.mini_buckets import BucketLimits, BucketPlan, bucket_plan
from bayou.inference.sampling.zero_propagation import PlainFactor, Scope
from bayou.typing import FloatArray, IntArray

ENTRIES_A_ROUND = 2**22
"""About as many table entries are computed between two looks at the clock."""
MOST_NODES_A_ROUND = 256
MOST_OPEN = 2**24
"""The search ends when open nodes have as many bounds: their memory is bounded."""
BYTES_OF_A_NODE = 512
"""What a node takes beside its bounds, about."""
SMALLEST = 2.0**-1000
"""A smaller positive share of the whole becomes this in upper bounds, and 0 in lower ones."""


@dataclass(frozen=True, eq=False)
class ScaledBounds:
    """Bounds on the sum for each joint state of the targets, in units of 2^``scale``."""

    lower: FloatArray
    upper: FloatArray
    scale: int

    @property
    def logs(self) -> tuple[float, float]:
        """The ends of the log of the whole sum, with room for the rounding of the logs."""
        with np.errstate(divide="ignore"):
            ends = np.log([self.lower.sum(), self.upper.sum()]) + self.scale * log(2)
        room = (np.abs(ends) + 1) * (self.lower.size + 8) * 2.0**-50
        room[np.isinf(ends)] = 0.0
        return float(ends[0] - room[0]), float(ends[1] + room[1])


@dataclass(frozen=True, eq=False)
class _Node:
    states: tuple[int, ...]
    lower: FloatArray
    upper: FloatArray


class CutSetSearch:
    """The search; ``explored`` counts the nodes that were bounded.

    Nothing depends on clocks or threads: as many nodes give the same bounds, bit for bit.
    """

    def __init__(
        self, factors: Sequence[PlainFactor], cards: Sequence[int], targets: Scope, limits: BucketLimits
    ) -> None:
        self.factors, self.cards, self.targets, self.limits = factors, cards, targets, limits
        self.explored = 0
        self._plans: dict[int, BucketPlan] = {}
        self._cut: list[int] = []
        self.most_states = max((cards[v] for factor in factors for v in factor.scope), default=1)
        self._open: list[tuple[float, int, _Node]] = []
        self._made = 0
        cells = prod(cards[v] for v in targets)
        self._closed_lower, self._closed_upper = np.zeros(cells), np.zeros(cells)
        self._scale = 0
        self._bound_root()
        self._best, self._summed = self._totals(), self.explored

    @property
    def is_finished(self) -> bool:
        """Whether nothing is open, or no more may be opened."""
        own = len(self._closed_lower) + BYTES_OF_A_NODE // 8
        return not self._open or len(self._open) * own >= MOST_OPEN

    @property
    def next_nodes(self) -> int:
        """The fewest nodes that a further round explores: the states of the next variable."""
        return self.cards[self._variable(len(self._open[0][2].states))]

    @property
    def depth(self) -> int:
        """The number of variables of the cut-set that the search has come to."""
        return max(self._plans)

    @property
    def masses(self) -> ScaledBounds:
        """The best bounds so far."""
        if self._summed < self.explored:
            found, self._summed = self._totals(), self.explored
            lower, upper = (
                np.maximum(self._best.lower, found.lower),
                np.minimum(self._best.upper, found.upper),
            )
            self._best = ScaledBounds(lower, upper, self._scale)
        return self._best

    def explore(self, most: int | None = None) -> None:
        """One round: replace some open nodes by their children, at most ``most`` if one has so few."""
        nodes = self._nodes_a_round()
        if most is not None:
            nodes = min(nodes, max(1, most // self.most_states))
        self._expand(nodes)

    def _plan(self, depth: int) -> BucketPlan:
        """The plan for nodes that give states to this many variables of the cut-set."""
        if depth not in self._plans:
            if depth:
                self._variable(depth - 1)
            fixed = self._cut[:depth]
            self._plans[depth] = bucket_plan(self.factors, self.cards, fixed, self.targets, self.limits)
        return self._plans[depth]

    def _variable(self, depth: int) -> int:
        """The variable of the cut-set after the first ``depth`` ones; there is one where a node is open."""
        if depth == len(self._cut):
            order = self._plan(depth).order
            found = next_cut(self.factors, self.cards, self._cut, order, self.limits)
            assert found is not None
            self._cut.append(found)
        return self._cut[depth]

    def _nodes_a_round(self) -> int:
        depth = len(self._open[0][2].states) + 1
        return max(2, min(MOST_NODES_A_ROUND, ENTRIES_A_ROUND // max(self._plan(depth).cells, 1)))

    def _bound_root(self) -> None:
        upper, upper_scale, lower, lower_scale = self._plan(0).core.run(np.zeros((1, 0), dtype=np.uint32))
        self._scale = int(upper_scale[0])
        self.explored = 1
        self._add((), *self._shares(upper, upper_scale, lower, lower_scale, None))

    def _shares(
        self,
        upper: FloatArray,
        upper_scale: IntArray,
        lower: FloatArray,
        lower_scale: IntArray,
        before: FloatArray | None,
    ) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds in units of the whole; an upper one is at most that of the node before."""
        above = np.ldexp(upper, np.clip(upper_scale - self._scale, -2000, 2000)[:, None])
        above = np.where((upper > 0) & (above < SMALLEST), SMALLEST, above)
        below = np.ldexp(lower, np.clip(lower_scale - self._scale, -2000, 2000)[:, None])
        below = np.where(below < SMALLEST, 0.0, below)
        return below, above if before is None else np.minimum(above, before)

    def _expand(self, nodes: int) -> None:
        """Replace the worst open nodes by their children; those of one depth are bounded together."""
        chosen = [heapq.heappop(self._open)[2] for _ in range(min(nodes, len(self._open)))]
        by_depth: dict[int, list[_Node]] = {}
        for node in chosen:
            by_depth.setdefault(len(node.states), []).append(node)
        for depth, alike in by_depth.items():
            card = self.cards[self._variable(depth)]
            rows = np.array([(*n.states, s) for n in alike for s in range(card)], dtype=np.uint32)
            before = np.repeat(np.array([node.upper for node in alike]), card, axis=0)
            found = self._plan(depth + 1).core.run(rows)
            self.explored += len(rows)
            self._add_all(rows.tolist(), *self._shares(*found, before))

    def _add_all(self, rows: list[list[int]], lower: FloatArray, upper: FloatArray) -> None:
        for states, below, above in zip(rows, lower, upper, strict=True):
            self._add(tuple(states), below[None], above[None])

    def _add(self, states: tuple[int, ...], lower: FloatArray, upper: FloatArray) -> None:
        """Close a node, or leave it open; what is impossible is dropped."""
        below, above = lower[0], upper[0]
        if not above.any():
            return
        if self._plan(len(states)).is_exact:
            self._closed_lower = np.nextafter(self._closed_lower + below, 0.0)
            self._closed_upper = np.nextafter(self._closed_upper + above, np.inf)
            return
        self._made += 1
        gap = float((above - below).sum())
        heapq.heappush(self._open, (-gap, self._made, _Node(states, below, above)))

    def _totals(self) -> ScaledBounds:
        """The sums over all nodes; each of the n additions may be wrong by a share of 2⁻⁵³."""
        lower, upper = self._closed_lower.copy(), self._closed_upper.copy()
        if self._open:
            lower += np.sum([node.lower for _, _, node in self._open], axis=0)
            upper += np.sum([node.upper for _, _, node in self._open], axis=0)
        wider = (len(self._open) + 2) * 2.0**-52
        return ScaledBounds(lower * (1 - wider), upper * (1 + wider), self._scale)
