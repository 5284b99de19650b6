"""``bayou fit --target``: learn a classifier from a table."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.arguments import named_lists, prior_from_text, unquoted
from bayou.cli.piped_tables import table_file
from bayou.cli.progress_bar import progress
from bayou.cli.rendering import Screen
from bayou.cli.reporting import print_json
from bayou.documents.model_documents import classifier_document, feature_notes
from bayou.errors import BadData

if TYPE_CHECKING:
    from bayou.estimators.labelled_input import LabelledRows

MODELS = ("nb", "tan", "aode", "kdb", "chow-liu", "gaussian", "text", "network")
"""Those of bayou.estimators.by_name, named again so that --help need not import it; a test compares them."""
_OF_NETWORKS = ("states", "cuts", "continuous", "share")


def fit_classifier(
    data: str, output: str | None, as_json: bool, structure: Any, options: dict[str, Any]
) -> None:
    """Learn, save and describe; ``structure`` is that of a network, or None."""
    for name in _OF_NETWORKS:
        if options[name]:
            raise click.UsageError(
                f"--{name} is for networks; a classifier (--target) finds this out itself."
            )
    model = _unfitted(structure, options)
    _learn(model, data, output, as_json, options, on=False)


def learn_on(model: Any, data: str, output: str | None, as_json: bool, options: dict[str, Any]) -> None:
    """Add rows to what a classifier has learned."""
    for name in (*_OF_NETWORKS, "model", "features", "prior"):
        if options[name]:
            raise click.UsageError(f"With --add the classifier keeps its own settings: leave --{name} out.")
    if options["target"] not in (None, model.target_):
        raise BadData(f"The classifier predicts {model.target_!r}, not {options['target']!r}.")
    _learn(model, data, output, as_json, {**options, "target": model.target_}, on=True)


def _unfitted(structure: Any, options: dict[str, Any]) -> Any:
    from bayou.estimators.by_name import classifier_class

    word = options["model"] or ("nb" if structure is None else "network")
    if structure is not None and word != "network":
        raise click.UsageError(f"--network states the arcs, which --model {word} finds itself; choose one.")
    settings: dict[str, Any] = {}
    if options["prior"] is not None:
        settings["prior"] = prior_from_text(options["prior"])
    if options["features"]:
        settings["features"] = kinds_from_text(options["features"])
    if structure is not None:
        settings.update(structure=structure, target=options["target"])
    maker = classifier_class(word)
    known = maker._get_param_names()
    for name in settings:
        if name not in known:
            raise click.UsageError(f"--model {word} has no --{name}.")
    return maker(**settings)


def kinds_from_text(texts: tuple[str, ...]) -> dict[str, str]:
    """``age=gaussian`` options as kinds by column.

    >>> kinds_from_text(("age=gaussian", "'shoe size'=table"))
    {'age': 'gaussian', 'shoe size': 'table'}
    """
    lists = named_lists(texts, "--features", "age=gaussian")
    for name, kinds in lists.items():
        if len(kinds) != 1:
            raise click.BadParameter(f"{name!r} has several kinds.", param_hint="--features")
    return {name: unquoted(kinds[0]) for name, kinds in lists.items()}


def _learn(
    model: Any, data: str, output: str | None, as_json: bool, options: dict[str, Any], *, on: bool
) -> None:
    from bayou.estimators.labelled_input import read_labelled
    from bayou.sources import read_columns

    started = time.perf_counter()
    weights = options["weights"]
    with progress(f"Learning from {data}"), table_file(data) as path:
        table = read_columns(path)
        labelled = read_labelled(
            table, options["target"], [*options["ignore"], *([weights] if weights else [])]
        )
        counted = None if weights is None else table.numbers(weights)[labelled.kept]
        learn = model.partial_fit if on else model.fit
        learn(*training_input(model, labelled), sample_weight=counted)
        seconds = time.perf_counter() - started
        if output is not None:
            model.save(output)
    if as_json:
        told = classifier_document(model)
        rows = {"rows": labelled.rows, "left_out": labelled.left_out, "seconds": seconds}
        print_json({**rows, "saved": output, "classifier": told})
    else:
        _show(model, labelled, seconds, output)


def training_input(model: Any, labelled: LabelledRows) -> tuple[Any, Any]:
    """Rows and target as this classifier takes them."""
    from bayou.estimators.row_input import rows_for

    rows = rows_for(model, labelled.table(), labelled.target)
    return rows, labelled.target


def _show(model: Any, labelled: LabelledRows, seconds: float, output: str | None) -> None:
    from bayou.schema import label, state_key
    from bayou.text_table import Bar, TextTable

    screen = Screen()
    took = f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
    screen.text(f"Learned from {labelled.rows:,} rows in {took}.", style="bold green")
    if labelled.left_out:
        screen.text(f"{labelled.left_out:,} rows without a value of {labelled.target} were left out.")
    screen.text(f"{type(model).__name__} that predicts {label(model.target_)}", "")
    counts = Counter(state_key(value) for value in labelled.labels)
    rows: list[list[Any]] = []
    for state in labelled.classes:
        count = counts[state_key(state)]
        rows.append([label(state), count, count / labelled.rows, Bar(count / labelled.rows)])
    screen.table(TextTable([label(model.target_), "rows", "share", ""], rows))
    screen.text("")
    notes = feature_notes(model)
    if any(notes.values()):
        screen.table(TextTable(["feature", "modelled"], [[name, note] for name, note in notes.items()]))
    else:
        screen.wrapped(f"Features: {', '.join(notes)}")
    screen.text("", f"Saved to {output}" if output else "Not saved: name a file with -o model.bayou")
