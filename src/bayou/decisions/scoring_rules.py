"""Scores of predictions: accuracy, log-loss, Brier score, calibration error and the confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.decisions.calibration import brier, expected_calibration_error
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text_table import Cell, TextTable
from bayou.typing import FloatArray, IntArray, State

if TYPE_CHECKING:
    import pandas

SMALLEST = 1e-15
"""Smaller probabilities are raised to this before their logarithm is taken, so that the mean stays finite."""


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """``counts[i, j]``: the number of rows of class i that were predicted as class j."""

    classes: tuple[State, ...]
    counts: IntArray

    def __getitem__(self, key: tuple[State, State]) -> int:
        """Return the count for ``confusion[true, predicted]``."""
        true, predicted = key
        return int(self.counts[self.classes.index(true), self.classes.index(predicted)])

    def to_table(self) -> TextTable:
        """One row per true class, with its recall (the share of its rows that were predicted correctly)."""
        names = [label(state) for state in self.classes]
        rows: list[list[Cell]] = []
        for place, counts in enumerate(self.counts.tolist()):
            total = sum(counts)
            recall: Cell = counts[place] / total if total else ""
            rows.append([names[place], *counts, recall])
        return TextTable(["true \\ predicted", *names, "recognised"], rows, title="Confusion")

    def __str__(self) -> str:
        return str(self.to_table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The classes, and one list of counts per true class."""
        return {"classes": list(self.classes), "counts": self.counts.tolist()}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame: one row per true class, one column per predicted class."""
        columns = dict(zip(self.classes, self.counts.T, strict=True))
        return pandas_frame(columns, "ConfusionMatrix.to_frame", index=list(self.classes))


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one set of predictions.

    ``log_loss`` is in nats, with probabilities clipped at 1e-15; ``brier`` sums the squared errors of all
    classes (from 0 to 2); ``ece`` is the expected calibration error of the predicted class in ten bins.
    """

    rows: int
    accuracy: float
    log_loss: float
    brier: float
    ece: float
    confusion: ConfusionMatrix

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data."""
        numbers = {name: getattr(self, name) for name in ("rows", "accuracy", "log_loss", "brier", "ece")}
        return {**numbers, "confusion": self.confusion.to_dict()}


def scores_of(truth: IntArray, proba: FloatArray, classes: tuple[State, ...]) -> Scores:
    """Score predicted probabilities (rows × classes); ``truth`` holds the position of each row's class.

    >>> scores = scores_of(np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), ("a", "b"))
    >>> round(scores.accuracy, 4), round(scores.log_loss, 4), scores.confusion["b", "a"]
    (0.6667, 0.4149, 1)
    """
    predicted = proba.argmax(axis=1)
    codes = list(range(len(classes)))
    counts: IntArray = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(counts, (truth, predicted), 1)
    of_truth = proba[np.arange(len(truth)), truth]
    return Scores(
        len(truth),
        float((predicted == truth).mean()),
        float(-np.log(np.maximum(of_truth, SMALLEST)).mean()) + 0.0,
        brier(truth, proba, classes=codes).value,
        expected_calibration_error(truth, proba, classes=codes),
        ConfusionMatrix(classes, counts),
    )
