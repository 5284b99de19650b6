"""Rewrite messages of the library: arguments of Python (``time=0``) become options (``--time 0``).

What is printed can be pasted: every name and value is quoted for the shell, and inside that for bayou.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping
from typing import Any

import click

_REMEDIES = {
    "cut numbers into ranges (states=…)": "cut numbers into ranges (--cuts NAME=1,2)",
    "(states=…)": "(--states NAME=A,B)",
    "use continuous=": "use --continuous NAME",
    "(net.fit(data)) or set its table (net.set_cpt(name, table))": "(bayou fit)",
    "(net.fit(data))": "(bayou fit)",
    "give findings: given={…}": "give findings: --given NAME=STATE",
    "net.fit(data) learns": "bayou fit learns",
    "Say it: net.partial_fit(data, weight=10). ": "",
    "bayou.Network(arcs, share=…).fit(data) learns": "bayou fit --network ARCS --share BLOCK=A,B learns",
    ", or have it divided by its sum: net.set_cpt(name, table, normalise=True)": "",
    ", or have it divided by its sum: net.set_row(…, normalise=True)": "",
    "(net.sample(100_000))": "(bayou sample -n 100000)",
    "(net.sample)": "(bayou sample)",
    "bayou.from_file(…, decimal=','), or --decimal , on the command line": "--decimal ,",
    ", on the command line --na.": ".",
    "net.sample(100_000, given={…})": "bayou sample -n 100000 --given NAME=STATE",
    'net.query(…, engine="auto", time=10).log_evidence': "bayou query NETWORK QUESTION --engine auto",
    'net.query(…, engine="auto", time=10)': "bayou query NETWORK QUESTION --engine auto --time 10",
    'net.marginals(…, engine="auto", time=10)': "bayou query NETWORK --all --engine auto --time 10",
    'net.query(…, engine="weighting")': "bayou query NETWORK QUESTION --engine weighting",
    "with bayou.limits(memory=…, work=…)": "in Python, with bayou.limits(memory=…, work=…)",
    "with bayou.limits(memory=…)": "in Python, with bayou.limits(memory=…)",
    "net.most_probable or net.query on such a row": "bayou query with such a row",
    "net.nearest_findings(given) says which": "bayou conflict NETWORK --given NAME=STATE says which",
    "open it with bayou.load": "for a classifier there are bayou show, bayou predict and bayou explain",
    "bayou.check(data, other=table)": "bayou check TABLE OTHER",
    "Save it with save(path, rows=True) for that": "Learn it with --keep-rows for that",
    "Give their number or names: HMM(3), HMM(['calm', 'storm'])": "Give --states 3, or --states calm,storm",
    "Raise max_iterations=, or tolerance=.": "Raise --max-iterations.",
    'at once, continuing with start="present".': "at once.",
    ", or give it the dtype Int64": "",
    ", or use the dtype Int64": "",
    ", or use a categorical type": "",
}
"""Remedies in messages of the library, and their form on the command line."""

_VERBS = re.compile(r"\bbayou\.(check|evaluate)\b(?!\()")
"""Functions that are commands, too, where they are only mentioned."""

_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_CUTS = re.compile(rf"states=\{{({_STRING}|[^{{}}:]*): bayou\.Cuts\(\[?…\]?\)\}}")
_FROM_FILE = re.compile(rf"bayou\.from_file\(…, (\w+=(?:{_STRING}))\)")
_LEFT_OPEN = re.compile(rf"({_STRING})|…|\.\.\.")
"""What a remedy leaves to the user, outside of strings."""

_CHOICE_OF_UNKNOWN = re.compile(
    rf" (?:Choose with unknown=(?:{_STRING}|, | or )+\.|unknown='error' refuses them\.)"
)
"""What commands do not choose: values that were never seen count as missing there."""

_PYTHON_EXAMPLE = re.compile(r" For example: net\.\w+\(.*\)$", re.DOTALL)
"""A call that can be pasted into Python; the options of the command were named before it."""

_OF_FIT = ("continuous", "states", "prior", "share")
"""Arguments that other commands mention as a remedy: they are options of ``bayou fit``."""

_ARGUMENT = re.compile(
    r"(?<![\w.'\"-])(?P<name>[a-z][a-z_]*)="
    rf"(?P<value>\[(?:{_STRING}|[^\]'\"])*\]|\{{(?:{_STRING}|[^{{}}'\"])*\}}|{_STRING}"
    r"|-?\d+(?:\.\d+)?(?:e-?\d+)?|nan|…|(?=[\s;,.:)]|$))"
)
_SHELL_SIGNS = re.compile(r"[^\w@%+=:,./…-]")
_OWN_SIGNS = re.compile(r"[,=:;|'\"(){}\[\]]|^\s|\s$|^$")
"""What has a meaning in the lists of options such as ``--states``, so that an item with it needs quotes."""


def as_typed(message: str, ctx: click.Context | None) -> str:
    """Return the message with arguments written as options of the command.

    >>> from bayou.cli.learning.structure import structure
    >>> as_typed("order=['A', 'B'] and max_parents=2, or forbid=.", click.Context(structure))
    "--order 'A, B' and --max-parents 2, or --forbid."
    """
    for in_python, in_shell in _REMEDIES.items():
        message = message.replace(in_python, in_shell)
    message = _CHOICE_OF_UNKNOWN.sub("", message)
    message = with_commands(_FROM_FILE.sub(r"\1", _PYTHON_EXAMPLE.sub("", message)))
    options = _options(ctx)
    before = "" if "cuts" in options or "continuous" in options else "bayou fit … "
    message = _CUTS.sub(
        lambda found: f"{before}--cuts {shell_word(f'{option_item(_literal(found[1]))}=1,2')}", message
    )
    return _ARGUMENT.sub(lambda found: _option(found, options), message)


def with_commands(text: str) -> str:
    """Return a text that names functions with the commands that do the same.

    >>> with_commands("bayou.evaluate measures it.")
    'bayou evaluate measures it.'
    """
    return _VERBS.sub(r"bayou \1", text)


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
    if not found["value"]:
        return flag
    value = _literal(found["value"])
    if isinstance(value, dict):
        pairs = [f"{option_item(name)}={_joined(states)}" for name, states in value.items()]
        return " ".join(f"{flag} {shell_word(pair)}" for pair in pairs)
    if isinstance(value, list) and (option is None or option.multiple):
        return " ".join(f"{flag} {shell_word(str(each))}" for each in value)
    if isinstance(value, list):
        return f"{flag} {shell_word(', '.join(map(option_item, value)))}"
    is_unknown = isinstance(value, str) and value == found["value"] and value[0] in "[{"
    return found[0] if is_unknown else f"{flag} {shell_word(str(value))}"


def _literal(text: str) -> Any:
    """Return the value of a Python literal, with "…" for what it leaves open; other text as it is."""
    try:
        return ast.literal_eval(_LEFT_OPEN.sub(lambda found: found[1] or "'…'", text))
    except (SyntaxError, ValueError):
        return text


def _joined(states: Any) -> str:
    return ",".join(map(option_item, states)) if isinstance(states, list) else option_item(states)


def option_item(value: Any) -> str:
    """A name or a state in the list of an option, in quotes if it would be read as something else."""
    text = str(value)
    digits = text.removeprefix("-")
    looks_whole = isinstance(value, str) and digits.isascii() and digits.isdigit()
    if not looks_whole and not _OWN_SIGNS.search(text):
        return text
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"


def shell_word(text: str) -> str:
    """Return a text as one word of a command line, in quotes if the shell would change it.

    >>> shell_word("age=1,2"), shell_word("price=$5")
    ('age=1,2', "'price=$5'")
    """
    return shlex.quote(text) if not text or _SHELL_SIGNS.search(text) else text
