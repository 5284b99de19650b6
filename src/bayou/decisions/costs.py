"""Costs of errors: confusion at a threshold, the cheapest threshold, Drummond and Holte's cost curve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import real_number
from bayou.decisions.beliefs import LabelledBeliefs, scored_from
from bayou.errors import BadData, BadQuestion
from bayou.frames import pandas_frame
from bayou.text.tables import PrintedLines, TextTable
from bayou.typing import FloatArray, IntArray, State

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class BinaryConfusion(PrintedLines):
    """True and false positives and negatives when scores at or above ``threshold`` are called positive.

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
        """The share of rows that are classified correctly."""
        return (self.true_positive + self.true_negative) / self.rows

    @property
    def rows(self) -> int:
        """The number of rows."""
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
        """The mean cost per row, given the cost of each kind of error; correct answers cost nothing.

        >>> found = confusion([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], 0.5)
        >>> found.cost(false_positive=1, false_negative=5)
        1.5
        """
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
    """The least normalised expected cost of a scorer for every probability cost (Drummond and Holte 2006).

    The probability cost is P(+)·C(missed +) / (P(+)·C(missed +) + P(−)·C(false alarm)): one number that
    combines class shares and costs. ``probability_cost`` and ``expected_cost`` are the corners of the curve,
    which is straight between them; ``thresholds[k]`` is the best threshold from corner k to corner k + 1.

    >>> curve = cost_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> curve(0.5), curve.area
    (0.25, 0.125)
    """

    probability_cost: FloatArray
    expected_cost: FloatArray
    thresholds: FloatArray

    def __call__(self, probability_cost: Any) -> Any:
        """The cost at one or many probability costs."""
        positions = np.asarray(probability_cost, dtype=np.float64)
        if not ((positions >= 0) & (positions <= 1)).all():
            raise BadQuestion(f"A probability cost is between 0 and 1, not {probability_cost!r}.")
        costs = np.interp(positions, self.probability_cost, self.expected_cost)
        return float(costs) if costs.ndim == 0 else costs

    @property
    def area(self) -> float:
        """The mean cost over all probability costs; the better of the two constant answers has 0.25."""
        middles = (self.expected_cost[1:] + self.expected_cost[:-1]) / 2
        return float(middles @ np.diff(self.probability_cost))

    def to_frame(self) -> pandas.DataFrame:
        """The corners of the curve (needs pandas).

        >>> from bayou.decisions import cost_curve
        >>> cost_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).to_frame().columns.to_list()
        ['probability_cost', 'expected_cost']
        """
        return pandas_frame(
            {"probability_cost": self.probability_cost, "expected_cost": self.expected_cost},
            "CostCurve.to_frame",
        )

    def __repr__(self) -> str:
        return f"CostCurve of {len(self.probability_cost)} corners, area {self.area:.4g}"


def confusion(
    labels: Any,
    scores: Any,
    threshold: float = 0.5,
    *,
    classes: Iterable[State] | None = None,
    positive: Any = None,
) -> BinaryConfusion:
    """Count what happens when scores at or above ``threshold`` are called positive.

    ``positive`` is the class that high scores stand for; by default it is the second of the two.

    Raises ``BadData`` if there are not as many scores as labels.

    >>> found = confusion([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], 0.5)
    >>> found.true_positive, found.false_positive, found.true_negative, found.false_negative
    (1, 1, 1, 1)
    """
    ranked = _Ranked(scored_two(labels, scores, classes, positive))
    return ranked.confusion(float(threshold), int((ranked.scores >= threshold).sum()))


def best_threshold(
    labels: Any,
    scores: Any,
    *,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    classes: Iterable[State] | None = None,
    positive: Any = None,
) -> BinaryConfusion:
    """Return the counts at the threshold with the least total cost on these rows; of ties the highest.

    The threshold lies half way between two scores; it is infinite where calling nothing positive is
    cheapest. For calibrated probabilities :func:`threshold_for` gives it from the costs alone. ``positive``
    is the class that high scores stand for (default: the second of the two).

    Raises ``BadData`` if there are not as many scores as labels.

    >>> best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], false_negative=5).threshold
    0.25
    """
    _check_costs(false_positive, false_negative)
    ranked = _Ranked(scored_two(labels, scores, classes, positive))
    costs = ranked.alarms * false_positive + (ranked.positives - ranked.hits) * false_negative
    place = int(costs.argmin())
    return ranked.confusion(ranked.threshold(place), int(ranked.called[place]))


