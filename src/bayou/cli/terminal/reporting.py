"""What commands print beside their tables: JSON documents, errors, warnings."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any, TextIO, TypeVar

import click

from bayou.cli.terminal.streams import output_holds_unicode, output_is_lost
from bayou.cli.terminal.wording import as_typed

Command = TypeVar("Command", bound=Callable[..., Any])
_WANTED = "bayou.json"
_TOLD = "bayou.notes"


def json_option(command: Command) -> Command:
    """Give a command ``--json``; read first, so that later errors of the line are JSON too."""
    return _json_option()(command)


def json_first_option(group: Command) -> Command:
    """Let ``--json`` stand before the name of the command as well."""
    return _json_option(expose_value=False)(group)


def _json_option(**settings: Any) -> Callable[[Command], Command]:
    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        is_eager=True,
        callback=_remember,
        help="Print one JSON document on standard output instead of text.",
        **settings,
    )


def _remember(ctx: click.Context, _parameter: click.Parameter, value: bool) -> bool:
    # A command shares the notes of its group, which may have been told already.
    ctx.meta[_WANTED] = value or wants_json(ctx)
    return wants_json(ctx)


def wants_json(ctx: click.Context) -> bool:
    """Whether the command line asked for JSON (the group asks after its command has failed)."""
    return bool(ctx.meta.get(_WANTED, False))


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on standard output; names and states keep their types where JSON has them."""
    click.echo(json_text(document))


def json_text(document: Any) -> str:
    """A document as JSON.

    >>> json_text({"p": float("-inf"), "states": (1, "1", True)})
    '{"p": null, "states": [1, "1", true]}'
    """
    return json.dumps(_plain(document), ensure_ascii=not output_holds_unicode(), allow_nan=False)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else None
    return str(value)


def tell_error(ctx: click.Context, kind: str, message: str) -> None:
    """An error in one paragraph on standard error, or as JSON on standard output if that still works."""
    message = as_typed(message, ctx)
    lost = output_is_lost()
    if wants_json(ctx) and not lost:
        print_json({"error": {"kind": kind, "message": message}})
    else:
        click.secho("Error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(message, err=True)


def tell_note(text: str) -> None:
    """One line on standard error that is good to know."""
    tell_warning(text, UserWarning, "", 0)


def tell_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning in one line on standard error, without the place in the code that gave it; once is enough."""
    ctx = click.get_current_context(silent=True)
    text = as_typed(str(message), ctx)
    if ctx is not None:
        told = ctx.meta.setdefault(_TOLD, set())
        if text in told:
            return
        told.add(text)
    click.secho("Note: ", fg="yellow", bold=True, nl=False, err=True)
    click.echo(text, err=True)
