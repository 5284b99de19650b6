"""The routes of arcs through a layered graph: from box to box through the bends, as points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bayou.plots.graph_layout.layers import Layers
from bayou.plots.graph_layout.spacing import Spacing

Point = tuple[float, float]
_LOW = 40.0
"""An arc passes a row that is not higher than this in a curve, a higher one straight down."""


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
            top, bottom = self.row(bend)
            ends = [(top + bottom) / 2] if bottom - top <= _LOW else [top, bottom]
            points += [(self.x[bend], y) for y in ends]
        return points + self._edge(way[-1], way[-2], below=False)[::-1]

    def _edge(self, box: int, towards: int, below: bool) -> list[Point]:
        """Where an arc leaves a box, and the edge of the row if other boxes of the row are higher.

        It is shifted towards its next stop, so that the arcs of a box stay apart.
        """
        reach = 0.36 * self.spacing.width(box)
        x = self.x[box] + min(max(0.22 * (self.x[towards] - self.x[box]), -reach), reach)
        top, bottom = self.row(box)
        half = self.spacing.height(box) / 2
        own, edge = ((top + bottom) / 2 + half, bottom) if below else ((top + bottom) / 2 - half, top)
        return [(x, own)] if abs(edge - own) < 1 else [(x, own), (x, edge)]
