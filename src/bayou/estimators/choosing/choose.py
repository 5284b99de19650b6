"""Which classifier: all candidates predict the same held-out rows, everything fitted inside the folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, BayouError, shortened
from bayou.estimators.choosing.candidates import Candidate
from bayou.estimators.choosing.model_choice import SIMPLE, ModelChoice, TriedModel
from bayou.estimators.choosing.paired_losses import mixed_losses, paired_difference
from bayou.estimators.choosing.trial_rows import TrialRows
from bayou.estimators.evaluation.model_run import ModelRun
from bayou.estimators.evaluation.model_scores import EvaluatedRows
from bayou.estimators.input.labelled_input import LabelledRows
from bayou.estimators.input.row_input import rows_for
from bayou.progress import tracked
from bayou.special_functions import weighted_sum
from bayou.typing import FloatArray

FEWEST_ROWS = 50
"""Of fewer rows nothing can be told: the simplest classifier is taken."""


def choose(
    rows: TrialRows,
    candidates: Sequence[Candidate],
    settings: Mapping[str, Any],
    *,
    prefer: str = SIMPLE,
    folds: int = 10,
) -> ModelChoice:
    """Compare candidates, which are in order of simplicity, on rows that are held out, and choose one.

    Those that do not have all the settings are not tried.
    """
    refused = {
        each.word: each.lacking(settings) or each.unsuited(rows.labelled.features) for each in candidates
    }
    suited = [each for each in candidates if not refused[each.word]]
    if not suited:
        told = "; ".join(f"{word}: {why}" for word, why in refused.items())
        raise BadQuestion(f"None of the classifiers suits this table ({told}). Leave out models=.")
    if len(suited) == 1 or rows.labelled.rows < FEWEST_ROWS:
        tried = tuple(TriedModel(each.word, each.assumes, refused=refused[each.word]) for each in candidates)
        few = 0 if rows.labelled.rows < FEWEST_ROWS else folds
        target = rows.labelled.target
        return ModelChoice(
            target, suited[0].word, prefer, tried, rows.labelled.rows, rows.rows, few, float("nan")
        )
    judged = EvaluatedRows(rows.truth, rows.fold_of_row, rows.labelled.classes, rows.weights)
    runs = {each.word: ModelRun(each.word, each.maker(**settings), judged) for each in suited}
    _predict(rows, runs, refused)
    return _chosen(rows, candidates, runs, refused, prefer)


def _predict(rows: TrialRows, runs: dict[str, ModelRun], refused: dict[str, str]) -> None:
    """Let each candidate predict every fold; one that cannot is left out, and why is kept.

    What none of them can learn from raises the error of the simplest.
    """
    first: BayouError | None = None
    for fold in tracked(range(int(rows.fold_of_row.max()) + 1), "Folds"):
        inside = rows.fold_of_row == fold
        train = rows.labelled.taken(np.flatnonzero(~inside))
        test = rows.labelled.taken(np.flatnonzero(inside))
        given = {} if rows.weights is None else {"sample_weight": rows.weights[~inside]}
        for word in list(runs):
            try:
                runs[word].predict_fold(fold, partial(_learned, train, given), partial(_predicted, test))
            except BayouError as error:
                first = first or error
                refused[word] = _first_sentence(error, word, fold)
                del runs[word]
    if first is not None and not runs:
        raise first


def _first_sentence(error: BayouError, word: str, fold: int) -> str:
    """What is wrong, without the remedies, which are for those who chose this classifier themselves."""
    said = str(error).removeprefix(f"{word}, fold {fold + 1}: ")
    return shortened(said).split(". ")[0].rstrip(".")


def _learned(train: LabelledRows, weights: dict[str, Any], model: Any) -> Any:
    return model.fit(rows_for(model, train.features), train.label_array, **weights)


def _predicted(test: LabelledRows, model: Any) -> list[FloatArray]:
    return [model.predict_proba(rows_for(model, test.features))]


def _chosen(
    rows: TrialRows,
    candidates: Sequence[Candidate],
    runs: Mapping[str, ModelRun],
    refused: Mapping[str, str],
    prefer: str,
) -> ModelChoice:
    """Compare the losses, and choose."""
    scores = {word: run.scores() for word, run in runs.items()}
    losses = {
        word: mixed_losses(found.probabilities, rows.truth, rows.fold_of_row, rows.weights)
        for word, found in scores.items()
    }
    means = {word: _mean(loss, rows.weights) for word, loss in losses.items()}
    best = min(means, key=means.__getitem__)  # of ties the simplest
    tried = []
    for each in candidates:
        word = each.word
        if word not in runs:
            tried.append(TriedModel(word, each.assumes, refused=refused[word]))
            continue
        away = paired_difference(losses[word], losses[best], rows.fold_of_row, rows.weights)
        seconds = scores[word].fit_seconds + scores[word].predict_seconds
        accuracy = scores[word].accuracy
        tried.append(TriedModel(word, each.assumes, means[word], away.mean, away.error, accuracy, seconds))
    near = next(one.name for one in tried if one.is_near_the_best)
    name = near if prefer == SIMPLE else best
    nothing = np.zeros((rows.labelled.rows, len(rows.labelled.classes)))
    baseline = _mean(_shares_alone(nothing, rows), rows.weights)
    return ModelChoice(
        rows.labelled.target,
        name,
        prefer,
        tuple(tried),
        rows.labelled.rows,
        rows.rows,
        int(rows.fold_of_row.max()) + 1,
        baseline,
    )


def _mean(losses: FloatArray, weights: FloatArray | None) -> float:
    weight = np.ones(len(losses)) if weights is None else weights / weights.max()
    return weighted_sum(weight, losses) / float(weight.sum())


def _shares_alone(nothing: FloatArray, rows: TrialRows) -> FloatArray:
    """The losses of predicting the class shares of the other folds."""
    losses = mixed_losses(nothing, rows.truth, rows.fold_of_row, rows.weights)
    alone: FloatArray = losses - np.log(len(nothing) + 1)
    return alone
