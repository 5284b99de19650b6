"""The examples in the help of every command are lines that the command reads."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from bayou.cli.main import cli

_LINE = re.compile(r"\bbayou (?P<rest>[^|>]*)")


def examples(name: str) -> list[list[str]]:
    """The arguments of each example of a command, without remarks in brackets, pipes and redirections."""
    text = (cli.commands[name].epilog or "").replace("\\\n", " ")
    lines = [re.sub(r"\s{2,}\(.*\)\s*$", "", line.strip()) for line in text.splitlines()]
    found = [match["rest"] for line in lines if (match := _LINE.search(_without_quoted_signs(line)))]
    return [shlex.split(rest.translate(_BACK)) for rest in found]


_HIDDEN = {"|": "\ue000", ">": "\ue001"}
_BACK = str.maketrans({hidden: sign for sign, hidden in _HIDDEN.items()})


def _without_quoted_signs(line: str) -> str:
    """The line with other signs in the place of pipes and redirections that stand inside quotes."""
    return re.sub(
        r"'[^']*'|\"[^\"]*\"", lambda quoted: "".join(_HIDDEN.get(sign, sign) for sign in quoted[0]), line
    )


@pytest.mark.parametrize("name", list(cli.commands))
def test_every_example_parses(name: str) -> None:
    found = [arguments for arguments in examples(name) if arguments[0] == name]
    assert found, f"the help of bayou {name} has no example"
    for own, *arguments in found:
        command = cli.commands[own]
        with click.Context(cli, info_name="bayou", **cli.context_settings) as group:
            assert command.make_context(own, arguments, parent=group).params is not None


def test_an_example_with_a_typing_error_would_be_noticed() -> None:
    with (
        click.Context(cli, info_name="bayou", **cli.context_settings) as group,
        pytest.raises(click.UsageError),
    ):
        cli.commands["show"].make_context("show", ["net.bif", "--strenght"], parent=group)
