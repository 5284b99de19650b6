"""A weight for the evidence of each column, fitted on left-out rows.

The score of a class is log P(class) + Σ w_j · log P(x_j | …). The w minimise the log-loss of left-out rows
plus ½ · RIDGE · Σ (w_j − w)², which draws them to the best single exponent w. That is convex: a few Newton
steps find it. A ridge of 5 was better than 50 and 500 on nine of ten tables, and than a choice among them by
halves of the rows (TAN and k-dependence on the tables and folds of ``benchmarks/accuracy.py``). Weights that
gain no more than as many parameters gain by chance are not used: the single exponent is then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou import _native
from bayou.estimators.naive_bayes.evidence_weight import DIGITS, LeftOutRows
from bayou.typing import FloatArray, IntArray

RIDGE = 5.0
"""How hard the weights are drawn to the single exponent; each row of the data counts as 1."""
STEPS = 12
MOST_WORK = 2e8
"""Rows × classes × columns² of one Newton step; of more rows only the first (by hash) are used."""
FEWEST_ROWS_PER_COLUMN = 5


@dataclass(frozen=True, eq=False)
class WeighedRows:
    """Left-out rows with the term of each column, [row, class, column]; ``rest`` is added unweighed."""

    rest: FloatArray
    terms: FloatArray
    own: IntArray
    weights: FloatArray

    def part(self, rows: IntArray) -> WeighedRows:
        """Some of the rows."""
        return WeighedRows(self.rest[rows], self.terms[rows], self.own[rows], self.weights[rows])

    def losses(self, columns: FloatArray) -> FloatArray:
        """The log-loss of each row."""
        chance = self._posterior(columns)[np.arange(len(self.own)), self.own]
        return -np.log(np.maximum(chance, 1e-300))

    def _posterior(self, columns: FloatArray) -> FloatArray:
        return _native.softmax_rows(np.ascontiguousarray(self.rest + self.terms @ columns))

    def fitted(self, start: float, ridge: float) -> FloatArray:
        """Return the weights, 0 or above: Newton's steps, each column that would fall below 0 held at 0."""
        size = self.terms.shape[2]
        columns = np.full(size, start)
        best = self._objective(columns, start, ridge)
        for _ in range(STEPS):
            slope, bend = self._derivatives(columns)
            slope = slope + ridge * (columns - start)
            bend = bend + ridge * np.eye(size)
            free = (columns > 0) | (slope < 0)
            step = np.zeros(size)
            step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
            moved, now = self._shorter(columns, step, best, start, ridge)
            if now >= best - 1e-9 * (1 + abs(best)):
                break
            columns, best = moved, now
        return columns

    def gain(self, columns: FloatArray, start: float) -> float:
        """How much more log-likelihood these weights have than the single exponent, over all rows."""
        common = np.full(len(columns), start)
        return float(self.weights @ (self.losses(common) - self.losses(columns)))

    def freedom(self, columns: FloatArray, ridge: float) -> float:
        """How many free parameters these weights are: what they gain by chance, twice (AIC)."""
        bend = self._derivatives(columns)[1]
        return float(np.trace(np.linalg.solve(bend + ridge * np.eye(len(columns)), bend)))

    def _shorter(
        self, columns: FloatArray, step: FloatArray, best: float, start: float, ridge: float
    ) -> tuple[FloatArray, float]:
        """The first of a step, half a step, a quarter … that lowers the objective."""
        for _ in range(8):
            moved = np.maximum(columns - step, 0.0)
            now = self._objective(moved, start, ridge)
            if now < best:
                break
            step = step / 2
        return moved, now

    def _objective(self, columns: FloatArray, start: float, ridge: float) -> float:
        away = columns - start
        return float(self.weights @ self.losses(columns)) + 0.5 * ridge * float(away @ away)

    def _derivatives(self, columns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The slope and the second derivatives of the sum of losses.

        These are the covariances of the terms over the classes, summed over the rows. The core sums them up:
        its threads change no bit, and do not wait for others as those of BLAS do on a busy machine.
        """
        posterior = self._posterior(columns)
        expected = np.einsum("rc,rcj->rj", posterior, self.terms)
        seen = self.terms[np.arange(len(self.own)), self.own]
        slope: FloatArray = self.weights @ (expected - seen)
        away = (self.terms - expected[:, None]).reshape(-1, self.terms.shape[2])
        share = (self.weights[:, None] * posterior).ravel()
        bend = _native.class_scatter(away, np.zeros(len(away), dtype=np.uint32), 1, share, True)[2]
        return slope, bend


def usable_rows(rows: int, classes: int, columns: int) -> int:
    """Return how many rows the weights are fitted on; 0 if that is too few for so many columns.

    >>> usable_rows(4096, 2, 20), usable_rows(4096, 2, 200), usable_rows(4096, 2, 2000)
    (4096, 2500, 0)
    """
    most = min(rows, int(MOST_WORK / max(1, classes * columns * columns)))
    return most if columns > 1 and most >= FEWEST_ROWS_PER_COLUMN * columns else 0


def column_weights(rows: LeftOutRows, start: float) -> FloatArray | None:
    """Return a weight for each column, drawn to the exponent ``start``; None with too few rows for them."""
    terms = rows.terms
    if terms is None:
        return None
    used = slice(0, usable_rows(*terms.shape))
    if not used.stop:
        return None
    whole = rows.evidence[used] - terms[used].sum(axis=2)
    rest = rows.log_prior[used] + start * whole
    usable = np.isfinite(rest).all(axis=1) & np.isfinite(terms[used]).all(axis=(1, 2))
    kept = np.flatnonzero(usable)
    every = WeighedRows(rest, terms[used], rows.own[used], rows.weights[used]).part(kept)
    found = every.fitted(start, RIDGE)
    return np.round(found, DIGITS) if every.gain(found, start) > every.freedom(found, RIDGE) else None
