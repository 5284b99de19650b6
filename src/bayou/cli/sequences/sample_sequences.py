"""``bayou sample`` on a model of sequences: draw whole sequences."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.sequences.sequence_options import keys_of, note_unused
from bayou.cli.terminal.csv_output import TABLE_ENDINGS, write_columns
from bayou.cli.terminal.paths import check_output, require_table
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.reporting import print_json
from bayou.errors import counted, without_warnings

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork
    from bayou.models.sequences.hidden_markov.hmm import HMM
    from bayou.models.sequences.kalman.kalman_model import KalmanModel

DEFAULT_LENGTH = 100


def sample_sequences(
    model: HMM | DynamicNetwork | KalmanModel,
    length: int | None,
    sequences: int | None,
    seed: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Draw sequences and write them with a number for each sequence and step, both counting from 0."""
    if output is not None:
        check_output(output, TABLE_ENDINGS, [], force=True)
    if length == 0:
        raise click.UsageError("--length 0 is for --given: a sequence has at least one step.")
    drawn = model.sample(length or DEFAULT_LENGTH, sequences=sequences or 1, seed=seed)
    _report(_columns(drawn), len(drawn), seed, output, as_json)


def sample_given(
    model: HMM | DynamicNetwork | KalmanModel,
    given: tuple[str, ...],
    sequence: str | None,
    time: str | None,
    length: int,
    draws: int | None,
    seed: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Draw the states of a table's sequences, and steps that follow.

    A line has the name of its sequence, the number of the draw from 0 (with --sequences), the step (1 is the
    first after the given rows, as in a forecast; given rows have 0 and less), its time (with --time; empty
    where times do not go on evenly), the columns and the state.
    """
    from bayou.models.sequences.input.sequence_input import sequence_names

    if len(given) > 1:
        raise click.UsageError("--given names one table of sequences: give it once.")
    data = given[0]
    if "=" in data and not os.path.exists(data):
        raise click.UsageError(
            f"--given {data}: a model of sequences takes a table with the rows that are known, --given "
            "days.csv; findings of single variables are for networks."
        )
    if not is_piped(data):
        require_table(data)
    with progress("Drawing"), table_file(data) as table:
        note_unused(model, table, keys_of(table, sequence, time))
        how: dict[str, Any] = {"sequence": sequence, "time": time}
        drawn = model.sample(length, given=table, sequences=draws or 1, seed=seed, **how)
        with without_warnings():
            seen = model.score_steps(table, **how)
        keys = {} if sequence is None else {sequence: sequence_names(table, sequence)}
        known = None if time is None else _times(table, sequence, time, length)
        times = {} if time is None or known is None else {time: known}
    every, given_rows = ([drawn], [len(seen)]) if sequence is None else (drawn, [len(one) for one in seen])
    _report(_continued(every, given_rows, keys, times, draws), len(every), seed, output, as_json)


def _times(table: str, sequence: str | None, time: str, length: int) -> list[list[Any]] | None:
    """For each sequence the times of its rows, and of the steps that follow where they are known."""
    from bayou.models.sequences.input.sequence_input import sequences_given
    from bayou.models.sequences.input.times_ahead import times_ahead, times_given

    given = sequences_given(table, sequence=sequence, time=time)
    seen, ahead = times_given(given), times_ahead(given, length) if length else None
    if seen is None:
        return None
    return [own + ((ahead[k] or []) if ahead is not None else []) for k, own in enumerate(seen)]


def _continued(
    drawn: list[list[dict[Any, list[Any]]]],
    given_rows: list[int],
    keys: dict[str, tuple[Any, ...]],
    times: dict[str, list[list[Any]]],
    draws: int | None,
) -> dict[str, list[Any]]:
    """All draws of all sequences below each other."""
    names = (*keys, *(["draw"] if draws else []), "step", *times)
    heads: dict[str, list[Any]] = {name: [] for name in names}
    columns: dict[Any, list[Any]] = {name: [] for name in drawn[0][0]}
    for k, (one, given) in enumerate(zip(drawn, given_rows, strict=True)):
        for draw, cells in enumerate(one):
            rows = len(next(iter(cells.values())))
            for name, labels in keys.items():
                heads[name] += [labels[k]] * rows
            if draws:
                heads["draw"] += [draw] * rows
            heads["step"] += range(1 - given, rows - given + 1)
            for name, known in times.items():
                heads[name] += (known[k] + [None] * rows)[:rows]
            for name, column in columns.items():
                column += cells[name]
    return _beside(heads, columns)


def _report(
    columns: dict[str, list[Any]], sequences: int, seed: int, output: str | None, as_json: bool
) -> None:
    """Write the columns, and say so."""
    rows = len(next(iter(columns.values())))
    if as_json and output is None:
        print_json(
            {"seed": seed, "columns": list(columns), "rows": list(zip(*columns.values(), strict=True))}
        )
        return
    write_columns(columns, output)
    if as_json:
        print_json({"saved": output, "rows": rows, "columns": list(columns), "seed": seed})
    elif output is not None:
        click.echo(
            f"Saved {counted(sequences, 'sequence')} ({counted(rows, 'row')}) to {output} (seed {seed})"
        )


def _columns(drawn: list[dict[Any, list[Any]]]) -> dict[str, list[Any]]:
    """All sequences below each other."""
    lengths = [len(next(iter(one.values()))) for one in drawn]
    columns: dict[str, list[Any]] = {
        "sequence": [k for k, length in enumerate(lengths) for _ in range(length)],
        "time": [step for length in lengths for step in range(length)],
    }
    return _beside(columns, {name: [cell for one in drawn for cell in one[name]] for name in drawn[0]})


def _beside(heads: dict[str, list[Any]], columns: dict[Any, list[Any]]) -> dict[str, list[Any]]:
    """Columns after others; one whose name is taken gets a prime."""
    found = dict(heads)
    for name, cells in columns.items():
        header = str(name)
        while header in found:
            header = f"{header}'"
        found[header] = cells
    return found
