"""``bayou score``: how probable sequences are under a model."""

from __future__ import annotations

from typing import Any

import click

from bayou.cli.sequences.sequence_options import keys_of, note_unused, sequence_options
from bayou.cli.terminal.csv_output import TABLE_ENDINGS, write_columns
from bayou.cli.terminal.paths import (
    check_output,
    force_option,
    is_dynamic,
    load_sequence_model,
    require_table,
)
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.cli.terminal.table_options import table_options
from bayou.errors import counted

EXAMPLES = """\b
Examples:
  bayou score weather.bayou new-days.csv --sequence city --time day
  bayou score weather.bayou new-days.csv --sequence city --time day -o by-city.csv
"""


@click.command(short_help="Say how probable sequences are.", epilog=EXAMPLES)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@sequence_options
@click.option("-o", "--output", metavar="FILE", help="Write log P of each sequence here (.csv, .parquet).")
@force_option
@table_options
@json_option
def score(
    model: str,
    data: str,
    sequence: str | None,
    time: str | None,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Say how probable the sequences of DATA are under MODEL, a hidden Markov model or a dynamic network.

    Prints the natural logarithm of the probability of everything that DATA has; -inf if a sequence is
    impossible. Files larger than memory are read in parts.
    """
    if not is_piped(data):
        require_table(data)
    if output is not None:
        check_output(output, TABLE_ENDINGS, [model, data], force)
    found = load_sequence_model(model)
    with progress("Scoring"), table_file(data) as table:
        note_unused(found, table, keys_of(table, sequence, time))
        logs = found.log_likelihoods(table, sequence=sequence, time=time)
        exact = not is_dynamic(found) or found.answers_exactly(table, sequence=sequence, time=time)
        names = list(range(len(logs))) if sequence is None else _names(table, sequence)
    columns = {sequence or "sequence": names, "log_likelihood": logs.tolist()}
    if output is not None:
        write_columns(columns, output)
    total = float(logs.sum())
    if as_json:
        saved = ({} if exact else {"approximate": True}) | ({} if output is None else {"saved": output})
        rows = list(zip(*columns.values(), strict=True))
        print_json(
            {"log_likelihood": total, "sequences": len(logs), "columns": list(columns), "rows": rows, **saved}
        )
        return
    screen = Screen()
    estimated = "" if exact else ", estimated with particles"
    screen.text(f"log P = {total:.6f} of {counted(len(logs), 'sequence')}{estimated}")
    impossible = [str(name) for name, log in zip(names, logs.tolist(), strict=True) if log == -float("inf")]
    if impossible:
        shown = ", ".join(impossible[:5]) + (", …" if len(impossible) > 5 else "")
        screen.text(f"Impossible under this model: {counted(len(impossible), 'sequence')} ({shown})")
    if output is not None:
        screen.text(f"Saved log P of each sequence to {output}")


def _names(table: str, sequence: str) -> list[Any]:
    from bayou.models.sequences.input.sequence_input import sequence_names

    return list(sequence_names(table, sequence))
