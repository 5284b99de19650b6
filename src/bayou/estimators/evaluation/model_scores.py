"""The scores of one classifier in cross-validation, over all rows and in each fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.decisions.beliefs import LabelledBeliefs
from bayou.decisions.class_scores import ClassScores, score_text
from bayou.decisions.ranking_curves import PrecisionRecallCurve, RocCurve, precision_recall_of, roc_of
from bayou.decisions.scoring_rules import MEASURES, ConfusionMatrix, Scores, scores_of
from bayou.decisions.utility_table import UtilityTable
from bayou.text.tables import Cell, TextTable
from bayou.typing import FloatArray, IntArray, State

Seconds = tuple[float, float]
"""The seconds of fitting and of predicting."""


@dataclass(frozen=True, eq=False)
class EvaluatedRows:
    """The rows that classifiers are judged by: their classes, folds and weights, and the costs of errors."""

    truth: IntArray
    fold_of_row: IntArray
    classes: tuple[State, ...]
    weights: FloatArray | None = None
    costs: UtilityTable | None = None

    def scores(self, proba: FloatArray, fold: int | None = None) -> Scores:
        """The scores of predicted probabilities of all rows, over all of them or over one fold."""
        if fold is None:
            return scores_of(
                self.truth, proba, self.classes, self.weights, self.costs, self._folds_to_compare
            )
        rows = self.fold_of_row == fold
        weights = None if self.weights is None else self.weights[rows]
        return scores_of(self.truth[rows], proba[rows], self.classes, weights, self.costs)

    @property
    def _folds_to_compare(self) -> IntArray | None:
        """The folds; None if each row is its own, which leaves no rows to compare."""
        folds = self.fold_of_row
        return folds if int(folds.max()) + 1 < len(folds) else None

    @property
    def class_shares(self) -> FloatArray:
        """The predictions of one who ignores the features: the share of each class, for every row."""
        counts = np.bincount(self.truth, self.weights, len(self.classes))
        return np.tile(counts / counts.sum(), (len(self.truth), 1))


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One fold: its scores, and the seconds of fitting and predicting."""

    scores: Scores
    fit_seconds: float
    predict_seconds: float


@dataclass(frozen=True, eq=False)
class ModelScores:
    """One classifier: its scores over all rows, each predicted by a model that did not see its fold.

    ``probabilities`` has one row per labelled row and one column per class.
    """

    name: str
    scores: Scores
    folds: tuple[FoldScores, ...]
    probabilities: FloatArray

    @classmethod
    def of(
        cls, name: str, proba: FloatArray, judged: EvaluatedRows, seconds: Sequence[Seconds]
    ) -> ModelScores:
        """Score predicted probabilities over all rows and in each fold."""
        return cls(name, judged.scores(proba), tuple(_folds(proba, judged, seconds)), proba)

    @property
    def accuracy(self) -> float:
        """The share of rows whose most probable class is the true one."""
        return self.scores.accuracy

    @property
    def balanced_accuracy(self) -> float:
        """The mean over classes of the share of their rows that are recognised."""
        return self.scores.balanced_accuracy

    @property
    def auc(self) -> float:
        """The area under the ROC curve, the mean over classes, each against all others."""
        return self.scores.auc

    @property
    def average_precision(self) -> float:
        """The mean over classes of the average precision."""
        return self.scores.average_precision

    @property
    def f1(self) -> float:
        """The mean over classes of F1, the harmonic mean of precision and recall."""
        return self.scores.f1

    @property
    def log_loss(self) -> float:
        """The mean of -ln P(true class), clipped at 1e-15."""
        return self.scores.log_loss

    @property
    def brier(self) -> float:
        """The mean squared error of the probabilities, summed over the classes."""
        return self.scores.brier

    @property
    def ece(self) -> float:
        """The expected calibration error of the predicted class, in ten bins."""
        return self.scores.ece

    @property
    def cost(self) -> float | None:
        """The mean cost of a row if each gets the action of least expected cost; None without costs."""
        return self.scores.cost

    @property
    def by_class(self) -> tuple[ClassScores, ...]:
        """Precision, recall, F1, AUC and average precision of each class."""
        return self.scores.by_class

    @property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix: how often each class was predicted as each class."""
        return self.scores.confusion

    def roc(self, of: State = None) -> RocCurve:
        """The ROC curve of a class against all others; by default of the second of two classes."""
        return roc_of(self._scored, of, self.scores.weights)

    def precision_recall(self, of: State = None) -> PrecisionRecallCurve:
        """Precision and recall of a class at every threshold; by default of the second of two classes."""
        return precision_recall_of(self._scored, of, self.scores.weights)

    @property
    def _scored(self) -> LabelledBeliefs:
        return LabelledBeliefs(self.confusion.classes, self.probabilities, self.scores.truth, False)

    @property
    def fit_seconds(self) -> float:
        """Seconds of fitting, all folds together."""
        return sum(fold.fit_seconds for fold in self.folds)

    @property
    def predict_seconds(self) -> float:
        """Seconds of predicting, all folds together."""
        return sum(fold.predict_seconds for fold in self.folds)

    def to_table(self) -> TextTable:
        """One row per measure."""
        rows: list[list[Cell]] = [
            [name.replace("_", " "), score_text(getattr(self.scores, name))] for name in MEASURES
        ]
        if self.cost is not None:
            rows.append(["cost", f"{self.cost:.6g}"])
        return TextTable(["measure", self.name], rows, title=f"{self.scores.rows:,} rows")

    def __str__(self) -> str:
        return f"{self.to_table()}\n\n{self.scores.class_table()}\n\n{self.confusion}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = (self.to_table(), self.scores.class_table(), self.confusion)
        return "".join(table._repr_html_() for table in tables)

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data."""
        seconds = {"fit_seconds": self.fit_seconds, "predict_seconds": self.predict_seconds}
        folds = [
            {
                **{measure: getattr(fold.scores, measure) for measure in ("rows", *MEASURES)},
                **({} if fold.scores.cost is None else {"cost": fold.scores.cost}),
                "fit_seconds": fold.fit_seconds,
                "predict_seconds": fold.predict_seconds,
            }
            for fold in self.folds
        ]
        return {"name": self.name, **self.scores.to_dict(), **seconds, "folds": folds}


def _folds(proba: FloatArray, judged: EvaluatedRows, seconds: Sequence[Seconds]) -> Iterator[FoldScores]:
    for fold, (fit, predict) in enumerate(seconds):
        yield FoldScores(judged.scores(proba, fold), fit, predict)
