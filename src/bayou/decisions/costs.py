"""Costs of errors: confusion at a threshold, the cheapest threshold, Drummond and Holte's cost curve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import real_number
from bayou.decisions.beliefs import Scored, scored_from
from bayou.errors import BadData, BadQuestion
from bayou.sources.output.frames_out import pandas_frame
from bayou.text_table import TextTable
from bayou.typing import FloatArray, IntArray, State

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class BinaryConfusion:
    """How many rows of each kind there are when those at or above ``threshold`` are called positive.

    >>> confusion([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1], 0.5).accuracy
    0.5
    """

    threshold: float
    true_positive: int
    false_positive: int
    true_negative: int
    false_negative: int

    @property
    def accuracy(self) -> float:
        """The share of rows that are called what they are."""
        return (self.true_positive + self.true_negative) / self.rows

    @property
    def rows(self) -> int:
        """All rows."""
        return self.true_positive + self.false_positive + self.true_negative + self.false_negative

    @property
    def false_positive_rate(self) -> float:
        """The share of negative rows that are called positive."""
        return self.false_positive / (self.false_positive + self.true_negative)

    @property
    def false_negative_rate(self) -> float:
        """The share of positive rows that are called negative."""
        return self.false_negative / (self.false_negative + self.true_positive)

    def cost(self, false_positive: float = 1.0, false_negative: float = 1.0) -> float:
        """The mean cost of a row when errors cost this much and what is right costs nothing."""
        total = self.false_positive * false_positive + self.false_negative * false_negative
        return float(total) / self.rows

    def __str__(self) -> str:
        table = TextTable(
            ["", "called positive", "called negative"],
            [
                ["positive", self.true_positive, self.false_negative],
                ["negative", self.false_positive, self.true_negative],
            ],
            title=f"Threshold {self.threshold:.6g}",
        )
        return str(table)


@dataclass(frozen=True, eq=False)
class CostCurve:
    """The least normalised expected cost of a scorer for every probability cost (Drummond and Holte).

    The probability cost is P(+)·C(missed +) / (P(+)·C(missed +) + P(−)·C(false alarm)): what class shares and
    costs come to. ``probability_cost`` and ``expected_cost`` are the corners of the curve, straight in
    between; ``thresholds`` is the best one from each corner to the next.

    >>> curve = cost_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> curve(0.5), curve.area
    (0.25, 0.125)
    """

    probability_cost: FloatArray
    expected_cost: FloatArray
    thresholds: FloatArray

    def __call__(self, probability_cost: Any) -> Any:
        """The cost at one or many probability costs."""
        asked = np.asarray(probability_cost, dtype=np.float64)
        if not ((asked >= 0) & (asked <= 1)).all():
            raise BadQuestion(f"A probability cost is between 0 and 1, not {probability_cost!r}.")
        costs = np.interp(asked, self.probability_cost, self.expected_cost)
        return float(costs) if costs.ndim == 0 else costs

    @property
    def area(self) -> float:
        """The mean cost over all probability costs; 0.25 is that of always saying one class."""
        middles = (self.expected_cost[1:] + self.expected_cost[:-1]) / 2
        return float(middles @ np.diff(self.probability_cost))

    def to_frame(self) -> pandas.DataFrame:
        """The corners of the curve (needs pandas)."""
        return pandas_frame(
            {"probability_cost": self.probability_cost, "expected_cost": self.expected_cost},
            "CostCurve.to_frame",
        )

    def __repr__(self) -> str:
        return f"CostCurve of {len(self.probability_cost)} corners, area {self.area:.4g}"


def confusion(
    labels: Any, scores: Any, threshold: float = 0.5, *, classes: Iterable[State] | None = None
) -> BinaryConfusion:
    """Count what happens when scores at or above ``threshold`` are called positive (the second class)."""
    ranked = _Ranked(scored_two(labels, scores, classes))
    return ranked.confusion(float(threshold), int((ranked.scores >= threshold).sum()))


def best_threshold(
    labels: Any,
    scores: Any,
    *,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    classes: Iterable[State] | None = None,
) -> BinaryConfusion:
    """The threshold with the least total cost on these rows, with its confusion; of equals the highest.

    It lies half way between two scores; infinite where calling nothing positive is cheapest. A calibrated
    classifier needs no data for it: :func:`threshold_for` gives the threshold from the costs alone.

    >>> best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], false_negative=5).threshold
    0.25
    """
    _check_costs(false_positive, false_negative)
    ranked = _Ranked(scored_two(labels, scores, classes))
    costs = ranked.alarms * false_positive + (ranked.positives - ranked.hits) * false_negative
    place = int(costs.argmin())
    return ranked.confusion(ranked.threshold(place), int(ranked.called[place]))


def threshold_for(false_positive: float = 1.0, false_negative: float = 1.0) -> float:
    """The probability from which calling a case positive costs less, for calibrated probabilities.

    >>> threshold_for(false_positive=1, false_negative=9)
    0.1
    """
    _check_costs(false_positive, false_negative)
    return float(false_positive) / (float(false_positive) + float(false_negative))


def cost_curve(labels: Any, scores: Any, *, classes: Iterable[State] | None = None) -> CostCurve:
    """The cost curve of scores: for every probability cost the best of all thresholds.

    Each threshold is a straight line from its false positive rate (left) to its false negative rate
    (right); the curve is the lower envelope of all of them.
    """
    ranked = _Ranked(scored_two(labels, scores, classes))
    negatives = len(ranked.scores) - ranked.positives
    if not ranked.positives or not negatives:
        raise BadData("A cost curve needs rows of both classes.")
    left, right = ranked.alarms / negatives, 1 - ranked.hits / ranked.positives
    chosen = _lower_envelope(left, right)
    first, second = chosen[:-1], chosen[1:]
    # Neighbouring lines of the envelope cross here.
    rise = left[second] - left[first]
    cuts = rise / (rise + right[first] - right[second])
    corners = np.concatenate([[0.0], cuts, [1.0]])
    lines = np.concatenate([chosen[:1], chosen])
    costs = left[lines] * (1 - corners) + right[lines] * corners
    thresholds = np.array([ranked.threshold(int(place)) for place in chosen])
    return CostCurve(corners, costs, thresholds)


def scored_two(labels: Any, scores: Any, classes: Iterable[State] | None) -> Scored:
    """Labels of two classes with the probability of the second."""
    scored = scored_from(labels, scores, classes)
    if len(scored.classes) != 2:
        raise BadQuestion(f"Thresholds tell two classes apart; there are {len(scored.classes)}.")
    return scored


class _Ranked:
    """Rows from the highest score down, and what every possible threshold would call positive.

    Place k of ``called``, ``hits`` and ``alarms`` belongs to the k highest distinct scores; place 0 to none.
    """

    def __init__(self, scored: Scored) -> None:
        order = np.argsort(-scored.proba[:, 1], kind="stable")
        self.scores: FloatArray = scored.proba[order, 1]
        truth = scored.truth[order]
        ends = np.flatnonzero(np.append(np.diff(self.scores) != 0, True)) + 1
        self.called: IntArray = np.concatenate([[0], ends])
        running = np.concatenate([[0], np.cumsum(truth)])
        self.hits: IntArray = running[self.called]
        self.alarms: IntArray = self.called - self.hits
        self.positives = int(truth.sum())
        self._running = running

    def threshold(self, place: int) -> float:
        """A threshold that calls exactly the first ``called[place]`` rows positive."""
        count = int(self.called[place])
        if count == 0:
            return np.inf
        if count == len(self.scores):
            return float(self.scores[-1])
        low, high = float(self.scores[count]), float(self.scores[count - 1])
        middle = low / 2 + high / 2
        return middle if low < middle else high

    def confusion(self, threshold: float, called: int) -> BinaryConfusion:
        hits = int(self._running[called])
        alarms, missed = called - hits, self.positives - hits
        return BinaryConfusion(threshold, hits, alarms, len(self.scores) - called - missed, missed)


def _lower_envelope(left: FloatArray, right: FloatArray) -> IntArray:
    """The lines (left height, right height) that are lowest somewhere between, from left to right.

    ``left`` rises and ``right`` falls along the lines: the envelope is a convex hull, by a single walk.
    """
    kept: list[int] = []
    for line in range(len(left)):
        if kept and right[line] >= right[kept[-1]]:
            continue
        while kept and left[kept[-1]] >= left[line]:
            kept.pop()
        while len(kept) >= 2 and not _below(left, right, kept[-2], kept[-1], line):
            kept.pop()
        kept.append(line)
    return np.array(kept, dtype=np.int64)


def _below(left: FloatArray, right: FloatArray, before: int, line: int, after: int) -> bool:
    """Whether a line is below the crossing of its neighbours."""
    ahead = (left[line] - left[before]) * (right[line] - right[after])
    return bool(ahead < (left[after] - left[line]) * (right[before] - right[line]))


def _check_costs(false_positive: Any, false_negative: Any) -> None:
    for name, cost in (("false_positive", false_positive), ("false_negative", false_negative)):
        real_number(name, cost, 0, expected="a cost is a number, not negative and not infinite")
    if false_positive == 0 == false_negative:
        raise BadQuestion("If no error costs anything, every threshold is as good as any other.")
