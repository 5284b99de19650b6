"""The M-step of linear Gaussian systems: regressions of states and values, with fixed entries and shapes of
noise.

The expected moments are about a reference, the system that learning begins with: with z = (x before, u) and
e = x − A₀ (x before) − B₀ u, the best change of [A₀ B₀] is a regression of e on z (Shumway and Stoffer 1982,
J. Time Series Anal. 3). Entries that are fixed do not change; where the noise is not diagonal and the rows
have different fixed entries, the best change depends on the present noise, which is learned after it, so
that each step still rises (Meng and Rubin 1993, Biometrika 80).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayou.errors import BadData, BadStatistics
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.statistics import Moments, Request, Statistics
from bayou.temporal.kalman.linear_system import COVARIANCES, LinearSystem, second_moments, statistic_names
from bayou.typing import BoolArray, FloatArray, Units

FULL, DIAGONAL, SCALED, FIXED = "full", "diagonal", "scaled", "fixed"
SHAPES = (FULL, DIAGONAL, SCALED)
_NEGATIVE = 1e-9
"""An eigenvalue of a covariance may be this share of their sum below 0, by rounding."""
_VANISHED = "The noise vanishes, because the model explains the values exactly."
_SMALL = 1e-8
"""A variance below this share of its variable's mean square is compared with that, not with itself."""


