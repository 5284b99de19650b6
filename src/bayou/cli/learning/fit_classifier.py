"""``bayou fit --target``: learn a classifier from a table."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import declared_from_text, named_lists, prior_from_text
from bayou.cli.terminal.piped_tables import table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import print_json
from bayou.documents.model_documents import classifier_document, feature_notes
from bayou.errors import BadData, counted
from bayou.text.quotes import unquoted
from bayou.text.tables import seconds_text

if TYPE_CHECKING:
    from bayou.estimators.choosing.model_choice import ModelChoice
    from bayou.estimators.input.labelled_file import LabelledFile

MODELS = ("nb", "tan", "aode", "kdb", "chow-liu", "ensemble", "gaussian", "text", "network")
"""The words of estimators.classifier_names, repeated so that --help need not import it; a test compares."""
_NETWORK_OPTIONS = ("continuous", "share")


def fit_classifier(
    data: str, output: str | None, as_json: bool, structure: Any, options: dict[str, Any]
) -> None:
    """Learn a classifier, save and describe it; ``structure`` is that of a network, or None."""
    for name in _NETWORK_OPTIONS:
        if options[name]:
            raise click.UsageError(
                f"--{name} is for networks; a classifier (--target) infers it from the data."
            )
    chooses = options["model"] is None and structure is None
    if options["prefer"] is not None and not chooses:
        raise click.UsageError("--prefer chooses among classifiers: omit --model and --network, or omit it.")
    model = None if chooses else unfitted_classifier(structure, options)
    _learn(model, data, output, as_json, options, on=False)


def learn_on(model: Any, data: str, output: str | None, as_json: bool, options: dict[str, Any]) -> None:
    """Continue learning: add rows to a fitted classifier."""
    for name in (*_NETWORK_OPTIONS, "states", "cuts", "model", "prefer", "features", "prior"):
        if options[name]:
            raise click.UsageError(f"With --add the classifier keeps its own settings: omit --{name}.")
    if options["target"] not in (None, model.target_):
        raise BadData(f"The classifier predicts {model.target_!r}, not {options['target']!r}.")
    _learn(model, data, output, as_json, {**options, "target": model.target_}, on=True)


def unfitted_classifier(structure: Any, options: dict[str, Any]) -> Any:
    """Create the classifier that the options describe."""
    from bayou.estimators.classifier_names import classifier_class

    word = options["model"] or ("nb" if structure is None else "network")
    if structure is not None and word != "network":
        raise click.UsageError(f"--network gives the arcs, which --model {word} learns itself; choose one.")
    settings = _settings(options)
    if structure is not None:
        settings.update(structure=structure, target=options["target"])
    maker = classifier_class(word)
    known = maker._get_param_names()
    for name in settings:
        if name not in known:
            option = "cuts" if name == "states" and not options["states"] else name
            raise click.UsageError(f"--model {word} has no --{option}.")
    return maker(**settings)


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a classifier that the options give."""
    settings: dict[str, Any] = {}
    if options["prior"] is not None:
        settings["prior"] = prior_from_text(options["prior"])
    if options["features"]:
        settings["features"] = kinds_from_text(options["features"])
    if options["states"] or options["cuts"]:
        settings["states"] = declared_from_text(options["states"], options["cuts"])
    return settings


def _chosen(path: str, options: dict[str, Any]) -> tuple[Any, ModelChoice]:
    """The kind of classifier that suits a file, not fitted yet, and how it was chosen."""
    from bayou.estimators.choosing.fit import chosen_model
    from bayou.estimators.classifier_names import classifier_class
    from bayou.sources import open_source
    from bayou.sources.files.file_kinds import open_file

    settings, weights = _settings(options), options["weights"]
    names = [name for name in open_file(path).names if name not in (*options["ignore"], weights)]
    rows = open_source(path, names=names, weights=weights)
    prefer = options["prefer"] or "simple"
    found = chosen_model(rows, options["target"], prefer, None, None, 10, 0, settings)
    return classifier_class(found.name)(**settings), found


def kinds_from_text(texts: tuple[str, ...]) -> dict[str, str]:
    """Parse options ``age=gaussian`` to kinds by column.

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
    from bayou.estimators.input.labelled_file import open_labelled_file

    started = time.perf_counter()
    with progress(f"Learning from {data}"), table_file(data) as path:
        labelled = open_labelled_file(path, options["target"], options["ignore"], options["weights"])
        model, choice = (model, None) if model is not None else _chosen(path, options)
        learn = model.partial_fit if on else model.fit
        learn(labelled.rows, labelled.rows.target)
        if choice is not None:
            model.choice = choice
        seconds = time.perf_counter() - started
        if output is not None:
            _save(model, output, with_rows=on or options["keep_rows"])
    if as_json:
        rows = {"rows": int(labelled.counts.total), "left_out": labelled.left_out, "seconds": seconds}
        print_json({**rows, "saved": output, "classifier": classifier_document(model)})
    else:
        _show(model, labelled, seconds, output)


def _save(model: Any, output: str, *, with_rows: bool) -> None:
    """Save a classifier; ``with_rows``: of an ensemble with the rows that --add needs."""
    from bayou.estimators.pooled.bayes_ensemble import BayesEnsemble

    if with_rows and isinstance(model, BayesEnsemble):
        model.save(output, rows=True)
    else:
        model.save(output)


def _show(model: Any, labelled: LabelledFile, seconds: float, output: str | None) -> None:
    from bayou.schema import label
    from bayou.text.tables import Bar, TextTable

    screen, counts = Screen(), labelled.counts
    took = seconds_text(seconds)
    screen.text(f"Learned from {counted(counts.total, 'row')} in {took}.", style="bold green")
    screen.text(f"{type(model).__name__} that predicts {label(model.target_)}", "")
    rows: list[list[Any]] = [
        [label(state), count, count / counts.total, Bar(count / counts.total)]
        for state, count in zip(counts.axes[0].states, counts.values.tolist(), strict=True)
    ]
    screen.table(TextTable([label(model.target_), "rows", "share", ""], rows))
    screen.text("")
    notes = feature_notes(model)
    if any(notes.values()):
        screen.table(TextTable(["feature", "modelled"], [[name, note] for name, note in notes.items()]))
    else:
        screen.wrapped(f"Features: {', '.join(notes)}")
    if model.choice is not None:
        screen.text("")
        screen.table(model.choice.to_table())
        for line in model.choice.remarks:
            screen.wrapped(line)
    screen.text("", f"Saved to {output}" if output else "Not saved: name a file with -o model.bayou")
