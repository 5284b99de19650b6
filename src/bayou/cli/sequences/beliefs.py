"""``bayou filter`` and ``bayou smooth``: the probabilities of hidden variables for every row of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from bayou.cli.sequences.reported_columns import report_columns
from bayou.cli.sequences.sequence_options import keys_of, note_unused, sequence_options
from bayou.cli.terminal.csv_output import TABLE_ENDINGS
from bayou.cli.terminal.paths import (
    check_output,
    force_option,
    is_dynamic,
    is_kalman,
    load_sequence_model,
    require_table,
)
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.reporting import json_option
from bayou.cli.terminal.table_options import table_options
from bayou.documents.sequence_answers import state_columns
from bayou.errors import counted

Command = TypeVar("Command", bound=Callable[..., Any])

FILTER_EXAMPLES = """\b
Examples:
  bayou filter weather.bayou days.csv --sequence city --time day > today.csv
  bayou filter machine.bayou readings.csv --time minute --ask Wear -o wear.csv
"""
SMOOTH_EXAMPLES = """\b
Examples:
  bayou smooth weather.bayou days.csv --sequence city --time day > looking-back.csv
  bayou smooth wide.xdsl readings.csv --time minute --engine factored --json
"""


def _belief_options(command: Command) -> Command:
    """Give a command the options of both questions."""
    engine = click.Choice(["exact", "factored"])
    for option in (
        json_option,
        force_option,
        click.option(
            "-o", "--output", metavar="FILE", help="A .csv, .csv.gz or .parquet file.  [standard output]"
        ),
        click.option(
            "--engine",
            type=engine,
            default="exact",
            show_default=True,
            help="factored: approximate, for dynamic networks that are too wide.",
        ),
        click.option(
            "--ask",
            multiple=True,
            metavar="NAME",
            help="A variable of a dynamic network.  [default: all that are not always known]",
        ),
        table_options,
        sequence_options,
        click.argument("data", metavar="DATA"),
        click.argument("model", metavar="MODEL"),
    ):
        command = option(command)
    return command


@click.command("filter", short_help="Probabilities given the rows so far.", epilog=FILTER_EXAMPLES)
@_belief_options
def filter_rows(**options: Any) -> None:
    """Find what is known at each row of DATA, given this row and those before it in its sequence.

    MODEL is a hidden Markov model or a dynamic network. Writes one line for each row, in the order of DATA:
    its sequence and time (or its number, counting from 0), and the probability of each state; of linear
    Gaussian series the mean and the deviation of each state, of dynamic networks those of each number.
    Answers that are estimated have their standard errors beside them. Empty fields are gaps.
    """
    _answer("filter", **options)


@click.command("smooth", short_help="Probabilities given all rows of a sequence.", epilog=SMOOTH_EXAMPLES)
@_belief_options
def smooth_rows(**options: Any) -> None:
    """Find what is known about each row of DATA, given all rows of its sequence.

    MODEL is a hidden Markov model or a dynamic network. Writes one line for each row, in the order of DATA:
    its sequence and time (or its number, counting from 0), and the probability of each state; of linear
    Gaussian series the mean and the deviation of each state, of dynamic networks those of each number.
    Answers that are estimated have their standard errors beside them. Empty fields are gaps.
    """
    _answer("smooth", **options)


def _answer(
    what: str,
    model: str,
    data: str,
    sequence: str | None,
    time: str | None,
    ask: tuple[str, ...],
    engine: str,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    if not is_piped(data):
        require_table(data)
    if output is not None:
        check_output(output, TABLE_ENDINGS, [model, data], force)
    found = load_sequence_model(model)
    if not is_dynamic(found) and (ask or engine != "exact"):
        raise click.UsageError("--ask and --engine are for dynamic networks; this is another model.")
    with progress("Asking"), table_file(data) as table:
        note_unused(found, table, keys_of(table, sequence, time))
        if is_dynamic(found):
            from bayou.models.dynamic.row_answers import row_answers

            columns = row_answers(
                found, table, what, ask=list(ask) or None, engine=engine, sequence=sequence, time=time
            )
            if any(head.startswith("error(") for head in columns):
                engine = "particles"
        elif is_kalman(found):
            columns = state_columns(found, table, {"sequence": sequence, "time": time}, what)
        else:
            from bayou.models.sequences.decoded_rows import row_beliefs

            columns = row_beliefs(found, table, what, sequence=sequence, time=time)
    said = "states" if is_kalman(found) else "probabilities"
    report_rows(columns, output, as_json, f"the {what}ed {said}", engine)


def report_rows(
    columns: dict[str, Any], output: str | None, as_json: bool, what: str, engine: str = "exact"
) -> None:
    """Write columns, or print them as a document."""
    count = len(next(iter(columns.values())))
    approximate = {} if engine == "exact" else {"approximate": True}
    close = ", approximately" if approximate else ""
    told = f"Saved {what} of {counted(count, 'row')}{close} to {output}"
    report_columns(columns, output, as_json, told, approximate)
