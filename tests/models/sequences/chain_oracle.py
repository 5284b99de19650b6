"""An independent hidden Markov model in plain numpy and logarithms: the oracle of the tests.

It shares no code with the library: densities, messages and M-steps are written from the textbook formulas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np


def log_sum(values: np.ndarray, axis: int = -1) -> np.ndarray:
    top = np.max(values, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.squeeze(top, axis) + np.log(np.exp(values - top).sum(axis=axis))


@dataclass
class Oracle:
    """Emissions: ``tables`` {column: [K, symbols]}, ``means``/``covariances`` [K, M, d(, d)], ``shares`` [K,
    M], ``rates`` {column: [K]}; ``shape`` is the form of the covariances.
    """

    start: np.ndarray
    transition: np.ndarray
    tables: dict[str, np.ndarray] = field(default_factory=dict)
    rates: dict[str, np.ndarray] = field(default_factory=dict)
    shares: np.ndarray | None = None
    means: np.ndarray | None = None
    covariances: np.ndarray | None = None
    shape: str = "full"
    prior: float = 0.0
    floor: np.ndarray | None = None

    def component_logs(self, x: np.ndarray) -> np.ndarray:
        """log share + log density of the seen columns, [row, state, component]."""
        states, components, _ = self.means.shape
        logs = np.zeros((len(x), states, components))
        for t, row in enumerate(x):
            seen = ~np.isnan(row)
            for k in range(states):
                for m in range(components):
                    logs[t, k, m] = math.log(self.shares[k, m])
                    if seen.any():
                        away = (row - self.means[k, m])[seen]
                        inner = self.covariances[k, m][np.ix_(seen, seen)]
                        square = away @ np.linalg.solve(inner, away)
                        logs[t, k, m] -= 0.5 * (square + np.linalg.slogdet(2 * np.pi * inner)[1])
        return logs

    def emission_logs(self, sequence: dict[str, Any]) -> np.ndarray:
        rows = len(next(iter(sequence.values())))
        total = np.zeros((rows, len(self.start)))
        for name, table in self.tables.items():
            for t, code in enumerate(sequence[name]):
                if code >= 0:
                    with np.errstate(divide="ignore"):
                        total[t] += np.log(table[:, code])
        for name, rate in self.rates.items():
            for t, count in enumerate(sequence[name]):
                if not math.isnan(count):
                    total[t] += count * np.log(rate) - rate - math.lgamma(count + 1)
        if self.means is not None:
            total += log_sum(self.component_logs(sequence["x"]))
        for t, label in enumerate(sequence.get("labels", [-1] * rows)):
            if label >= 0:
                total[t, np.arange(len(self.start)) != label] = -np.inf
        return total

    def messages(self, sequence: dict[str, Any]) -> tuple[float, np.ndarray, np.ndarray]:
        """(log-likelihood, P(state | all), expected moves)."""
        emitted = self.emission_logs(sequence)
        with np.errstate(divide="ignore"):
            start, move = np.log(self.start), np.log(self.transition)
        rows = len(emitted)
        forward, backward = np.empty_like(emitted), np.zeros_like(emitted)
        forward[0] = start + emitted[0]
        for t in range(1, rows):
            forward[t] = log_sum(forward[t - 1][:, None] + move, axis=0) + emitted[t]
        for t in range(rows - 2, -1, -1):
            backward[t] = log_sum(move + emitted[t + 1] + backward[t + 1])
        total = float(log_sum(forward[-1]))
        moves = np.zeros_like(self.transition)
        for t in range(rows - 1):
            moves += np.exp(forward[t][:, None] + move + emitted[t + 1] + backward[t + 1] - total)
        return total, np.exp(forward + backward - total), moves

    def step(self, sequences: list[dict[str, Any]], weights: list[float]) -> tuple[float, Oracle]:
        """The log-likelihood of these parameters, and the parameters after one step of Baum–Welch."""
        size = len(self.start)
        total, first, moves = 0.0, np.zeros(size), np.zeros((size, size))
        smoothed = []
        for sequence, weight in zip(sequences, weights, strict=True):
            log, states, own = self.messages(sequence)
            total += weight * log
            first += weight * states[0]
            moves += weight * own
            smoothed.append(weight * states)
        every = np.concatenate(smoothed)
        made = Oracle(
            normalised(first + self.prior), normalised(moves + self.prior), shape=self.shape, prior=self.prior
        )
        made.floor = self.floor
        for name, table in self.tables.items():
            codes = np.concatenate([np.asarray(s[name]) for s in sequences])
            counts = np.array(
                [[every[codes == c, k].sum() for c in range(table.shape[1])] for k in range(size)]
            )
            made.tables[name] = normalised(counts + self.prior)
        for name in self.rates:
            values = np.concatenate([np.asarray(s[name], dtype=float) for s in sequences])
            seen = ~np.isnan(values)
            made.rates[name] = (every[seen].T @ values[seen]) / every[seen].sum(axis=0)
        if self.means is not None:
            self.gaussian_step(made, np.concatenate([s["x"] for s in sequences]), every)
        return total, made

    def gaussian_step(self, made: Oracle, x: np.ndarray, every: np.ndarray) -> None:
        states, components, _ = self.means.shape
        joint = self.component_logs(x)
        inside = np.exp(joint - log_sum(joint)[..., None])
        weights = every[:, :, None] * inside
        made.shares = normalised(weights.sum(axis=0) + (self.prior if components > 1 else 0.0))
        made.means, scatter = np.zeros_like(self.means), np.zeros_like(self.covariances)
        some = ~np.isnan(x).all(axis=1)
        total = weights[some].sum(axis=0)
        for k in range(states):
            for m in range(components):
                filled, extra = self.filled(x[some], k, m)
                w = weights[some][:, k, m]
                made.means[k, m] = (w @ filled) / total[k, m]
                away = filled - made.means[k, m]
                scatter[k, m] = (away * w[:, None]).T @ away + np.einsum("t,tij->ij", w, extra)
        if self.shape == "full":
            made.covariances = scatter / total[:, :, None, None]
        elif self.shape == "shared":
            made.covariances = np.broadcast_to(scatter.sum(axis=(0, 1)) / total.sum(), scatter.shape).copy()
        else:
            made.covariances = self.independent(made, x, weights)

    def independent(self, made: Oracle, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Columns independent given state and component: each from its own seen cells."""
        states, components, d = self.means.shape
        n, squares = np.zeros((states, components, d)), np.zeros((states, components, d))
        for j in range(d):
            seen = ~np.isnan(x[:, j])
            w, values = weights[seen], x[seen, j]
            n[:, :, j] = w.sum(axis=0)
            made.means[:, :, j] = np.einsum("tkm,t->km", w, values) / n[:, :, j]
            squares[:, :, j] = np.einsum("tkm,tkm->km", w, (values[:, None, None] - made.means[:, :, j]) ** 2)
        if self.shape == "spherical":
            variance = (squares.sum(axis=2) / n.sum(axis=2))[:, :, None] * np.ones(d)
        elif self.shape == "shared diagonal":
            variance = squares.sum(axis=(0, 1)) / n.sum(axis=(0, 1)) * np.ones((states, components, 1))
        else:
            variance = squares / n
        return variance[..., None] * np.eye(d)

    def filled(self, x: np.ndarray, k: int, m: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows with conditional means in their gaps, and the conditional covariance of each."""
        mean, covariance = self.means[k, m], self.covariances[k, m]
        filled, extra = x.copy(), np.zeros((len(x), len(mean), len(mean)))
        for t, row in enumerate(x):
            seen = ~np.isnan(row)
            if seen.all():
                continue
            gap = ~seen
            slope = covariance[np.ix_(gap, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
            filled[t, gap] = mean[gap] + slope @ (row - mean)[seen]
            extra[t][np.ix_(gap, gap)] = covariance[np.ix_(gap, gap)] - slope @ covariance[np.ix_(seen, gap)]
        return filled, extra


def normalised(counts: np.ndarray) -> np.ndarray:
    return counts / counts.sum(axis=-1, keepdims=True)
