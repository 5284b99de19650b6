"""The vertical positions of the rows: further apart where arcs run far across."""

from __future__ import annotations

from collections.abc import Sequence

from bayou.plots.graph_layout.layers import Layers
from bayou.plots.graph_layout.spacing import Spacing

_FURTHEST = 4.0
"""The distance of two layers is at most so many times the least one."""


def row_tops(layers: Layers, x: Sequence[float], spacing: Spacing) -> list[float]:
    """The upper edge of each row; the first is 0.

    >>> from bayou.plots.graph_layout.layers import with_bends
    >>> pair = with_bends(2, [(0, 1)], [0, 1])
    >>> row_tops(pair, [20.0, 20.0], Spacing([40.0] * 2, [30.0] * 2, gap=20.0, layer_gap=46.0))
    [0.0, 76.0]
    """
    far = [0.0] * len(layers.rows)
    arcs = [0] * len(layers.rows)
    for upper, lower in layers.steps():
        depth = layers.layer[upper]
        far[depth] = max(far[depth], abs(x[upper] - x[lower]))
        arcs[depth] += 1
    tops, y = [], 0.0
    for depth, row in enumerate(layers.rows):
        tops.append(y)
        inner = depth + 1 < len(layers.rows) and layers.layer_of_row(depth) == layers.layer_of_row(depth + 1)
        least = spacing.inner_gap if inner else spacing.layer_gap
        wanted = 0.16 * far[depth] + 24 + 0.4 * arcs[depth]
        y += spacing.row_height(row) + min(max(least, wanted), _FURTHEST * spacing.layer_gap)
    return tops
