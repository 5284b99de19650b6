"""``bayou sample``: draw any number of rows from a network in bounded memory."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

import click

from bayou.arguments import seed_or_random
from bayou.cli.sequences.kalman_series import refuse_inputs
from bayou.cli.sequences.sample_sequences import sample_given, sample_sequences
from bayou.cli.sequences.sequence_options import sequence_options
from bayou.cli.terminal.csv_output import TABLE_ENDINGS
from bayou.cli.terminal.disk_space import check_space
from bayou.cli.terminal.paths import (
    check_output,
    is_dynamic,
    is_hmm,
    is_kalman,
    load_network_or_sequences,
    replacing,
)
from bayou.cli.terminal.progress_bar import DelayedBar, progress
from bayou.cli.terminal.reporting import json_option, json_text, print_json
from bayou.cli.terminal.streams import strict_output
from bayou.cli.terminal.table_options import table_options
from bayou.errors import BadQuestion, counted

if TYPE_CHECKING:
    from bayou.models.network import Network

Batch = Mapping[Any, Any]
"""One column of codes, or of numbers, per variable."""
Draw = Callable[[int, int, int], Batch]
"""Draws a number of rows with a seed, from a first row on."""
BATCH_ROWS = 1 << 16
DEFAULT_ROWS = 1000

EXAMPLES = """\b
Examples:
  bayou sample asia.bif -n 5 --seed 7
  bayou sample asia.bif -n 10000000 --seed 7 -o asia.parquet
  bayou sample asia.bif -n 1000 | cut -d, -f1,3 | sort | uniq -c
  bayou sample asia.bif -n 1000 --given xray=yes --do smoke=no
  bayou sample asia.bif -n 1000 --likelihood "dysp=yes:0.8,no:0.3"
  bayou sample casino.bayou --length 100 --sequences 5 --seed 1      (hidden Markov model)
  bayou sample weather.bayou --given days.csv --sequence city --time day --length 7
