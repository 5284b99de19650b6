"""Options of all commands that read tables: how a text file is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
_KEY = "bayou.table_options"
_TABS = ("tab", "\\t")


def table_options(command: Command) -> Command:
    """Give a command the options ``--sep``, ``--encoding``, ``--decimal`` and ``--na``."""
    for option in (
        click.option(
            "--na",
            multiple=True,
            metavar="WORD",
            help="A word for a missing value in a text file, such as -99. Repeatable.",
            expose_value=False,
            callback=_remember,
        ),
        click.option(
            "--decimal",
            type=click.Choice([".", ","]),
            help="The decimal mark of a text file.  [default: .]",
            expose_value=False,
            callback=_remember,
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="The encoding of a text file, such as cp1252.  [default: utf-8]",
            expose_value=False,
            callback=_remember,
        ),
        click.option(
            "--sep",
            metavar="CHARACTER",
            help="The character between the columns of a text file, or 'tab'.  [default: recognised]",
            expose_value=False,
            callback=_remember,
        ),
    ):
        command = option(command)
    return command


def _remember(context: click.Context, option: click.Parameter, value: Any) -> Any:
    if value not in (None, ()):
        context.meta.setdefault(_KEY, {})[option.name] = value
    return value


def described_table(path: str) -> Any:
    """Return a path, together with the options of the present command if it has any."""
    context = click.get_current_context(silent=True)
    given: dict[str, Any] = {} if context is None else context.meta.get(_KEY, {})
    if not given:
        return path
    from bayou.sources.files.file_options import DescribedFile, FileOptions

    if given.get("sep") in _TABS:
        given = {**given, "sep": "\t"}
    return DescribedFile((path,), FileOptions.checked(**given))
