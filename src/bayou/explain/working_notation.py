"""How a calculation is written: as plain text, as LaTeX and as HTML. Names stay data in each of them."""

from __future__ import annotations

import html
from collections.abc import Sequence

from bayou.text.latex import latex_power, latex_text
from bayou.text.tables import visible

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

    def summed(self, name: str) -> str:
        """The sign of a sum over a variable."""
        return f"Σ_{self.words(name)} "

    def message(self, number: int) -> str:
        """The name of what a sum gives."""
        return f"τ{number}"

    def document(self, lines: Lines) -> str:
        """All lines together."""
        return "\n".join("  " * level + text for level, text in lines)


class LatexNotation(Notation):
    """An ``align*`` environment."""

    dot, times, bar, proportional, divided = r" \cdot ", r" \times ", r" \mid ", r"\propto ", " / "

    def words(self, text: str) -> str:
        """Upright text."""
        return latex_text(text)

    def number(self, value: float) -> str:
        """A number, its exponent as a power of ten."""
        return latex_power(super().number(value))

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
