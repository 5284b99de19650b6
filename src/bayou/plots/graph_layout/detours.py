"""Arcs between boxes whose places are given: straight lines, led around the boxes in their way.

The shortest way from point to point goes by the corners of the boxes that it has to avoid. Only boxes that
the way so far would cut are considered, and more are added until it cuts none.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bayou.typing import BoolArray, FloatArray

Point = tuple[float, float]
_MARGIN = 8.0
_MOST = 14
"""An arc that would have to avoid more boxes than this is drawn straight."""


def walls(middles: FloatArray, sizes: FloatArray) -> FloatArray:
    """Left, top, right and bottom edge of each box, with a margin around it."""
    half = sizes / 2 + _MARGIN
    return np.concatenate([middles - half, middles + half], axis=1)


def detour(start: Point, end: Point, obstacles: FloatArray) -> list[Point]:
    """The points of the shortest way that cuts no obstacle; a straight line if there is none.

    >>> detour((0, 0), (0, 100), np.array([[-10.0, 40.0, 30.0, 60.0]]))
    [(0, 0), (-10.0, 40.0), (-10.0, 60.0), (0, 100)]
    """
    met: list[int] = []
    while len(met) <= _MOST:
        path = _shortest(start, end, obstacles[met])
        if path is None:
            break
        cut = np.zeros(len(obstacles), dtype=bool)
        for one, other in pairwise(path):
            cut |= crossed(one, other, obstacles)
        new = [int(k) for k in np.flatnonzero(cut) if k not in met]
        if not new:
            return path
        met += new
    return [start, end]


def crossed(one: Point, other: Point, boxes: FloatArray) -> BoolArray:
    """Which boxes a straight line goes through; to touch an edge is no crossing."""
    found: BoolArray = _crossings(one, np.array([other]), boxes)[0]
    return found


def _crossings(one: Point, others: FloatArray, boxes: FloatArray) -> BoolArray:
    """The same for lines from one point to many: a row for each line (Liang and Barsky 1984)."""
    enters, leaves = np.zeros((len(others), len(boxes))), np.ones((len(others), len(boxes)))
    for axis in (0, 1):
        low, high = boxes[:, axis], boxes[:, axis + 2]
        steps = others[:, axis] - one[axis]
        flat = np.abs(steps) < 1e-9
        leaves[np.outer(flat, (one[axis] <= low) | (one[axis] >= high))] = -1.0
        slanted = np.where(flat, 1.0, steps)[:, None]
        first, second = (low - one[axis]) / slanted, (high - one[axis]) / slanted
        both = ~flat[:, None]
        np.maximum(enters, np.minimum(first, second), out=enters, where=both)
        np.minimum(leaves, np.maximum(first, second), out=leaves, where=both)
    found: BoolArray = leaves - enters > 1e-9
    return found


def _shortest(start: Point, end: Point, boxes: FloatArray) -> list[Point] | None:
    """Dijkstra's algorithm on the corners that see each other."""
    corners = [(float(b[i]), float(b[j])) for b in boxes for i, j in ((0, 1), (2, 1), (0, 3), (2, 3))]
    points = [start, end, *corners]
    places = np.array(points, dtype=float)
    before: dict[int, int] = {}
    length = {0: 0.0}
    done: set[int] = set()
    waiting = [(0.0, 0)]
    while waiting:
        here = heapq.heappop(waiting)[1]
        if here == 1:
            return _walked(points, before)
        if here in done:
            continue
        done.add(here)
        hidden: BoolArray = np.any(_crossings(points[here], places, boxes), axis=1)
        for near in range(1, len(points)):
            far = length[here] + math.dist(points[here], points[near])
            if near not in done and far < length.get(near, math.inf) and not hidden[near]:
                length[near], before[near] = far, here
                heapq.heappush(waiting, (far, near))
    return None


def _walked(points: Sequence[Point], before: dict[int, int]) -> list[Point]:
    walk = [1]
    while walk[-1]:
        walk.append(before[walk[-1]])
    return [points[k] for k in reversed(walk)]


def edge_points(start: Point, size: Point, end: Point, other: Point) -> tuple[Point, Point]:
    """Where a line leaves one box and meets another: below and above if there is room, else at the sides.

    >>> edge_points((0, 0), (40, 20), (0, 100), (40, 20))
    ((0.0, 10.0), (0.0, 90.0))
    >>> edge_points((0, 0), (40, 20), (100, 0), (40, 20))
    ((20.0, 0.0), (80.0, 0.0))
    """
    down = 1 if end[1] >= start[1] else -1
    if abs(end[1] - start[1]) > (size[1] + other[1]) / 2 + _MARGIN:
        first = start[0] + _aside(end[0] - start[0], size[0]), start[1] + down * size[1] / 2
        return first, (end[0] + _aside(start[0] - end[0], other[0]), end[1] - down * other[1] / 2)
    return _edge_point(start, size, end), _edge_point(end, other, start)


def _aside(far: float, width: float) -> float:
    """How far from the middle of its edge a line leaves a box: towards its other end."""
    return min(max(0.22 * far, -0.36 * width), 0.36 * width)


def _edge_point(middle: Point, size: Point, towards: Point) -> Point:
    """Where a line from the middle of a box towards a point leaves the box."""
    dx, dy = towards[0] - middle[0], towards[1] - middle[1]
    if not dx and not dy:
        return middle
    reach = min(size[0] / 2 / abs(dx) if dx else math.inf, size[1] / 2 / abs(dy) if dy else math.inf)
    return middle[0] + dx * reach, middle[1] + dy * reach
