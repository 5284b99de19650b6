"""Scores of predictions: accuracy, AUC, log-loss, Brier score, calibration error, confusion, costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.codes import PlaceArray
from bayou.decisions.beliefs import check_probabilities, weights_of_rows
from bayou.decisions.calibration import Reliability, count_cell
from bayou.decisions.class_scores import ClassScores, class_scores, class_table, score_text
from bayou.decisions.ranking_curves import RankSums, ranked_rows
from bayou.decisions.score_sums import ScoreSums
from bayou.decisions.utility_table import UtilityTable
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import CountArray, FloatArray, State

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(PrintedTable):
    """``counts[i, j]``: the number (or weight) of rows of class i that were predicted as class j."""

    classes: tuple[State, ...]
    counts: CountArray

    def __getitem__(self, key: tuple[State, State]) -> float:
        """Return the count for ``confusion[true, predicted]``."""
        true, predicted = key
        count: float = self.counts[self.classes.index(true), self.classes.index(predicted)].item()
        return count

    def to_table(self) -> TextTable:
        """One row per true class, with its recall (the share of its rows that were predicted correctly)."""
        names = [label(state) for state in self.classes]
        rows: list[list[Cell]] = []
        for place, counts in enumerate(self.counts.tolist()):
            total = sum(counts)
            recall: Cell = counts[place] / total if total else ""
            rows.append([names[place], *map(count_cell, counts), recall])
        return TextTable(["true \\ predicted", *names, "recognised"], rows, title="Confusion")

    def to_dict(self) -> dict[str, Any]:
        """The classes, and one list of counts per true class."""
        return {"classes": list(self.classes), "counts": self.counts.tolist()}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame: one row per true class, one column per predicted class."""
        columns = dict(zip(self.classes, self.counts.T, strict=True))
        return pandas_frame(columns, "ConfusionMatrix.to_frame", index=list(self.classes))


@dataclass(frozen=True, eq=False)
class DecisionCounts(PrintedTable):
    """``counts[i, j]``: the number (or weight) of rows of class i that got action j (of least cost)."""

    classes: tuple[State, ...]
    actions: tuple[State, ...]
    counts: CountArray
    costs: FloatArray
    """What each action costs in each class (actions × classes)."""

    def __getitem__(self, key: tuple[State, State]) -> float:
        """Return the count for ``decisions[true, action]``."""
        true, action = key
        count: float = self.counts[self.classes.index(true), self.actions.index(action)].item()
        return count

    def to_table(self, title: str = "Decisions of least expected cost") -> TextTable:
        """One row per true class, with what its rows cost on average."""
        rows: list[list[Cell]] = []
        for place, counts in enumerate(self.counts.tolist()):
            total = sum(counts)
            mean: Cell = f"{float(self.counts[place] @ self.costs[:, place]) / total:.4g}" if total else ""
            rows.append([label(self.classes[place]), *map(count_cell, counts), mean])
        header = ["true \\ decided", *map(label, self.actions), "mean cost"]
        return TextTable(header, rows, title=title)

    def to_dict(self) -> dict[str, Any]:
        """The classes, the actions, and one list of counts per true class."""
        return {"classes": list(self.classes), "actions": list(self.actions), "counts": self.counts.tolist()}


