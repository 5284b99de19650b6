"""Cross-validation of classifiers on rows that are too many for memory: every fold reads them again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from bayou.decisions.utility_table import utility_table
from bayou.estimators.evaluation.evaluation_result import Evaluation
from bayou.estimators.evaluation.folds import given_folds, stratified_folds
from bayou.estimators.evaluation.labelled_folds import LabelledFolds
from bayou.estimators.evaluation.model_run import ModelRun, judged_runs
from bayou.estimators.evaluation.model_scores import EvaluatedRows
from bayou.estimators.evaluation.row_weights import require_weighable
from bayou.memory import require_memory
from bayou.progress import tracked
from bayou.sources.stored_rows import LargeRows
from bayou.typing import FloatArray


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

    Of the rows only the classes, weights and predictions are kept; features are read again for every fold.
    """
    labelled = LabelledFolds.of(rows, target)
    require_memory(
        8.0 * len(labelled.kept) * (len(labelled.classes) * (len(models) + 1) + 4),
        f"What {len(models)} classifiers predict for {len(labelled.kept):,} rows",
        "Evaluate on some of the rows.",
    )
    for model in models.values():
        require_weighable(model, labelled.weights)
        labelled.require_learnable(model)
    of_row = (
        stratified_folds(labelled.truth, folds, seed)
        if fold_of_row is None
        else given_folds(fold_of_row, labelled.every, labelled.kept)
    )
    runs = [ModelRun(name, model, len(labelled.kept), labelled.classes) for name, model in models.items()]
    for fold in tracked(range(int(of_row.max()) + 1), "Folds"):
        for run in runs:
            run.predict_fold(
                fold,
                np.flatnonzero(of_row == fold),
                partial(labelled.learned, of_row, fold),
                partial(labelled.answers, of_row, fold, _probabilities),
            )
    table = None if costs is None else utility_table(labelled.classes, costs=costs)
    judged = EvaluatedRows(labelled.truth, of_row, labelled.classes, labelled.weights, table)
    return judged_runs(runs, judged, labelled.target, labelled.every - len(labelled.kept))


def _probabilities(model: Any, rows: Any) -> FloatArray:
    found: FloatArray = model.predict_proba(rows)
    return found
