"""Cross-validation of classifiers on rows that are too many for memory: every fold reads them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from bayou.decisions.utility_table import utility_table
from bayou.estimators.evaluation.evaluation_result import Evaluation
from bayou.estimators.evaluation.folds import given_folds, stratified_folds
from bayou.estimators.evaluation.foreign_rows import is_own
from bayou.estimators.evaluation.labelled_folds import LabelledFolds
from bayou.estimators.evaluation.model_run import ModelRun, judged_runs
from bayou.estimators.evaluation.model_scores import EvaluatedRows
from bayou.estimators.evaluation.row_weights import require_weighable
from bayou.memory import reading_memory
from bayou.progress import tracked
from bayou.sources.stored_rows import LargeRows
from bayou.typing import FloatArray

_KEPT_SHARE = 0.1
"""Which part of the memory for reading files the predictions of all rows may take."""


def evaluated_rows(
    models: Mapping[str, Any],
    rows: LargeRows,
    target: Any,
    folds: int,
    seed: int,
    fold_of_row: Any,
    costs: Any,
) -> Evaluation:
    """Score classifiers by the folds that a table in memory would have.

    Of the rows only the classes, folds and weights are kept, in few bytes each, and the predictions if they
    take little memory; features are read again for every fold.
    """
    labelled = LabelledFolds.of(rows, target)
    for model in models.values():
        require_weighable(model, labelled.weights)
        labelled.require_learnable(model)
    of_row = (
        stratified_folds(labelled.truth, folds, seed)
        if fold_of_row is None
        else given_folds(fold_of_row, len(labelled.used), labelled.used)
    )
    table = None if costs is None else utility_table(labelled.classes, costs=costs)
    judged = EvaluatedRows(labelled.truth, of_row, labelled.classes, labelled.weights, table)
    needed = 8.0 * len(labelled.truth) * len(labelled.classes) * len(models)
    kept = needed <= reading_memory() * _KEPT_SHARE
    runs = [ModelRun(name, model, judged, kept) for name, model in models.items()]
    for fold in tracked(range(int(of_row.max()) + 1), "Folds"):
        for run in runs:
            run.predict_fold(
                fold,
                partial(labelled.learned, of_row, fold),
                partial(labelled.answers, of_row, fold, _probabilities),
            )
    return judged_runs(runs, judged, labelled.target, len(labelled.used) - len(labelled.truth))


def _probabilities(model: Any, rows: Any) -> Iterator[FloatArray]:
    if is_own(model):
        yield from model._probability_blocks(rows)
    else:
        yield np.asarray(model.predict_proba(rows))