MEASURES = ("accuracy", "balanced_accuracy", "auc", "f1", "log_loss", "brier", "ece")


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """The scores of one set of predictions.

    ``log_loss`` is in nats, with probabilities clipped at 1e-15; ``brier`` sums the squared errors of all
    classes (from 0 to 2); ``reliability`` has the predicted class in ten bins, ``ece`` its expected
    calibration error. ``cost`` is the mean cost of a row, if costs were given. The means over classes
    (``balanced_accuracy``, ``auc``, ``f1``, ``average_precision``) count rare and frequent classes alike.
    """

    rows: int
    accuracy: float
    log_loss: float
    brier: float
    reliability: Reliability
    confusion: ConfusionMatrix
    ranking: Callable[[], Sequence[RankSums]]
    """Compares the rows of each class with all others: called when it is needed, because it takes a while."""
    cost: float | None = None
    decisions: DecisionCounts | None = None
    """With costs: how often the rows of each class got each action."""

    @cached_property
    def by_class(self) -> tuple[ClassScores, ...]:
        """Precision, recall, F1, AUC and average precision of each class."""
        return class_scores(self.confusion.counts, self.confusion.classes, self.ranking())

    @property
    def ece(self) -> float:
        """The expected calibration error of the predicted class, in ten bins."""
        return self.reliability.ece

    @property
    def balanced_accuracy(self) -> float:
        """The mean of the recalls of all classes."""
        counts = self.confusion.counts
        own = counts.sum(axis=1)
        return float((counts.diagonal()[own > 0] / own[own > 0]).mean())

    @property
    def auc(self) -> float:
        """The mean over classes of the area under the ROC curve, each class against all others."""
        return _mean([one.auc for one in self.by_class])

    @property
    def f1(self) -> float:
        """The mean over classes of F1, the harmonic mean of precision and recall."""
        counts = self.confusion.counts
        both = counts.sum(axis=0) + counts.sum(axis=1)
        return float((2 * counts.diagonal()[both > 0] / both[both > 0]).mean())

    @property
    def average_precision(self) -> float:
        """The mean over classes of the average precision."""
        return _mean([one.average_precision for one in self.by_class])

    def class_table(self, title: str = "By class") -> TextTable:
        """One row per class with its precision, recall, F1, AUC and average precision."""
        return class_table(self.by_class, title)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {score_text(getattr(self, name))}" for name in MEASURES)
        return f"Scores of {self.rows:,} rows: {numbers}"

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data."""
        numbers = {name: getattr(self, name) for name in ("rows", *MEASURES, "average_precision")}
        cost: dict[str, Any] = {} if self.cost is None else {"cost": self.cost}
        if self.decisions is not None:
            cost["decisions"] = self.decisions.to_dict()
        classes = [one.to_dict() for one in self.by_class]
        return {**numbers, **cost, "by_class": classes, "confusion": self.confusion.to_dict()}


def scores_of(
    truth: PlaceArray,
    proba: FloatArray,
    classes: tuple[State, ...],
    weights: FloatArray | None = None,
    costs: UtilityTable | None = None,
    folds: PlaceArray | None = None,
) -> Scores:
    """Score predicted probabilities (rows × classes); ``truth`` holds the position of each row's class.

    ``weights`` are weights of the rows. With ``costs`` each row gets the action of least expected cost. With
    ``folds`` AUC and average precision compare rows of the same fold only.

    >>> scores = scores_of(np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), ("a", "b"))
    >>> round(scores.accuracy, 4), round(scores.log_loss, 4), scores.confusion["b", "a"], scores.auc
    (0.6667, 0.4149, 1, 1.0)
    """
    check_probabilities(proba)
    given = weights_of_rows(weights, len(truth))
    sums = ScoreSums(len(classes), costs)
    sums.add(truth, proba, given)
    return scores_from(sums, classes, partial(compared_classes, truth, proba, given, folds))


def scores_from(
    sums: ScoreSums,
    classes: tuple[State, ...],
    ranking: Callable[[], Sequence[RankSums]] | None = None,
) -> Scores:
    """The scores of summed rows; ``ranking`` compares them where the sums do not (None: they do)."""
    counts, weight = sums.confusion, sums.weight
    ranks = tuple(sums.compared().ranks)
    return Scores(
        sums.rows,
        float(counts.diagonal().sum() / weight),
        sums.log_loss / weight + 0.0,
        sums.squared_error / weight,
        sums.reliability,
        ConfusionMatrix(classes, counts),
        partial(tuple, ranks) if ranking is None else ranking,
        None if sums.costs is None else sums.cost / weight + 0.0,
        None
        if sums.costs is None or sums.decisions is None
        else DecisionCounts(classes, sums.costs.actions, sums.decisions, -sums.costs.values),
    )


def compared_classes(
    truth: PlaceArray, proba: FloatArray, weights: FloatArray | None, folds: PlaceArray | None
) -> list[RankSums]:
    """The members of each class compared with all other rows, or with those of their fold."""
    columns = range(proba.shape[1])
    return [ranked_rows(truth == place, proba[:, place], weights, folds) for place in columns]


def _mean(values: list[float]) -> float:
    """The mean of the values that are numbers; NaN if there are none."""
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else np.nan
