"""Small tables for people to read: aligned text for a terminal, escaped HTML for a notebook."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_EIGHTHS = " ▏▎▍▌▋▊▉"
_FULL = "█"


@dataclass(frozen=True)
class Bar:
    """A cell that draws a probability as a bar.

    >>> Bar(0.5).text(), Bar(0.26, width=5).text()
    ('█████', '█▎')
    """

    value: float
    width: int = 10

    def text(self) -> str:
        """The bar in block characters, rounded to an eighth of a character."""
        eighths = round(min(max(self.value, 0.0), 1.0) * self.width * 8)
        return (_FULL * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()

    def html(self) -> str:
        """The bar as a coloured box."""
        percent = 100 * min(max(self.value, 0.0), 1.0)
        return f'<div style="width:{percent:.2f}%;min-width:1px;height:0.8em;background:#4a7fb5"></div>'


Cell = str | int | float | Bar


@dataclass(frozen=True)
class TextTable:
    """A heading, columns and rows; floats are shown as probabilities, aligned at their decimal points.

    >>> print(TextTable(["disease", "P"], [["cancer", 0.2085], ["healthy", 0.7915]], title="P(disease)"))
    P(disease)
    disease  P
    cancer   0.2085
    healthy  0.7915
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    most_rows: int = 60

    def __str__(self) -> str:
        shown = self.rows[: self.most_rows]
        columns = [
            _aligned_column([visible(name), *cells], [row[position] for row in shown])
            for position, name in enumerate(self.header)
            for cells in [_written_column([row[position] for row in shown])]
        ]
        lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
        return "\n".join([*filter(None, [visible(self.title)]), *lines, *filter(None, [self._left_out()])])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{_escaped(name)}</th>" for name in self.header)
        body = "".join(
            "<tr>" + "".join(_html_cell(cell) for cell in row) + "</tr>"
            for row in self.rows[: self.most_rows]
        )
        caption = f"<caption>{_escaped(self.title)}</caption>" if self.title else ""
        left_out = f"<p>{_escaped(self._left_out())}</p>" if self._left_out() else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left_out}"

    def _left_out(self) -> str:
        more = len(self.rows) - self.most_rows
        return f"… and {more} more row{'s' if more > 1 else ''}" if more > 0 else ""


class PrintedLines:
    """A base class of objects that print several lines: a notebook shows them as they are printed."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_lines(str(self))


class PrintedTable:
    """A base class of objects that print as a table, with remarks below it, in a terminal and in a notebook.

    A dataclass that inherits from it needs ``repr=False``.

    >>> class Coin(PrintedTable):
    ...     def to_table(self):
    ...         return TextTable(["side", "P"], [["heads", 0.5], ["tails", 0.5]])
    >>> Coin()
    side   P
    heads  0.5000
    tails  0.5000
    """

    __slots__ = ()

    def to_table(self) -> TextTable:
        """The table that is printed."""
        raise NotImplementedError

    def _remarks(self) -> Iterable[str]:
        """The lines below the table."""
        return ()

    def __str__(self) -> str:
        return "\n".join([str(self.to_table()), *self._remarks()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_() + html_paragraphs(self._remarks())


def html_lines(text: str) -> str:
    """Return lines of text as HTML that keeps their columns; what looks like HTML in them is escaped.

    >>> html_lines("a  <b>")
    '<pre style="white-space:pre-wrap">a  &lt;b&gt;</pre>'
    """
    lines = "\n".join(map(_escaped, text.split("\n")))
    return f'<pre style="white-space:pre-wrap">{lines}</pre>'


def html_paragraphs(lines: Iterable[str]) -> str:
    """Return each line as a paragraph of HTML, escaped.

    >>> html_paragraphs(["2 < 3", "done"])
    '<p>2 &lt; 3</p><p>done</p>'
    """
    return "".join(f"<p>{_escaped(line)}</p>" for line in lines)


def probability_text(value: float) -> str:
    """Return a probability with four decimals, or four significant digits if it is below 0.001.

    Exact 0 and 1 are written without decimals.

    >>> [probability_text(value) for value in (0.20851, 0.000166251, 3.2e-9, 0.0, 1.0, 0.99999)]
    ['0.2085', '0.0001663', '3.2e-09', '0', '1', '>0.9999']
    """
    if value in (0.0, 1.0):
        return str(int(value))
    if abs(value) < 0.001:
        return f"{value:.4g}"
    if 0.99995 <= value < 1.0:
        # Four decimals would print 1.0000, which looks certain although it is not.
        return ">0.9999"
    return f"{value:.4f}"


def log_probability_text(log: float) -> str:
    """A probability from its log, with four digits also where it is too small for a number.

    >>> [log_probability_text(log) for log in (-1.5, -1000.0, -math.inf)]
    ['0.2231', '5.076e-435', '0']
    """
    value = math.exp(log)
    if value > 1e-300 or log == -math.inf:
        return probability_text(value)
    return power_text(log, 4)


def power_text(log: float, digits: int) -> str:
    """A number from its natural log, as a power of ten: for those that are too small for a number.

    >>> power_text(-1000.0, 6)
    '5.07596e-435'
    """
    power = math.floor(log / math.log(10))
    shown = f"{math.exp(log - power * math.log(10)):.{digits}g}"
    return f"1e{power + 1}" if float(shown) >= 10 else f"{shown}e{power}"


def percent_text(value: float) -> str:
    """Return a probability as a percentage with one digit, as the bars of the explorer have it.

    >>> [percent_text(value) for value in (0.20851, 0.000166251, 0.0, 1.0, 0.99999)]
    ['20.9%', '<0.1%', '0%', '100%', '>99.9%']
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    if value < 0.0005:
        return "<0.1%"
    return ">99.9%" if value >= 0.9995 else f"{value:.1%}"


