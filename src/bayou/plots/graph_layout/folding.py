"""Wide layers folded into several rows, so that a picture is not much wider than high.

The boxes of a layer are dealt out to its rows in turn. Where a box stands in a lower row, its arcs from above
come down between the boxes of the rows before, and its arcs to below go on between those of the rows after:
in a lane, a bend that these arcs share. Boxes, bends and lanes keep the order of the layer in every row, so
folding makes no new crossings, and all arcs still point down.
"""

from __future__ import annotations

from collections.abc import Sequence

from bayou.plots.graph_layout.acyclic_arcs import Arc
from bayou.plots.graph_layout.layers import Layers
from bayou.plots.graph_layout.spacing import LANE, Spacing

_MOST = 16
"""A layer is folded into at most so many rows."""


def fold(layers: Layers, spacing: Spacing, widest: float) -> Layers:
    """Fold the widest layers until the picture is at most ``widest`` times as wide as high, if it can be.

    >>> from bayou.plots.graph_layout.layers import with_bends
    >>> wide = with_bends(5, [(0, k) for k in range(1, 5)], [0, 1, 1, 1, 1])
    >>> fold(wide, Spacing([60.0] * 5, [30.0] * 5, gap=26.0, layer_gap=46.0), widest=2.0).rows
    [[0], [1, 5, 3, 6], [2, 4]]
    """
    inward, outward = _joined(layers)
    folds = [_Fold(row, 1, inward, outward, spacing) for row in layers.rows]
    while folds:
        place = max(range(len(folds)), key=lambda k: folds[k].width)
        wide = folds[place]
        high = sum(one.height for one in folds) - spacing.layer_gap
        if wide.width <= widest * high or wide.count >= min(_MOST, len(wide.row)):
            break
        narrower = _Fold(wide.row, wide.count + 1, inward, outward, spacing)
        if narrower.width >= wide.width:
            break
        folds[place] = narrower
    return layers if all(one.count == 1 for one in folds) else _folded(layers, folds)


class _Fold:
    """One layer dealt out to several rows."""

    def __init__(
        self, row: Sequence[int], count: int, inward: set[int], outward: set[int], spacing: Spacing
    ) -> None:
        self.row, self.count = row, count
        boxes = [item for item in row if spacing.is_box(item)]
        self.home = {box: k % count for k, box in enumerate(boxes)}
        self.rows = [[item for item in row if self._is_in(item, k, inward, outward)] for k in range(count)]
        shown = [
            [item if self.home.get(item) == k else LANE for item in row] for k, row in enumerate(self.rows)
        ]
        self.width = max(map(spacing.row_width, shown))
        gaps = (count - 1) * spacing.inner_gap + spacing.layer_gap
        self.height = sum(map(spacing.row_height, shown)) + gaps

    def _is_in(self, item: int, k: int, inward: set[int], outward: set[int]) -> bool:
        """Whether an item is in row k: as a box, as a bend, or by a lane to or from its box."""
        home = self.home.get(item, k)
        return k == home or (item in inward if k < home else item in outward)


def _joined(layers: Layers) -> tuple[set[int], set[int]]:
    """The nodes with arcs from above, and those with arcs to below."""
    return {way[-1] for way in layers.ways.values()}, {way[0] for way in layers.ways.values()}


def _folded(layers: Layers, folds: Sequence[_Fold]) -> Layers:
    """The layers with one row for each row of the folds; bends and lanes are numbered anew."""
    rows: list[list[int]] = []
    row_layers: list[int] = []
    depths = [0] * layers.nodes
    stops: dict[int, list[int]] = {}  # what stands for an item, row by row
    for number, one in enumerate(folds):
        for k, row in enumerate(one.rows):
            found = []
            for item in row:
                if one.home.get(item) == k:
                    depths[item] = len(rows)
                    found.append(item)
                else:
                    found.append(len(depths))
                    depths.append(len(rows))
                stops.setdefault(item, []).append(found[-1])
            rows.append(found)
            row_layers.append(number)
    ways = {arc: _way(arc, way, stops) for arc, way in layers.ways.items()}
    return Layers(rows, ways, depths, layers.nodes, tuple(row_layers))


def _way(arc: Arc, way: Sequence[int], stops: dict[int, list[int]]) -> list[int]:
    """The way of an arc: from its start down, through all rows of its bends, down to its end."""
    start, end = stops[arc[0]], stops[arc[1]]
    bends = [stop for bend in way[1:-1] for stop in stops[bend]]
    return [*start[start.index(arc[0]) :], *bends, *end[: end.index(arc[1]) + 1]]