def threshold_for(false_positive: float = 1.0, false_negative: float = 1.0) -> float:
    """Return the probability from which calling a case positive costs less: C(fp) / (C(fp) + C(fn)).

    It holds for calibrated probabilities.

    Raises ``BadQuestion`` for a cost below 0.

    >>> threshold_for(false_positive=1, false_negative=9)
    0.1
    """
    _check_costs(false_positive, false_negative)
    return float(false_positive) / (float(false_positive) + float(false_negative))


def cost_curve(
    labels: Any, scores: Any, *, classes: Iterable[State] | None = None, positive: Any = None
) -> CostCurve:
    """Return the cost curve of scores: for every probability cost, the cost at the best threshold.

    Each threshold is a straight line from its false positive rate (at 0) to its false negative rate
    (at 1); the curve is the lower envelope of these lines. ``positive`` is the class that high scores stand
    for (default: the second of the two).

    Raises ``BadData`` if there are not as many scores as labels.

    >>> curve = cost_curve([0, 1, 1], [0.2, 0.7, 0.4])
    >>> type(curve).__name__
    'CostCurve'
    """
    ranked = _Ranked(scored_two(labels, scores, classes, positive))
    negatives = len(ranked.scores) - ranked.positives
    if not ranked.positives or not negatives:
        raise BadData("A cost curve needs rows of both classes.")
    left, right = ranked.alarms / negatives, 1 - ranked.hits / ranked.positives
    chosen = _lower_envelope(left, right)
    first, second = chosen[:-1], chosen[1:]
    # The probability costs at which neighbouring lines of the envelope cross.
    rise = left[second] - left[first]
    cuts = rise / (rise + right[first] - right[second])
    corners = np.concatenate([[0.0], cuts, [1.0]])
    lines = np.concatenate([chosen[:1], chosen])
    costs = left[lines] * (1 - corners) + right[lines] * corners
    thresholds = np.array([ranked.threshold(int(place)) for place in chosen])
    return CostCurve(corners, costs, thresholds)


def scored_two(
    labels: Any, scores: Any, classes: Iterable[State] | None, positive: Any = None
) -> LabelledBeliefs:
    """Check labels and scores as :func:`scored_from` does, and that there are exactly two classes."""
    scored = scored_from(labels, scores, classes, positive)
    if len(scored.classes) != 2:
        raise BadQuestion(f"A threshold separates two classes; there are {len(scored.classes)} classes.")
    return scored


class _Ranked:
    """Rows sorted by falling score, and the counts at every possible threshold.

    Entry k of ``called`` (rows called positive), ``hits`` (true positives) and ``alarms`` (false positives)
    is for a threshold that keeps the k highest distinct scores; entry 0 keeps none.
    """

    def __init__(self, scored: LabelledBeliefs) -> None:
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
        """Return a threshold that calls exactly the first ``called[place]`` rows positive."""
        count = int(self.called[place])
        if count == 0:
            return np.inf
        if count == len(self.scores):
            return float(self.scores[-1])
        low, high = float(self.scores[count]), float(self.scores[count - 1])
        middle = low / 2 + high / 2
        return middle if low < middle else high

    def confusion(self, threshold: float, called: int) -> BinaryConfusion:
        """The counts when the first ``called`` rows are called positive."""
        hits = int(self._running[called])
        alarms, missed = called - hits, self.positives - hits
        return BinaryConfusion(threshold, hits, alarms, len(self.scores) - called - missed, missed)


def _lower_envelope(left: FloatArray, right: FloatArray) -> IntArray:
    """Return the lines that are the lowest somewhere between 0 and 1, from left to right.

    A line is given by its heights at 0 (``left``) and at 1 (``right``). ``left`` rises and ``right`` falls
    from line to line, so one pass is enough, as in a convex hull of sorted points (Andrew 1979).
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
    """Whether a line runs below the crossing of its neighbours ``before`` and ``after``."""
    ahead = (left[line] - left[before]) * (right[line] - right[after])
    return bool(ahead < (left[after] - left[line]) * (right[before] - right[line]))


def _check_costs(false_positive: Any, false_negative: Any) -> None:
    for name, cost in (("false_positive", false_positive), ("false_negative", false_negative)):
        real_number(name, cost, 0, expected="a cost is a finite number, 0 or more")
    if false_positive == 0 == false_negative:
        raise BadQuestion("If no error costs anything, all thresholds are equally good: give a cost above 0.")
