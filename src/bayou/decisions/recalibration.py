"""Maps from probabilities to better calibrated ones: isotonic regression and temperature scaling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bayou.arguments import real_number
from bayou.decisions.beliefs import check_probabilities, scored_from
from bayou.errors import BadData, BadQuestion, BadTable
from bayou.typing import FloatArray, State

COLDEST, HOTTEST = 0.01, 100.0
"""The range of temperatures: perfect predictions would give 0, uninformative ones infinity."""
_TINY = 1e-12
METHODS = ("isotonic", "temperature")


@dataclass(frozen=True, eq=False)
class Isotonic:
    """Isotonic regression: for each class a curve that never falls (Zadrozny and Elkan 2002).

    Curve k maps the probability ``said[k][i]`` to ``meant[k][i]`` and is straight between these corners. One
    number per row has one curve; of a matrix each column is mapped by its own curve and each row divided by
    its sum. A row whose classes all become 0 stays as it was.

    Raises ``BadTable`` for probabilities of another number of columns than there are curves.

    >>> mapped = Isotonic.fit([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    >>> mapped([0.1, 0.25, 0.9]).tolist()
    [0.0, 0.5, 1.0]
    """

    said: tuple[FloatArray, ...]
    meant: tuple[FloatArray, ...]

    @classmethod
    def fit(cls, labels: Any, proba: Any, *, classes: Iterable[State] | None = None) -> Isotonic:
        """Learn the curves from held-out rows: their labels and predicted probabilities.

        Raises ``BadData`` for labels that do not fit the probabilities.

        >>> import bayou
        >>> bayou.decisions.Isotonic.fit([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])([0.25]).tolist()
        [0.5]
        """
        scored = scored_from(labels, proba, classes)
        columns = [1] if scored.binary else list(range(len(scored.classes)))
        curves = [monotone_curve(scored.proba[:, c], scored.outcomes[:, c]) for c in columns]
        return cls(tuple(x for x, _ in curves), tuple(y for _, y in curves))

    def __call__(self, proba: Any) -> FloatArray:
        """Map probabilities of the same form as in ``fit``: one number per row, or a matrix."""
        rows = np.asarray(proba, dtype=np.float64)
        width = 1 if rows.ndim == 1 else rows.shape[-1]
        if rows.ndim not in (1, 2) or width != len(self.said):
            raise BadTable(
                f"This map was fitted on {len(self.said)} columns of probabilities; "
                f"these probabilities have the shape {rows.shape}."
            )
        if rows.ndim == 1:
            return np.interp(rows, self.said[0], self.meant[0])
        mapped = np.column_stack(
            [np.interp(rows[:, k], x, y) for k, (x, y) in enumerate(zip(self.said, self.meant, strict=True))]
        )
        totals = mapped.sum(axis=1, keepdims=True)
        result: FloatArray = np.where(totals > 0, mapped / np.where(totals > 0, totals, 1.0), rows)
        return result


@dataclass(frozen=True)
class Temperature:
    """Temperature scaling: p^(1/T), normalised (Guo et al. 2017); T > 1 makes predictions less confident.

    ``at_limit`` says that the best temperature lies outside the allowed range (0.01 … 100).

    Raises ``BadQuestion`` for a temperature that is not above 0; ``BadTable`` for probabilities outside
    0 … 1.

    >>> Temperature(2.0)([[0.8, 0.2]]).round(4).tolist()
    [[0.6667, 0.3333]]
    """

    value: float
    at_limit: bool = False

    def __post_init__(self) -> None:
        real_number("value", self.value, 0, above=True, expected="give a temperature, a number above 0")

    @classmethod
    def fit(cls, labels: Any, proba: Any, *, classes: Iterable[State] | None = None) -> Temperature:
        """Return the temperature with the least log-loss on held-out rows.

        Rows whose true class was given probability 0 are left out: no temperature changes a 0.

        Raises ``BadData`` for labels that do not fit the probabilities, or where all true classes have
        probability 0.

        >>> import bayou
        >>> cooler = bayou.decisions.Temperature.fit([0, 1, 0, 1, 1], [0.2, 0.9, 0.6, 0.6, 0.3])
        >>> cooler([[0.8, 0.2]]).round(2).tolist()
        [[0.76, 0.24]]
        """
        scored = scored_from(labels, proba, classes)
        possible = scored.proba[np.arange(len(scored.truth)), scored.truth] > 0
        if not possible.any():
            raise BadData(
                "Every row gives its true class the probability 0: no temperature can correct that."
            )
        logs = _logs(scored.proba[possible])
        return _best_temperature(logs, logs[np.arange(len(logs)), scored.truth[possible]])

    def __call__(self, proba: Any) -> FloatArray:
        """Map one number per row (the second of two classes), or a matrix."""
        rows = np.asarray(proba, dtype=np.float64)
        if rows.ndim == 1:
            return self(np.column_stack([1 - rows, rows]))[:, 1]
        check_probabilities(rows)
        return _softmax(_logs(rows) / self.value)


Recalibration: TypeAlias = Isotonic | Temperature


def recalibrate(
    labels: Any, proba: Any, method: str = "temperature", *, classes: Iterable[State] | None = None
) -> Recalibration:
    """Learn a map from held-out predictions; ``method`` is ``"temperature"`` or ``"isotonic"``.

    Raises ``BadData`` if there are not as many rows as labels.

    >>> recalibrate([0, 1], [0.4, 0.7], "temperature").at_limit
    True
    """
    if method == "isotonic":
        return Isotonic.fit(labels, proba, classes=classes)
    if method == "temperature":
        return Temperature.fit(labels, proba, classes=classes)
    raise BadQuestion(f"There is no method {method!r}; use 'isotonic' or 'temperature'.")


def monotone_curve(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the least-squares curve of y over x that never falls.

    Pool adjacent violators (Ayer et al. 1955): neighbouring pools that break the order are merged.

    >>> monotone_curve(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0]))[1].tolist()
    [0.5, 0.5, 2.0]
    """
    points, place = np.unique(x, return_inverse=True)
    weights = np.bincount(place.ravel()).astype(np.float64)
    means = np.bincount(place.ravel(), y) / weights
    pools: list[list[float]] = []  # mean, weight, number of points
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        pools.append([mean, weight, 1])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            last, before = pools.pop(), pools[-1]
            total = before[1] + last[1]
            before[0] = (before[0] * before[1] + last[0] * last[1]) / total
            before[1], before[2] = total, before[2] + last[2]
    heights = np.repeat([pool[0] for pool in pools], [int(pool[2]) for pool in pools])
    ends = np.ones(len(points), dtype=bool)
    # Of a level stretch only the two ends are corners.
    ends[1:-1] = (heights[1:-1] != heights[:-2]) | (heights[1:-1] != heights[2:])
    return points[ends], heights[ends]


def _best_temperature(logs: FloatArray, own: FloatArray) -> Temperature:
    """Minimise the log-loss, which is convex in 1/T, by Newton steps inside a shrinking bracket.

    ``logs`` are the log-probabilities (rows × classes), ``own`` those of each row's true class.
    """
    low, high = 1 / HOTTEST, 1 / COLDEST
    if _slope(low, logs, own)[0] >= 0:
        return Temperature(HOTTEST, at_limit=True)
    if _slope(high, logs, own)[0] <= 0:
        return Temperature(COLDEST, at_limit=True)
    inverse = 1.0
    for _ in range(200):
        slope, curvature = _slope(inverse, logs, own)
        low, high = (inverse, high) if slope < 0 else (low, inverse)
        step = inverse - slope / curvature if curvature > 0 else -1.0
        ahead = step if low < step < high else np.sqrt(low * high)
        if abs(ahead - inverse) <= _TINY * inverse:
            break
        inverse = float(ahead)
    return Temperature(1 / inverse)


def _slope(inverse: float, logs: FloatArray, own: FloatArray) -> tuple[float, float]:
    """The first and second derivative of the mean log-loss with respect to 1/T."""
    weights = _softmax(logs * inverse)
    finite = np.where(np.isneginf(logs), 0.0, logs)
    mean = (weights * finite).sum(axis=1)
    spread = (weights * finite**2).sum(axis=1) - mean**2
    return float((mean - own).mean()), float(spread.mean())


def _logs(rows: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(rows)


def _softmax(logs: FloatArray) -> FloatArray:
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return result
