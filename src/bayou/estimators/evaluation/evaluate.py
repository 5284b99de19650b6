"""Cross-validation of one or more classifiers on the same folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from bayou.arguments import weights_named
from bayou.decisions.utility_table import utility_table
from bayou.errors import BadQuestion
from bayou.estimators.classifier_names import classifier_class
from bayou.estimators.evaluation.evaluation_result import Evaluation
from bayou.estimators.evaluation.folds import folds_of, given_folds
from bayou.estimators.evaluation.foreign_rows import foreign_rows, is_own
from bayou.estimators.evaluation.large_folds import evaluated_rows
from bayou.estimators.evaluation.model_run import ModelRun, judged_runs
from bayou.estimators.evaluation.model_scores import EvaluatedRows
from bayou.estimators.evaluation.row_weights import require_weighable, weighted_rows
from bayou.estimators.input.labelled_input import LabelledRows
from bayou.estimators.input.row_input import rows_for
from bayou.progress import tracked
from bayou.schema import state_key
from bayou.sources import Columns
from bayou.sources.stored_rows import rows_to_read_again


@weights_named("weights")
def evaluate(
    models: Any,
    data: Any,
    target: Any,
    folds: int = 10,
    seed: int = 0,
    fold_of_row: Any = None,
    *,
    weights: Any = None,
    costs: Any = None,
) -> Evaluation:
    """Score classifiers by stratified cross-validation, all of them on the same folds.

    ``models`` is a name ("nb", "tan", "aode", "kdb", …), an estimator, a list of these, or a mapping of
    names to these. ``target`` is a column of the data, or the labels; rows without a label are left out.
    With fewer than five rows per fold (under 50 for ten folds) each row is its own fold.
    ``fold_of_row`` sets the folds. A class without training rows gets probability 0. ``weights`` is a column
    of the data, or one number per row, for learning and for scoring; rows of weight 0 are left out. ``costs``
    is {action: {class: cost}}, as for :func:`bayou.decide`: then each row gets the action of least expected
    cost, and the mean cost of a row is a score. Rows that are too many for memory are read again for every
    fold (those of databases, Spark and iterators from a temporary copy), except by estimators of other
    packages, which learn from all rows at once.

    Raises ``BadQuestion`` for a word that names no classifier, ``UnknownVariable`` if there is no such
    column.

    >>> weather = {"wind": ["weak", "strong"] * 30, "play": ["yes", "no"] * 30}
    >>> evaluate(["nb", "tan"], weather, "play", folds=3)["nb"].accuracy
    1.0
    """
    chosen = named_models(models)
    data, weights, large = rows_to_read_again(data, weights)
    if large is not None:
        return evaluated_rows(chosen, large, target, folds, seed, fold_of_row, costs)
    labelled, of_weight = weighted_rows(data, target, weights)
    of_row = (
        folds_of(labelled.labels, folds, seed)
        if fold_of_row is None
        else given_folds(fold_of_row, labelled.rows + labelled.left_out, labelled.kept)
    )
    classes = labelled.classes
    table = None if costs is None else utility_table(classes, costs=costs)
    places = {state_key(state): place for place, state in enumerate(classes)}
    truth = np.array([places[state_key(value)] for value in labelled.labels])
    for model in chosen.values():
        require_weighable(model, of_weight)
    judged = EvaluatedRows(truth, of_row, classes, of_weight, table)
    runs = [ModelRun(name, model, judged) for name, model in chosen.items()]
    for fold in tracked(range(int(of_row.max()) + 1), "Folds"):
        held_out = of_row == fold
        train, test = labelled.taken(np.flatnonzero(~held_out)), labelled.taken(np.flatnonzero(held_out))
        given = {} if of_weight is None else {"sample_weight": of_weight[~held_out]}
        for run in runs:
            run.predict_fold(fold, partial(_learned, train, given), partial(_predicted, test))
    return judged_runs(runs, judged, labelled.target, labelled.left_out)


def named_models(models: Any) -> dict[str, Any]:
    """Return classifiers by name, from any form of ``models``.

    >>> list(named_models(["nb", "nb", "tan"]))
    ['nb', 'nb (2)', 'tan']
    """
    if isinstance(models, Mapping):
        found = {str(name): _estimator(model) for name, model in models.items()}
    else:
        found = {}
        several = isinstance(models, Sequence) and not isinstance(models, str)
        for model in models if several else [models]:
            plain_name = model if isinstance(model, str) else type(model).__name__
            name, number = plain_name, 1
            while name in found:
                number += 1
                name = f"{plain_name} ({number})"
            found[name] = _estimator(model)
    if not found:
        raise BadQuestion("There is no classifier to evaluate; give for example ['nb', 'tan'].")
    return found


def _estimator(given: Any) -> Any:
    """The estimator of a name, a class or an estimator."""
    if isinstance(given, str):
        return classifier_class(given)()
    if isinstance(given, type):
        return given()
    if not hasattr(given, "fit") or not hasattr(given, "predict_proba"):
        raise BadQuestion(
            f"{given!r} is not a classifier: give a name, or an estimator with fit and predict_proba."
        )
    return given


def _learned(train: LabelledRows, weights: dict[str, Any], model: Any) -> Any:
    return model.fit(_features(model, train.features), train.label_array, **weights)


def _predicted(test: LabelledRows, model: Any) -> list[Any]:
    return [model.predict_proba(_features(model, test.features))]


def _features(model: Any, columns: Columns) -> Any:
    """The rows in the form that the model takes: bayou's own coded columns, others a data frame."""
    return rows_for(model, columns) if is_own(model) else foreign_rows(model, columns)
