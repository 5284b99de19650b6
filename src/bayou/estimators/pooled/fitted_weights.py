"""Weights of columns or members, fitted on left-out rows and judged on halves of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.estimators.naive_bayes.column_weights import WeighedRows
from bayou.estimators.naive_bayes.evidence_weight import LeftOutRows
from bayou.estimators.pooled.training_rows import Hashes
from bayou.typing import FloatArray, IntArray

RIDGES = (5.0, 50.0, 500.0)
MOST_WORK = 1e8
"""Rows × classes × columns² of one Newton step: with more, weights are fitted on fewer rows."""


@dataclass(frozen=True, eq=False)
class Halves:
    """Which half each row is in; each half is judged by weights that the other half gave."""

    second: np.typing.NDArray[np.bool_]

    def parts(self) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
        """(rows to fit on, rows to judge), both ways."""
        one, two = np.flatnonzero(~self.second), np.flatnonzero(self.second)
        return (one, two), (two, one)

    @classmethod
    def of(cls, hashes: Hashes) -> Halves:
        """The halves of rows with these hashes."""
        return cls((hashes >> np.uint64(7)) % np.uint64(2) == 1)

    def part(self, rows: IntArray) -> Halves:
        """The halves of some of the rows."""
        return Halves(self.second[rows])

    def judged(
        self, rows: WeighedRows, start: float, ridge: float, alone: WeighedRows | None = None
    ) -> tuple[float, FloatArray]:
        """The sum of the losses of both halves under each other's weights, and the weights [half, column].

        ``alone`` has the terms that each half has without the other: what weights are fitted on.
        """
        loss, found = 0.0, []
        for fitted, judged in self.parts():
            columns = (rows if alone is None else alone).part(fitted).fitted(start, ridge)
            left = rows.part(judged)
            loss += float(left.weights @ left.losses(columns))
            found.append(columns)
        return loss, np.stack(found)

    def scores(self, rows: WeighedRows, columns: FloatArray) -> FloatArray:
        """The scores [row, class], each row under the weights that the other half gave."""
        scores = np.empty(rows.rest.shape)
        for (_, judged), own in zip(self.parts(), columns, strict=True):
            scores[judged] = rows.rest[judged] + rows.terms[judged] @ own
        return scores


def best_ridge(
    rows: WeighedRows, alone: WeighedRows, start: float, halves: Halves, ridges: Sequence[float] = RIDGES
) -> float:
    """Return the ridge with the least loss of each half under the weights that the other half gave."""
    losses = [halves.judged(rows, start, ridge, alone)[0] for ridge in ridges]
    return ridges[int(np.argmin(losses))]


def best_exponent(rows: WeighedRows) -> float:
    """Return the one exponent of all columns with the least loss."""
    return LeftOutRows(rows.rest, rows.terms.sum(axis=2), rows.own, rows.weights).best_weight()


def used_rows(rows: int, classes: int, columns: int) -> int:
    """How many rows a Newton step may use.

    >>> used_rows(3000, 2, 20), used_rows(3000, 10, 100)
    (3000, 1000)
    """
    return min(rows, max(100, int(MOST_WORK / max(1, classes * columns * columns))))
