"""Series for linear Gaussian systems in memory or in temporary files, and what all their values are like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bayou.errors import BadData
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.statistics.rows.sequence_batch import SequenceBatch, numbers_in_data
from bayou.temporal.kalman.linear_system import LinearSystem, ObservedSeries
from bayou.temporal.stored_sequences import LongRows, StoredSequences
from bayou.typing import FloatArray, IntArray, Name

LARGEST_NUMBER, SMALLEST_SPREAD = 1e150, 1e-140
"""The squares of larger numbers, and those of smaller differences, leave the range of floating-point numbers.
"""
SMALLEST_SHARE = 1e-32
"""Smaller differences are lost beside the deviation of the first state."""


@dataclass(frozen=True)
class StoredSeries:
    """Series in temporary files, which are read some at a time."""

    stored: StoredSequences
    columns: tuple[Name, ...]
    inputs: tuple[Name, ...]

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return self.stored.rows

    @property
    def count(self) -> int:
        """The number of sequences."""
        return self.stored.count

    def parts(self) -> Iterator[ObservedSeries]:
        """Some whole sequences at a time; a long one is read as a whole, if it fits in memory."""
        for part in self.stored.parts():
            yield observed_series(part, self.columns, self.inputs)


AnySeries: TypeAlias = ObservedSeries | StoredSeries
"""Series in memory, or in temporary files."""


def observed_series(rows: SequenceBatch, columns: Sequence[Name], inputs: Sequence[Name]) -> ObservedSeries:
    """Rows as arrays; raise BadData for inputs that are unknown and values that are infinite."""
    known = _cells(rows, inputs)
    gaps = np.argwhere(~np.isfinite(known))
    if len(gaps):
        raise BadData(
            f"The input {inputs[gaps[0][1]]!r} is missing or infinite in row "
            f"{rows.batch.number(int(gaps[0][0]))} (counting from 0): inputs must be known at every step. "
            "Those of lists and arrays are given by controls=, in the same form."
        )
    values = _cells(rows, columns)
    wild = np.argwhere(np.abs(values) > LARGEST_NUMBER)
    if len(wild):
        value = float(values[tuple(wild[0])])
        raise BadData(
            f"Column {columns[wild[0][1]]!r} is {'infinite' if np.isinf(value) else f'{value:.3g}'} in row "
            f"{rows.batch.number(int(wild[0][0]))} (counting from 0): give a number, or NaN for a gap"
            f"{'' if np.isinf(value) else ', or use another unit: the square is beyond the largest number'}."
        )
    return ObservedSeries(values, known, rows.starts.astype(np.int64), rows.weights, numbers_in_data(rows))


def _cells(rows: SequenceBatch, names: Sequence[Name]) -> FloatArray:
    if not names:
        return np.zeros((rows.rows, 0))
    columns = [np.asarray(rows.batch.numbers[name], dtype=np.float64) for name in names]
    return np.ascontiguousarray(np.stack(columns, axis=1))


@dataclass(frozen=True)
class SeriesSummary:
    """All values: by column how many there are, their mean, mean square, least and largest, and the weight of
    all together.
    """

    seen: IntArray
    means: FloatArray
    squares: FloatArray
    least: FloatArray
    largest: FloatArray
    weight: float
    spread: float

    @classmethod
    def of(cls, series: AnySeries) -> SeriesSummary:
        """The summary of some series, read once."""
        parts = [_part_summary(part) for part in series.parts()]
        seen = sum(one.seen for one in parts)
        share = [one.seen / np.maximum(seen, 1) for one in parts]
        means = sum(part * one.means for part, one in zip(share, parts, strict=True))
        squares = sum(part * one.squares for part, one in zip(share, parts, strict=True))
        every = max(int(np.sum(seen)), 1)
        middle = float(np.sum(seen * means)) / every
        # Squares of deviations are added, not subtracted, so that they keep their digits.
        scatter = sum(float(one.seen.sum()) * (one.spread**2 + (_middle(one) - middle) ** 2) for one in parts)
        return cls(
            np.asarray(seen),
            np.asarray(means),
            np.asarray(squares),
            np.min([one.least for one in parts], axis=0),
            np.max([one.largest for one in parts], axis=0),
            sum(one.weight for one in parts),
            float(np.sqrt(scatter / every)),
        )


def _middle(one: SeriesSummary) -> float:
    return float((one.seen * one.means).sum() / max(int(one.seen.sum()), 1))


def _part_summary(part: ObservedSeries) -> SeriesSummary:
    known = ~np.isnan(part.values)
    seen = known.sum(axis=0)
    filled = np.where(known, part.values, 0.0)
    rows = np.ones(part.rows) if part.weights is None else np.repeat(part.weights, np.diff(part.starts))
    with np.errstate(over="ignore"):
        squares = (filled**2).sum(axis=0) / np.maximum(seen, 1)
    return SeriesSummary(
        seen,
        filled.sum(axis=0) / np.maximum(seen, 1),
        squares,
        np.where(known, part.values, np.inf).min(axis=0, initial=np.inf),
        np.where(known, part.values, -np.inf).max(axis=0, initial=-np.inf),
        float(rows @ known.sum(axis=1)),
        float(np.std(part.values[known])) if known.any() else 0.0,
    )


def expected_of(system: LinearSystem, series: AnySeries, reference: LinearSystem) -> Expectation:
    """The E-step on all series, part by part from the first to the last."""
    total: Expectation | None = None
    for part in series.parts():
        found = system.expected(part, reference)
        if total is not None:
            logs = total.log_likelihood + found.log_likelihood
            found = Expectation(logs, total.statistics + found.statistics)
        total = found
    assert total is not None
    return total


def likelihood_of(system: LinearSystem, series: AnySeries) -> float:
    """The log-likelihood of all series, times their weights."""
    total = 0.0
    for part in series.parts():
        logs = system.filtered(part, states=False)[0]
        total += float(logs.sum() if part.weights is None else part.weights @ logs)
    return total


def long_series(
    system: LinearSystem, rows: LongRows, columns: Sequence[Name], inputs: Sequence[Name]
) -> tuple[float, FloatArray, FloatArray]:
    """(log density, mean and covariance of the last state) of one series that is too long for memory.

    Each block of rows starts with what the rows before it say about the state of its first row.
    """
    total, now = 0.0, system
    mean, covariance = system.start_mean, system.start_covariance
    for number, block in enumerate(rows.blocks()):
        part = observed_series(block, columns, inputs)
        if number:
            ahead = system.transition @ mean + system.control @ part.inputs[0]
            spread = system.transition @ covariance @ system.transition.T + system.transition_noise
            now = system.with_parts(start_mean=ahead, start_covariance=(spread + spread.T) / 2)
        logs, _, means, covariances = now.filtered(part)
        total, mean, covariance = total + float(logs[0]), means[-1], covariances[-1]
    return total, mean, covariance
