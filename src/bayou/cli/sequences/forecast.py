"""``bayou forecast``: the next steps of sequences."""

from __future__ import annotations

import click

from bayou.cli.sequences.kalman_series import refuse_inputs
from bayou.cli.sequences.reported_columns import report_columns
from bayou.cli.sequences.sequence_options import keys_of, note_unused, sequence_options
from bayou.cli.terminal.csv_output import TABLE_ENDINGS
from bayou.cli.terminal.paths import check_output, force_option, is_kalman, load_sequence_model, require_table
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.reporting import json_option
from bayou.cli.terminal.table_options import table_options
from bayou.documents.sequence_answers import forecast_columns
from bayou.errors import counted

EXAMPLES = """\b
Examples:
  bayou forecast weather.bayou days.csv --sequence city --time day --steps 3
  bayou forecast weather.bayou one-city.csv --steps 7 --json
"""


@click.command(short_help="Forecast the next steps of sequences.", epilog=EXAMPLES)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@sequence_options
@click.option(
    "--steps", type=click.IntRange(1), default=1, show_default=True, help="How many steps after the last row."
)
@click.option("-o", "--output", metavar="FILE", help="A .csv, .csv.gz or .parquet file.  [standard output]")
@force_option
@table_options
@json_option
def forecast(
    model: str,
    data: str,
    sequence: str | None,
    time: str | None,
    steps: int,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Forecast the steps after the last row of each sequence of DATA with MODEL, a hidden Markov model or a
    linear Gaussian model of series, or a dynamic network.

    Writes one line for each sequence and step: the most probable state, the probability of each state, and
    the same for what is observed; columns of numbers have a mean and a standard deviation (of linear Gaussian
    series also the ends of a 95 % interval). Of a dynamic network: the probability of each state of each
    variable. Steps are numbered 1, 2, …; if the times in the column of --time go on evenly, they are there,
    too.
    """
    if not is_piped(data):
        require_table(data)
    if output is not None:
        check_output(output, TABLE_ENDINGS, [model, data], force)
    from bayou.models.sequences.input.sequence_input import sequence_names

    asked = load_sequence_model(model)
    with progress("Forecasting"), table_file(data) as table:
        if is_kalman(asked):
            refuse_inputs(asked, "forecast")
        note_unused(asked, table, keys_of(table, sequence, time))
        found = asked.forecast(table, steps=steps, sequence=sequence, time=time)
        names = [None] if sequence is None else list(sequence_names(table, sequence))
    answers = [found] if sequence is None else found
    columns = forecast_columns(names, answers, sequence)
    estimated = any(getattr(one, "approximate", False) for one in answers)
    approximate = {"approximate": True} if estimated else {}
    how = ", estimated with particles" if approximate else ""
    told = f"Saved {counted(steps, 'step')} of {counted(len(names), 'sequence')} to {output}{how}"
    report_columns(columns, output, as_json, told, approximate)