def number_text(value: float, deviation: float, least: int = 4) -> str:
    """A number with so many digits that the first one of its deviation is there, and at least so many.

    >>> number_text(48.137154, 1.8e-5), number_text(48.137154, 3.1)
    ('48.13715', '48.14')
    """
    digits = least
    if value and 0 < deviation < math.inf and math.isfinite(value):
        digits += max(0, math.floor(math.log10(abs(value))) - math.floor(math.log10(deviation)) + 1 - least)
    return f"{value:.{min(digits, 17)}g}"


def with_deviation(value: float, deviation: float) -> str:
    """A mean and its deviation.

    >>> with_deviation(48.137154, 1.8e-5)
    '48.13715 ± 1.8e-05'
    """
    return f"{number_text(value, deviation)} ± {deviation:.3g}"


def seconds_text(seconds: float) -> str:
    """Return a duration in seconds, or in milliseconds below a second.

    >>> seconds_text(2.345), seconds_text(0.0123)
    ('2.35 s', '12 ms')
    """
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def clipped(text: str, longest: int) -> str:
    """Return a text of at most so many characters; the last one of a longer text is an ellipsis.

    >>> clipped("abc", 3), clipped("abcd", 3)
    ('abc', 'ab…')
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def visible(text: str) -> str:
    """Return the text with line breaks and other unprintable characters written as escapes.

    >>> visible("two\\nlines")
    'two\\\\nlines'
    """
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )


def display_width(text: str) -> int:
    """The number of terminal cells that a text takes: two per wide letter, none per combining mark.

    >>> display_width("Größe"), display_width("年齢")
    (5, 4)
    """
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def _written_column(cells: Sequence[Cell]) -> list[str]:
    """The cells as text; a column with floats is padded so that decimal points are aligned."""
    texts = [_cell_text(cell) for cell in cells]
    if not any(isinstance(cell, float) for cell in cells):
        return texts
    whole = [len(text.partition("e")[0].partition(".")[0]) for text in texts]
    return [" " * (max(whole) - length) + text for length, text in zip(whole, texts, strict=True)]


def _aligned_column(texts: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    width = max(display_width(text) for text in texts)
    # A column of whole numbers is aligned right, its heading too; all others are aligned left.
    to_right = bool(cells) and all(isinstance(cell, int) for cell in cells)
    gaps = [" " * (width - display_width(text)) for text in texts]
    return [gap + text if to_right else text + gap for text, gap in zip(texts, gaps, strict=True)]


def _cell_text(cell: Cell) -> str:
    if isinstance(cell, Bar):
        return cell.text()
    return probability_text(cell) if isinstance(cell, float) else visible(str(cell))


def _html_cell(cell: Cell) -> str:
    if isinstance(cell, Bar):
        return f'<td style="min-width:8em">{cell.html()}</td>'
    align = "left" if isinstance(cell, str) else "right"
    return f'<td style="text-align:{align}">{_escaped(_cell_text(cell))}</td>'


def _escaped(text: str) -> str:
    import html

    return html.escape(visible(text))
