"""Anderson's acceleration of EM: the next step is extrapolated from the last ones.

EM maps the statistics s that a network was estimated from to those it expects of the rows, f = F(s). Near the
top F is linear, so the affine combination of the last f with the smallest residual f − s comes close to the
fixed point (Anderson 1965; Walker and Ni 2011, SIAM J. Numer. Anal. 49; for EM: Henderson and Varadhan 2019,
J. Comput. Graph. Stat. 28). Statistics add, so the combination is again statistics, and the M-step turns them
into parameters within their bounds. A combination is only a proposal: EM takes it if the objective rises.

The same differences show how fast EM converges. With λ the largest eigenvalue of F on the space they span,
the distance to the fixed point is about that of one EM step, divided by 1 − λ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from bayou.statistics import Request, Statistics
from bayou.statistics.answer_vectors import AnswerVectors
from bayou.typing import FloatArray, Units

MEMORY = 5
"""The most differences of steps that a proposal is made of."""
LEAST_SHARE = 0.1
"""A count is proposed to be no smaller than this share of the expected one: none becomes 0 or negative."""
SLOWEST = 0.999
"""The rate of convergence that is assumed while it is unknown, and the largest that is believed."""


class StatisticsVectors:
    """The answers to several requests as one vector, and back."""

    def __init__(self, parts: dict[Request, AnswerVectors], rows: float) -> None:
        self._parts, self._rows = parts, rows
        self._counts = np.concatenate([part.counts for part in parts.values()])
        sizes = [len(part.counts) for part in parts.values()]
        self._cuts = np.cumsum(sizes)[:-1].astype(np.int64)

    @classmethod
    def like(cls, statistics: Statistics, units: Units) -> StatisticsVectors | None:
        """Vectors for statistics like these; None if one of the answers has no such form."""
        parts: dict[Request, AnswerVectors] = {}
        for request, result in statistics.items():
            part = result.answer_vectors(units)
            if part is None:
                return None
            parts[request] = part
        return cls(parts, statistics.rows) if parts else None

    def vector(self, statistics: Statistics) -> FloatArray:
        """All numbers of these statistics."""
        return np.concatenate([part.vector(statistics[request]) for request, part in self._parts.items()])

    def statistics(self, vector: FloatArray) -> Statistics:
        """The statistics with these numbers; raises BadStatistics if there are none."""
        pieces = zip(self._parts.items(), np.split(vector, self._cuts), strict=True)
        return Statistics({request: part.made(piece) for (request, part), piece in pieces}, self._rows)

    def deviations(self, vector: FloatArray) -> FloatArray:
        """The unit of each number: about its standard deviation."""
        pieces = zip(self._parts.values(), np.split(vector, self._cuts), strict=True)
        return np.concatenate([part.deviation(piece) for part, piece in pieces])

    def bounded(self, proposed: FloatArray, expected: FloatArray) -> FloatArray:
        """The proposed numbers, with no count far below the expected one."""
        least = np.where(self._counts, LEAST_SHARE * expected, -np.inf)
        bounded: FloatArray = np.maximum(proposed, least)
        return bounded


@dataclass(frozen=True)
class StepHistory:
    """The last steps of EM as vectors: ``outputs[k]`` are the statistics expected under ``inputs[k]``.

    ``present`` are those that the present network was estimated from.
    """

    present: FloatArray
    inputs: tuple[FloatArray, ...] = ()
    outputs: tuple[FloatArray, ...] = ()

    def after(self, expected: FloatArray) -> StepHistory:
        """With the step from the present statistics to the expected ones."""
        inputs = (*self.inputs, self.present)[-MEMORY - 1 :]
        outputs = (*self.outputs, expected)[-MEMORY - 1 :]
        return StepHistory(expected, inputs, outputs)

    def proposal(self, vectors: StatisticsVectors) -> FloatArray:
        """The extrapolated statistics; after the first step those of EM."""
        expected = self.outputs[-1]
        if len(self.outputs) < 2:
            return expected
        unit = vectors.deviations(expected)
        residuals = [(f - s) / unit for s, f in zip(self.inputs, self.outputs, strict=True)]
        moves = _differences(self.outputs)
        turns = _differences(residuals)
        shares = _least_squares(turns, residuals[-1])
        proposed = expected - sum(share * move for share, move in zip(shares, moves, strict=True))
        return vectors.bounded(proposed, expected)

    def rate(self, vectors: StatisticsVectors) -> float:
        """The rate at which EM converges, as far as these steps show it."""
        if len(self.outputs) < 2:
            return SLOWEST
        unit = vectors.deviations(self.outputs[-1])
        paths, moves = ([one / unit for one in _differences(part)] for part in (self.inputs, self.outputs))
        return _rate(paths, moves)

    def forgotten(self) -> StepHistory:
        """Only the present statistics: after a proposal that was worse, extrapolation starts anew."""
        return replace(self, present=self.outputs[-1], inputs=(), outputs=())


def _differences(vectors: Sequence[FloatArray]) -> list[FloatArray]:
    return [later - earlier for earlier, later in pairwise(vectors)]


def _products(left: Sequence[FloatArray], right: Sequence[FloatArray]) -> FloatArray:
    """All inner products. Sums of numpy, unlike its matrix products, do not depend on threads."""
    return np.array([[(one * other).sum() for other in right] for one in left])


def _least_squares(columns: Sequence[FloatArray], target: FloatArray) -> FloatArray:
    """The shares of the columns whose sum comes closest to the target; 0 for columns that add nothing."""
    size = np.sqrt(np.array([(column * column).sum() for column in columns]))
    size = np.where(size > 0, size, 1.0)
    squares = _products(columns, columns) / np.outer(size, size)
    shares, *_ = np.linalg.lstsq(squares, _products(columns, [target])[:, 0] / size, rcond=1e-12)
    found: FloatArray = shares / size
    return found


def _rate(paths: Sequence[FloatArray], moves: Sequence[FloatArray]) -> float:
    """The largest eigenvalue of the map from differences of inputs to those of outputs, at most SLOWEST."""
    size = np.sqrt(np.array([(path * path).sum() for path in paths]))
    size = np.where(size > 0, size, 1.0)
    squares = _products(paths, paths) / np.outer(size, size)
    crossed = _products(paths, moves) / np.outer(size, size)
    projected, *_ = np.linalg.lstsq(squares, crossed, rcond=1e-10)
    largest = float(np.max(np.linalg.eigvals(projected).real, initial=0.0))
    return min(max(largest, 0.0), SLOWEST) if np.isfinite(largest) else SLOWEST
