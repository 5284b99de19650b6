"""The horizontal positions of a layered graph: items near their neighbours, in order, with gaps between."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bayou.plots.graph_layout.layers import Layers
from bayou.plots.graph_layout.spacing import Spacing

_ROUNDS = 24
_STRAIGHT = 8.0
"""How much more strongly two bends pull each other than two boxes do, so that long arcs run straight."""


def horizontal_positions(layers: Layers, spacing: Spacing) -> list[float]:
    """The middle of each node and bend; the leftmost edge is 0, and no row is wider than the widest must be.

    >>> from bayou.plots.graph_layout.layers import with_bends
    >>> fork = with_bends(3, [(0, 1), (0, 2)], [0, 1, 1])
    >>> horizontal_positions(fork, Spacing([40.0, 40.0, 40.0], [30.0] * 3, gap=20.0, layer_gap=46.0))
    [50.0, 20.0, 80.0]
    """
    least = [_least(row, spacing) for row in layers.rows]
    widths = [spacing.row_width(row) for row in layers.rows]
    room = max(widths, default=0.0)
    middle = [0.0] * layers.size
    for row, places, width in zip(layers.rows, least, widths, strict=True):
        for node, x in zip(row, places, strict=True):
            middle[node] = x + (room - width) / 2
    pulls = _pulls(layers)
    for turn in range(_ROUNDS):
        order = range(len(layers.rows)) if turn % 2 == 0 else range(len(layers.rows) - 1, -1, -1)
        for depth in order:
            row, places = layers.rows[depth], least[depth]
            ideal = [_mean(node, pulls, middle) for node in row]
            for node, x in zip(row, spread(ideal, places, room - widths[depth]), strict=True):
                middle[node] = x
    edges = (x - spacing.width(item) / 2 * spacing.is_box(item) for item, x in enumerate(middle))
    left = min(edges, default=0.0)
    return [x - left for x in middle]


def _least(row: Sequence[int], spacing: Spacing) -> list[float]:
    """The smallest position of each item of a row, whose left edge is 0."""
    if not row:
        return []
    places = [spacing.width(row[0]) / 2]
    for left, right in pairwise(row):
        places.append(places[-1] + spacing.between(left, right))
    return places


def _pulls(layers: Layers) -> list[list[tuple[int, float]]]:
    """Each item's neighbours and how strongly they pull."""
    pulls: list[list[tuple[int, float]]] = [[] for _ in range(layers.size)]
    for one, other in layers.steps():
        strength = _STRAIGHT if min(one, other) >= layers.nodes else 1.0
        pulls[one].append((other, strength))
        pulls[other].append((one, strength))
    return pulls


def _mean(node: int, pulls: list[list[tuple[int, float]]], middle: list[float]) -> float:
    met = pulls[node]
    if not met:
        return middle[node]
    return sum(middle[other] * strength for other, strength in met) / sum(strength for _, strength in met)


def spread(ideal: Sequence[float], least: Sequence[float], slack: float) -> list[float]:
    """The positions nearest to the ideal ones (least squares) that keep the order, the gaps and the room.

    Isotonic regression by pooling adjacent violators: after subtracting the smallest positions (``least``),
    positions must not decrease; neighbours that would are moved to their common mean. What is left of the
    room is ``slack``; the bounded solution is the free one, cut off at its ends.
    """
    blocks: list[tuple[float, int]] = []
    for place, start in zip(ideal, least, strict=True):
        mean, size = place - start, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    flat = [min(max(mean, 0.0), slack) for mean, size in blocks for _ in range(size)]
    return [place + start for place, start in zip(flat, least, strict=True)]
