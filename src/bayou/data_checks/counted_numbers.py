"""Numbers as distinct values with their counts: quantiles, moments and distances without the rows."""

from __future__ import annotations

import numpy as np

from bayou.typing import FloatArray, IntArray


def quantiles(values: FloatArray, counts: IntArray, shares: FloatArray) -> FloatArray:
    """Quantiles of ascending values that occur ``counts`` times, as ``numpy.quantile`` of all of them.

    >>> quantiles(np.array([1.0, 2.0]), np.array([3, 1]), np.array([0.5, 1.0])).tolist()
    [1.0, 2.0]
    """
    ends = np.cumsum(counts)
    place = shares * (ends[-1] - 1)
    low, high = np.floor(place), np.ceil(place)
    one, two = (values[np.searchsorted(ends, at, side="right")] for at in (low, high))
    between: FloatArray = one + (two - one) * (place - low)
    return between


def median(values: FloatArray, counts: IntArray) -> float:
    """The median of values that occur ``counts`` times."""
    return float(quantiles(values, counts, np.array([0.5]))[0])


def moments(values: FloatArray, counts: IntArray) -> tuple[float, float]:
    """The standard deviation and the skewness of values that occur ``counts`` times.

    >>> moments(np.array([0.0, 2.0]), np.array([1, 1]))
    (1.0, 0.0)
    """
    mean = float(np.average(values, weights=counts))
    spread = float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))
    if not spread > 0:
        return spread, 0.0
    return spread, float(np.average(((values - mean) / spread) ** 3, weights=counts))


def largest_distance(one: FloatArray, of_one: IntArray, two: FloatArray, of_two: IntArray) -> float:
    """The largest difference of the distribution functions of two samples, ascending values with counts.

    >>> ones = np.array([1, 1])
    >>> largest_distance(np.array([1.0, 2.0]), ones, np.array([2.0, 3.0]), ones)
    0.5
    """
    points = np.concatenate([one, two])
    shares = []
    for values, counts in ((one, of_one), (two, of_two)):
        ends = np.concatenate([[0], np.cumsum(counts)])
        shares.append(ends[np.searchsorted(values, points, side="right")] / ends[-1])
    return float(np.abs(shares[0] - shares[1]).max())
