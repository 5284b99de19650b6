"""Probabilities within bounds: the M-step of a table whose entries may not leave them.

Σ w log p is largest under low ≤ p ≤ high and Σ p = 1 where p = w / λ, cut off at the bounds, for the one λ
that makes the sum 1 (the conditions of Karush, Kuhn and Tucker; "water-filling"). Between two values of λ at
which an entry meets a bound, the sum is A + B / λ, so λ is found exactly.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from bayou.typing import FloatArray

Bounds: TypeAlias = tuple[FloatArray, FloatArray]
"""(low, high), each with the shape of a table."""


def bounded_rows(weights: FloatArray, bounds: Bounds) -> FloatArray:
    """The best probabilities for these weights, row by row; each row must have a weight above 0.

    >>> low, high = np.zeros(3), np.array([0.5, 1, 1])
    >>> bounded_rows(np.array([8.0, 1.0, 1.0]), (low, high)).tolist()
    [0.5, 0.25, 0.25]
    """
    size = weights.shape[-1]
    low, high = (np.broadcast_to(part, weights.shape).reshape(-1, size) for part in bounds)
    rows = [bounded_row(*row) for row in zip(weights.reshape(-1, size), low, high, strict=True)]
    made: FloatArray = np.array(rows).reshape(weights.shape)
    return made


def bounded_row(weights: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """The best probabilities of one row."""
    some = weights > 0
    most = np.where(some, high, low)
    if most.sum() <= 1:
        # All entries with a weight are at their upper bound; the others share what is left.
        room = np.where(some, 0.0, high - low)
        share = (1 - most.sum()) / room.sum() if room.sum() > 0 else 0.0
        filled: FloatArray = most + share * room
        return filled

    def cut(scale: float) -> FloatArray:
        return np.clip(weights / scale, low, high)

    meets = np.concatenate([weights[some & (b > 0)] / b[some & (b > 0)] for b in (low, high)])
    points = np.unique(meets)
    sums = np.array([cut(point).sum() for point in points])
    enough = np.flatnonzero(sums >= 1)
    below = points[enough[-1]] if len(enough) else 0.0
    above = points[enough[-1] + 1] if len(enough) and enough[-1] + 1 < len(points) else np.inf
    if not len(enough):
        above = points[0] if len(points) else np.inf
    middle = 2 * below if above == np.inf else 0.5 * (below + above)
    middle = middle if middle > 0 else 1.0
    inside = some & (weights / middle > low) & (weights / middle < high)
    if not inside.any():
        return cut(below if below > 0 else middle)
    fixed = np.where(inside, 0.0, cut(middle)).sum()
    return cut(float(weights[inside].sum() / (1 - fixed)))
