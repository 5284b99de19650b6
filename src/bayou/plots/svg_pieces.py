"""Small pieces of SVG: texts, rectangles, and the lines of arcs with their heads. All texts are escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

from bayou.plots.palette import INK, PLAIN
from bayou.text.tables import visible
from bayou.typing import Name

Frame = tuple[float, float, float, float]
"""Left, top, width and height."""


def escaped(text: str) -> str:
    """A text for SVG and HTML: what looks like markup is text, unprintable signs are written as escapes.

    >>> escaped('<b> & "two\\nlines"')
    '&lt;b&gt; &amp; &quot;two\\\\nlines&quot;'
    """
    return html.escape(visible(text))


def rectangle(frame: Frame, fill: str, corner: float = 0.0, more: str = "") -> str:
    """A rectangle with round corners; ``more`` are further attributes."""
    x, y, width, height = frame
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner:g}" '
        f'fill="{escaped(fill)}"{more}/>'
    )


def text_at(
    x: float,
    y: float,
    text: str,
    size: float = 13,
    colour: str = INK,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    """A line of text whose base line is at y."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" fill="{colour}"{weight}>'
        f"{escaped(text)}</text>"
    )


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

    @property
    def tooltip(self) -> str:
        """What is shown when the pointer rests on the line."""
        sign = "→" if self.directed else "—"
        return f"{self.start} {sign} {self.end}" + (f": {self.label}" if self.label else "")

    @property
    def stroke(self) -> str:
        """The SVG attributes of the line."""
        dashes = ' stroke-dasharray="6 4"' if self.dashed else ""
        head = f' marker-end="url(#{self.head_name})"' if self.directed else ""
        return (
            f'fill="none" stroke="{self.colour}" stroke-width="{self.width:.2f}" '
            f'stroke-opacity="{self.opacity:.2f}"{dashes}{head}'
        )


def heads(lines: Iterable[Line]) -> str:
    """The definitions of the heads of these lines."""
    distinct = {line.head_name: line for line in lines if line.directed}
    return "".join(map(_head, distinct.values()))


def _head(line: Line) -> str:
    return (
        f'<marker id="{line.head_name}" viewBox="0 0 10 10" refX="3" refY="5" markerWidth="{line.head:g}" '
        f'markerHeight="{line.head:g}" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 0.8L10 5L0 9.2L2.2 5z" fill="{line.colour}"/></marker>'
    )
