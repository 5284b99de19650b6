"""Print JSON documents, errors and warnings."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any, TextIO, TypeVar

import click

from bayou.cli.terminal.streams import output_failed, output_holds_unicode
from bayou.cli.terminal.wording import as_typed

Command = TypeVar("Command", bound=Callable[..., Any])
_JSON_KEY = "bayou.json"
_NOTES_KEY = "bayou.notes"


def json_option(command: Command) -> Command:
    """Give a command the option ``--json``; it is parsed first, so that usage errors are JSON too."""
    return _json_option()(command)


def json_first_option(group: Command) -> Command:
    """Allow ``--json`` before the name of the subcommand as well."""
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
    # A command shares ctx.meta with its group, where the option may have been set already.
    ctx.meta[_JSON_KEY] = value or wants_json(ctx)
    return wants_json(ctx)


def wants_json(ctx: click.Context) -> bool:
    """Whether ``--json`` was given (the group checks it after a command has failed)."""
    return bool(ctx.meta.get(_JSON_KEY, False))


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document; names and states keep their types if JSON has them."""
    click.echo(json_text(document))


def json_text(document: Any) -> str:
    """Return a document as JSON; infinite and NaN numbers become null.

    >>> json_text({"p": float("-inf"), "states": (1, "1", True)})
    '{"p": null, "states": [1, "1", true]}'
    """
    return json.dumps(_plain(document), ensure_ascii=not output_holds_unicode(), allow_nan=False)


def _plain(value: Any) -> Any:
    """Convert a value to types of JSON: numbers, text, lists and dicts."""
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
    """Print an error on standard error, or as JSON on standard output if that can still be written."""
    message = as_typed(message, ctx)
    failed = output_failed()
    if wants_json(ctx) and not failed:
        print_json({"error": {"kind": kind, "message": message}})
    else:
        click.secho("Error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(message, err=True)


def tell_note(text: str) -> None:
    """Print a note of one line on standard error."""
    tell_warning(text, UserWarning, "", 0)


def tell_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning in one line on standard error, without its place in the code, and only once."""
    ctx = click.get_current_context(silent=True)
    text = as_typed(str(message), ctx)
    if ctx is not None:
        printed = ctx.meta.setdefault(_NOTES_KEY, set())
        if text in printed:
            return
        printed.add(text)
    click.secho("Note: ", fg="yellow", bold=True, nl=False, err=True)
    click.echo(text, err=True)
