"""Output on a terminal: coloured tables that are never truncated, and bars for long work."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from bayou.cli.terminal import progress_bar
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.progress import tracked
from bayou.text.tables import Bar, TextTable

TABLE = TextTable(
    ["name with blanks", "größe", "P", ""],
    [["a", 3, 0.25, Bar(0.25)], ["[b]小[/b]", 12, 1e-9, Bar(1)]],
    "T(x)",
)


def terminal(width: int) -> Screen:
    screen = Screen()
    screen.console = Console(
        file=io.StringIO(), force_terminal=True, width=width, color_system="standard", highlight=False
    )
    screen.coloured = True
    return screen


def shown(screen: Screen) -> str:
    file = screen.console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.mark.parametrize("width", [20, 100])
def test_every_cell_is_whole_at_any_width(width: int) -> None:
    screen = terminal(width)
    screen.table(TABLE)
    screen.tables([TABLE, TABLE])
    for cell in ("name with blanks", "größe", "0.2500", "1e-09", "[b]小[/b]", "██████████", "T(x)"):
        assert shown(screen).count(cell) == 3


def test_a_terminal_has_colours() -> None:
    screen = terminal(100)
    screen.table(TABLE)
    screen.heading("[red]title[/red]")
    assert "\x1b[" in shown(screen)
    assert "[red]title[/red]" in shown(screen)


def test_long_tables_say_how_much_is_left_out() -> None:
    screen = terminal(100)
    screen.table(TextTable(["a"], [["x"]] * 5, most_rows=3))
    assert "… and 2 more rows" in shown(screen)


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def fake_terminal(monkeypatch: pytest.MonkeyPatch) -> FakeTerminal:
    stream = FakeTerminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_short_work_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = fake_terminal(monkeypatch)
    with progress("Counting"):
        list(tracked(range(3), "Counting"))
    assert stderr.getvalue() == ""


def test_long_work_draws_a_bar_even_inside_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = fake_terminal(monkeypatch)
    monkeypatch.setattr(progress_bar, "PATIENCE", 0.0)
    with progress("Counting", total=10) as bar:
        bar._timer.join()
        bar.advance("Counting [all]", 5)
    assert "Counting [all]" in stderr.getvalue()
    assert "of 10" in stderr.getvalue()


def test_no_bar_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress("Counting") as bar:
        assert not bar._timer.is_alive()
