"""Options that say which rows of a table are a sequence, and checks of the columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from bayou.cli.terminal.paths import is_dynamic, is_kalman
from bayou.cli.terminal.reporting import tell_note
from bayou.errors import UnknownVariable, listed

Command = TypeVar("Command", bound=Callable[..., Any])


def sequence_options(command: Command) -> Command:
    """Give a command the options ``--sequence`` and ``--time``."""
    command = click.option(
        "--time", metavar="COLUMN", help="The column with the order of the rows.  [default: as they stand]"
    )(command)
    return click.option(
        "--sequence",
        metavar="COLUMN",
        help="The column that names the sequence of each row.  [default: all rows are one sequence]",
    )(command)


def header_of(table: str) -> list[str]:
    """The names of the columns of a table."""
    from bayou.sources.files.file_kinds import open_file

    return [str(name) for name in open_file(table).names]


def keys_of(table: str, sequence: str | None, time: str | None) -> list[str]:
    """The columns of --sequence and --time; an error if the table lacks one, or if they are the same."""
    header = header_of(table)
    keys = [name for name in (sequence, time) if name is not None]
    for option, name in (("--sequence", sequence), ("--time", time)):
        if name is not None and name not in header:
            raise UnknownVariable.named(name, header, f"in the table ({option})")
    if len(set(keys)) < len(keys):
        raise click.UsageError(f"--sequence and --time are both {sequence}: name two columns.")
    return keys


def note_unused(model: Any, table: str, keys: Sequence[str]) -> None:
    """Note columns of the model that the table lacks, and others if nothing says how rows belong together."""
    header = header_of(table)
    if is_dynamic(model):
        hidden, columns = list(map(str, model.names)), list(map(str, model.names))
    elif is_kalman(model):
        hidden, columns = [], list(map(str, (*model.columns, *model.inputs)))
    else:
        hidden, columns = [str(model.chain.state.name)], [str(name) for name in model.chain.columns]
    absent = [name for name in columns if name not in header]
    if len(absent) == len(columns):
        return  # asking the model is an error that says so
    if absent and not is_dynamic(model):
        tell_note(f"The table has no column {listed(absent)}: it counts as missing in every row.")
    others = [name for name in header if name not in (*columns, *keys, *hidden)]
    if others and not keys:
        tell_note(
            f"All rows are taken as one sequence in the order of the table; {listed(others)} "
            f"{'is' if len(others) == 1 else 'are'} not used. If the table has several sequences, name their "
            "column with --sequence, and that of their order with --time."
        )
