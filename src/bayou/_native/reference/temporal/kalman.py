"""Plain numpy references of linear Gaussian systems: covariances as they stand in textbooks, without roots.

A system is a list of eight arrays: transition A, control B, transition noise Q, observation C, direct D,
observation noise R, start mean, start covariance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from bayou.typing import FloatArray, IntArray

Sums: TypeAlias = tuple[float, FloatArray, FloatArray]
System: TypeAlias = list[FloatArray]
LEAST_SHARE = 1e-26
"""A variance that is a smaller share of what it was subtracted from is rounding."""


def kalman_filter(
    system: System,
    starts: IntArray,
    values: FloatArray,
    inputs: FloatArray,
    states: bool = True,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, int]:
    """(log-likelihoods, log density of each row given those before, means, covariances, first row without a
    density or -1).

    >>> one, none = np.ones((1, 1)), np.zeros((1, 0))
    >>> walk = [one, none, one, one, none, one, np.zeros(1), one]
    >>> found = kalman_filter(walk, np.array([0, 2]), np.array([[1.0], [2.0]]), np.zeros((2, 0)))
    >>> [part.ravel().round(4).tolist() for part in found[2:4]]
    [[0.5, 1.4], [0.5, 0.6]]
    """
    n, rows = len(system[6]), int(starts[-1])
    logs, steps = np.zeros(len(starts) - 1), np.zeros(rows)
    means, covariances, failed = np.zeros((rows, n)), np.zeros((rows, n, n)), -1
    for k, first, last in _sequences(starts):
        for row in range(first, last):
            before = None if row == first else (means[row - 1], covariances[row - 1])
            mean, covariance = _predicted(system, before, inputs[row])
            found = _updated(system, mean, covariance, values[row], inputs[row])
            if found is None:
                failed = row if failed < 0 else failed
                break
            steps[row], means[row], covariances[row] = found
        logs[k] = steps[first:last].sum()
    kept = rows if states else 0
    return logs, steps, means[:kept], covariances[:kept], failed


def kalman_smooth(
    system: System, starts: IntArray, values: FloatArray, inputs: FloatArray, threads: int = 0
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """(log-likelihoods, means and covariances given all rows, first row without a density or -1)."""
    logs, means, covariances, _, failed = _smoothed(system, starts, values, inputs)
    return logs, means, covariances, failed


def kalman_expect(
    system: System,
    reference: System,
    starts: IntArray,
    values: FloatArray,
    inputs: FloatArray,
    weights: FloatArray | None,
    threads: int = 0,
) -> tuple[FloatArray, Sums, Sums, Sums, int]:
    """(log-likelihoods, sums of first states, of moves and of observations, first row without a density or
    -1). Each sum is (Σ w, Σ w E[z], Σ w E[z zᵀ]) with z the first state minus the start mean of
    ``reference``; (state before, inputs, what the reference leaves of the state); (state, inputs, what it
    leaves of the values), values that are missing in a row with others being expected.
    """
    logs, means, covariances, moved, failed = _smoothed(system, starts, values, inputs)
    n, m, k = len(system[6]), values.shape[1], inputs.shape[1]
    start, moves, observed = (_Sums(size) for size in (n, 2 * n + k, n + k + m))
    a, b, _, c, d, _, centre, _ = reference
    for number, first, last in _sequences(starts):
        weight = 1.0 if weights is None else float(weights[number])
        for row in range(first, last):
            mean, covariance, u = means[row], covariances[row], inputs[row]
            if row == first:
                start.add(mean - centre, covariance, weight)
            else:
                both = np.block([[covariances[row - 1], moved[row].T], [moved[row], covariance]])
                turn = np.zeros((2 * n + k, 2 * n))
                turn[:n, :n], turn[n + k :, :n], turn[n + k :, n:] = np.eye(n), -a, np.eye(n)
                left = mean - a @ means[row - 1] - b @ u
                moves.add(np.concatenate([means[row - 1], u, left]), turn @ both @ turn.T, weight)
            if not np.isnan(values[row]).all():
                constant, slopes, noise = _completed(system, values[row], u)
                turn = np.vstack([np.eye(n), np.zeros((k, n)), slopes - c])
                spread = turn @ covariance @ turn.T
                spread[n + k :, n + k :] += noise
                left = constant + slopes @ mean - c @ mean - d @ u
                observed.add(np.concatenate([mean, u, left]), spread, weight)
    return logs, start.sums(), moves.sums(), observed.sums(), failed


class _Sums:
    def __init__(self, size: int) -> None:
        self.weight, self.first, self.second = 0.0, np.zeros(size), np.zeros((size, size))

    def add(self, mean: FloatArray, covariance: FloatArray, weight: float) -> None:
        self.weight += weight
        self.first += weight * mean
        self.second += weight * (covariance + np.outer(mean, mean))

    def sums(self) -> Sums:
        return self.weight, self.first, self.second


def _sequences(starts: IntArray) -> Iterator[tuple[int, int, int]]:
    for k in range(len(starts) - 1):
        yield k, int(starts[k]), int(starts[k + 1])


def _predicted(
    system: System, before: tuple[FloatArray, FloatArray] | None, u: FloatArray
) -> tuple[FloatArray, FloatArray]:
    a, b, q, *_, mean, covariance = system
    if before is None:
        return mean, covariance
    return a @ before[0] + b @ u, a @ before[1] @ a.T + q


def _updated(
    system: System, mean: FloatArray, covariance: FloatArray, y: FloatArray, u: FloatArray
) -> tuple[float, FloatArray, FloatArray] | None:
    """(log density of the values that are there, filtered mean, filtered covariance in Joseph's form)."""
    seen = ~np.isnan(y)
    c, d, r = system[3][seen], system[4][seen], system[5][np.ix_(seen, seen)]
    if not seen.any():
        return 0.0, mean, covariance
    spread = c @ covariance @ c.T + r
    try:
        root = np.linalg.cholesky(spread)
    except np.linalg.LinAlgError:
        return None
    if not np.all(np.diagonal(root) ** 2 > LEAST_SHARE * np.diagonal(spread)):
        return None
    gain = np.linalg.solve(spread, c @ covariance).T
    surprise = y[seen] - c @ mean - d @ u
    turn = np.eye(len(mean)) - gain @ c
    kept = turn @ covariance @ turn.T + gain @ r @ gain.T
    white = np.linalg.solve(root, surprise)
    log = -0.5 * (len(white) * np.log(2 * np.pi) + white @ white) - np.log(np.diagonal(root)).sum()
    return float(log), mean + gain @ surprise, (kept + kept.T) / 2


def _smoothed(
    system: System, starts: IntArray, values: FloatArray, inputs: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, int]:
    """Rauch, Tung and Striebel: also the covariance of each state with that of the row before."""
    logs, _, means, covariances, failed = kalman_filter(system, starts, values, inputs)
    moved = np.zeros_like(covariances)
    for _, first, last in _sequences(starts):
        for row in range(last - 2, first - 1, -1):
            mean, covariance = _predicted(system, (means[row], covariances[row]), inputs[row + 1])
            back = covariances[row] @ system[0].T @ np.linalg.pinv(covariance, rcond=1e-13, hermitian=True)
            moved[row + 1] = covariances[row + 1] @ back.T
            means[row] += back @ (means[row + 1] - mean)
            covariances[row] += back @ (covariances[row + 1] - covariance) @ back.T
    return logs, means, covariances, moved, failed


def _completed(system: System, y: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The values of a row as constant + slopes · state + noise (its covariance): those that are there have
    only a constant, the others depend on the state and on the noise of those that are there.
    """
    c, d, r = system[3], system[4], system[5]
    seen = ~np.isnan(y)
    gaps = ~seen
    constant, slopes, noise = np.where(seen, y, 0.0), np.zeros_like(c), np.zeros_like(r)
    share = r[np.ix_(gaps, seen)] @ np.linalg.pinv(r[np.ix_(seen, seen)], hermitian=True)
    constant[gaps] = d[gaps] @ u + share @ (y[seen] - d[seen] @ u)
    slopes[gaps] = c[gaps] - share @ c[seen]
    noise[np.ix_(gaps, gaps)] = r[np.ix_(gaps, gaps)] - share @ r[np.ix_(seen, gaps)]
    return constant, slopes, noise
