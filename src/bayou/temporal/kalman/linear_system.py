"""The matrices of a linear Gaussian system, and what the kernels compute with them.

x(t) = A x(t−1) + B u(t) + w,    w ~ N(0, Q)        x(1) ~ N(start mean, start covariance)
y(t) = C x(t)   + D u(t) + v,    v ~ N(0, R)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou._native import kalman_expect, kalman_filter, kalman_smooth
from bayou.errors import BadData, BadTable
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.statistics import GroupMoments, Moments, Statistics
from bayou.statistics.rows import sequence_batch
from bayou.statistics.rows.sequence_batch import stretches
from bayou.typing import FloatArray, IntArray, Name

MATRICES = ("transition", "control", "observation", "direct", "start_mean")
COVARIANCES = ("transition_noise", "observation_noise", "start_covariance")
PARTS = (
    "transition",
    "control",
    "transition_noise",
    "observation",
    "direct",
    "observation_noise",
    "start_mean",
    "start_covariance",
)
"""The parts of a system, in the order of the kernels' arguments."""
_UNEVEN = 1e-8
"""Opposite entries of a covariance may differ by this share of the deviations, and become their mean."""


@dataclass(frozen=True)
class ObservedSeries:
    """Sequences one after the other: ``values`` [row, column] with NaN for gaps, and known ``inputs``.

    ``numbers`` has the number of each sequence in the data, if some were left out.
    """

    values: FloatArray
    inputs: FloatArray
    starts: IntArray
    weights: FloatArray | None = None
    numbers: IntArray | None = None

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return int(self.starts[-1])

    @property
    def count(self) -> int:
        """The number of sequences."""
        return len(self.starts) - 1

    def parts(self) -> Iterator[ObservedSeries]:
        """Some whole sequences at a time, cut as those of a file that is too large for memory."""
        if self.rows <= sequence_batch.ROWS_OF_PART:
            yield self
            return
        for first, last in stretches(self.starts):
            rows = slice(int(self.starts[first]), int(self.starts[last]))
            weights = None if self.weights is None else self.weights[first:last]
            starts = self.starts[first : last + 1] - self.starts[first]
            numbers = None if self.numbers is None else self.numbers[first:last]
            yield ObservedSeries(self.values[rows], self.inputs[rows], starts, weights, numbers)

    def place(self, row: int) -> tuple[int, int]:
        """The number of the sequence that has a row, and the step in it."""
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        step = row - int(self.starts[number])
        return number if self.numbers is None else int(self.numbers[number]), step


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """The eight matrices of a linear Gaussian system.

    >>> one = np.ones((1, 1))
    >>> walk = LinearSystem(one, np.zeros((1, 0)), one, one, np.zeros((1, 0)), one, np.zeros(1), one)
    >>> series = ObservedSeries(np.array([[1.0], [2.0]]), np.zeros((2, 0)), np.array([0, 2]))
    >>> walk.filtered(series)[2].ravel().round(3).tolist()
    [0.5, 1.4]
    """

    transition: FloatArray
    control: FloatArray
    transition_noise: FloatArray
    observation: FloatArray
    direct: FloatArray
    observation_noise: FloatArray
    start_mean: FloatArray
    start_covariance: FloatArray

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The number of states, of inputs and of columns."""
        return (*self.control.shape, len(self.observation))

    @property
    def arrays(self) -> list[FloatArray]:
        """The matrices in the order of the kernels' arguments."""
        return [getattr(self, part) for part in PARTS]

    def with_parts(self, **parts: FloatArray) -> LinearSystem:
        """The system with some other matrices, as contiguous arrays."""
        return replace(self, **{part: np.ascontiguousarray(value) for part, value in parts.items()})

    def filtered(
        self, series: ObservedSeries, *, states: bool = True
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """(log-likelihoods, log density of each row given those before, means, covariances)."""
        logs, steps, means, covariances, failed = kalman_filter(
            self.arrays, series.starts, series.values, series.inputs, states
        )
        _refuse(series, failed)
        return logs, steps, means, covariances

    def smoothed(self, series: ObservedSeries) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(log-likelihoods, means and covariances of the states given all rows)."""
        logs, means, covariances, failed = kalman_smooth(
            self.arrays, series.starts, series.values, series.inputs
        )
        _refuse(series, failed)
        return logs, means, covariances

    def expected(self, series: ObservedSeries, reference: LinearSystem) -> Expectation:
        """The E-step: moments of first states, moves and observations, measured from the reference."""
        logs, *sums, failed = kalman_expect(
            self.arrays, reference.arrays, series.starts, series.values, series.inputs, series.weights
        )
        _refuse(series, failed)
        total = float(logs.sum() if series.weights is None else series.weights @ logs)
        answers = [_moments(names, *one) for names, one in zip(statistic_names(self), sums, strict=True)]
        weight = float(len(logs) if series.weights is None else series.weights.sum())
        return Expectation(total, Statistics({answer.request: answer for answer in answers}, weight))


def statistic_names(system: LinearSystem) -> tuple[tuple[Name, ...], ...]:
    """The variables of the expected moments: of the start, of moves, of observations."""
    n, k, m = system.sizes
    inputs = tuple(f"u{i}" for i in range(k))
    start = tuple(f"x{i} at the start" for i in range(n))
    before = tuple(f"x{i} before" for i in range(n))
    return (
        start,
        (*before, *inputs, *(f"x{i} left over" for i in range(n))),
        (*(f"x{i}" for i in range(n)), *inputs, *(f"y{i} left over" for i in range(m))),
    )


def second_moments(statistics: Statistics, names: tuple[Name, ...]) -> tuple[float, FloatArray, FloatArray]:
    """(n, Σ z, Σ z zᵀ) of these variables."""
    found = statistics[Moments(names)]
    n, mean = float(found.n), found.mean
    return n, n * mean, found.scatter + n * np.outer(mean, mean)


def _moments(names: tuple[Name, ...], n: float, first: FloatArray, second: FloatArray) -> GroupMoments:
    mean = first / n if n > 0 else np.zeros_like(first)
    scatter = second - n * np.outer(mean, mean)
    np.fill_diagonal(scatter, np.maximum(np.diagonal(scatter), 0.0))
    return GroupMoments(names, (), np.asarray(n), mean, scatter)


def _refuse(series: ObservedSeries, failed: int) -> None:
    if failed < 0:
        return
    number, step = series.place(failed)
    where = (
        f"step {step}"
        if len(series.starts) == 2 and series.numbers is None
        else f"step {step} of sequence {number}"
    )
    raise BadData(
        f"The values at {where} (counting from 0) have no density: given the rows before, what is expected "
        "there has no spread, or the numbers have left the range of floating-point numbers. Give the "
        "observations some noise, or a transition that does not explode."
    )


def matrix(name: str, given: Any, rows: int | None, columns: int | None) -> FloatArray:
    """A matrix that a user gave, checked; a list is a row of so many columns, else one column."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(f"{name}: expected a matrix of numbers, not {given!r}.") from None
    if array.ndim < 2:
        array = array.reshape((1, -1) if columns == array.size and rows in (None, 1) else (-1, 1))
    wanted = tuple(size if size is not None else array.shape[k] for k, size in enumerate((rows, columns)))
    if array.ndim != 2 or array.shape != wanted:
        shape = " × ".join(str(size) if size is not None else "any" for size in (rows, columns))
        raise BadTable(
            f"{name}: expected a matrix of {shape} numbers, not one of the shape {np.shape(given)}."
        )
    if not np.isfinite(array).all():
        raise BadTable(f"{name}: all numbers must be finite.")
    return np.ascontiguousarray(array)


def covariance_matrix(name: str, given: Any, size: int) -> FloatArray:
    """A covariance that a user gave: a matrix, its diagonal, or one variance for all."""
    cells = np.array(given, dtype=np.float64) if not isinstance(given, str) else given
    if isinstance(cells, np.ndarray) and cells.ndim == 0:
        cells = np.eye(size) * cells
    elif isinstance(cells, np.ndarray) and cells.ndim == 1 and len(cells) == size:
        cells = np.diag(cells)
    found = matrix(name, cells, size, size)
    scale = np.sqrt(np.abs(np.outer(np.diagonal(found), np.diagonal(found))))
    if (np.abs(found - found.T) > _UNEVEN * (scale + np.abs(found))).any():
        raise BadTable(f"{name}: a covariance must be symmetric.")
    even: FloatArray = (found + found.T) / 2
    values = np.linalg.eigvalsh(even)
    if values[0] < -_UNEVEN * max(values[-1], 0.0) or values[-1] < 0:
        raise BadTable(
            f"{name}: a covariance must not have negative eigenvalues; its least is {values[0]:.3g}."
        )
    return even
