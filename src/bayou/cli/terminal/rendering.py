"""Print tables and headings: coloured by rich on a terminal, plain aligned text elsewhere, without rich."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from bayou.text.tables import TextTable

WIDTH = 100
"""The width of plain text; a terminal has its own width."""


class Screen:
    """Standard output for commands.

    On a terminal tables have colours and lines. In a pipe or a file they are the same text as in Python:
    ``bayou show asia.bif > asia.txt`` writes tables like ``print(net)``.
    """

    def __init__(self) -> None:
        self.console = _console() if _is_terminal() else None
        self.coloured = self.console is not None and self.console.is_terminal

    def text(self, *lines: str, style: str = "") -> None:
        """Print lines unchanged, without markup."""
        if self.console is None:
            for line in lines:
                print(line, flush=True)
            return
        from rich.text import Text

        for line in lines:
            self.console.print(Text(line, style=style if self.coloured else ""), soft_wrap=True)

    def wrapped(self, *lines: str, style: str = "") -> None:
        """Print lines of prose, wrapped at the page width with a hanging indent."""
        width = WIDTH if self.console is None else min(self.console.width, WIDTH)
        for line in lines:
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            folded = textwrap.wrap(line, width, subsequent_indent=indent)
            self.text(*(folded or [""]), style=style)

    def heading(self, title: str) -> None:
        """Print a title between parts of the output."""
        self.text("")
        if self.console is None or not self.coloured:
            self.text(title, "─" * len(title))
            return
        from rich.rule import Rule
        from rich.text import Text

        self.console.print(Rule(Text(title, style="bold cyan"), align="left", style="cyan"))

    def table(self, table: TextTable) -> None:
        """Print one table."""
        if self.console is not None and self._fits(self.console, table):
            self.console.print(_rich_table(table))
        else:
            self.text(str(table))

    def tables(self, tables: Iterable[TextTable]) -> None:
        """Print several tables: side by side if the terminal is wide enough, else below each other."""
        tables = list(tables)
        console = self.console
        if console is not None and all(self._fits(console, table) for table in tables):
            from rich.columns import Columns
            from rich.console import Group
            from rich.text import Text

            parts = [Group(_rich_table(table), Text("")) for table in tables]
            console.print(Columns(parts, padding=(0, 3)))
            return
        for number, table in enumerate(tables):
            if number:
                self.text("")
            self.table(table)

    def board(self, working: str) -> None:
        """Print a calculation, indented and coloured."""
        self.text(*(f"  {line}" for line in working.splitlines()), style="green")

    def _fits(self, console: Console, table: TextTable) -> bool:
        """Whether the output is a terminal that the table fits; rich would truncate cells of wider tables."""
        from rich.measure import Measurement

        if not self.coloured:
            return False
        wide = console.options.update(max_width=10_000)
        return Measurement.get(console, wide, _rich_table(table)).maximum <= console.width


def _is_terminal() -> bool:
    """Whether the output is a terminal, or a variable of the environment says that it takes colours."""
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR") or os.environ.get("TTY_COMPATIBLE"))


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

    from bayou.text.tables import visible

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

    from bayou.text.tables import Bar, probability_text, visible

    cells: list[RenderableType] = []
    for cell in row:
        if isinstance(cell, Bar):
            cells.append(Text(cell.text(), style="blue"))
        elif isinstance(cell, float):
            cells.append(Text(probability_text(cell), style="bold"))
        else:
            cells.append(Text(visible(str(cell))))
    return cells
