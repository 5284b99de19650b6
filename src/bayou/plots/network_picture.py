"""A network as a picture: boxes and curved arrows, written as SVG without any other package."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bayou.errors import counted
from bayou.plots.curves import Curve, Point, curves, path_text, spots, straight
from bayou.plots.graph_layout.layered_layout import Layout, LayoutOptions, layout
from bayou.plots.node_boxes import NameBox, NodeBox
from bayou.plots.palette import BOX, INK, PAPER, PRIOR
from bayou.plots.svg_pieces import Frame, Line, escaped, heads, rectangle, text_at
from bayou.plots.text_widths import fitted, text_width
from bayou.typing import Name

_MARGIN, _STRIP = 16.0, 34.0
_FONT = "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""


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
    *,
    boxes: Mapping[Name, NodeBox] | None = None,
    caption: str = "",
    positions: Mapping[Name, Point] | None = None,
) -> Picture:
    """Draw nodes and lines in layers; ``marks`` are the colours of boxes, ``legend`` explains lines.

    ``boxes`` are drawn instead of plain ones, ``caption`` stands below, ``positions`` are kept.

    >>> picture = network_picture(["Rain", "Wet <grass>"], [Line("Rain", "Wet <grass>")])
    >>> picture.svg.startswith("<svg") and "Wet &lt;grass&gt;" in picture.svg
    True
    """
    plain = {name: NameBox(str(name), (marks or {}).get(name, BOX)) for name in nodes}
    drawing = _Drawing({**plain, **(boxes or {})}, lines, positions)
    parts = [drawing.line(line) for line in lines]
    parts += drawing.labels([line for line in lines if line.label])
    parts += [drawing.box(name) for name in nodes]
    left, top, width, height = drawing.frame
    strips = [_Strip(legend, ""), _Strip({}, caption)]
    for strip in strips:
        if not strip.is_empty:
            wide = strip.width(max(width, 640.0))
            left, width = left - max(wide - width, 0) / 2, max(width, wide)
            parts.append(strip.svg(left + (width - wide) / 2, top + height, wide))
            height += _STRIP + 10
    found = heads([*lines, *(legend or {}).values()])
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" {_FONT} font-size="13">\n'
        f"<defs>{found}</defs>\n" + "\n".join(parts) + "\n</svg>\n"
    )
    return Picture(svg, f"{counted(len(nodes), 'node')} and {counted(len(lines), 'arc')}")


class _Drawing:
    """The positions of all boxes and lines, and their SVG."""

    def __init__(
        self, boxes: Mapping[Name, NodeBox], lines: Sequence[Line], positions: Mapping[Name, Point] | None
    ) -> None:
        self.boxes = boxes
        sizes = {name: box.size for name, box in boxes.items()}
        arcs = [(line.start, line.end) for line in lines]
        options = LayoutOptions(layer_gap=58.0 if any(line.label for line in lines) else 46.0)
        self.layout: Layout = layout(sizes, arcs, options, fixed=positions)

    @property
    def frame(self) -> Frame:
        left, top, width, height = self.layout.frame
        return left - _MARGIN, top - _MARGIN, max(width, 28.0) + 2 * _MARGIN, height + 2 * _MARGIN

    def _curves(self, line: Line) -> list[Curve]:
        """The pieces of a line; it ends inside its head, so that a wide line does not hide the tip."""
        points = list(self.layout.routes[line.start, line.end])
        if line.directed:
            room = 0.7 * line.head + 1
            while len(points) > 2 and math.dist(points[-2], points[-1]) <= room:
                del points[-2]
            (ax, ay), (bx, by) = points[-2:]
            dx, dy = (ax - bx, ay - by) if self.layout.straight else (0.0, ay - by)
            away = max(math.hypot(dx, dy), 1e-9)
            share = min(room, 0.8 * away) / away
            points[-1] = bx + dx * share, by + dy * share
        return straight(points) if self.layout.straight else curves(points)

    def line(self, line: Line) -> str:
        path = path_text(self._curves(line))
        return f'<path d="{path}" {line.stroke}><title>{escaped(line.tooltip)}</title></path>'

    def labels(self, lines: Sequence[Line]) -> list[str]:
        """The labels, each at the point of its line, near the middle, that overlaps least with others."""
        taken = [self._frame(name) for name in self.boxes]
        parts = []
        for line in lines:
            width = text_width(line.label, 11) + 8
            free = [(x - width / 2, y - 7, width, 14.0) for x, y in spots(self._curves(line))]
            hidden = [sum(_overlap(spot, other) for other in taken) for spot in free]
            taken.append(free[hidden.index(min(hidden))])
            parts.append(_label(line.label, taken[-1]))
        return parts

    def _frame(self, name: Name) -> Frame:
        (x, y), (width, height) = self.layout.positions[name], self.layout.sizes[name]
        return x - width / 2, y - height / 2, width, height

    def box(self, name: Name) -> str:
        left, top, _, _ = self._frame(name)
        return self.boxes[name].svg(left, top)


def _overlap(one: Frame, other: Frame) -> float:
    """The area of the intersection of two frames."""
    (x, y, width, height), (u, v, broad, high) = one, other
    common = min(x + width, u + broad) - max(x, u), min(y + height, v + high) - max(y, v)
    return common[0] * common[1] if min(common) > 0 else 0.0


def _label(text: str, frame: Frame) -> str:
    x, y, width, _ = frame
    ground = rectangle(frame, PAPER, 5, ' fill-opacity="0.92"')
    return ground + text_at(x + width / 2, y + 10.8, text, 11, INK, "middle")


@dataclass(frozen=True)
class _Strip:
    """A strip with a light background below the picture: a legend of lines, or a caption."""

    entries: Mapping[str, Line] | None
    caption: str

    @property
    def is_empty(self) -> bool:
        return not self.entries and not self.caption

    def width(self, most: float) -> float:
        """The width with its margins; a long caption is cut off at ``most``."""
        if self.caption:
            return min(text_width(self.caption, 12) + 28 + 2 * _MARGIN, most)
        return 2 * _MARGIN + 8 + sum(60 + text_width(text, 13) for text in self.entries or {})

    def svg(self, x: float, y: float, width: float) -> str:
        border = f' stroke="{PRIOR}" stroke-width="0.8"'
        parts = [rectangle((x + _MARGIN, y, width - 2 * _MARGIN, _STRIP), PAPER, 9, border)]
        x += _MARGIN + 14
        if self.caption:
            shown = fitted(self.caption, width - 28 - 2 * _MARGIN + 1, 12)
            parts.append(f"<g><title>{escaped(self.caption)}</title>{text_at(x, y + 21.5, shown, 12)}</g>")
        for text, line in (self.entries or {}).items():
            parts.append(f'<path d="M{x:.1f} {y + 17:.1f}h26" {line.stroke}/>')
            parts.append(text_at(x + 40, y + 21.5, text))
            x += 60 + text_width(text, 13)
        return "".join(parts)
