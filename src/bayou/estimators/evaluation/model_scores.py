"""The scores of one classifier in cross-validation, over all rows and in each fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from bayou.codes import PlaceArray, counted_places
from bayou.decisions.beliefs import LabelledBeliefs, check_probabilities
from bayou.decisions.class_scores import ClassScores, score_text
from bayou.decisions.ranking_curves import (
    PrecisionRecallCurve,
    RankSums,
    RocCurve,
    precision_recall_of,
    roc_of,
)
from bayou.decisions.score_sums import ScoreSums
from bayou.decisions.scoring_rules import (
    MEASURES,
    ConfusionMatrix,
    Scores,
    compared_classes,
    scores_from,
)
from bayou.decisions.utility_table import UtilityTable
from bayou.errors import NotAvailable
from bayou.text.tables import Cell, TextTable
from bayou.typing import CountArray, FloatArray, State

Seconds = tuple[float, float]
"""The seconds of fitting and of predicting."""


@dataclass(frozen=True, eq=False)
class EvaluatedRows:
    """The rows that classifiers are judged by: their classes, folds and weights, and the costs of errors."""

    truth: PlaceArray
    fold_of_row: PlaceArray
    classes: tuple[State, ...]
    weights: FloatArray | None = None
    costs: UtilityTable | None = None

    def scores(self, proba: FloatArray, fold: int | None = None) -> Scores:
        """The scores of predicted probabilities of all rows, over all of them or over one fold."""
        truth, own, weights, _ = self._chosen(proba, fold)
        sums = ScoreSums(len(self.classes), self.costs)
        sums.add(truth, own, weights)
        return scores_from(sums, self.classes, partial(self._compared, proba, fold))

    def _compared(self, proba: FloatArray, fold: int | None) -> list[RankSums]:
        return compared_classes(*self._chosen(proba, fold))

    def _chosen(
        self, proba: FloatArray, fold: int | None
    ) -> tuple[PlaceArray, FloatArray, FloatArray | None, PlaceArray | None]:
        """The classes, predictions, weights and folds of all rows, or of those of one fold."""
        if fold is None:
            folds = self.fold_of_row  # None if each row is its own, which leaves no rows to compare
            apart = folds if int(folds.max()) + 1 < len(folds) else None
            return self.truth, proba, self.weights, apart
        rows = self.fold_of_row == fold
        return self.truth[rows], proba[rows], None if self.weights is None else self.weights[rows], None

    @cached_property
    def class_counts(self) -> CountArray:
        """The number of rows of each class."""
        return counted_places(self.truth, len(self.classes))

    def class_weights(self, fold: int | None = None) -> CountArray:
        """The weight of the rows of each class, of all rows or of those of one fold."""
        if fold is None:
            return counted_places(self.truth, len(self.classes), self.weights)
        rows = self.fold_of_row == fold
        weights = None if self.weights is None else self.weights[rows]
        return counted_places(self.truth[rows], len(self.classes), weights)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One fold: its scores, and the seconds of fitting and predicting."""

    scores: Scores
    fit_seconds: float
    predict_seconds: float


@dataclass(frozen=True, eq=False)
class ModelScores:
    """One classifier: its scores over all rows, each predicted by a model that did not see its fold.

    ``probabilities`` has one row per labelled row and one column per class; those of very many rows are not
    kept.
    """

    name: str
    scores: Scores
    folds: tuple[FoldScores, ...]
    judged: EvaluatedRows = field(repr=False)
    kept: FloatArray | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, name: str, proba: FloatArray, judged: EvaluatedRows, seconds: Sequence[Seconds]
    ) -> ModelScores:
        """Score predicted probabilities over all rows and in each fold."""
        check_probabilities(proba)
        folds = enumerate(seconds)
        parts = tuple(FoldScores(judged.scores(proba, fold), *times) for fold, times in folds)
        return cls(name, judged.scores(proba), parts, judged, proba)

    @property
    def probabilities(self) -> FloatArray:
        """The predicted probabilities: one row per labelled row, one column per class."""
        if self.kept is None:
            raise NotAvailable(
                f"What was predicted for {self.scores.rows:,} rows was not kept: it would take too much of "
                "the memory that reading a file may use. Raise the limit (with bayou.limits(memory=…)), "
                "or evaluate on some of the rows."
            )
        return self.kept

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
        return roc_of(self._scored, of, self.judged.weights)

    def precision_recall(self, of: State = None) -> PrecisionRecallCurve:
        """Precision and recall of a class at every threshold; by default of the second of two classes."""
        return precision_recall_of(self._scored, of, self.judged.weights)

    @property
    def _scored(self) -> LabelledBeliefs:
        return LabelledBeliefs(self.confusion.classes, self.probabilities, self.judged.truth, False)

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
