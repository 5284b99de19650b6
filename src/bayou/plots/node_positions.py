"""The horizontal positions of a layered graph's nodes: near their neighbours, in order, with gaps between."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bayou.plots.layers import Layers

_ROUNDS = 24
_BEND = 12.0


def horizontal_positions(layers: Layers, widths: Sequence[float], gap: float) -> list[float]:
    """Return the x of the middle of each node and bend; arcs are as short and vertical as possible.

    >>> from bayou.plots.layers import layered
    >>> horizontal_positions(layered(3, [(0, 2), (1, 2)]), [10.0, 10.0, 10.0], gap=4.0)
    [5.0, 19.0, 12.0]
    """
    middle = [0.0] * layers.size
    for row in layers.rows:
        gaps = _gaps(row, widths, gap)
        for node, x in zip(row, gaps, strict=True):
            middle[node] = x - gaps[-1] / 2
    pulls = _pulls(layers, len(widths))
    for turn in range(_ROUNDS):
        rows = layers.rows if turn % 2 == 0 else layers.rows[::-1]
        for row in rows:
            ideal = [_mean(node, pulls, middle) for node in row]
            for node, x in zip(row, _spread(ideal, _gaps(row, widths, gap)), strict=True):
                middle[node] = x
    left = min((x - _width(node, widths) / 2 for node, x in enumerate(middle)), default=0.0)
    return [x - left for x in middle]


def _width(node: int, widths: Sequence[float]) -> float:
    return widths[node] if node < len(widths) else _BEND


def _gaps(row: Sequence[int], widths: Sequence[float], gap: float) -> list[float]:
    """The smallest position of each node of a row, with the first at 0."""
    places = [0.0]
    for one, other in pairwise(row):
        places.append(places[-1] + (_width(one, widths) + _width(other, widths)) / 2 + gap)
    return places


def _pulls(layers: Layers, nodes: int) -> list[list[tuple[int, float]]]:
    """Each node's neighbours and their weights; larger between bends, so that long arcs run straight."""
    pulls: list[list[tuple[int, float]]] = [[] for _ in range(layers.size)]
    for way in layers.ways.values():
        for one, other in pairwise(way):
            strength = 1.0 + 3.0 * (one >= nodes) * (other >= nodes)
            pulls[one].append((other, strength))
            pulls[other].append((one, strength))
    return pulls


def _mean(node: int, pulls: list[list[tuple[int, float]]], middle: list[float]) -> float:
    met = pulls[node]
    if not met:
        return middle[node]
    return sum(middle[other] * strength for other, strength in met) / sum(strength for _, strength in met)


def _spread(ideal: Sequence[float], least: Sequence[float]) -> list[float]:
    """The positions nearest to the ideal ones (least squares) that keep the order and the gaps.

    Isotonic regression by pooling adjacent violators: after subtracting the gaps (``least``), positions must
    not decrease; neighbours that would are moved to their common mean.
    """
    blocks: list[tuple[float, int]] = []
    for place, start in zip(ideal, least, strict=True):
        mean, size = place - start, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    flat = [mean for mean, size in blocks for _ in range(size)]
    return [place + start for place, start in zip(flat, least, strict=True)]
