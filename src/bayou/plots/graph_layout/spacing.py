"""How much room boxes and bends take, and how far apart they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_BEND = 4.0
LANE = -1
"""Stands for a bend where it does not matter which one."""


@dataclass(frozen=True)
class Spacing:
    """The sizes of the boxes, and the least distances; items beyond the boxes are bends.

    >>> spacing = Spacing([40.0, 60.0], [30.0, 30.0], gap=20.0, layer_gap=46.0)
    >>> spacing.row_width([0, 1]), spacing.row_width([0, LANE, 1])
    (120.0, 124.0)
    """

    widths: Sequence[float]
    heights: Sequence[float]
    gap: float
    layer_gap: float

    def is_box(self, item: int) -> bool:
        """Whether an item is a box, not a bend."""
        return 0 <= item < len(self.widths)

    def width(self, item: int) -> float:
        """The width of a box or a bend."""
        return self.widths[item] if self.is_box(item) else _BEND

    def height(self, item: int) -> float:
        """The height of a box; a bend has none."""
        return self.heights[item] if self.is_box(item) else 0.0

    def between(self, left: int, right: int) -> float:
        """The least distance of the middles of two items side by side; arcs may be closer than boxes."""
        boxes = self.is_box(left) + self.is_box(right)
        gap = (0.3, 0.5, 1.0)[boxes] * self.gap
        return (self.width(left) + self.width(right)) / 2 + gap

    def row_width(self, row: Sequence[int]) -> float:
        """The least width of a row."""
        if not row:
            return 0.0
        middles = sum(self.between(left, right) for left, right in pairwise(row))
        return middles + (self.width(row[0]) + self.width(row[-1])) / 2

    def row_height(self, row: Sequence[int]) -> float:
        """The height of a row: that of its highest box."""
        return max((self.height(item) for item in row), default=0.0)

    @property
    def inner_gap(self) -> float:
        """The least distance between two rows of one folded layer."""
        return 0.65 * self.layer_gap
