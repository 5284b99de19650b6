"""``bayou decode``: the hidden state of every row of a table of sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bayou.cli.sequences.beliefs import report_rows
from bayou.cli.sequences.reported_columns import report_columns
from bayou.cli.sequences.sequence_options import header_of, keys_of, note_unused, sequence_options
from bayou.cli.terminal.csv_output import TABLE_ENDINGS
from bayou.cli.terminal.paths import (
    check_output,
    force_option,
    is_dynamic,
    load_sequence_model,
    refuse_kalman,
    require_table,
)
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.reporting import json_option, print_json, tell_note
from bayou.cli.terminal.table_options import table_options
from bayou.documents.sequence_answers import decoded_columns, slice_columns
from bayou.errors import UnknownVariable, counted

if TYPE_CHECKING:
    from bayou.models.sequences.decoded_rows import DecodedRows
    from bayou.models.sequences.hidden_markov.hmm import HMM

EXAMPLES = """\b
Examples:
  bayou decode weather.bayou days.csv --sequence city --time day > states.csv
  bayou decode weather.bayou days.csv --sequence city --time day --proba -o states.csv
  bayou decode weather.bayou one-city.csv --method posterior --json
  bayou decode machine.xdsl readings.csv --time minute                 (a dynamic network)
"""


@click.command(short_help="Find the hidden state of every row of sequences.", epilog=EXAMPLES)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@sequence_options
@click.option(
    "--method",
    type=click.Choice(["viterbi", "posterior"]),
    default="viterbi",
    show_default=True,
    help="The most probable path as a whole, or the most probable state of each row.",
)
@click.option("--known", is_flag=True, help="Take the states that DATA has as known (others are found).")
@click.option("--proba", is_flag=True, help="Add a column with the probability of each state.")
@click.option("-o", "--output", metavar="FILE", help="A .csv, .csv.gz or .parquet file.  [standard output]")
@force_option
@table_options
@json_option
def decode(
    model: str,
    data: str,
    sequence: str | None,
    time: str | None,
    method: str,
    known: bool,
    proba: bool,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find the hidden state of every row of DATA with MODEL, a hidden Markov model (.bayou).

    Writes one line for each row, in the order of DATA: its sequence and time (or its number, counting from
    0), the state, and the probability of this state given all rows of the sequence. Empty fields are gaps. If
    DATA has a column with the true states, it is not used (unless --known): a note says how many agree.

    MODEL may also be a dynamic network: every column of DATA that is a variable counts as observed, and a
    line has the states of all others, and the most probable values of numbers.
    """
    if not is_piped(data):
        require_table(data)
    if output is not None:
        check_output(output, TABLE_ENDINGS, [model, data], force)
    hmm = load_sequence_model(model)
    refuse_kalman(hmm, model)
    if is_dynamic(hmm):
        if known:
            raise click.UsageError(
                "--known: all columns of a dynamic network count as observed; leave it out."
            )
        with progress("Decoding"), table_file(data) as table:
            note_unused(hmm, table, keys_of(table, sequence, time))
            columns = slice_columns(hmm, table, sequence, time, method, proba)
        report_rows(columns, output, as_json, "the states")
        return
    with progress("Decoding"), table_file(data) as table:
        keys = keys_of(table, sequence, time)
        note_unused(hmm, table, keys)
        has_states = str(hmm.chain.state.name) in header_of(table)
        if known and not has_states:
            raise UnknownVariable.named(hmm.chain.state.name, header_of(table), "in the table (--known)")
        if output is not None and _is_large(table):
            hmm.decode_rows(
                table,
                sequence=sequence,
                time=time,
                method=method,
                states=True if known else None,
                out=output,
                probabilities=proba,
            )
            _say_saved(output, as_json)
            return
        found = hmm.decode_rows(
            table, sequence=sequence, time=time, method=method, states=True if known else None
        )
        if has_states and not known:
            _note_agreement(hmm, found, table)
    columns = decoded_columns(found, proba)
    told = f"Saved the states of {counted(len(found), 'row')} to {output}"
    report_columns(columns, output, as_json, told, {"method": method} if output is None else {})


def _is_large(table: str) -> bool:
    """Whether a file is too large to be kept in memory."""
    from bayou.sources import open_source

    return open_source(table).is_streamed


def _say_saved(output: str, as_json: bool) -> None:
    if as_json:
        print_json({"saved": output})
    else:
        click.echo(f"Saved the states of all rows to {output}")


def _note_agreement(hmm: HMM, found: DecodedRows, table: str) -> None:
    """Say how many of the true states in the table are found."""
    from bayou.schema import text_names
    from bayou.sources import read_columns
    from bayou.sources.batches import variable_codes

    state = hmm.chain.user_state
    column = read_columns(table, names=[state.name], as_text=text_names([state]))
    codes, _ = variable_codes(state, column.coded(state.name))
    given = codes.astype(int) < state.cardinality
    total, right = int(given.sum()), int((codes[given] == found.codes[given]).sum())
    if total:
        tell_note(
            f"{right} of {total} rows ({right / total:.1%}) have the state that stands in {state.name!r}, "
            "which was not used."
        )
