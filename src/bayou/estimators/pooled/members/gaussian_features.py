"""Rows as vectors of numbers: columns as they are or as normal scores, and indicators of states and gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from bayou.errors import BadFile
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.feature_codes import UNKNOWN, Codes, ColumnCodes, NumberCodes
from bayou.estimators.pooled.random_cuts import SeenNumbers
from bayou.estimators.pooled.saved_arrays import parts, real, reals, whole, wholes
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.typing import BoolArray, FloatArray, IntArray, Name

MOST_INDICATORS = 20
"""So many states of a column, the most frequent ones, have an indicator."""
LARGEST = float(np.finfo(np.float64).max)
KNOTS = 200
"""Normal scores are interpolated between so many quantiles."""
FURTHEST = 1e150
"""Numbers beyond count as this, so that their squares are numbers, too."""


@dataclass(frozen=True, eq=False)
class NumberFeature:
    """A column of numbers: scaled as it is, or scored (between knots); a gap is the mean."""

    name: Name
    column: int
    centre: float
    scale: float
    knots: FloatArray
    scores: FloatArray

    def values(self, rows: FeatureTable) -> FloatArray:
        """One number for each row."""
        numbers = rows.seen_numbers(self.name)[0]
        if len(self.knots):
            numbers = np.where(np.isnan(numbers), np.nan, np.interp(numbers, self.knots, self.scores))
        scaled = (numbers - self.centre) / self.scale
        return np.where(np.isnan(scaled), 0.0, np.clip(scaled, -1e3, 1e3))

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        table = {"knots": self.knots, "scores": self.scores} if len(self.knots) else {}
        return {"column": self.column, "centre": self.centre, "scale": self.scale, **table}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], columns: tuple[ColumnCodes, ...]) -> NumberFeature:
        """Read :meth:`state`: a column of numbers, and knots that ascend."""
        place = whole(state, "column", 0, len(columns) - 1)
        knots = reals(state, "knots", (None,)) if "knots" in state else np.zeros(0)
        scores = reals(state, "scores", knots.shape) if "knots" in state else knots
        if not columns[place].is_ordered or np.any(knots[1:] <= knots[:-1]):
            raise BadFile("a feature of a Gaussian member is no column of numbers, or its knots descend.")
        centre, scale = real(state, "centre", -LARGEST, LARGEST), real(state, "scale", 0.0, LARGEST)
        if scale == 0:
            raise BadFile("a feature of a Gaussian member has the scale 0.")
        return cls(columns[place].name, place, centre, scale, knots, scores)


@dataclass(frozen=True, eq=False)
class GaussianFeatures:
    """The features of one member: numbers, then indicators of codes (column, code)."""

    columns: tuple[ColumnCodes, ...]
    numbers: tuple[NumberFeature, ...]
    indicators: IntArray
    """(column, code) of each indicator."""
    shares: FloatArray
    """The share of the training rows that have it, which stands for a value that training never saw."""

    @property
    def size(self) -> int:
        """The number of features."""
        return len(self.numbers) + len(self.indicators)

    @property
    def column_of(self) -> IntArray:
        """The column that each feature belongs to."""
        return np.array(
            [feature.column for feature in self.numbers] + self.indicators[:, 0].tolist(), dtype=np.int64
        )

    def matrix(self, rows: FeatureTable, fine: np.typing.NDArray[np.uint8]) -> FloatArray:
        """The features of rows, [row, feature]."""
        found = np.empty((rows.rows, self.size))
        for place, feature in enumerate(self.numbers):
            found[:, place] = feature.values(rows)
        for place, (column, code) in enumerate(self.indicators.tolist()):
            known = fine[column] != UNKNOWN
            found[:, len(self.numbers) + place] = np.where(known, fine[column] == code, self.shares[place])
        return found

    def hidden(self, fine: Codes) -> BoolArray:
        """Which features tell nothing, because training never saw such a value or gap, [row, feature]."""
        found: BoolArray = (fine == UNKNOWN)[self.column_of].T
        return found

    def state(self) -> dict[str, Any]:
        """Plain data for a file; the columns are those of the ensemble."""
        numbers = [feature.state() for feature in self.numbers]
        return {"numbers": numbers, "indicators": self.indicators, "shares": self.shares}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], columns: tuple[ColumnCodes, ...]) -> GaussianFeatures:
        """Read :meth:`state`; features must be of these columns."""
        numbers = tuple(NumberFeature.from_state(one, columns) for one in parts(state, "numbers"))
        indicators = wholes(state, "indicators", (None, 2), 0, 255)
        if np.any(indicators[:, 0] >= len(columns)):
            raise BadFile("an indicator of a Gaussian member is of no column.")
        return cls(columns, numbers, indicators, reals(state, "shares", (len(indicators),)))


def gaussian_features(
    columns: tuple[ColumnCodes, ...], rows: TrainingRows, fine: Codes, scored: bool, most: int
) -> GaussianFeatures:
    """Return at most ``most`` features; ``scored``: numbers as normal scores of their ranks."""
    numbers, indicators = [], []
    for place, column in enumerate(columns):
        if not isinstance(column, NumberCodes):
            # The first code is left out where every row has some code: the others tell it.
            codes = range(1 if column.card > 2 else column.card - 1, min(column.card, MOST_INDICATORS))
            indicators += [(place, code) for code in codes]
            continue
        seen = SeenNumbers.of(rows.columns.numbers(column.name), rows.weights)
        numbers.append(_number_feature(column.name, place, seen, scored))
        if column.has_gaps:
            indicators.append((place, column.gap))
    kept = numbers[:most]
    rest = indicators[: max(0, most - len(kept))]
    picked = np.array(rest, dtype=np.int64).reshape(len(rest), 2)
    shares = [rows.weights @ (fine[column] == code) / rows.weights.sum() for column, code in rest]
    return GaussianFeatures(columns, tuple(kept), picked, np.array(shares))


def _number_feature(name: Name, place: int, seen: SeenNumbers, scored: bool) -> NumberFeature:
    values, weights, knots, scores = seen.values, seen.weights, np.zeros(0), np.zeros(0)
    if scored:
        total = weights.sum()
        ranks = (np.cumsum(weights) - weights / 2) / total
        picked = np.unique(np.linspace(0, len(values) - 1, min(KNOTS, len(values))).round().astype(np.int64))
        if len(values) > KNOTS:  # knots at quantiles, and both ends
            places = np.searchsorted(ranks, np.linspace(0, 1, KNOTS)).clip(0, len(values) - 1)
            picked = np.unique(np.concatenate([[0], places, [len(values) - 1]]))
        knots, scores = values[picked], ndtri(ranks[picked])
        values = np.interp(values, knots, scores)
    values = np.clip(values, -FURTHEST, FURTHEST)
    centre = float(weights @ values / weights.sum())
    spread = float(np.sqrt(weights @ (values - centre) ** 2 / weights.sum()))
    return NumberFeature(name, place, centre, spread if spread > 0 else 1.0, knots, scores)
