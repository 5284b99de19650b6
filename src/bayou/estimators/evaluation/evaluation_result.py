"""The result of cross-validation: a table of classifiers with the best marked, and all scores as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.decisions.scoring_rules import ConfusionMatrix, Scores
from bayou.errors import UnknownVariable
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text_table import Cell, TextTable
from bayou.typing import FloatArray, IntArray, Name, State

if TYPE_CHECKING:
    import pandas

MEASURES = {"accuracy": max, "log_loss": min, "brier": min, "ece": min}
"""The columns of the table, and whether the largest or the smallest value is the best."""


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

    @property
    def accuracy(self) -> float:
        """The share of rows whose most probable class is the true one."""
        return self.scores.accuracy

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
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix: how often each class was predicted as each class."""
        return self.scores.confusion

    @property
    def fit_seconds(self) -> float:
        """Seconds of fitting, all folds together."""
        return sum(fold.fit_seconds for fold in self.folds)

    @property
    def predict_seconds(self) -> float:
        """Seconds of predicting, all folds together."""
        return sum(fold.predict_seconds for fold in self.folds)

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data."""
        seconds = {"fit_seconds": self.fit_seconds, "predict_seconds": self.predict_seconds}
        folds = [
            {
                **{measure: getattr(fold.scores, measure) for measure in ("rows", *MEASURES)},
                "fit_seconds": fold.fit_seconds,
                "predict_seconds": fold.predict_seconds,
            }
            for fold in self.folds
        ]
        return {"name": self.name, **self.scores.to_dict(), **seconds, "folds": folds}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of several classifiers: ``result["tan"].accuracy``, ``result.best``, ``print(result)``."""

    target: Name
    classes: tuple[State, ...]
    models: tuple[ModelScores, ...]
    fold_of_row: IntArray
    left_out: int = 0

    def __getitem__(self, name: str) -> ModelScores:
        for model in self.models:
            if model.name == name:
                return model
        raise UnknownVariable.named(name, [model.name for model in self.models], "among the classifiers")

    @property
    def best(self) -> ModelScores:
        """The classifier with the smallest log-loss."""
        return min(self.models, key=lambda model: model.log_loss)

    @property
    def scheme(self) -> str:
        """The scheme of cross-validation in words."""
        count, rows = int(self.fold_of_row.max()) + 1, len(self.fold_of_row)
        how = "each row left out once" if count == rows else f"{count} folds"
        gaps = f", {self.left_out:,} without a label left out" if self.left_out else ""
        return f"{rows:,} rows, {how}{gaps}"

    def to_table(self) -> TextTable:
        """One row per classifier; a star marks the best of each column."""
        best = {
            measure: good(getattr(model, measure) for model in self.models)
            for measure, good in MEASURES.items()
        }
        several = len(self.models) > 1
        rows: list[list[Cell]] = []
        for model in self.models:
            cells: list[Cell] = [model.name]
            for measure in MEASURES:
                value = getattr(model, measure)
                cells.append(f"{value:.4f}{'*' if several and value == best[measure] else ''}")
            rows.append([*cells, _seconds(model.fit_seconds), _seconds(model.predict_seconds)])
        title = f"Predicting {label(self.target)}: {self.scheme}"
        return TextTable(["model", "accuracy", "log-loss", "Brier", "ECE", "fit", "predict"], rows, title)

    def __str__(self) -> str:
        return f"{self.to_table()}\n\n{self.best_confusion()}"

    __repr__ = __str__

    def best_confusion(self) -> TextTable:
        """The confusion matrix of the best classifier."""
        table = self.best.confusion.to_table()
        return TextTable(table.header, table.rows, f"Confusion of {self.best.name}")

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_() + self.best_confusion()._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The scores of every classifier, over all rows and in each fold, as plain data."""
        return {
            "target": self.target,
            "classes": list(self.classes),
            "rows": len(self.fold_of_row),
            "left_out": self.left_out,
            "folds": int(self.fold_of_row.max()) + 1,
            "best": self.best.name,
            "models": [model.to_dict() for model in self.models],
        }

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row per classifier and fold."""
        rows = [(model, number, fold) for model in self.models for number, fold in enumerate(model.folds)]
        columns: dict[str, Any] = {
            "model": [model.name for model, _, _ in rows],
            "fold": np.array([number for _, number, _ in rows]),
        }
        for measure in ("rows", *MEASURES):
            columns[measure] = np.array([getattr(fold.scores, measure) for _, _, fold in rows])
        for seconds in ("fit_seconds", "predict_seconds"):
            columns[seconds] = np.array([getattr(fold, seconds) for _, _, fold in rows])
        return pandas_frame(columns, "Evaluation.to_frame")


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.0f} ms"
