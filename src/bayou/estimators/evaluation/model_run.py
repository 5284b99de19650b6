"""One classifier in cross-validation: fitted to all folds but one, again and again."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from bayou.errors import BayouError, BayouWarning, warn_user
from bayou.estimators.evaluation.evaluation_result import BASELINE, Evaluation
from bayou.estimators.evaluation.model_scores import EvaluatedRows, ModelScores
from bayou.schema import plain, state_key
from bayou.typing import FloatArray, IntArray, Name, State


class ModelRun:
    """One classifier in cross-validation: its predictions so far, and the times of each fold."""

    def __init__(self, name: str, model: Any, rows: int, classes: Sequence[State]) -> None:
        self.name, self.model = name, model
        self._places = {state_key(state): place for place, state in enumerate(classes)}
        self.proba: FloatArray = np.zeros((rows, len(classes)))
        self.seconds: list[tuple[float, float]] = []

    def predict_fold(
        self, fold: int, rows: IntArray, learn: Callable[[Any], Any], ask: Callable[[Any], FloatArray]
    ) -> None:
        """Learn from the other folds and store the predictions of this one, the rows ``rows``."""
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                # Values that occur only in the held-out fold are normal in cross-validation.
                warnings.simplefilter("ignore", BayouWarning)
                model = learn(clone(self.model))
                fitted = time.perf_counter()
                proba = ask(model)
        except BayouError as error:
            raise type(error)(f"{self.name}, fold {fold + 1}: {error}") from None
        self.seconds.append((fitted - started, time.perf_counter() - fitted))
        columns = np.array([self._places[state_key(plain(state))] for state in model.classes_.tolist()])
        self.proba[np.ix_(rows, columns)] = proba


def judged_runs(runs: Sequence[ModelRun], judged: EvaluatedRows, target: Name, left_out: int) -> Evaluation:
    """Score the predictions of all classifiers, and of one who ignores the features."""
    results = tuple(ModelScores.of(run.name, run.proba, judged, run.seconds) for run in runs)
    no_time = [(0.0, 0.0)] * (int(judged.fold_of_row.max()) + 1)
    baseline = ModelScores.of(BASELINE, judged.class_shares, judged, no_time)
    result = Evaluation(target, judged, results, baseline, left_out)
    if result.tiny_classes:
        warn_user(result.note)
    return result
