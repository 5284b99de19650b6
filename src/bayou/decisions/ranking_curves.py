"""How well scores rank the rows of a class before all others: ROC curve, precision and recall, areas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import weights_named
from bayou.decisions.beliefs import LabelledBeliefs, one_class, scored_from, weights_of_rows
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.special_functions import weighted_sum
from bayou.typing import BoolArray, FloatArray, IntArray, State

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The share of a class that is found, against the share of the others that is called so by mistake.

    Point k is for calling rows with a score of at least ``thresholds[k]`` members of the class; the first
    threshold is infinite. Where one of the two shares is not defined (no such row) it is NaN.

    >>> roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).area
    0.75
    """

    false_positive_rate: FloatArray
    true_positive_rate: FloatArray
    thresholds: FloatArray
    about: str = ""

    @property
    def area(self) -> float:
        """AUC: P(a row of the class has a higher score than another row), ties counted as one half."""
        heights = (self.true_positive_rate[1:] + self.true_positive_rate[:-1]) / 2
        return weighted_sum(heights, np.diff(self.false_positive_rate))

    def to_frame(self) -> pandas.DataFrame:
        """One row per threshold (needs pandas).

        >>> from bayou.decisions import roc_curve
        >>> roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).to_frame().columns.to_list()
        ['false_positive_rate', 'true_positive_rate', 'threshold']
        """
        rates = {
            "false_positive_rate": self.false_positive_rate,
            "true_positive_rate": self.true_positive_rate,
        }
        return pandas_frame({**rates, "threshold": self.thresholds}, "RocCurve.to_frame")

    def __repr__(self) -> str:
        return f"ROC curve of {self.about}: {len(self.thresholds)} points, area {self.area:.4g}"


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """The share of called rows that belong to a class, against the share of the class that is called.

    Point k is for calling rows with a score of at least ``thresholds[k]`` members of the class. ``share`` is
    the share of the class in all rows: the precision of calling rows at random.

    >>> round(precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).average_precision, 4)
    0.8333
    """

    precision: FloatArray
    recall: FloatArray
    thresholds: FloatArray
    share: float
    about: str = ""

    @property
    def average_precision(self) -> float:
        """Σ (rise of the recall) · precision over all thresholds, without interpolation."""
        return weighted_sum(np.diff(self.recall, prepend=0.0), self.precision)

    def to_frame(self) -> pandas.DataFrame:
        """One row per threshold (needs pandas).

        >>> from bayou.decisions import precision_recall_curve
        >>> precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).to_frame().columns.to_list()
        ['precision', 'recall', 'threshold']
        """
        columns = {"precision": self.precision, "recall": self.recall, "threshold": self.thresholds}
        return pandas_frame(columns, "PrecisionRecallCurve.to_frame")

    def __repr__(self) -> str:
        points = f"{len(self.thresholds)} points, average precision {self.average_precision:.4g}"
        return f"Precision and recall of {self.about}: {points} (at random {self.share:.4g})"


@weights_named("weights")
def roc_curve(
    labels: Any,
    proba: Any,
    *,
    of: Any = None,
    classes: Iterable[State] | None = None,
    weights: Any = None,
    positive: Any = None,
) -> RocCurve:
    """Return the ROC curve of one class: by default the second of two, otherwise ``of=``.

    ``proba`` is one number per row (the probability of the second class, or of the class ``positive=``), or a
    matrix with one column per class, of which the column of the class is used. ``weights`` are weights of the
    rows.

    Raises ``BadData`` if there are not as many scores as labels.

    >>> roc_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]).area
    0.75
    """
    return roc_of(scored_from(labels, proba, classes, positive), of, weights)


def roc_of(scored: LabelledBeliefs, of: Any = None, weights: Any = None) -> RocCurve:
    """Return the ROC curve of one class of checked labels and probabilities."""
    place = one_class(scored, of)
    hits, alarms, thresholds = _counts(*_ranked(scored, place, weights))
    with np.errstate(invalid="ignore"):
        found = np.concatenate([[0.0], hits]) / hits[-1]
        mistaken = np.concatenate([[0.0], alarms]) / alarms[-1]
    about = f"P({label(scored.classes[place])})"
    return RocCurve(mistaken, found, np.concatenate([[np.inf], thresholds]), about)


