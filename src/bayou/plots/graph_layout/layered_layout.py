"""Where the boxes of a graph stand and how its arcs run: plain numbers in and out, no picture.

Arcs point down from layer to layer. The steps: arcs turned so that there is no cycle, a layer for each node
(short arcs), an order in each layer (few crossings), wide layers folded, positions, routes. Each is a file of
this folder.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadGraph, BadQuestion
from bayou.plots.graph_layout.acyclic_arcs import Arc, acyclic_arcs
from bayou.plots.graph_layout.detours import detour, edge_points, walls
from bayou.plots.graph_layout.folding import fold
from bayou.plots.graph_layout.horizontal_positions import horizontal_positions
from bayou.plots.graph_layout.kept_places import kept_places
from bayou.plots.graph_layout.layer_assignment import assign_layers
from bayou.plots.graph_layout.layer_order import ordered
from bayou.plots.graph_layout.layers import with_bends
from bayou.plots.graph_layout.routes import Drawing
from bayou.plots.graph_layout.spacing import Spacing
from bayou.plots.graph_layout.vertical_positions import row_tops
from bayou.typing import Name

Point = tuple[float, float]


@dataclass(frozen=True)
class LayoutOptions:
    """The least distance of boxes side by side and of layers, the largest width : height, and the seed.

    ``gap`` and ``layer_gap`` are the least distances between boxes beside and below each other, ``widest``
    the largest width for a height of 1.

    >>> arranged = layout({"A": (60, 30), "B": (60, 30)}, [("A", "B")], LayoutOptions(layer_gap=100))
    >>> arranged.positions["B"]
    (30.0, 145.0)
    """

    gap: float = 26.0
    layer_gap: float = 46.0
    widest: float = 3.0
    seed: int = 0


@dataclass(frozen=True)
class Layout:
    """Where everything is: the middle and the size of each box, its layer, and the points of each arc.

    ``positions`` has the centre of each box, ``layers`` the boxes of each row, ``routes`` the points of
    arcs that bend.

    >>> arranged = layout({"Rain": (60, 30), "Wet": (60, 30)}, [("Rain", "Wet")])
    >>> arranged.positions, arranged.layers
    ({'Rain': (30.0, 15.0), 'Wet': (30.0, 91.0)}, {'Rain': 0, 'Wet': 1})
    """

    positions: dict[Name, Point]
    sizes: dict[Name, Point]
    layers: dict[Name, int]
    routes: dict[tuple[Name, Name], tuple[Point, ...]]
    straight: bool = False
    """Whether routes are straight from point to point (between given places); else they are curves."""

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the whole."""
        xs = [x + s * self.sizes[name][0] / 2 for name, (x, _) in self.positions.items() for s in (-1, 1)]
        ys = [y + s * self.sizes[name][1] / 2 for name, (_, y) in self.positions.items() for s in (-1, 1)]
        xs += [x for route in self.routes.values() for x, _ in route]
        ys += [y for route in self.routes.values() for _, y in route]
        left, top = min(xs, default=0.0), min(ys, default=0.0)
        return left, top, max(xs, default=0.0) - left, max(ys, default=0.0) - top

    def to_dict(self) -> dict[str, Any]:
        """The layout as values that JSON knows, if the names are such values.

        >>> layout({"Rain": (60, 30), "Wet": (60, 30)}, [("Rain", "Wet")]).to_dict()["arcs"]
        [{'from': 'Rain', 'to': 'Wet', 'points': [[30.0, 30.0], [30.0, 76.0]]}]
        """
        left, top, width, height = self.frame
        nodes = [
            {
                "name": name,
                "x": x,
                "y": y,
                "width": self.sizes[name][0],
                "height": self.sizes[name][1],
                "layer": self.layers[name],
            }
            for name, (x, y) in self.positions.items()
        ]
        arcs = [
            {"from": start, "to": end, "points": [list(point) for point in points]}
            for (start, end), points in self.routes.items()
        ]
        return {"left": left, "top": top, "width": width, "height": height, "nodes": nodes, "arcs": arcs}


