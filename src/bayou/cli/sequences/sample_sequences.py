"""``bayou sample`` on a hidden Markov model: draw whole sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayou.cli.terminal.csv_output import CSV_ENDINGS, write_columns
from bayou.cli.terminal.paths import check_output
from bayou.cli.terminal.reporting import print_json
from bayou.errors import counted

if TYPE_CHECKING:
    from bayou.models.sequences.hmm import HMM

DEFAULT_LENGTH = 100


def sample_sequences(
    hmm: HMM, length: int | None, sequences: int | None, seed: int, output: str | None, as_json: bool
) -> None:
    """Draw sequences and write them with a number for each sequence and step, both counting from 0."""
    if output is not None:
        check_output(output, CSV_ENDINGS, [], force=True)
    drawn = hmm.sample(length or DEFAULT_LENGTH, sequences=sequences or 1, seed=seed)
    columns = _columns(hmm, drawn)
    rows = len(columns["sequence"])
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
            f"Saved {counted(len(drawn), 'sequence')} ({counted(rows, 'row')}) to {output} (seed {seed})"
        )


def _columns(hmm: HMM, drawn: list[dict[Any, list[Any]]]) -> dict[str, list[Any]]:
    """All sequences below each other; a column of the model that is called so, too, gets a prime."""
    lengths = [len(next(iter(one.values()))) for one in drawn]
    columns: dict[str, list[Any]] = {
        "sequence": [k for k, length in enumerate(lengths) for _ in range(length)],
        "time": [step for length in lengths for step in range(length)],
    }
    for name in (*hmm.chain.columns, hmm.chain.state.name):
        header = str(name)
        while header in columns:
            header = f"{header}'"
        columns[header] = [cell for one in drawn for cell in one[name]]
    return columns
