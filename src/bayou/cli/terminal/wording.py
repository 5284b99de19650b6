"""Rewrite messages of the library: arguments of Python (``time=0``) become options (``--time 0``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import click

_REMEDIES = {
    "cut numbers into ranges (states=…)": "cut numbers into ranges (--cuts NAME=1,2)",
    "(states=…)": "(--states NAME=A,B)",
    "use continuous=": "use --continuous NAME",
    "(net.fit(data))": "(bayou fit)",
    "(net.sample(100_000))": "(bayou sample -n 100000)",
    "with bayou.limits(memory=…, work=…)": "in Python, with bayou.limits(memory=…, work=…)",
    "with bayou.limits(memory=…)": "in Python, with bayou.limits(memory=…)",
    "net.most_probable or net.query on such a row": "bayou query with such a row",
    ", or give it the dtype Int64": "",
    ", or use the dtype Int64": "",
}
"""Remedies in messages of the library, and their form on the command line."""

_CUTS = re.compile(r"states=\{('[^']*'|[^{}:]*): bayou\.Cuts\(\[…\]\)\}")
_WEIGHTS = re.compile(r"\{(?:'([^']*)'|\"([^\"]*)\"): …\}")

_OF_FIT = ("continuous", "states", "prior", "share")
"""Arguments that other commands mention as a remedy: they are options of ``bayou fit``."""

_ARGUMENT = re.compile(
    r"(?<![\w.'\"-])(?P<name>[a-z][a-z_]*)="
    r"(?P<value>\[[^\]]*\]|\{[^{}]*\}|'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?(?:e-?\d+)?|nan|…|(?=[\s;,.:)]|$))"
)


def as_typed(message: str, ctx: click.Context | None) -> str:
    """Return the message with arguments written as options of the command.

    >>> from bayou.cli.structure import structure
    >>> as_typed("order=['A', 'B'] and max_parents=2, or forbid=.", click.Context(structure))
    "--order 'A, B' and --max-parents 2, or --forbid."
    """
    for in_python, in_shell in _REMEDIES.items():
        message = message.replace(in_python, in_shell)
    options = _options(ctx)
    before = "" if "cuts" in options or "continuous" in options else "bayou fit … "
    message = _CUTS.sub(lambda found: f"{before}--cuts {word(str(_literal(found[1])))}=1,2", message)
    return _ARGUMENT.sub(lambda found: _option(found, options), message)


def _options(ctx: click.Context | None) -> Mapping[str, click.Option]:
    """Return the options of the running command, by the names of their arguments."""
    command = None if ctx is None else ctx.command
    if isinstance(command, click.Group) and ctx is not None:
        command = command.commands.get(ctx.invoked_subcommand or "")
    if command is None:
        return {}
    return {
        option.name: option for option in command.params if isinstance(option, click.Option) and option.name
    }


def _option(found: re.Match[str], options: Mapping[str, click.Option]) -> str:
    """Return a matched argument as an option; unchanged if the command has no such option."""
    option = options.get(found["name"])
    if option is None and (found["name"] not in _OF_FIT or not found["value"] or found["value"] == "…"):
        return found[0]
    flag = option.opts[-1] if option is not None else f"bayou fit … --{found['name']}"
    of_variable = _WEIGHTS.fullmatch(found["value"])
    if of_variable is not None:
        return f"{flag} {word(of_variable[1] or of_variable[2])}=…"
    value = _literal(found["value"])
    if isinstance(value, dict):
        return " ".join(f"{flag} {word(f'{name}={_joined(states)}')}" for name, states in value.items())
    if isinstance(value, list) and (option is None or option.multiple):
        return " ".join(f"{flag} {word(str(each))}" for each in value)
    if isinstance(value, list):
        return f"{flag} '{', '.join(map(str, value))}'"
    return f"{flag} {word(str(value))}" if found["value"] else flag


def _literal(text: str) -> Any:
    """Return the value of a Python literal; other text is returned as it is."""
    try:
        return ast.literal_eval(text.replace(", …]", ", '…']"))
    except (SyntaxError, ValueError):
        return text


def _joined(states: Any) -> str:
    return ",".join(map(str, states)) if isinstance(states, list) else str(states)


def word(text: str) -> str:
    """One word of a command line, in quotes if it has a blank."""
    return f"'{text}'" if " " in text else text