@weights_named("weights")
def precision_recall_curve(
    labels: Any,
    proba: Any,
    *,
    of: Any = None,
    classes: Iterable[State] | None = None,
    weights: Any = None,
    positive: Any = None,
) -> PrecisionRecallCurve:
    """Return precision and recall of one class at every threshold; the arguments are those of `roc_curve`.

    ``positive`` names the class whose probability the one number of a row is (default: the second of two).

    Raises ``BadData`` if there are not as many scores as labels.

    >>> curve = precision_recall_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> type(curve).__name__
    'PrecisionRecallCurve'
    """
    return precision_recall_of(scored_from(labels, proba, classes, positive), of, weights)


def precision_recall_of(scored: LabelledBeliefs, of: Any = None, weights: Any = None) -> PrecisionRecallCurve:
    """Return precision and recall of one class of checked labels and probabilities."""
    place = one_class(scored, of)
    hits, alarms, thresholds = _counts(*_ranked(scored, place, weights))
    with np.errstate(invalid="ignore"):
        recall = hits / hits[-1]
    about = f"P({label(scored.classes[place])})"
    share = float(hits[-1] / (hits[-1] + alarms[-1]))
    return PrecisionRecallCurve(_precision(hits, alarms), recall, thresholds, share, about)


@dataclass(frozen=True)
class RankSums:
    """What AUC and average precision are made of; those of folds, whose rows are not compared, add.

    ``pairs`` is the weight of all pairs of a member and another row, ``won`` of those in which the member has
    the higher score (ties count half), ``precision`` the sum of the precision at each member.
    """

    won: float = 0.0
    pairs: float = 0.0
    precision: float = 0.0
    members: float = 0.0

    def __add__(self, other: RankSums) -> RankSums:
        return RankSums(
            self.won + other.won,
            self.pairs + other.pairs,
            self.precision + other.precision,
            self.members + other.members,
        )

    @property
    def auc(self) -> float:
        """The share of the pairs that members win; NaN where rows of one kind are absent."""
        return self.won / self.pairs if self.pairs > 0 else np.nan

    @property
    def average_precision(self) -> float:
        """The mean precision over the members; NaN without any."""
        return self.precision / self.members if self.members > 0 else np.nan


def rank_sums(hits: FloatArray, alarms: FloatArray) -> RankSums:
    """Sum over scores; ``hits`` and ``alarms`` are members and others at or above each, highest first."""
    gained = np.diff(hits, prepend=0.0)
    won = weighted_sum(np.diff(alarms, prepend=0.0), hits - gained / 2)
    precision = weighted_sum(gained, _precision(hits, alarms))
    return RankSums(won, float(hits[-1] * alarms[-1]), precision, float(hits[-1]))


def ranked_rows(
    members: BoolArray, scores: FloatArray, weights: FloatArray | None, folds: IntArray | None = None
) -> RankSums:
    """Compare the scores of members with those of other rows.

    With ``folds`` only rows of the same fold are compared, because each fold was scored by a model of its
    own: where a fold has more members by chance, its model was trained with fewer, and gives all rows smaller
    scores. The AUC is then the share of won pairs in all folds, the average precision the mean over members.
    """
    if folds is None:
        return rank_sums(*_counts(members, scores, weights)[:2])
    order = np.argsort(folds, kind="stable")
    ends = np.flatnonzero(np.diff(folds[order])) + 1
    total = RankSums()
    for rows in np.split(order, ends):
        total += ranked_rows(members[rows], scores[rows], None if weights is None else weights[rows])
    if total.members > 0 and not total.pairs > 0:  # no fold has rows of both kinds
        return ranked_rows(members, scores, weights)
    return total


def _ranked(
    scored: LabelledBeliefs, place: int, weights: Any
) -> tuple[BoolArray, FloatArray, FloatArray | None]:
    """Which rows are of a class, their probabilities of it, and their weights."""
    members: BoolArray = scored.truth == place
    return members, scored.proba[:, place], weights_of_rows(weights, len(members))


def _precision(hits: FloatArray, alarms: FloatArray) -> FloatArray:
    """The share of members among the rows at or above each score; 1 where these have no weight."""
    called = hits + alarms
    return np.where(called > 0, hits / np.where(called > 0, called, 1.0), 1.0)


def _counts(
    members: BoolArray, scores: FloatArray, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The weights of members and of others at or above each distinct score, and these scores, falling."""
    order = np.argsort(-scores, kind="stable")
    ranked, inside = scores[order], members[order]
    share = np.ones(len(order)) if weights is None else weights[order]
    ends = np.flatnonzero(np.append(np.diff(ranked) != 0, True))
    hits = np.cumsum(np.where(inside, share, 0.0))[ends]
    alarms = np.cumsum(np.where(inside, 0.0, share))[ends]
    return hits, alarms, ranked[ends]
