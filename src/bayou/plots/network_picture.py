"""A network as a picture: rounded boxes and curved arrows, written as SVG without any other package.

Every colour contrasts with white and with black, and text is always on a light background, so the picture can
be shown on light and dark pages.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bayou.errors import counted
from bayou.plots.layers import layered
from bayou.plots.node_positions import horizontal_positions
from bayou.text.tables import clipped, display_width, visible
from bayou.typing import Name

PLAIN, MISSING, EXTRA, TURNED = "#78879b", "#d9694a", "#3d9a6b", "#9b72c4"
_BOX, _INK, _EDGE, _PAPER = "#e4edf7", "#1f2d3d", "#6f94bd", "#f6f8fa"
_LETTER, _HEIGHT, _MARGIN, _GAP, _LONGEST = 7.9, 30.0, 16.0, 26.0, 30
_FONT = "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""
_Point = tuple[float, float]
_Curve = tuple[_Point, _Point, _Point, _Point]
_Frame = tuple[float, float, float, float]
"""Left, top, width and height."""
_STEPS = 24


@dataclass(frozen=True)
class Line:
    """An arrow from start to end, or an undirected edge, with its style and label."""

    start: Name
    end: Name
    directed: bool = True
    colour: str = PLAIN
    dashed: bool = False
    width: float = 1.6
    opacity: float = 1.0
    label: str = ""

    @property
    def head(self) -> float:
        """The length of the arrow's head."""
        return round(6.4 + 1.8 * self.width, 1)

    @property
    def head_name(self) -> str:
        """The SVG id of the head; heads of one colour and size are defined once."""
        return f"head-{self.colour.lstrip('#')}-{self.head:g}".replace(".", "_")


@dataclass(frozen=True)
class Picture:
    """A drawing that notebooks display; ``svg`` is its source text."""

    svg: str
    about: str = ""

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture of {self.about}>"


def network_picture(
    nodes: Sequence[Name],
    lines: Sequence[Line],
    marks: Mapping[Name, str] | None = None,
    legend: Mapping[str, Line] | None = None,
) -> Picture:
    """Draw nodes and lines in layers; ``marks`` are the colours of boxes, ``legend`` explains lines.

    >>> picture = network_picture(["Rain", "Wet <grass>"], [Line("Rain", "Wet <grass>")])
    >>> picture.svg.startswith("<svg") and "Wet &lt;grass&gt;" in picture.svg
    True
    """
    drawing = _Drawing(nodes, lines)
    parts = [drawing.line(line) for line in lines]
    parts += drawing.labels([line for line in lines if line.label])
    parts += [drawing.box(node, (marks or {}).get(name, _BOX)) for node, name in enumerate(nodes)]
    width, height = drawing.size
    if legend:
        strip = _legend_width(legend)
        if strip > width:  # centre the graph above the legend
            parts = [f'<g transform="translate({(strip - width) / 2:.1f} 0)">', *parts, "</g>"]
        parts.append(_legend(legend, height))
        width, height = max(width, strip), height + 44
    heads = "".join(_head(line) for line in _with_distinct_heads([*lines, *(legend or {}).values()]))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" {_FONT} font-size="13">\n<defs>{heads}</defs>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
    return Picture(svg, f"{counted(len(nodes), 'node')} and {counted(len(lines), 'arc')}")


