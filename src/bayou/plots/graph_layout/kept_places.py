"""Places after an edit: nodes stay where they are unless an arc would point up or boxes would overlap.

A node that must go down goes to the next row below its parents; a new one goes below its parents, or above
its children. Both then stand in the free place of that row that is nearest to where they were, or to the
mean of their neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bayou.plots.graph_layout.acyclic_arcs import Arc, acyclic_arcs
from bayou.plots.graph_layout.spacing import Spacing

Point = tuple[float, float]


def kept_places(
    arcs: Sequence[Arc], spacing: Spacing, previous: Mapping[int, Point], fixed: Mapping[int, Point]
) -> list[Point]:
    """The middle of each box: exactly as ``fixed``, and as ``previous`` as far as all arcs point down."""
    return _Places(arcs, spacing, {**previous, **fixed}, fixed).all()


class _Places:
    """The boxes that have their places, and where the others belong."""

    def __init__(
        self, arcs: Sequence[Arc], spacing: Spacing, known: Mapping[int, Point], fixed: Mapping[int, Point]
    ) -> None:
        self.spacing, self.known, self.fixed = spacing, known, fixed
        count = len(spacing.widths)
        downward = acyclic_arcs(count, arcs)
        self.parents: list[list[int]] = [[] for _ in range(count)]
        self.children: list[list[int]] = [[] for _ in range(count)]
        for start, end in downward:
            self.parents[end].append(start)
            self.children[start].append(end)
        self.rows = sorted({round(point[1], 3) for point in known.values()})
        self.placed: dict[int, Point] = dict(fixed)

    def all(self) -> list[Point]:
        """Place those that stay, then the others from top to bottom."""
        heights = self._heights()
        stay = [
            node for node in self.known if node not in self.fixed and self.known[node][1] == heights[node]
        ]
        for node in stay:
            if self._is_free(node, self.known[node]):
                self.placed[node] = self.known[node]
        for node in sorted(range(len(heights)), key=heights.__getitem__):
            if node not in self.placed:
                self.placed[node] = self._nearest_free(node, heights[node])
        return [self.placed[node] for node in range(len(heights))]

    def _heights(self) -> list[float]:
        """The vertical position of each box, from top to bottom."""
        heights: dict[int, float] = {}
        for node in self._from_top_to_bottom():
            if node in self.fixed:
                heights[node] = self.fixed[node][1]
                continue
            least = max((heights[p] + self._apart(p, node, 0.5) for p in self.parents[node]), default=None)
            if node in self.known:
                own = self.known[node][1]
                heights[node] = own if least is None or own >= least - 1e-6 else self._row(least)
            elif least is not None:
                heights[node] = self._row(least + 0.5 * self.spacing.layer_gap)
            else:
                heights[node] = self._above(node)
        return [heights[node] for node in range(len(self.parents))]

    def _from_top_to_bottom(self) -> list[int]:
        waiting = [len(parents) for parents in self.parents]
        ready = [node for node, count in enumerate(waiting) if not count]
        for node in ready:  # the list grows while it is read
            for child in self.children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        return ready

    def _apart(self, upper: int, lower: int, part: float) -> float:
        """The distance of the middles of two boxes with this part of the gap between layers."""
        heights = self.spacing.heights
        return (heights[upper] + heights[lower]) / 2 + part * self.spacing.layer_gap

    def _row(self, least: float) -> float:
        """The first row at or below a height."""
        near = [row for row in self.rows if least - 1e-6 <= row <= least + 2 * self.spacing.layer_gap]
        return near[0] if near else least

    def _above(self, node: int) -> float:
        """The row above the children that have a place; for a node alone the first row."""
        below = [
            self.known[child][1] - self._apart(node, child, 1)
            for child in self.children[node]
            if child in self.known
        ]
        if not below:
            return self.rows[0] if self.rows else 0.0
        least = min(below) - 2 * self.spacing.layer_gap
        near = [row for row in self.rows if least <= row <= min(below) + 1e-6]
        return near[-1] if near else min(below)

    def _nearest_free(self, node: int, y: float) -> Point:
        """The free place at a height that is nearest to the node's old place, or to its neighbours."""
        ideal = self._ideal(node)
        half = self.spacing.widths[node] / 2 + self.spacing.gap
        edges = [ideal]
        for other, (x, _) in self.placed.items():
            reach = half + self.spacing.widths[other] / 2
            edges += [x - reach, x + reach]
        nearest = sorted(set(edges), key=lambda x: (abs(x - ideal), -x))
        return next(x for x in nearest if self._is_free(node, (x, y), self.spacing.gap)), y

    def _ideal(self, node: int) -> float:
        if node in self.known:
            return self.known[node][0]
        near = [self.placed[n][0] for n in (*self.parents[node], *self.children[node]) if n in self.placed]
        beside = near or [point[0] for point in self.placed.values()]
        return float(np.mean(beside)) if beside else self.spacing.widths[node] / 2

    def _is_free(self, node: int, place: Point, gap: float = 0.0) -> bool:
        """Whether a box there overlaps no other."""
        x, y = place
        width, height = self.spacing.widths[node], self.spacing.heights[node]
        return not any(
            abs(x - u) < (width + self.spacing.widths[other]) / 2 + gap - 1e-6
            and abs(y - v) < (height + self.spacing.heights[other]) / 2 - 1e-6
            for other, (u, v) in self.placed.items()
        )