def layout(
    sizes: Mapping[Name, Point],
    arcs: Iterable[tuple[Name, Name]],
    options: LayoutOptions | None = None,
    *,
    previous: Mapping[Name, Point] | None = None,
    fixed: Mapping[Name, Point] | None = None,
) -> Layout:
    """Place boxes of the given (width, height), so that arcs point down, are short and cross little.

    ``previous`` are the positions before an edit: only what must move moves, and new boxes find a free
    place. Boxes with a ``fixed`` position stay there in any case; arcs are then led around the boxes.

    ``options`` are distances and widths.

    Raises ``BadGraph`` for an arc of a box that is not there, or from a box to itself, and ``BadQuestion``
    for sizes or positions that are no two numbers.

    >>> found = layout({"Rain": (60, 30), "Wet": (60, 30)}, [("Rain", "Wet")])
    >>> found.positions, found.layers
    ({'Rain': (30.0, 15.0), 'Wet': (30.0, 91.0)}, {'Rain': 0, 'Wet': 1})
    >>> later = layout({"Rain": (60, 30), "Wet": (60, 30), "Hose": (60, 30)},
    ...                [("Rain", "Wet"), ("Hose", "Wet")], previous=found.positions)
    >>> later.positions
    {'Rain': (30.0, 15.0), 'Wet': (30.0, 91.0), 'Hose': (116.0, 15.0)}
    """
    names, given = list(sizes), list(dict.fromkeys(arcs))
    place = {name: number for number, name in enumerate(names)}
    options = LayoutOptions() if options is None else options
    spacing = _spacing(sizes, options)
    numbered = [_numbered(arc, place) for arc in given]
    if previous or fixed:
        known = [_known(points, place, what) for points, what in ((previous, "previous"), (fixed, "fixed"))]
        return _at(names, given, numbered, spacing, kept_places(numbered, spacing, *known))
    downward = acyclic_arcs(len(names), numbered)
    layers = ordered(with_bends(len(names), downward, assign_layers(len(names), downward)), options.seed)
    layers = fold(layers, spacing, options.widest)
    x = horizontal_positions(layers, spacing)
    drawing = Drawing(layers, spacing, x, row_tops(layers, x, spacing))
    return Layout(
        {name: drawing.middle(k) for name, k in place.items()},
        {name: (spacing.widths[k], spacing.heights[k]) for name, k in place.items()},
        {name: layers.layer_of_row(layers.layer[k]) for name, k in place.items()},
        {arc: tuple(drawing.route(*pair)) for arc, pair in zip(given, numbered, strict=True)},
    )


def _spacing(sizes: Mapping[Name, Point], options: LayoutOptions) -> Spacing:
    for name, size in sizes.items():
        if not _are_numbers(size) or min(size) < 0:
            raise BadQuestion(
                f"The size of {name!r} must be a width and a height, such as (80, 30); got {size!r}."
            )
    widths, heights = ([float(size[k]) for size in sizes.values()] for k in (0, 1))
    return Spacing(widths, heights, options.gap, options.layer_gap)


def _are_numbers(values: Sequence[float]) -> bool:
    """Whether these are two finite numbers."""
    return len(values) == 2 and all(math.isfinite(value) for value in values)


def _numbered(arc: tuple[Name, Name], place: Mapping[Name, int]) -> Arc:
    for name in arc:
        if name not in place:
            raise BadGraph.unknown(name, list(place), "An arc of the layout")
    if arc[0] == arc[1]:
        raise BadGraph(f"The layout has an arc from {arc[0]!r} to itself; leave it out.")
    return place[arc[0]], place[arc[1]]


def _known(points: Mapping[Name, Point] | None, place: Mapping[Name, int], what: str) -> dict[int, Point]:
    """The given positions of nodes that are there; those of others are ignored."""
    found = {}
    for name, point in (points or {}).items():
        if not _are_numbers(point):
            raise BadQuestion(f"{what}={{{name!r}: …}} must be the two numbers x and y; got {point!r}.")
        if name in place:
            found[place[name]] = (float(point[0]), float(point[1]))
    return found


def _at(
    names: list[Name], given: list[tuple[Name, Name]], arcs: list[Arc], spacing: Spacing, middles: list[Point]
) -> Layout:
    """The layout of boxes that have their places; a layer is what has the same height."""
    sizes = list(zip(spacing.widths, spacing.heights, strict=True))
    boxes = walls(np.array(middles).reshape(-1, 2), np.array(sizes).reshape(-1, 2))
    routes = {}
    for arc, (start, end) in zip(given, arcs, strict=True):
        ends = edge_points(middles[start], sizes[start], middles[end], sizes[end])
        routes[arc] = tuple(detour(*ends, np.delete(boxes, [start, end], axis=0)))
    heights = sorted({round(y, 3) for _, y in middles})
    return Layout(
        dict(zip(names, middles, strict=True)),
        dict(zip(names, sizes, strict=True)),
        {name: heights.index(round(y, 3)) for name, (_, y) in zip(names, middles, strict=True)},
        routes,
        straight=True,
    )
