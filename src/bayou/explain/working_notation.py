"""How a calculation is written: as plain text, as LaTeX and as HTML. Names stay data in each of them."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from bayou.text.latex import latex_power, latex_text
from bayou.text.tables import power_text, visible

SMALLEST_LOG = -690.0
"""Numbers with a smaller log are shown by their logs: the smallest one that has all digits is e^-708."""

Lines = Sequence[tuple[int, str]]
"""The lines of a calculation, each with its level of indentation."""


class Notation:
    """Plain text; other notations override its signs."""

    dot, times, plus, bar, proportional, divided = " · ", " × ", " + ", " | ", "∝ ", " / "

    def words(self, text: str) -> str:
        """A part of a sentence; names in it are escaped like the rest."""
        return text

    def number(self, value: float) -> str:
        """A number with six digits."""
        return f"{value:.6g}"

    def number_from_log(self, log: float) -> str:
        """A number with six digits from its log, which may be too small for a number."""
        return self.number(math.exp(log)) if log > SMALLEST_LOG or log == -math.inf else power_text(log, 6)

    def summed(self, name: str) -> str:
        """The sign of a sum over a variable."""
        return f"Σ_{self.words(name)} "

    def message(self, number: int) -> str:
        """The name of what a sum gives."""
        return f"τ{number}"

    def document(self, lines: Lines) -> str:
        """All lines together."""
        return "\n".join("  " * level + text for level, text in lines)


class PlainNumbers:
    """Numbers that are added, divided and written as they are."""

    def __init__(self, notation: Notation) -> None:
        self.notation = notation

    def sum(self, numbers: Sequence[float]) -> float:
        """All together."""
        return sum(numbers)

    def divided(self, number: float, total: float) -> float:
        """A share of the whole."""
        return number / total

    def text(self, number: float) -> str:
        """A number as it is written."""
        return self.notation.number(number)


class NumbersAsLogs(PlainNumbers):
    """The same for numbers that are given by their logs, because some are too small."""

    def sum(self, numbers: Sequence[float]) -> float:
        """The log of all together."""
        top = max(numbers)
        return top + math.log(math.fsum(math.exp(log - top) for log in numbers))

    def divided(self, number: float, total: float) -> float:
        """The log of a share of the whole."""
        return number - total

    def text(self, number: float) -> str:
        """A number as it is written."""
        return self.notation.number_from_log(number)


class LatexNotation(Notation):
    """An ``align*`` environment."""

    dot, times, bar, proportional, divided = r" \cdot ", r" \times ", r" \mid ", r"\propto ", " / "

    def words(self, text: str) -> str:
        """Upright text."""
        return latex_text(text)

    def number(self, value: float) -> str:
        """A number, its exponent as a power of ten."""
        return latex_power(super().number(value))

    def number_from_log(self, log: float) -> str:
        """The same, its exponent as a power of ten."""
        own = super().number_from_log(log)
        return own if log > SMALLEST_LOG or log == -math.inf else latex_power(own)

    def summed(self, name: str) -> str:
        """The sum with the variable below it."""
        return rf"\sum_{{{self.words(name)}}} "

    def message(self, number: int) -> str:
        """τ with an index."""
        return rf"\tau_{{{number}}}"

    def document(self, lines: Lines) -> str:
        """The lines, aligned at their beginning."""
        return "\\begin{align*}\n" + latex_lines(lines) + "\n\\end{align*}"


class HtmlNotation(Notation):
    """Paragraphs with indices, for a page."""

    def words(self, text: str) -> str:
        """The text, with its signs escaped."""
        return html.escape(visible(text))

    def summed(self, name: str) -> str:
        """The sum with the variable as an index."""
        return f"Σ<sub>{self.words(name)}</sub> "

    def message(self, number: int) -> str:
        """τ with an index."""
        return f"τ<sub>{number}</sub>"

    def document(self, lines: Lines) -> str:
        """The lines as paragraphs."""
        parts = [f'<p style="margin:0 0 0 {1.5 * level:g}em">{text}</p>' for level, text in lines]
        return f'<div class="bayou-working">{"".join(parts)}</div>'


def latex_lines(lines: Lines) -> str:
    """The lines of an environment that aligns them."""
    return " \\\\\n".join("&" + r"\quad " * level + text for level, text in lines)


PLAIN, LATEX, HTML = Notation(), LatexNotation(), HtmlNotation()
