"""Numpy reference of particle filters: normal numbers, weights, resampling, and runs of the core's models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native.reference.sampling import _uniforms, philox
from bayou.typing import FloatArray, IntArray

_BLOCK = 1024
_RESAMPLING_SLOT = 0xFFFF
_LOG_TWO_PI = float(np.log(2 * np.pi))
_NEARLY_WHOLE = 1e-9
Move = Callable[[FloatArray | None, int, int], tuple[FloatArray, FloatArray]]


def normal_numbers(
    seed: int, stream: int, n: int, mean: float = 0.0, spread: float = 1.0, threads: int = 0
) -> FloatArray:
    """Normal numbers that depend on the seed, the stream and their place only.

    A word of 64 bits gives two (Box and Muller): 40 bits are the radius, 24 the angle. A block of m numbers
    has (m + 3) // 4 rows of two words: cosines and sines of the first words, then of the second ones.
    """
    blocks = [np.zeros(0)]
    for first in range(0, n, _BLOCK):
        m = min(_BLOCK, n - first)
        rows = (m + 3) // 4
        low, high = _words(seed, stream, first // 4, rows)
        blocks.append(np.concatenate([*_normal_pairs(low), *_normal_pairs(high)])[:m])
    numbers: FloatArray = mean + spread * np.concatenate(blocks)
    return numbers


def _words(seed: int, stream: int, first_row: int, n: int) -> tuple[npt.NDArray[np.uint64], ...]:
    rows = np.uint64(first_row) + np.arange(n, dtype=np.uint64)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    stream_words = np.broadcast_to(np.array([stream & 0xFFFFFFFF, stream >> 32], np.uint64), (n, 2))
    counter = np.column_stack([rows & low, rows >> half, stream_words])
    words = philox(counter, (seed & 0xFFFFFFFF, seed >> 32))
    return words[:, 1] << half | words[:, 0], words[:, 3] << half | words[:, 2]


def _normal_pairs(words: npt.NDArray[np.uint64]) -> tuple[FloatArray, FloatArray]:
    radius = np.sqrt(-2 * np.log(((words >> np.uint64(24)).astype(np.float64) + 0.5) * 2.0**-40))
    angle = 2 * np.pi * (words & np.uint64(0xFFFFFF)).astype(np.float64) * 2.0**-24
    return radius * np.cos(angle), radius * np.sin(angle)


def weigh_particles(
    before: FloatArray, logs: FloatArray, threads: int = 0
) -> tuple[FloatArray, FloatArray, float, float]:
    """(before + logs, weights that sum to 1, log of the mean weight, effective size).

    >>> weigh_particles(np.zeros(2), np.log([1.0, 3.0]))[1].round(6).tolist()
    [0.25, 0.75]
    """
    total = before + logs
    if not (total < np.inf).all():
        return total, np.zeros(len(total)), float("nan"), 0.0
    largest = total.max(initial=-np.inf)
    if largest == -np.inf:
        return total, np.zeros(len(total)), -np.inf, 0.0
    weights = np.exp(total - largest)
    whole = weights.sum()
    log_mean = float(largest + np.log(whole / len(weights)))
    return total, weights / whole, log_mean, float(whole**2 / (weights**2).sum())


def resample_particles(
    weights: FloatArray, resampling: int, seed: int, step: int, threads: int = 0
) -> IntArray:
    """The ancestors of as many new particles; 0 systematic, 1 stratified, 2 residual, 3 multinomial.

    >>> resample_particles(np.array([0.0, 1.0, 1.0, 0.0]), 0, seed=0, step=1).tolist()
    [1, 1, 2, 2]
    """
    n = len(weights)
    if not ((weights >= 0) & (weights < np.inf)).all():
        raise ValueError("weights: expected numbers >= 0")
    if n and not weights.sum() > 0:
        raise ValueError("weights: no particle has a positive weight")
    stream = step << 16 | _RESAMPLING_SLOT
    expected = weights * (n / weights.sum())
    if resampling == 0:
        points = np.arange(n) + _uniforms(seed, stream, 0, 1)[0]
    elif resampling == 1:
        points = np.arange(n) + _uniforms(seed, stream, 0, n)[0]
    elif resampling in (2, 3):
        whole = (
            np.floor(expected + _NEARLY_WHOLE).astype(np.int64) if resampling == 2 else np.zeros(n, np.int64)
        )
        sure = np.repeat(np.arange(n), whole)[:n]
        gaps = -np.log(1 - _uniforms(seed, stream, 0, n - len(sure) + 1)[0])
        rest = np.maximum(0.0, expected - whole)
        sorted_points = np.cumsum(gaps)[:-1] / gaps.sum() * rest.sum()
        return np.concatenate([sure, _owners(rest, sorted_points)])
    else:
        raise ValueError(f"resampling is {resampling}: expected a number from 0 to 3")
    return _owners(expected, points)


def _owners(stretches: FloatArray, points: FloatArray) -> IntArray:
    """The stretch of the number line that each point is in."""
    last = int(np.flatnonzero(stretches > 0)[-1]) if (stretches > 0).any() else 0
    return np.minimum(np.searchsorted(np.cumsum(stretches), points, side="left"), last).astype(np.int64)


def weighted_moments(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(Means, standard deviations) of the columns of a matrix.

    >>> weighted_moments(np.array([[0.0], [2.0]]), np.array([0.5, 0.5]))[0].tolist()
    [1.0]
    """
    share = weights / weights.sum()
    mean: FloatArray = share @ values
    return mean, np.sqrt(share @ (values - mean) ** 2)


