"""``bayou count``: count the statistics of a table for a network or a classifier, and save them."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import declared_from_text, share_from_text
from bayou.cli.counting.saving import save_counted
from bayou.cli.learning.fit_classifier import MODELS, unfitted_classifier
from bayou.cli.learning.model_options import column_options, feature_options
from bayou.cli.terminal.paths import check_output, force_option, load_shown_model, require_table
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json, tell_note
from bayou.cli.terminal.table_options import described_table, table_options
from bayou.errors import BadFile, counted
from bayou.text.tables import seconds_text

if TYPE_CHECKING:
    from bayou.counting.model_statistics import ModelStatistics

_SETTINGS = ("model", "features", "prior", "states", "cuts", "cuts_from", "continuous", "share")
"""Options that a model from a file has decided already."""
EXAMPLES = """\b
Examples:
  bayou count north.parquet --network net.bif -o north.stats
  bayou count south.csv --network net.bif -o south.stats
  bayou merge north.stats south.stats -o all.stats
  bayou fit --from-stats all.stats -o net.bayou
  bayou count part1.csv part2.csv --target ill --model tan --cuts age=40,60 -o ill.stats
  bayou count part3.csv --like ill.stats -o more.stats                 (the same model and cuts)
  bayou count part1.csv --target ill --model tan --cuts-from values.stats -o ill.stats
  bayou count part1.csv part2.csv --target ill -o ill.stats --resume   (go on after an interruption)
"""


@click.command(short_help="Count a table for a model, and save the statistics.", epilog=EXAMPLES)
@click.argument("data", metavar="DATA...", nargs=-1, required=True)
@click.option(
    "--network",
    "structure",
    metavar="ARROWS|FILE",
    help="The structure: arrow text such as 'A, B -> C; D', a .txt file with such text, or a network file.",
)
@click.option("--target", metavar="COLUMN", help="Count for a classifier that predicts this column.")
@click.option("--model", type=click.Choice(MODELS), help="Which classifier (with --target).  [default: nb]")
@click.option("--like", metavar="FILE", help="Count for the model of this .stats or .bayou file.")
@feature_options
@click.option(
    "--prior", metavar="PRIOR", help="The prior of a classifier (bayou fit chooses that of a network)."
)
@click.option("--states", multiple=True, metavar="NAME=A,B", help="Declare states, in order. Repeatable.")
@column_options
@click.option(
    "--cuts-from",
    metavar="FILE",
    help="Cut numbers by the values that this .stats file of naive Bayes has counted (with --target).",
)
@click.option("-o", "--output", metavar="FILE", required=True, help="Save the statistics here (.stats).")
@click.option("--resume", is_flag=True, help="Go on where an interrupted count of the same data stopped.")
@table_options
@force_option
@json_option
def count(
    data: tuple[str, ...], output: str, resume: bool, force: bool, as_json: bool, **options: Any
) -> None:
    """Count DATA (one or more tables) for a network or a classifier, without estimating it.

    The .stats file holds counts and moments but no rows. Those of several sites or parts of the data add up
    (bayou merge), and bayou fit --from-stats gives the model: equal to one fit on all the rows. If counting
    is interrupted (Ctrl-C, a malformed row), the statistics so far are kept beside the output, with the
    ending .part, and --resume goes on from there. With gaps, each table of a network is counted from the
    rows in which the variable and its parents are observed.
    """
    from bayou.counting.count import count as counted_data

    for path in data:
        require_table(path)
    others = [options[name] for name in ("like", "cuts_from", "structure") if options[name]]
    check_output(output, (".stats",), [*data, *others], force)
    model, target = _model(options)
    part = f"{output}.part"
    if not resume:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
    elif not os.path.exists(part):
        tell_note(f"There is no interrupted count ({part}): counting from the beginning.")
    started = time.perf_counter()
    given: dict[str, Any] = {"weights": options["weights"], "ignore": options["ignore"], "checkpoint": part}
    with progress(f"Counting {', '.join(data)}"), _kept(part):
        found = counted_data([described_table(path) for path in data], model, target=target, **given)
    save_counted(found, output)
    _show(found, time.perf_counter() - started, output, as_json)


@contextlib.contextmanager
def _kept(part: str) -> Iterator[None]:
    """Tell after an error that the statistics so far were kept."""
    try:
        yield
    except BaseException:
        if os.path.exists(part):
            from bayou import load

            with contextlib.suppress(BadFile):
                rows = load(part).rows
                tell_note(
                    f"Counted {counted(rows, 'row')} so far, kept in {part}: give the same command with "
                    "--resume to go on from there."
                )
        raise


def _model(options: dict[str, Any]) -> tuple[Any, str | None]:
    """The network or the classifier to count for, and the target of the classifier."""
    structure, like = options["structure"], options["like"]
    if like is not None:
        chosen = [name for name in _SETTINGS if options[name]]
        if chosen or structure is not None:
            raise click.UsageError("With --like the model has its own settings: omit the others.")
        found = load_shown_model(like)
        model = getattr(found, "classifier", found)
        if hasattr(model, "structure") and not hasattr(model, "statistics_"):
            from bayou.models.network import Network

            return Network.from_structure(model.structure), None
        if not hasattr(model, "statistics_"):
            raise BadFile.at(like, "holds no network or classifier that learns by counting.")
        return model, model.target_
    if options["target"] is not None:
        for name in ("continuous", "share"):
            if options[name]:
                raise click.UsageError(
                    f"--{name} is for networks; a classifier (--target) infers it from data."
                )
        arcs = None
        if structure is not None:
            net = _network(structure, options)
            arcs = {name: list(net.parents(name)) for name in net.names}
        model = unfitted_classifier(arcs, options)
        return _with_cuts_from(options["cuts_from"], model), options["target"]
    if structure is None:
        raise click.UsageError(
            "Give the network's structure (--network), the column to predict (--target), or a file to count "
            "for (--like)."
        )
    for name in ("model", "features", "ignore", "prior", "cuts_from"):
        if options[name]:
            option = name.replace("_", "-")
            raise click.UsageError(
                f"--{option} is for classifiers (--target); the prior of a network is chosen by bayou fit."
            )
    return _network(structure, options), None


def _with_cuts_from(path: str | None, model: Any) -> Any:
    """The classifier with the cuts that counted values suggest, where none are declared."""
    if path is None:
        return model
    from bayou.cli.counting.merge import load_statistics

    counted_values = load_statistics(path)
    if not hasattr(counted_values, "cuts"):
        raise BadFile.at(path, "holds statistics of a network; count them for naive Bayes (--target).")
    if "states" not in model.get_params(deep=False):
        raise click.UsageError("This --model cuts no columns of numbers: omit --cuts-from.")
    return model.set_params(states={**counted_values.cuts(), **(model.states or {})})


def _network(structure: str, options: dict[str, Any]) -> Any:
    from bayou.cli.network_text import structured_network

    if options["target"] is not None:
        return structured_network(structure, {}, (), {})
    declared = declared_from_text(options["states"], options["cuts"])
    return structured_network(structure, declared, options["continuous"], share_from_text(options["share"]))


def _show(found: ModelStatistics, seconds: float, output: str, as_json: bool) -> None:
    if as_json:
        print_json({"rows": found.rows, "seconds": seconds, "saved": output})
        return
    screen = Screen()
    screen.text(f"Counted {counted(found.rows, 'row')} in {seconds_text(seconds)}.", style="bold green")
    screen.text(f"Saved to {output}")
