"""The boxes of a network's picture: a name, or a name with a bar for each state or a density curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bayou.plots.palette import BELIEF, BOX, EDGE, INK, MARKS, PRIOR, QUIET, TRACK, WHITE, ink_on
from bayou.plots.svg_pieces import Frame, escaped, rectangle, text_at
from bayou.plots.text_widths import fitted, text_width
from bayou.text import tables
from bayou.text.tables import probability_text, visible

_NAME_SIZE, _ROW_SIZE, _BADGE_SIZE = 13.0, 11.0, 10.0
_LONGEST_NAME, _LONGEST_STATE = 210.0, 120.0
_PAD, _HEADER, _ROW, _BAR, _PERCENT = 9.0, 24.0, 17.0, 66.0, 52.0
_CURVE = 46.0
MOST_STATES = 8
"""More states than this are shortened to the most probable ones."""


class NodeBox(Protocol):
    """What a picture asks of a box: its size, and its SVG at a place."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""

    def svg(self, left: float, top: float) -> str:
        """The box with its upper left corner at a place: one ``g`` element."""


@dataclass(frozen=True)
class NameBox:
    """A box with a name.

    >>> NameBox("Rain").size
    (53.59, 30.0)
    """

    name: str
    colour: str = BOX

    @property
    def size(self) -> tuple[float, float]:
        return max(text_width(self._shown, _NAME_SIZE) + 22, 48.0), 30.0

    @property
    def _shown(self) -> str:
        return fitted(visible(self.name), _LONGEST_NAME, _NAME_SIZE)

    def svg(self, left: float, top: float) -> str:
        width, height = self.size
        border = f' stroke="{EDGE}" stroke-width="1.2"'
        ink = ink_on(self.colour)
        return (
            f"<g><title>{escaped(self.name)}</title>"
            + rectangle((left, top, width, height), self.colour, 9, border)
            + text_at(left + width / 2, top + 19.6, self._shown, _NAME_SIZE, ink, "middle")
            + "</g>"
        )


@dataclass(frozen=True)
class StateBar:
    """A state, its probability now and before the findings, and whether it was found."""

    state: str
    probability: float
    prior: float | None = None
    found: bool = False


@dataclass(frozen=True)
class DensityCurve:
    """Heights of a density at points with equal distances, from 0 to 1: now, and before the findings.

    ``value`` is where a number that was found lies, from 0 (left) to 1 (right).
    """

    heights: Sequence[float] = ()
    prior: Sequence[float] = ()
    value: float | None = None


@dataclass(frozen=True)
class BeliefBox:
    """A box with a bar and a percentage for each state, or a density curve, and a note below.

    ``mark`` says what was found: observed, do, likelihood, or nothing.

    >>> box = BeliefBox("Rain", (StateBar("no", 0.25, 0.8), StateBar("yes", 0.75, 0.2)))
    >>> "75.0 %" in box.svg(0, 0)
    True
    """

    name: str
    bars: tuple[StateBar, ...] = ()
    curve: DensityCurve | None = None
    notes: tuple[str, ...] = ()
    mark: str = ""
    colour: str | None = None

    @property
    def size(self) -> tuple[float, float]:
        head = text_width(self._title, _NAME_SIZE, bold=True) + 2 * _PAD
        if self.mark:
            head += _badge_width(self.mark) + 8
        body = self._states + _BAR + _PERCENT + 2 * _PAD if self.bars else 150.0 * (self.curve is not None)
        notes = max((text_width(visible(note), _ROW_SIZE) + 2 * _PAD for note in self.notes), default=0.0)
        rows = len(self.bars) * _ROW + (_CURVE + 6 if self.curve else 0) + len(self.notes) * _ROW
        return max(head, body, min(notes, 260.0)), _HEADER + rows + 10 * bool(rows)

    @property
    def _title(self) -> str:
        return fitted(visible(self.name), _LONGEST_NAME, _NAME_SIZE, bold=True)

    @property
    def _states(self) -> float:
        """The width of the column of states; a sign stands before a state that was found."""
        widths = [text_width(visible(bar.state), _ROW_SIZE, bar.found) + 14 * bar.found for bar in self.bars]
        return min(max(widths), _LONGEST_STATE) + 6

    def svg(self, left: float, top: float) -> str:
        width, height = self.size
        ink, paper = MARKS.get(self.mark, (EDGE, BOX))
        dashes = ' stroke-dasharray="7 3"' if self.mark == "do" else ""
        border = f' stroke="{ink}" stroke-width="{2.2 if self.mark else 1.2}"{dashes}'
        parts = [rectangle((left, top, width, height), WHITE, 8)]
        ground = _header((left, top, width, _HEADER), self.colour or paper)
        if height == _HEADER:  # nothing below the name
            ground = rectangle((left, top, width, height), self.colour or paper, 8)
        parts.append(ground)
        parts.append(rectangle((left, top, width, height), "none", 8, border))
        parts.append(self._heading(left, top, width, ink))
        y = top + _HEADER + 4
        for bar in self.bars:
            parts.append(self._bar(bar, left, y, width))
            y += _ROW
        if self.curve:
            parts.append(_curve(self.curve, (left + _PAD, y, width - 2 * _PAD, _CURVE)))
            y += _CURVE + 6
        for note in self.notes:
            shown = fitted(visible(note), width - 2 * _PAD, _ROW_SIZE)
            parts.append(text_at(left + _PAD, y + 12, shown, _ROW_SIZE, QUIET))
            y += _ROW
        return f"<g><title>{escaped(self.name)}</title>{''.join(parts)}</g>"

    def _heading(self, left: float, top: float, width: float, ink: str) -> str:
        colour = INK if self.colour is None else ink_on(self.colour)
        name = text_at(left + _PAD, top + 17, self._title, _NAME_SIZE, colour, bold=True)
        if not self.mark:
            return name
        wide = _badge_width(self.mark)
        x = left + width - wide - 5
        return (
            name
            + rectangle((x, top + 5, wide, 15.0), ink, 7)
            + text_at(x + wide / 2, top + 16, self.mark, _BADGE_SIZE, WHITE, "middle", bold=True)
        )

    def _bar(self, bar: StateBar, left: float, y: float, width: float) -> str:
        """State, bar over the ghost of the prior, percentage."""
        ink = MARKS[self.mark][0] if bar.found and self.mark else BELIEF
        indent = 14.0 * bar.found
        state = fitted(visible(bar.state), self._states - 6 - indent, _ROW_SIZE, bar.found)
        x, wide = left + _PAD + self._states, width - 2 * _PAD - self._states - _PERCENT
        parts = [_tooltip(bar), _sign(left + _PAD, y + 4, ink, self.mark) if bar.found else ""]
        parts.append(text_at(left + _PAD + indent, y + 12, state, _ROW_SIZE, bold=bar.found))
        parts.append(rectangle((x, y + 2, wide, 12.0), TRACK, 0, f' stroke="{PRIOR}" stroke-width="0.6"'))
        if bar.prior is not None:
            parts.append(rectangle((x, y + 2, wide * _share(bar.prior), 12.0), PRIOR))
        parts.append(rectangle((x, y + 4.5, wide * _share(bar.probability), 7.0), ink))
        percent = text_at(left + width - _PAD, y + 12, percent_text(bar.probability), _ROW_SIZE, INK, "end")
        return f"<g>{''.join(parts)}{percent}</g>"


