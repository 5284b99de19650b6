"""Bars that go to both sides of a middle line, for a table in a terminal or a notebook."""

from __future__ import annotations

from dataclasses import dataclass

from bayou.text.tables import Bar


@dataclass(frozen=True)
class TwoSidedBar(Bar):
    """A cell with a bar to the left and one to the right (``value``), each a share of its side.

    >>> TwoSidedBar(0.5, width=4, left=0.75).text(), TwoSidedBar(1.0, width=4).text()
    (' ███│██', '    │████')
    """

    left: float = 0.0

    def text(self) -> str:
        """The bars in block characters: halves to the left, eighths to the right."""
        halves = round(_share(self.left) * self.width * 2)
        drawn = "▐" * (halves % 2) + "█" * (halves // 2)
        return f"{drawn:>{self.width}}│{super().text()}"

    def html(self) -> str:
        """The bars as coloured boxes."""
        left, right = 100 * _share(self.left), 100 * _share(self.value)
        return (
            '<div style="display:flex;height:0.8em">'
            '<div style="width:50%;border-right:1px solid #888">'
            f'<div style="width:{left:.2f}%;height:100%;margin-left:auto;background:#c8703a"></div></div>'
            '<div style="width:50%">'
            f'<div style="width:{right:.2f}%;height:100%;background:#4a7fb5"></div></div></div>'
        )


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)
