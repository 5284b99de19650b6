"""Gaussians whose variances are drawn to the pooled one: how, and what they are without one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.special_functions import LOG_TWO_PI
from bayou.statistics import GroupMoments
from bayou.typing import FloatArray, IntArray


def drawn_to_pooled(moments: GroupMoments, records: float) -> GroupMoments:
    """Return moments whose variances (divided by n) are drawn to the pooled variance of all classes.

    With scatter S and n rows of a class, r ``records`` and the variance T of all rows, they are

        P = (Σ S + r T) / (Σ (n − 1) + r)        the pooled variance, itself drawn to T,
        V = (S + r P) / (n − 1 + r)              the variance of the class.

    So one row gets the variance P, and with many rows V is that of the class. r = 2 did best or nearly so on
    small samples of seven tables.

    >>> from bayou.schema import Variable
    >>> x = GroupMoments(("x",), (Variable("y", [0, 1]),), np.array([3.0, 1.0]), np.array([[1.0], [9.0]]),
    ...                  np.array([[[2.0]], [[0.0]]]))
    >>> drawn = drawn_to_pooled(x, 2.0)
    >>> (drawn.scatter[:, 0, 0] / drawn.n).tolist()
    [3.875, 6.75]
    """
    whole = moments.whole
    if not whole.n > 0:
        return moments
    freedoms, scatter = np.maximum(moments.n - 1, 0.0), moments.scatter[..., 0, 0]
    spread = float(whole.scatter[0, 0] / whole.n)
    pooled = (float(scatter.sum()) + records * spread) / (float(freedoms.sum()) + records)
    n = freedoms + records
    mean = np.where(moments.n > 0, moments.mean[..., 0], whole.mean[0])
    drawn = (scatter + records * pooled)[..., None, None]
    return GroupMoments(moments.variables, moments.groups, n, mean[..., None], drawn)


@dataclass(frozen=True, eq=False)
class PooledVariances:
    """The moments of the classes as counted, the virtual records and the floor of the variances."""

    moments: GroupMoments
    records: float
    floor: float

    def left_out(self, values: FloatArray, own: IntArray, weights: FloatArray) -> FloatArray:
        """Return log P(x | own class) of rows, each learned without itself; 0 where x is missing.

        It is what :func:`drawn_to_pooled` gives without the row: a class without other rows has the mean of
        all others and the pooled variance. Only the floor stays as it is.
        """
        gaps = np.isnan(values)
        x = np.where(gaps, 0.0, values)
        whole, n, scatter = self.moments.whole, self.moments.n.ravel(), self.moments.scatter.ravel()
        everything = np.full(len(x), float(whole.n)), np.full(len(x), float(whole.mean[0]))
        total, centre, spread = _without(x, weights, *everything, np.full(len(x), whole.scatter[0, 0]))
        rows, mean, left = _without(x, weights, n[own], self.moments.mean.ravel()[own], scatter[own])
        mean = np.where(rows > 0, mean, centre)
        freedoms = np.maximum(n - 1, 0.0)
        free = np.maximum(rows - 1, 0.0)
        within = scatter.sum() - scatter[own] + left + self.records * spread / np.maximum(total, 1e-300)
        pooled = within / (freedoms.sum() - freedoms[own] + free + self.records)
        variance = (left + self.records * pooled) / (free + self.records) + self.floor
        variance = np.where(variance > 0, variance, np.finfo(float).tiny)
        logs = -0.5 * (LOG_TWO_PI + np.log(variance) + (x - mean) ** 2 / variance)
        return np.where(gaps, 0.0, logs)


def _without(
    x: FloatArray, weights: FloatArray, n: FloatArray, mean: FloatArray, scatter: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Number, mean and scatter without a value; without others the number and the scatter are 0."""
    rest = n - weights
    some = rest > 1e-9 * n
    safe = np.where(some, rest, 1.0)
    fallen = np.maximum(scatter - weights * (x - mean) ** 2 * n / safe, 0.0)
    return np.where(some, rest, 0.0), mean - weights * (x - mean) / safe, np.where(some, fallen, 0.0)