@dataclass(frozen=True, eq=False)
class SystemProblem:
    """What stays the same in all iterations.

    ``free`` marks the entries that are learned of each matrix, ``shapes`` has the shape of each covariance:
    full, diagonal, a multiple of the present one ("scaled"), or fixed.
    """

    reference: LinearSystem
    free: Mapping[str, BoolArray]
    shapes: Mapping[str, str]

    @cached_property
    def countable(self) -> frozenset[Request]:
        """The statistics of the system."""
        return frozenset(Moments(names) for names in statistic_names(self.reference))

    def maximised(self, now: LinearSystem, expected: Expectation) -> LinearSystem:
        """The system with the parameters that maximise the expected log-likelihood."""
        start, moves, observed = (
            second_moments(expected.statistics, names) for names in statistic_names(now)
        )
        n, _, _ = now.sizes
        # The start is a regression on a constant.
        with_constant = np.block(
            [[np.full((1, 1), start[0]), start[1][None, :]], [start[1][:, None], start[2]]]
        )
        mean, first = self._learned(now, ("start_mean",), "start_covariance", start[0], with_constant)
        move, noise = self._learned(now, ("transition", "control"), "transition_noise", moves[0], moves[2])
        seen, error = self._learned(
            now, ("observation", "direct"), "observation_noise", observed[0], observed[2]
        )
        return now.with_parts(
            start_mean=mean[:, 0],
            start_covariance=first,
            transition=move[:, :n],
            control=move[:, n:],
            transition_noise=noise,
            observation=seen[:, :n],
            direct=seen[:, n:],
            observation_noise=error,
        )

    def _learned(
        self, now: LinearSystem, parts: tuple[str, ...], noise: str, weight: float, second: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The coefficients and the noise of one regression."""
        present, reference = (_joined(system, parts) for system in (now, self.reference))
        spread: FloatArray = getattr(now, noise)
        if weight <= 0:
            return present, spread
        free = np.hstack([self.free[part].reshape(len(present), -1) for part in parts])
        known = present.shape[1]
        squares, cross = second[:known, :known], second[known:, :known]
        change = present - reference
        change = change + _steps(squares, cross - change @ squares, free, spread)
        left = second[known:, known:] - change @ cross.T - cross @ change.T + change @ squares @ change.T
        return reference + change, shaped(spread, (left + left.T) / (2 * weight), self.shapes[noise])

    def log_prior(self, network: LinearSystem) -> float:
        """There is no prior."""
        return 0.0

    def rounding(self, network: LinearSystem, statistics: Statistics) -> float:
        """The rounding error of the log-likelihood beyond that of its sum."""
        return 0.0

    def distance(self, one: LinearSystem, other: LinearSystem, units: Units) -> float:
        """The largest difference of a parameter: noise in shares of itself, others in units of the
        variables.
        """
        found = [0.0]
        for part, unit in part_units(one, units).items():
            left, right = getattr(one, part), getattr(other, part)
            if part in COVARIANCES:
                found.append(_noise_distance(left, right, unit))
            else:
                found.append(float((np.abs(left - right) / unit).max(initial=0.0)))
        return max(found)


def part_units(system: LinearSystem, units: Units) -> dict[str, FloatArray]:
    """The size of each entry of a part that corresponds to one unit of the variables."""
    start, moves, observed = (
        np.array([units.get(name, (0.0, 1.0))[1] for name in names]) for names in statistic_names(system)
    )
    n, k, _ = system.sizes
    states, inputs, values = observed[:n], moves[n : n + k], observed[n + k :]
    return {
        "transition": np.outer(states, 1 / states),
        "control": np.outer(states, 1 / inputs),
        "transition_noise": np.outer(states, states),
        "observation": np.outer(values, 1 / states),
        "direct": np.outer(values, 1 / inputs),
        "observation_noise": np.outer(values, values),
        "start_mean": start,
        "start_covariance": np.outer(start, start),
    }


def _noise_distance(one: FloatArray, other: FloatArray, unit: FloatArray) -> float:
    size = np.sqrt(np.maximum(np.diagonal(one), np.diagonal(other)) + _SMALL * np.diagonal(unit))
    return float((np.abs(one - other) / np.outer(size, size)).max(initial=0.0))


def _joined(system: LinearSystem, parts: tuple[str, ...]) -> FloatArray:
    columns: list[FloatArray] = [getattr(system, part) for part in parts]
    return np.hstack([column.reshape(len(column), -1) for column in columns])


def _steps(squares: FloatArray, cross: FloatArray, free: BoolArray, noise: FloatArray) -> FloatArray:
    """The change of the coefficients with the smallest error; the shortest, where several are equal.

    ``squares`` are Σ z zᵀ, ``cross`` Σ e zᵀ with e what the present coefficients leave over.
    """
    steps = np.zeros(free.shape)
    uncorrelated = not (noise - np.diag(np.diagonal(noise))).any()
    if uncorrelated or (free == free[:1]).all():
        for row, own in enumerate(free):
            steps[row, own] = _solved(squares[np.ix_(own, own)], cross[row, own])
        return steps
    weights = np.linalg.pinv(noise, hermitian=True)
    places = free.ravel()
    system = np.kron(weights, squares)[np.ix_(places, places)]
    steps[free] = _solved(system, (weights @ cross).ravel()[places])
    return steps


def _solved(squares: FloatArray, right: FloatArray) -> FloatArray:
    """The shortest solution of a symmetric system, its variables scaled to the same size."""
    size = np.sqrt(np.maximum(np.diagonal(squares), 0.0))
    size = np.where(size > 0, size, 1.0)
    found, *_ = np.linalg.lstsq(squares / np.outer(size, size), right / size, rcond=1e-12)
    solved: FloatArray = found / size
    return solved


def shaped(present: FloatArray, left: FloatArray, shape: str) -> FloatArray:
    """The covariance of this shape that fits best to the mean squares that are left over.

    >>> shaped(np.eye(2), np.array([[4.0, 1.0], [1.0, 2.0]]), "scaled").tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """
    if shape == FIXED or not len(present):
        return present
    none = np.diagonal(present) == 0
    left = np.where(none[:, None] | none[None, :], 0.0, left)
    if shape == SCALED:
        values, vectors = np.linalg.eigh(present)
        used = values > 1e-12 * values[-1]
        if not used.any():
            return present
        inside = np.einsum("ik,ij,jk->k", vectors[:, used], left, vectors[:, used]) / values[used]
        factor = float(inside.mean())
        if factor <= 0:
            raise BadData(_VANISHED)
        return present * factor
    found = np.diag(np.diagonal(left)) if shape == DIAGONAL else left
    if (np.diagonal(found)[~none] <= 0).any():
        raise BadData(_VANISHED)
    if np.linalg.eigvalsh(found)[0] < -_NEGATIVE * np.trace(found):
        raise BadStatistics("No rows have moments with a negative variance.")
    return found