def weighted_quantiles(values: FloatArray, weights: FloatArray, levels: Sequence[float]) -> FloatArray:
    """The smallest value whose cumulative weight reaches each level.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.5, 0.3]), [0.5, 0.6, 1.0]).tolist()
    [1.0, 2.0, 3.0]
    """
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    cumulative = np.cumsum(weights[order])
    wanted = (np.asarray(levels) - 1e-12) * cumulative[-1]
    found: FloatArray = values[order][np.minimum(np.searchsorted(cumulative, wanted), len(order) - 1)]
    return found


class ParticleRun:
    """A particle filter that goes on from call to call; see the methods for the models.

    A run returns (rows done, log P(row | rows before), effective sizes, resampled, means, spreads, quantiles,
    kept states, kept logs of weights).
    """

    def __init__(
        self, particles: int, seed: int, resampling: int, resample_below: float, looks_ahead: bool
    ) -> None:
        if not 0 < particles < 2**32:
            raise ValueError("particles: expected a number from 1 to 2**32 - 1")
        self._n, self._seed, self._kind = particles, seed, resampling
        self._below, self._looks_ahead = resample_below, looks_ahead
        self._states: FloatArray | None = None
        self._logs = np.zeros(particles)
        self._step = 0

    def run_linear(
        self,
        sets: IntArray,
        F: FloatArray,
        G: FloatArray,
        H: FloatArray,
        shifts: FloatArray,
        offsets: FloatArray,
        constants: FloatArray,
        weighs_old: bool,
        ahead_H: FloatArray,
        ahead_offsets: FloatArray,
        ahead_constants: FloatArray,
        levels: list[float],
        keep: bool,
        threads: int = 0,
    ) -> Any:
        """x' = F x + shift + G e; log weight = constant - |H s + offset|² / 2 with s = x' or x."""

        def move(old: FloatArray | None, row: int, step: int) -> tuple[FloatArray, FloatArray]:
            which, d = sets[row], shifts.shape[1]
            noise = np.array([self._normals(step, c) for c in range(d)])
            mean = 0 if old is None else F[which] @ old
            new = mean + shifts[row][:, None] + G[which] @ noise
            weighed = new if not weighs_old else np.zeros((d, self._n)) if old is None else old
            scaled = H[which] @ weighed + offsets[row][:, None]
            return new, constants[row] - 0.5 * (scaled**2).sum(axis=0)

        def ahead(old: FloatArray, row: int) -> FloatArray:
            scaled = ahead_H[sets[row]] @ old + ahead_offsets[row][:, None]
            logs: FloatArray = ahead_constants[row] - 0.5 * (scaled**2).sum(axis=0)
            return logs

        return self._run(len(sets), move, ahead, levels, keep, 0)

    def run_volatility(
        self,
        mean: float,
        persistence: float,
        spread: float,
        first_spread: float,
        observations: FloatArray,
        guided: bool,
        levels: list[float],
        keep: bool,
        threads: int = 0,
    ) -> Any:
        """x' = mean + persistence (x - mean) + spread e; y = exp(x / 2) v."""

        def predicted(old: FloatArray | None) -> tuple[FloatArray, float]:
            if old is None:
                return np.full(self._n, mean), first_spread
            return mean + persistence * (old[0] - mean), spread

        def shift(m: FloatArray, own: float, y: float) -> FloatArray:
            """From m to about the mode of P(x | m, y): Winitzki's formula for w exp(w) = z."""
            z = np.minimum(1e300, 0.5 * own**2 * y**2 * np.exp(-m) * np.exp(0.5 * own**2))
            log = np.log1p(z)
            found: FloatArray = log * (1 - np.log1p(log) / (2 + log)) - 0.5 * own**2
            return found

        def move(old: FloatArray | None, row: int, step: int) -> tuple[FloatArray, FloatArray]:
            (m, own), y = predicted(old), observations[row]
            moved = shift(m, own, y) if guided and not np.isnan(y) else np.zeros(self._n)
            new = m + moved + own * self._normals(step, 0)
            if np.isnan(y):
                return new[None], np.zeros(self._n)
            logs = -0.5 * (_LOG_TWO_PI + new + y**2 * np.exp(-new))
            return new[None], logs - moved * (2 * (new - m) - moved) / (2 * own**2)

        def ahead(old: FloatArray, row: int) -> FloatArray:
            (m, own), y = predicted(old), observations[row]
            if np.isnan(y):
                return np.zeros(self._n)
            moved = shift(m, own, y)
            x = m + moved
            curvature = 0.5 * y**2 * np.exp(-x) * own**2
            logs: FloatArray = -0.5 * (
                _LOG_TWO_PI + x + y**2 * np.exp(-x) + moved**2 / own**2 + np.log1p(curvature)
            )
            return logs

        return self._run(len(observations), move, ahead, levels, keep, 0)

    def run_codes(
        self,
        start: FloatArray,
        transition: FloatArray,
        logs: FloatArray,
        guided: bool,
        keep: bool,
        threads: int = 0,
    ) -> Any:
        """States that move by a table; logs is log P(row | state)."""

        def tables(old: FloatArray | None, row: int) -> tuple[FloatArray, FloatArray, IntArray]:
            moves = start[None] if old is None else transition
            origin = np.zeros(self._n, np.int64) if old is None else old[0].astype(np.int64)
            largest = logs[row].max()
            reference = largest if np.isfinite(largest) else 0.0
            joint = moves * np.exp(logs[row] - reference)
            with np.errstate(divide="ignore"):
                row_logs = np.log(joint.sum(axis=1)) + reference
            return joint if guided else moves, row_logs, origin

        def move(old: FloatArray | None, row: int, step: int) -> tuple[FloatArray, FloatArray]:
            drawn, row_logs, origin = tables(old, row)
            u = _uniforms(self._seed, step << 16, 0, self._n)[0]
            cumulative = np.cumsum(drawn, axis=1)
            with np.errstate(invalid="ignore"):
                cumulative = np.where(cumulative[:, -1:] > 0, cumulative / cumulative[:, -1:], 0.0)
            last = np.array([max(np.flatnonzero(one), default=0) for one in drawn])[origin]
            new = np.minimum((u[:, None] >= cumulative[origin]).sum(axis=1), last)
            return new[None].astype(np.float64), row_logs[origin] if guided else logs[row][new]

        return self._run(
            len(logs), move, lambda old, row: tables(old, row)[1][tables(old, row)[2]], [], keep, len(start)
        )

    def particles(self) -> tuple[FloatArray, FloatArray]:
        """(States, [component, particle], and the logs of their weights)."""
        states = np.zeros((0, self._n)) if self._states is None else self._states
        return states.copy(), self._logs.copy()

    def _normals(self, step: int, component: int) -> FloatArray:
        return normal_numbers(self._seed, step << 16 | component, self._n)

    def _run(
        self,
        rows: int,
        move: Move,
        ahead: Callable[[FloatArray, int], FloatArray],
        levels: list[float],
        keep: bool,
        codes: int,
    ) -> Any:
        found: list[Any] = []
        for row in range(rows):
            old, before, corrections, resampled = self._chosen(row, ahead)
            self._states, change = move(old, row, self._step)
            self._logs, weights, log_mean, size = weigh_particles(self._logs, change - corrections)
            self._step += 1
            if not log_mean > -np.inf:
                break
            if codes:
                shares = np.bincount(self._states[0].astype(np.int64), weights, codes)
                summary: tuple[Any, ...] = (shares, np.zeros(0), np.zeros((0, 1)))
            else:
                mean = self._states @ weights
                spread = np.sqrt((self._states - mean[:, None]) ** 2 @ weights)
                each = [weighted_quantiles(one, weights, levels) for one in self._states] if levels else []
                summary = (mean, spread, np.array(each).T.reshape(len(levels), len(mean)))
            kept = (self._states, self._logs) if keep else ()
            found.append((log_mean - before, size, np.uint8(resampled), *summary, *kept))
        done = len(found)
        while len(found) < rows:
            found.append(tuple(np.zeros_like(part) for part in found[0]) if found else (0.0,) * 8)
        columns = [np.array(column) for column in zip(*found, strict=True)]
        if not keep:
            columns += [np.zeros((0, 1, self._n)), np.zeros((0, self._n))]
        return (done, *columns)

    def _chosen(
        self, row: int, ahead: Callable[[FloatArray, int], FloatArray]
    ) -> tuple[FloatArray | None, float, Any, bool]:
        """(Old particles, what the log of the mean weight counts from, their look-ahead, resampled)."""
        if self._states is None:
            return None, 0.0, 0.0, False
        _, weights, log_mean, size = weigh_particles(self._logs, np.zeros(self._n))
        guess, guess_mean = np.zeros(self._n), log_mean
        if self._looks_ahead:
            guess = ahead(self._states, row)
            _, weights, guess_mean, size = weigh_particles(self._logs, guess)
        if guess_mean == -np.inf or (self._below < 1 and size >= self._below * self._n):
            return self._states, log_mean, 0.0, False
        ancestors = resample_particles(weights, self._kind, self._seed, self._step)
        self._logs = np.zeros(self._n)
        before = log_mean - guess_mean
        return self._states[:, ancestors], before, guess[ancestors], True
