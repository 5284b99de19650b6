"""``bayou.fit``: choose a classifier for a table, and fit it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayou.arguments import seed_number, weights_named, whole_number
from bayou.errors import BadData, BadQuestion
from bayou.estimators.choosing.candidates import candidates_named
from bayou.estimators.choosing.choose import choose
from bayou.estimators.choosing.model_choice import BEST, SIMPLE, ModelChoice
from bayou.estimators.choosing.trial_rows import read_trial_rows
from bayou.estimators.input.containers import collected, is_column_name, is_streamable
from bayou.sources import Columns, open_source, read_columns
from bayou.sources.streams.batch_source import opened_reader
from bayou.statistics import Source

PREFERENCES = (SIMPLE, BEST)


@weights_named("weights")
def fit(
    data: Any,
    target: Any,
    *,
    prefer: str = SIMPLE,
    models: Sequence[str] | None = None,
    weights: Any = None,
    folds: int = 10,
    seed: int = 0,
    **settings: Any,
) -> Any:
    """Return a fitted classifier of a kind that suits the data: the simplest that is not surely worse.

    Every candidate (naive Bayes of columns or of words, one normal density for each class, a Chow–Liu tree,
    TAN, k-dependence, AODE and the ensemble of many small models; ``models`` names some by their words on the
    command line) predicts the same held-out rows. The simplest is taken whose log-loss is within one standard
    error of the smallest, and at most 5 % above it; with ``prefer="best"`` the one with the smallest.
    ``model.choice`` is the table of all that were tried. Below 50 rows naive Bayes is taken; above 20,000 a
    sample decides, drawn by ``seed`` and content. Then the chosen one learns from all rows. ``target`` is a
    column of the data or the class of each row, ``weights`` a column or one number per row; other
    ``settings``, such as ``states`` or ``prior``, leave only the candidates that have them.

    Raises ``UnknownVariable`` if there is no such column, ``BadData`` for a table without anything to learn
    from.

    >>> import bayou
    >>> rows = {"a": ["p", "p", "q", "q"] * 50, "b": ["s", "t"] * 100, "y": ["no", "yes", "yes", "no"] * 50}
    >>> model = bayou.fit(rows, "y", models=["nb", "tan", "aode"])
    >>> type(model).__name__, model.choice.name, round(model.choice["nb"].log_loss, 2)
    ('TAN', 'tan', 0.69)
    """
    data = readable(data)
    rows, named = data, weights
    if is_streamable(data) and is_column_name(target):
        rows, named = _source(data, weights), None
    found = chosen_model(rows, target, prefer, models, named, folds, seed, settings)
    model = candidates_named([found.name])[0].maker(**settings)
    if named is None:
        model.fit(rows if weights is not None else data, target)
    else:
        rows, of_rows = _table_and_weights(data, weights)
        model.fit(rows, target, sample_weight=of_rows)
    model.choice = found
    return model


def chosen_model(
    data: Any,
    target: Any,
    prefer: str,
    models: Sequence[str] | None,
    weights: Any,
    folds: int,
    seed: int,
    settings: dict[str, Any],
) -> ModelChoice:
    """Return which classifier suits the data, without learning from all of them."""
    if prefer not in PREFERENCES:
        raise BadQuestion.choice("prefer", prefer, PREFERENCES)
    candidates = candidates_named(models)
    for name in settings:
        if all(each.lacking({name: None}) for each in candidates):
            raise BadQuestion(f"None of the classifiers has the setting {name}=; {_instead(name)}")
    folds = whole_number("folds", folds, 2, expected="give the number of folds, a whole number, 2 or more")
    source = open_source(data) if is_streamable(data) and is_column_name(target) else data
    rows = read_trial_rows(source, target, weights, folds, seed_number(seed))
    return choose(rows, candidates, settings, prefer=prefer, folds=folds)


def _instead(name: str) -> str:
    """What to do instead of giving a setting that belongs to decisions, or that no classifier needs."""
    if name in ("costs", "utilities", "cost"):
        return (
            "probabilities do not depend on what errors cost, and decisions do. Fit without it, and decide "
            "by them: bayou.decide(model.predict_proba(rows), costs=…, classes=model.classes_). "
            "bayou.evaluate(models, data, target, costs=…) compares classifiers by their costs; "
            'prefer="best" takes the one with the best probabilities.'
        )
    if name in ("class_weight", "class_weights", "balanced", "sampling_strategy"):
        return (
            "weighting classes would bend the probabilities. Fit without it; say what errors cost when you "
            "decide: bayou.decide(model.predict_proba(rows), costs=…, classes=model.classes_); where classes "
            "will be more or less frequent than in the data: model.with_class_prior({class: share})."
        )
    return "leave it out."


def readable(data: Any) -> Any:
    """Return data that can be read several times; an iterator is refused with the remedy."""
    opened = opened_reader(collected(data))
    if isinstance(opened, Source) and opened.reads_once:
        raise BadData(
            "Choosing a classifier reads the rows several times, and an iterator gives them once. Give a "
            "function that returns the iterator, bayou.from_batches(make_batches), or a file; or choose "
            "yourself: bayou.NaiveBayes().fit(batches, target)."
        )
    return opened


def _source(data: Any, weights: Any) -> Source:
    """A file or another source, with the weights of its rows."""
    if weights is None or (isinstance(data, Source) and not isinstance(weights, str | int)):
        return open_source(data, weights=weights)
    names = [name for name in open_source(data).names if name != weights]
    return open_source(data, names=names, weights=weights)


def _table_and_weights(data: Any, weights: Any) -> tuple[Any, Any]:
    """A table without its column of weights, and the weights."""
    if not isinstance(weights, str):
        return data, weights
    table = read_columns(data)
    names = [name for name in table.names if name != weights]
    return Columns(names, [table[name] for name in names], table.rows), table.numbers(weights)
