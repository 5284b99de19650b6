"""One classifier in cross-validation: fitted to all folds but one, again and again."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from bayou.decisions.beliefs import check_probabilities
from bayou.decisions.score_sums import ScoreSums
from bayou.decisions.scoring_rules import Scores, scores_from
from bayou.errors import BayouError, BayouWarning, warn_user
from bayou.estimators.evaluation.evaluation_result import BASELINE, Evaluation
from bayou.estimators.evaluation.model_scores import EvaluatedRows, FoldScores, ModelScores, Seconds
from bayou.schema import plain, state_key
from bayou.typing import BoolArray, FloatArray, IntArray, Name


class ModelRun:
    """One classifier in cross-validation: its predictions so far, and the times of each fold.

    Predictions of all rows are kept, or of every fold only sums that its scores are made of.
    """

    def __init__(self, name: str, model: Any, judged: EvaluatedRows, kept: bool = True) -> None:
        self.name, self.model = name, model
        self._places = {state_key(state): place for place, state in enumerate(judged.classes)}
        self._judged, self._seconds = judged, list[Seconds]()
        self._proba = np.zeros((len(judged.truth), len(judged.classes))) if kept else None
        self._sums: list[ScoreSums] = []

    def predict_fold(
        self, fold: int, learn: Callable[[Any], Any], ask: Callable[[Any], Iterable[FloatArray]]
    ) -> None:
        """Learn from the other folds, and predict the rows of this one, which ``ask`` does in blocks."""
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                # Values that occur only in the held-out fold are normal in cross-validation.
                warnings.simplefilter("ignore", BayouWarning)
                model = learn(clone(self.model))
                fitted = time.perf_counter()
                judging = self._take(fold, model, ask(model))
        except BayouError as error:
            raise type(error)(f"{self.name}, fold {fold + 1}: {error}") from None
        self._seconds.append((fitted - started, time.perf_counter() - fitted - judging))

    def _take(self, fold: int, model: Any, blocks: Iterable[FloatArray]) -> float:
        """Keep or sum up the predictions of a fold; return the seconds that this took by itself."""
        places = np.array([self._places[state_key(plain(state))] for state in model.classes_.tolist()])
        members = self._judged.fold_of_row == fold
        if self._proba is None:
            return self._sum_up(members, places, blocks)
        rows, first = np.flatnonzero(members), 0
        for block in blocks:
            self._proba[np.ix_(rows[first : first + len(block)], places)] = block
            first += len(block)
        return 0.0

    def _sum_up(self, members: BoolArray, places: IntArray, blocks: Iterable[FloatArray]) -> float:
        judged = self._judged
        sums = ScoreSums(len(judged.classes), judged.costs)
        truth, weights = judged.truth[members], None if judged.weights is None else judged.weights[members]
        first, seconds = 0, 0.0
        for block in blocks:
            began = time.perf_counter()
            check_probabilities(block)
            every = np.zeros((len(block), len(judged.classes)))
            every[:, places] = block
            some = slice(first, first + len(block))
            sums.add(truth[some], every, None if weights is None else weights[some], rank=True)
            first += len(block)
            seconds += time.perf_counter() - began
        self._sums.append(sums.compared())
        return seconds

    def scores(self) -> ModelScores:
        """The scores over all rows and in each fold."""
        if self._proba is not None:
            return ModelScores.of(self.name, self._proba, self._judged, self._seconds)
        return summed_scores(self.name, self._sums, self._judged, self._seconds)


def summed_scores(
    name: str, folds: Sequence[ScoreSums], judged: EvaluatedRows, seconds: Sequence[Seconds]
) -> ModelScores:
    """The scores of a classifier whose predictions were summed up for each fold."""
    total = ScoreSums(len(judged.classes), judged.costs)
    for sums in folds:
        total.include(sums)

    def scores(sums: ScoreSums) -> Scores:
        return scores_from(sums, judged.classes)

    parts = [FoldScores(scores(sums), *times) for sums, times in zip(folds, seconds, strict=True)]
    return ModelScores(name, scores(total), tuple(parts), judged)


def judged_runs(runs: Sequence[ModelRun], judged: EvaluatedRows, target: Name, left_out: int) -> Evaluation:
    """Score the predictions of all classifiers, and of one who ignores the features."""
    results = tuple(run.scores() for run in runs)
    kept = all(model.kept is not None for model in results)
    result = Evaluation(target, judged, results, _baseline(judged, kept), left_out)
    if result.tiny_classes:
        warn_user(result.note)
    return result


def _baseline(judged: EvaluatedRows, kept: bool) -> ModelScores:
    """The scores of one who predicts the shares of the classes for every row."""
    classes, folds = len(judged.classes), int(judged.fold_of_row.max()) + 1
    shares = judged.class_weights() / judged.class_weights().sum()
    no_time = [(0.0, 0.0)] * folds
    if kept:
        every = np.broadcast_to(shares, (len(judged.truth), classes))
        return ModelScores.of(BASELINE, every, judged, no_time)
    return summed_scores(
        BASELINE, [_shares_of_fold(judged, shares, k) for k in range(folds)], judged, no_time
    )


def _shares_of_fold(judged: EvaluatedRows, shares: FloatArray, fold: int) -> ScoreSums:
    """The sums of a fold in which all rows get the same prediction: a row for each class, by its weight."""
    classes, weights = len(shares), judged.class_weights(fold)
    sums = ScoreSums(classes, judged.costs)
    sums.add(np.arange(classes), np.broadcast_to(shares, (classes, classes)), weights, rank=True)
    sums.rows = int((judged.fold_of_row == fold).sum())
    sums.confusion = sums.confusion.astype(weights.dtype)
    return sums.compared()