class _Drawing:
    """The positions of all boxes and lines, and their SVG."""

    def __init__(self, nodes: Sequence[Name], lines: Sequence[Line]) -> None:
        self.texts = [visible(str(name)) for name in nodes]
        self.shown = [clipped(text, _LONGEST) for text in self.texts]
        self.widths = [max(_LETTER * display_width(text) + 22, 48.0) for text in self.shown]
        self.place = {name: position for position, name in enumerate(nodes)}
        arcs = [(self.place[line.start], self.place[line.end]) for line in lines]
        self.layers = layered(len(nodes), arcs)
        self.x = [x + _MARGIN for x in horizontal_positions(self.layers, self.widths, _GAP)]
        self.tops = self._tops(58.0 if any(line.label for line in lines) else 46.0)

    def _tops(self, least: float) -> list[float]:
        """The upper edge of each layer: further apart where arcs run far across, at least ``least``."""
        far = [0.0] * len(self.layers.rows)
        for way in self.layers.ways.values():
            for upper, lower in pairwise(way):
                layer = self.layers.layer[upper]
                far[layer] = max(far[layer], abs(self.x[upper] - self.x[lower]))
        tops, y = [], _MARGIN
        for row, reach in zip(self.layers.rows, far, strict=True):
            tops.append(y)
            y += _HEIGHT + min(max(least, 0.16 * reach + 24 + 0.5 * len(row)), 190.0)
        return tops

    @property
    def size(self) -> _Point:
        right = max((self.x[k] + width / 2 for k, width in enumerate(self.widths)), default=60.0)
        right = max([right, *self.x])
        return right + _MARGIN, (self.tops[-1] if self.tops else 0) + _HEIGHT + _MARGIN

    def middle(self, node: int) -> _Point:
        return self.x[node], self.tops[self.layers.layer[node]] + _HEIGHT / 2

    def path(self, line: Line) -> list[_Point]:
        """The points of a line from box to box through its bends."""
        start, end = self.place[line.start], self.place[line.end]
        way = self.layers.ways.get((start, end)) or self.layers.ways[end, start][::-1]
        down = self.layers.layer[way[0]] < self.layers.layer[way[-1]]
        first, last = self._port(way[0], way[1], down), self._port(way[-1], way[-2], not down)
        if line.directed:  # the line ends inside the head, so that a wide line does not hide the tip
            room = 0.7 * line.head + 1
            last = last[0], last[1] + (-room if down else room)
        return [first, *(self.middle(bend) for bend in way[1:-1]), last]

    def _port(self, node: int, towards: int, below: bool) -> _Point:
        """The point where a line leaves a box: shifted towards its target, so that lines stay apart."""
        x, y = self.middle(node)
        reach = 0.36 * self.widths[node]
        aside = min(max(0.22 * (self.x[towards] - x), -reach), reach)
        return x + aside, y + (_HEIGHT / 2 if below else -_HEIGHT / 2)

    def line(self, line: Line) -> str:
        curves = _curves(self.path(line))
        way = f"M{_xy(curves[0][0])}" + "".join(f" C{_xy(b)} {_xy(c)} {_xy(d)}" for _, b, c, d in curves)
        return f'<path d="{way}" {_stroke(line)}><title>{_escaped(_tooltip(line))}</title></path>'

    def labels(self, lines: Sequence[Line]) -> list[str]:
        """The labels, each at the point of its line, near the middle, that overlaps least with others."""
        taken = [self._frame(node) for node in range(len(self.texts))]
        parts = []
        for line in lines:
            width = 6.2 * display_width(line.label) + 8
            spots = [(x - width / 2, y - 7, width, 14.0) for x, y in _spots(_curves(self.path(line)))]
            hidden = [sum(_overlap(spot, other) for other in taken) for spot in spots]
            taken.append(spots[hidden.index(min(hidden))])
            parts.append(_label(line.label, taken[-1]))
        return parts

    def _frame(self, node: int) -> _Frame:
        x, y = self.middle(node)
        return x - self.widths[node] / 2, y - _HEIGHT / 2, self.widths[node], _HEIGHT

    def box(self, node: int, colour: str) -> str:
        x, y = self.middle(node)
        width = self.widths[node]
        return (
            f'<g><title>{_escaped(self.texts[node])}</title><rect x="{x - width / 2:.1f}" '
            f'y="{y - _HEIGHT / 2:.1f}" width="{width:.1f}" height="{_HEIGHT:.0f}" rx="9" '
            f'fill="{_escaped(colour)}" stroke="{_EDGE}" stroke-width="1.2"/>'
            f'<text x="{x:.1f}" y="{y + 4.6:.1f}" text-anchor="middle" fill="{_INK}">'
            f"{_escaped(self.shown[node])}</text></g>"
        )