"""


@click.command(short_help="Draw rows from a network, or sequences.", epilog=EXAMPLES)
@click.argument("model", metavar="NETWORK")
@click.option("-n", "rows", type=click.IntRange(min=0), help="How many rows.  [default: 1000]")
@click.option(
    "--length",
    type=click.IntRange(0),
    help="Model of sequences: the steps of a sequence, or those after --given.  [default: 100, or 0]",
)
@click.option(
    "--sequences",
    type=click.IntRange(1),
    help="Model of sequences: how many sequences (with --given: draws of each).  [default: 1]",
)
@click.option(
    "--given",
    multiple=True,
    metavar="NAME=STATE",
    help="A finding; also NAME!=STATE or 'NAME in {A, B}'. Repeatable. Model of sequences: a table of "
    "sequences, whose states are drawn.",
)
@sequence_options
@click.option("--do", multiple=True, metavar="NAME=STATE", help="Set by intervention. Repeatable.")
@click.option(
    "--likelihood",
    multiple=True,
    metavar="NAME=STATE:W,...",
    help="An uncertain finding: a weight for each state. Repeatable.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    help="The same seed draws the same rows. [default: a random one]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="A .csv, .csv.gz or .parquet file. [default: CSV on standard output]",
)
@click.option(
    "--force", is_flag=True, help="Allow the output to overwrite an input file, or to exceed the free space."
)
@table_options
@json_option
def sample(
    model: str,
    rows: int | None,
    given: tuple[str, ...],
    do: tuple[str, ...],
    likelihood: tuple[str, ...],
    length: int | None,
    sequences: int | None,
    sequence: str | None,
    time: str | None,
    seed: int | None,
    output: str,
    force: bool,
    as_json: bool,
) -> None:
    """Draw rows from NETWORK (a .bif, .bif.gz or .bayou file), or sequences from a model of sequences.

    Rows are drawn exactly given the findings, if there are any. With --given and a table of sequences, the
    hidden states of its rows are drawn given all of them, and --length steps that follow.
    """
    to_screen = output == "-"
    if not to_screen:
        check_output(output, TABLE_ENDINGS, [model], force)
    net = load_network_or_sequences(model)
    chosen = seed_or_random(seed)
    if is_hmm(net) or is_dynamic(net) or is_kalman(net):
        if rows is not None:
            raise click.UsageError(
                "-n is for networks: give the --length of a sequence, and how many --sequences."
            )
        if do or likelihood:
            flag = "--do" if do else "--likelihood"
            raise click.UsageError(f"{flag} is for networks; this is a model of sequences.")
        if is_kalman(net):
            refuse_inputs(net, "draw from it")
        target = None if to_screen else output
        if given:
            sample_given(net, given, sequence, time, length or 0, sequences, chosen, target, as_json)
        elif sequence is not None or time is not None:
            raise click.UsageError("--sequence and --time say how --given is read: add --given DATA.")
        else:
            sample_sequences(net, length, sequences, chosen, target, as_json)
        return
    if length is not None or sequences is not None:
        raise click.UsageError("--length and --sequences are for models of sequences; use -n for a network.")
    if sequence is not None or time is not None:
        raise click.UsageError("--sequence and --time are for models of sequences.")
    net.frozen.require(net.names)
    draw = _drawing(net, given, do, likelihood)
    _draw(net, draw, DEFAULT_ROWS if rows is None else rows, chosen, output, force, as_json)


def _draw(net: Network, draw: Draw, rows: int, chosen: int, output: str, force: bool, as_json: bool) -> None:
    """Draw the rows of a network."""
    to_screen = output == "-"
    if not to_screen and not force:
        check_space(net, rows, output)
    with progress("Drawing rows", rows, shown=not (to_screen and sys.stdout.isatty())) as bar:
        batches = _batches(draw, rows, chosen, bar)
        if not to_screen:
            _save(net, batches, output)
        elif as_json:
            _print_json_rows(net, batches, chosen)
        else:
            strict_output()
            _write_csv(net, batches, sys.stdout)
    if not to_screen and as_json:
        print_json({"saved": output, "rows": rows, "columns": net.names, "seed": chosen})
    elif not to_screen:
        click.echo(f"Saved {counted(rows, 'row')} to {output} (seed {chosen})")


def _drawing(net: Network, given: tuple[str, ...], do: tuple[str, ...], likelihood: tuple[str, ...]) -> Draw:
    """The function that draws rows (number of rows, seed, first row), given the findings."""
    from bayou import inference
    from bayou.cli.argument_parsing import add_findings, findings_from_text, likelihood_from_text
    from bayou.models.query_parser import QueryText
    from bayou.models.verbs.plans import parsed_question

    found = findings_from_text(net, given)
    by_option = findings_from_text(net, do)
    if by_option.do or by_option.sets:
        raise BadQuestion(f"--do {do[0]}: name one state, such as --do smoke=no.")
    add_findings(found, QueryText([], {}, by_option.given, {}))
    weights = likelihood_from_text(net, likelihood)
    if not (found.given or found.do or found.sets or weights):
        return lambda rows, seed, first: inference.draw(net.frozen, rows, seed, first)
    question = parsed_question(net.frozen, found, None, weights or None)
    return inference.ConditionalRows(net.frozen, question).draw


def _batches(draw: Draw, rows: int, seed: int, bar: DelayedBar) -> Iterator[Batch]:
    """The rows in batches; row k has its own random numbers, so it does not depend on the batches."""

    def drawn() -> Iterator[Batch]:
        for first in range(0, rows, BATCH_ROWS):
            size = min(BATCH_ROWS, rows - first)
            yield draw(size, seed, first)
            bar.advance("Drawing rows", first + size)

    return drawn()


def _write_csv(net: Network, batches: Iterator[Batch], file: TextIO) -> None:
    from bayou.documents.csv_rows import csv_header, csv_lines

    file.write(csv_header(net.names))
    for batch in batches:
        file.writelines(csv_lines(net.variables, batch))
    file.flush()


def _save(net: Network, batches: Iterator[Batch], output: str) -> None:
    """Write a file completely or not at all; duckdb makes Parquet from a temporary CSV file."""
    # Loaded before there is a file to clean up: Ctrl-C while a dataclass is made spoils the exit code.
    import bayou.documents.csv_rows  # noqa: F401
    from bayou.sources.files.parquet_writing import parquet_from_csv

    with replacing(output) as temporary:
        if not output.lower().endswith(".parquet"):
            opened = gzip.open if output.lower().endswith(".gz") else open
            with opened(temporary, "wt", encoding="utf-8", newline="") as file:
                _write_csv(net, batches, file)
            return
        lines = temporary.with_suffix(".csv")
        try:
            with open(lines, "x", encoding="utf-8", newline="") as file:
                _write_csv(net, batches, file)
            parquet_from_csv(lines, temporary, net.variables)
        finally:
            lines.unlink(missing_ok=True)


def _print_json_rows(net: Network, batches: Iterator[Batch], seed: int) -> None:
    """Print one JSON document, row by row."""
    from bayou.models.rows.drawn_rows import Rows

    sys.stdout.write(f'{{"seed": {seed}, "columns": {json_text(net.names)}, "rows": [')
    comma = ""
    for batch in batches:
        states = Rows(net.variables, batch, len(batch[net.names[0]]), seed)
        for row in zip(*(column.tolist() for column in states.values()), strict=True):
            sys.stdout.write(f"{comma}{json_text(row)}")
            comma = ", "
    sys.stdout.write("]}\n")
