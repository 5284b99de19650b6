"""Print tables and headings: coloured by rich on a terminal, plain aligned text elsewhere."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from bayou.text_table import TextTable

WIDTH = 100
"""The width of plain text; a terminal has its own width."""


class Screen:
    """Standard output for commands.

    On a terminal tables have colours and lines. In a pipe or a file they are the same text as in Python:
    ``bayou show asia.bif > asia.txt`` writes tables like ``print(net)``.
    """

    def __init__(self) -> None:
        self.console = _console()
        self.coloured = self.console.is_terminal

    def text(self, *lines: str, style: str = "") -> None:
        """Print lines unchanged, without markup."""
        from rich.text import Text

        for line in lines:
            self.console.print(Text(line, style=style if self.coloured else ""), soft_wrap=True)

    def wrapped(self, *lines: str, style: str = "") -> None:
        """Print lines of prose, wrapped at the page width with a hanging indent."""
        for line in lines:
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            folded = textwrap.wrap(line, min(self.console.width, WIDTH), subsequent_indent=indent)
            self.text(*(folded or [""]), style=style)

    def heading(self, title: str) -> None:
        """Print a title between parts of the output."""
        from rich.rule import Rule
        from rich.text import Text

        self.console.print()
        if self.coloured:
            self.console.print(Rule(Text(title, style="bold cyan"), align="left", style="cyan"))
        else:
            self.text(title, "─" * len(title))

    def table(self, table: TextTable) -> None:
        """Print one table."""
        self.console.print(self._drawn(table), soft_wrap=not self._fits(table))

    def tables(self, tables: Iterable[TextTable]) -> None:
        """Print several tables: side by side if the terminal is wide enough, else below each other."""
        from rich.columns import Columns
        from rich.console import Group
        from rich.text import Text

        tables = list(tables)
        if self.coloured and all(self._fits(table) for table in tables):
            parts = [Group(self._drawn(table), Text("")) for table in tables]
            self.console.print(Columns(parts, padding=(0, 3)))
            return
        for number, table in enumerate(tables):
            if number:
                self.console.print()
            self.table(table)

    def board(self, working: str) -> None:
        """Print a calculation, indented and coloured."""
        self.text(*(f"  {line}" for line in working.splitlines()), style="green")

    def _drawn(self, table: TextTable) -> RenderableType:
        from rich.text import Text

        return _rich_table(table) if self._fits(table) else Text(str(table))

    def _fits(self, table: TextTable) -> bool:
        """Whether the output is a terminal that the table fits; rich would truncate cells of wider tables."""
        from rich.measure import Measurement

        if not self.coloured:
            return False
        wide = self.console.options.update(max_width=10_000)
        return Measurement.get(self.console, wide, _rich_table(table)).maximum <= self.console.width


def _console() -> Console:
    from rich.console import Console

    class PipeConsole(Console):
        """Raises if a pipe is closed; by default rich exits, which is left to the group of commands."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    terminal = sys.stdout.isatty()
    return PipeConsole(highlight=False, markup=False, emoji=False, width=None if terminal else WIDTH)


def _rich_table(table: TextTable) -> RenderableType:
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from bayou.text_table import visible

    drawn = Table(
        box=box.SIMPLE_HEAD, header_style="dim", border_style="dim", show_edge=False, padding=(0, 1)
    )
    shown = table.rows[: table.most_rows]
    for place, name in enumerate(table.header):
        whole = bool(shown) and all(isinstance(row[place], int) for row in shown)
        drawn.add_column(Text(visible(name)), justify="right" if whole else "left", no_wrap=True)
    for row in shown:
        drawn.add_row(*_rich_cells(row))
    parts: list[RenderableType] = [drawn]
    if table.title:
        parts.insert(0, Text(visible(table.title), style="bold", no_wrap=True))
    more = len(table.rows) - len(shown)
    if more > 0:
        parts.append(Text(f"… and {more} more row{'s' if more > 1 else ''}", style="dim"))
    return Group(*parts)


def _rich_cells(row: Sequence[Any]) -> list[RenderableType]:
    from rich.text import Text

    from bayou.text_table import Bar, probability_text, visible

    cells: list[RenderableType] = []
    for cell in row:
        if isinstance(cell, Bar):
            cells.append(Text(cell.text(), style="blue"))
        elif isinstance(cell, float):
            cells.append(Text(probability_text(cell), style="bold"))
        else:
            cells.append(Text(visible(str(cell))))
    return cells