def _slope(points: Sequence[_Point], k: int) -> _Point:
    """The Bézier handle at a point: vertical at the boxes, along the path at the bends."""
    if k == 0 or k == len(points) - 1:
        near = points[1] if k == 0 else points[-2]
        return 0.0, abs(near[1] - points[k][1]) / 2 * (1 if points[0][1] < points[-1][1] else -1)
    (ax, ay), (bx, by) = points[k - 1], points[k + 1]
    rise = (by - ay) / 6
    steep = 1.2 * abs(rise)  # a larger slope would cut the corners of boxes beside the path
    return min(max((bx - ax) / 6, -steep), steep), rise


def _curves(points: Sequence[_Point]) -> list[_Curve]:
    """A smooth line through the points: one Bézier curve from each point to the next."""
    curves = []
    for k, ((ax, ay), (bx, by)) in enumerate(pairwise(points)):
        (sx, sy), (ex, ey) = _slope(points, k), _slope(points, k + 1)
        curves.append(((ax, ay), (ax + sx, ay + sy), (bx - ex, by - ey), (bx, by)))
    return curves


def _spots(curves: Sequence[_Curve]) -> list[_Point]:
    """Points along a line, nearest to its middle first."""
    steps = len(curves) * _STEPS
    nearest = sorted(range(4, steps - 4), key=lambda step: abs(2 * step - steps))
    return [_along(curves[step // _STEPS], step % _STEPS / _STEPS) for step in nearest]


def _along(curve: _Curve, part: float) -> _Point:
    rest = 1 - part
    shares = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
    x, y = (sum(share * point[axis] for share, point in zip(shares, curve, strict=True)) for axis in (0, 1))
    return x, y


def _overlap(one: _Frame, other: _Frame) -> float:
    """The area of the intersection of two frames."""
    (x, y, width, height), (u, v, broad, high) = one, other
    common = min(x + width, u + broad) - max(x, u), min(y + height, v + high) - max(y, v)
    return common[0] * common[1] if min(common) > 0 else 0.0


def _label(text: str, frame: _Frame) -> str:
    x, y, width, height = frame
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.0f}" rx="5" '
        f'fill="{_PAPER}" fill-opacity="0.92"/><text x="{x + width / 2:.1f}" y="{y + 10.8:.1f}" '
        f'text-anchor="middle" font-size="11" fill="{_INK}">{_escaped(text)}</text>'
    )


def _stroke(line: Line) -> str:
    dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
    head = f' marker-end="url(#{line.head_name})"' if line.directed else ""
    return (
        f'fill="none" stroke="{line.colour}" stroke-width="{line.width:.2f}" '
        f'stroke-opacity="{line.opacity:.2f}"{dashes}{head}'
    )


def _head(line: Line) -> str:
    return (
        f'<marker id="{line.head_name}" viewBox="0 0 10 10" refX="3" refY="5" markerWidth="{line.head:g}" '
        f'markerHeight="{line.head:g}" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 0.8L10 5L0 9.2L2.2 5z" fill="{line.colour}"/></marker>'
    )


def _legend(entries: Mapping[str, Line], y: float) -> str:
    """The legend: a strip with a light background below the picture."""
    parts = [
        f'<rect x="{_MARGIN:.0f}" y="{y:.0f}" width="{_legend_width(entries) - 2 * _MARGIN:.0f}" height="34" '
        f'rx="9" fill="{_PAPER}" stroke="#c9d3de"/>'
    ]
    x = _MARGIN + 14
    for text, line in entries.items():
        parts.append(f'<path d="M{x:.1f} {y + 17:.1f}h26" {_stroke(line)}/>')
        parts.append(f'<text x="{x + 40:.1f}" y="{y + 21.5:.1f}" fill="{_INK}">{_escaped(text)}</text>')
        x += 60 + 0.88 * _LETTER * display_width(text)
    return "".join(parts)


def _legend_width(entries: Mapping[str, Line]) -> float:
    return 2 * _MARGIN + 8 + sum(60 + 0.88 * _LETTER * display_width(text) for text in entries)


def _with_distinct_heads(lines: Sequence[Line]) -> list[Line]:
    return list({line.head_name: line for line in lines if line.directed}.values())


def _tooltip(line: Line) -> str:
    sign = "→" if line.directed else "—"
    return f"{line.start} {sign} {line.end}" + (f": {line.label}" if line.label else "")


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _xy(point: _Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
