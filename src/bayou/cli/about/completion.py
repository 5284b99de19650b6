"""``bayou completion``: what makes a shell complete commands, options and files."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

from bayou.cli.terminal.reporting import json_option, print_json

EXAMPLES = """\b
Examples:
  bayou completion bash >> ~/.bashrc
  bayou completion zsh >> ~/.zshrc
  bayou completion fish > ~/.config/fish/completions/bayou.fish
"""
_VARIABLE = "_BAYOU_COMPLETE"


class FileText(click.types.StringParamType):
    """A text that is the name of a file: a shell completes it as such."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type="file")]


def with_files(command: click.Command) -> click.Command:
    """Let a shell complete the arguments of a command, and -o, as files."""
    for parameter in command.params:
        names_file = isinstance(parameter, click.Argument) or parameter.name in ("output", "structure", "svg")
        if names_file and type(parameter.type) is click.types.StringParamType:
            parameter.type = FileText()
    return command


@click.command(short_help="Print a script that completes commands in a shell.", epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def completion(shell: str, as_json: bool) -> None:
    """Print the script that makes SHELL complete bayou's commands, options and files."""
    from bayou.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(cli, {}, "bayou", _VARIABLE).source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
