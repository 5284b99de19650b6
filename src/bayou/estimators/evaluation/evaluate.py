"""Cross-validation of one or more classifiers on the same folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from bayou.arguments import weights_named
from bayou.decisions.utility_table import utility_table
from bayou.errors import BadQuestion, BayouError, BayouWarning, warn_user
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.classifier_names import classifier_class
from bayou.estimators.evaluation.evaluation_result import BASELINE, Evaluation
from bayou.estimators.evaluation.folds import folds_of, given_folds
from bayou.estimators.evaluation.model_scores import EvaluatedRows, ModelScores
from bayou.estimators.evaluation.row_weights import require_weighable, weighted_rows
from bayou.estimators.input.labelled_input import LabelledRows
from bayou.estimators.input.row_input import rows_for
from bayou.frames import pandas_categorical, pandas_frame
from bayou.progress import tracked
from bayou.schema import plain, state_key
from bayou.sources import CodedColumn, Column, Columns
from bayou.typing import FloatArray, IntArray


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
    cost, and the mean cost of a row is a score.

    >>> weather = {"wind": ["weak", "strong"] * 30, "play": ["yes", "no"] * 30}
    >>> evaluate(["nb", "tan"], weather, "play", folds=3)["nb"].accuracy
    1.0
    """
    chosen = named_models(models)
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
    runs = [_ModelRun(name, model, labelled.rows, len(classes)) for name, model in chosen.items()]
    count = int(of_row.max()) + 1
    for fold in tracked(range(count), "Folds"):
        held_out = of_row == fold
        train, test = labelled.taken(np.flatnonzero(~held_out)), labelled.taken(np.flatnonzero(held_out))
        of_train = None if of_weight is None else of_weight[~held_out]
        for run in runs:
            run.predict_fold(fold, train, test, np.flatnonzero(held_out), places, of_train)
    judged = EvaluatedRows(truth, of_row, classes, of_weight, table)
    results = tuple(ModelScores.of(run.name, run.proba, judged, run.seconds) for run in runs)
    baseline = ModelScores.of(BASELINE, judged.class_shares, judged, [(0.0, 0.0)] * count)
    result = Evaluation(labelled.target, judged, results, baseline, labelled.left_out)
    if result.tiny_classes:
        warn_user(result.note)
    return result


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


class _ModelRun:
    """One classifier in cross-validation: its predictions so far, and the times of each fold."""

    def __init__(self, name: str, model: Any, rows: int, classes: int) -> None:
        self.name, self.model = name, model
        self.proba: FloatArray = np.zeros((rows, classes))
        self.seconds: list[tuple[float, float]] = []

    def predict_fold(
        self,
        fold: int,
        train: LabelledRows,
        test: LabelledRows,
        rows: IntArray,
        places: Mapping[Any, int],
        weights: FloatArray | None,
    ) -> None:
        """Fit on the other folds and store the predictions of this one, whose row numbers are ``rows``."""
        started = time.perf_counter()
        given = {} if weights is None else {"sample_weight": weights}
        try:
            with warnings.catch_warnings():
                # Values that occur only in the held-out fold are normal in cross-validation.
                warnings.simplefilter("ignore", BayouWarning)
                features = _features(self.model, train.features)
                model = clone(self.model).fit(features, train.label_array, **given)
                fitted = time.perf_counter()
                proba = model.predict_proba(_features(self.model, test.features))
        except BayouError as error:
            raise type(error)(f"{self.name}, fold {fold + 1}: {error}") from None
        self.seconds.append((fitted - started, time.perf_counter() - fitted))
        columns = np.array([places[state_key(plain(state))] for state in model.classes_.tolist()])
        self.proba[np.ix_(rows, columns)] = proba


def _features(model: Any, columns: Columns) -> Any:
    """The rows in the form that the model takes: bayou's own coded columns, others a data frame."""
    if isinstance(model, BayesClassifier):
        return rows_for(model, columns)
    purpose = f"Evaluating a {type(model).__name__}"

    def values(column: Column) -> Any:
        if isinstance(column, CodedColumn):
            return pandas_categorical(column.codes, column.labels, purpose)
        return column.values

    return pandas_frame({name: values(columns[name]) for name in columns.names}, purpose)
