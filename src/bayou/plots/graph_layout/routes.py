"""The routes of arcs through a layered graph: from box to box through the bends, as points.

An arc passes a row straight down, so that it stays clear of the boxes there; it turns between rows only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bayou.plots.graph_layout.horizontal_positions import spread
from bayou.plots.graph_layout.layers import Layers
from bayou.plots.graph_layout.spacing import Spacing

Point = tuple[float, float]
_PART, _APART = 0.72, 9.0
"""The part of a box's edge where arcs may leave it, and how far apart they leave it if there is room."""


@dataclass(frozen=True)
class Drawing:
    """A layered graph with the middle of each item and the upper edge of each row."""

    layers: Layers
    spacing: Spacing
    x: Sequence[float]
    tops: Sequence[float]

    def middle(self, item: int) -> Point:
        """The middle of a box or bend; both stand in the middle of their row."""
        top, bottom = self.row(item)
        return self.x[item], (top + bottom) / 2

    def row(self, item: int) -> Point:
        """The upper and the lower edge of an item's row."""
        return self._edges[self.layers.layer[item]]

    @cached_property
    def _edges(self) -> list[Point]:
        heights = map(self.spacing.row_height, self.layers.rows)
        return [(top, top + height) for top, height in zip(self.tops, heights, strict=True)]

    def route(self, start: int, end: int) -> list[Point]:
        """The points of an arc from the edge of one box to the edge of the other."""
        way = self.layers.ways.get((start, end))
        if way is None:  # laid out as if reversed
            return self.route(end, start)[::-1]
        points = self._edge(way[0], way[1], below=True)
        for bend in way[1:-1]:
            points += [(self.x[bend], y) for y in self.row(bend)]
        return points + self._edge(way[-1], way[-2], below=False)[::-1]

    def _edge(self, box: int, towards: int, below: bool) -> list[Point]:
        """Where an arc leaves a box, and the edge of the row if other boxes of the row are higher."""
        x = self._ports[box, towards]
        top, bottom = self.row(box)
        half = self.spacing.height(box) / 2
        own, edge = ((top + bottom) / 2 + half, bottom) if below else ((top + bottom) / 2 - half, top)
        return [(x, own)] if abs(edge - own) < 1 else [(x, own), (x, edge)]

    @cached_property
    def _ports(self) -> dict[tuple[int, int], float]:
        """Where the arcs of a box to each next stop leave it: shifted towards the stop, and apart."""
        stops: dict[tuple[int, bool], set[int]] = {}
        for way in self.layers.ways.values():
            stops.setdefault((way[0], True), set()).add(way[1])
            stops.setdefault((way[-1], False), set()).add(way[-2])
        ports = {}
        for (box, _), near in stops.items():
            order = sorted(near, key=lambda stop: (self.x[stop], stop))
            room = _PART * self.spacing.width(box)
            apart = min(_APART, room / max(len(order) - 1, 1))
            shift = [0.22 * (self.x[stop] - self.x[box]) + room / 2 for stop in order]
            least = [apart * k for k in range(len(order))]
            for stop, place in zip(order, spread(shift, least, room - least[-1]), strict=True):
                ports[box, stop] = self.x[box] - room / 2 + place
        return ports