def percent_text(value: float) -> str:
    """A probability in percent with one decimal; 0 and 100 only if it is exactly so.

    >>> [percent_text(value) for value in (0.123, 1.0, 0.99999, 0.00001, 0.0)]
    ['12.3 %', '100 %', '>99.9 %', '<0.1 %', '0 %']
    """
    return tables.percent_text(value).replace("%", " %")


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _tooltip(bar: StateBar) -> str:
    before = "" if bar.prior is None else f" (before: {probability_text(bar.prior)})"
    return f"<title>{escaped(bar.state)}: {probability_text(bar.probability)}{before}</title>"


def _badge_width(mark: str) -> float:
    return text_width(mark, _BADGE_SIZE, bold=True) + 10


def _sign(x: float, y: float, ink: str, mark: str) -> str:
    """The sign of a state that was found, as on the explorer's page: a dot, or an arrow if it was set."""
    if mark == "do":
        return f'<path d="M{x:.1f} {y:.1f}v8l8 -4z" fill="{ink}"/>'
    return f'<circle cx="{x + 4.5:.1f}" cy="{y + 4:.1f}" r="3.8" fill="{ink}"/>'


def _header(frame: Frame, colour: str) -> str:
    """The ground of the name: round at the top, straight below."""
    x, y, width, height = frame
    return (
        f'<path d="M{x:.1f} {y + height:.1f}v{8 - height:.1f}a8 8 0 0 1 8 -8h{width - 16:.1f}a8 8 0 0 1 8 8'
        f'v{height - 8:.1f}z" fill="{escaped(colour)}"/>'
    )


def _curve(curve: DensityCurve, frame: Frame) -> str:
    """The density as an area, the one before the findings as a dashed line, a found number as a line."""
    x, y, width, height = frame
    parts = [f'<path d="M{x:.1f} {y + height:.1f}h{width:.1f}" stroke="{PRIOR}" stroke-width="1"/>']
    if curve.heights:
        parts.append(f'<path d="{_outline(curve.heights, frame)}z" fill="{BELIEF}" fill-opacity="0.85"/>')
    if curve.prior:
        parts.append(
            f'<path d="{_outline(curve.prior, frame)}" fill="none" stroke="{PRIOR}" stroke-width="1.6" '
            'stroke-dasharray="4 2.5"/>'
        )
    if curve.value is not None:
        ink = MARKS["observed"][0]
        at = x + width * _share(curve.value)
        parts.append(f'<path d="M{at:.1f} {y:.1f}v{height:.1f}" stroke="{ink}" stroke-width="2.4"/>')
    return "".join(parts)


def _outline(heights: Sequence[float], frame: Frame) -> str:
    x, y, width, height = frame
    step = width / max(len(heights) - 1, 1)
    points = "".join(f"L{x + k * step:.1f} {y + height * (1 - share):.1f}" for k, share in enumerate(heights))
    return f"M{x:.1f} {y + height:.1f}{points}L{x + width:.1f} {y + height:.1f}"
