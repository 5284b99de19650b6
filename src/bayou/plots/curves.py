"""Smooth lines through the points of an arc, as Bézier curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
_STEPS = 24


def curves(points: Sequence[Point]) -> list[Curve]:
    """A smooth line through the points, vertical at each: one Bézier curve from each point to the next.

    >>> curves([(0.0, 0.0), (10.0, 30.0)])
    [((0.0, 0.0), (0.0, 15.0), (10.0, 15.0), (10.0, 30.0))]
    """
    return [
        ((ax, ay), (ax, (ay + by) / 2), (bx, (ay + by) / 2), (bx, by))
        for (ax, ay), (bx, by) in pairwise(points)
    ]


def straight(points: Sequence[Point]) -> list[Curve]:
    """Straight lines from point to point, as curves."""
    return [(one, one, other, other) for one, other in pairwise(points)]


def spots(line: Sequence[Curve]) -> list[Point]:
    """Points along a line, nearest to its middle first."""
    steps = len(line) * _STEPS
    nearest = sorted(range(4, steps - 4), key=lambda step: abs(2 * step - steps))
    return [along(line[step // _STEPS], step % _STEPS / _STEPS) for step in nearest]


def along(curve: Curve, part: float) -> Point:
    """The point of a curve at a part of its way, from 0 to 1."""
    rest = 1 - part
    shares = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
    x, y = (sum(share * point[axis] for share, point in zip(shares, curve, strict=True)) for axis in (0, 1))
    return x, y


def path_text(line: Sequence[Curve]) -> str:
    """The line as the ``d`` of an SVG path.

    >>> path_text(curves([(0.0, 0.0), (0.0, 30.0)]))
    'M0.0 0.0 C0.0 15.0 0.0 15.0 0.0 30.0'
    """
    pieces = "".join(f" C{_xy(b)} {_xy(c)} {_xy(d)}" for _, b, c, d in line)
    return f"M{_xy(line[0][0])}{pieces}"


def _xy(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
