"""What ``bayou fit`` does with every model of sequences: read, learn or add, save, tell."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.sequences.sequence_options import keys_of
from bayou.cli.sequences.showing import show_learned
from bayou.cli.terminal.piped_tables import table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.stopping import stopped_code

if TYPE_CHECKING:
    from bayou.cli.terminal.rendering import Screen


@dataclass(frozen=True)
class SequenceFit:
    """How a kind of model is made from a table and its keys, learned and shown."""

    unfitted: Callable[[str, list[str]], Any]
    learning: Callable[[], Mapping[str, Any]]
    document: Callable[[Any], Any]
    show: Callable[[Screen, Any], None] = lambda screen, model: screen.text(str(model))
    gaps: bool = False
    """Whether the number of gaps is told."""


def learn_and_tell(
    data: str,
    output: str | None,
    as_json: bool,
    started_from: Any,
    options: Mapping[str, Any],
    fit: SequenceFit,
) -> None:
    """Learn a model, or add to that of --add; save and describe it."""
    started = time.perf_counter()
    with progress(f"Learning from {data}"), table_file(data) as table:
        keys = keys_of(table, options["sequence"], options["time"])
        how = {"sequence": options["sequence"], "time": options["time"]}
        if started_from is not None:
            model = started_from
            model.partial_fit(table, **how)
        else:
            model = fit.unfitted(table, keys)
            model.fit(table, **how, **fit.learning())
        seconds = time.perf_counter() - started
        if output is not None:
            model.save(output)
    show_learned(
        model.learning,
        "Learned from" if started_from is None else "Added",
        seconds,
        output,
        document=(lambda: fit.document(model)) if as_json else None,
        show=lambda screen: fit.show(screen, model),
        gaps=fit.gaps,
    )
    if model.learning.verdict == "interrupted":
        click.get_current_context().exit(stopped_code())
