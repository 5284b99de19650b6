"""Cuts of numbers into ranges with about as many rows each, without looking at any class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayou.schema.intervals import Cuts


def equal_ranges(values: npt.ArrayLike, ranges: int) -> Cuts | None:
    """Return cuts into at most so many ranges with about as many of the values each; None if there is no cut.

    Each cut is one of the values: the first, in ascending order, up to which the share of the values is at
    least 1/ranges, 2/ranges, … A value that is so frequent that two cuts would fall on it gives one of
    them, so there may be fewer ranges. Values that are not finite do not count.

    >>> equal_ranges([18, 22, 31, 40, 52, 58, 67, 80], 4)
    Cuts(22, 40, 58)
    >>> equal_ranges([0, 0, 0, 0, 0, 1, 2], 4), equal_ranges([3, 3], 4)
    (Cuts(0, 1), None)
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = np.sort(numbers[np.isfinite(numbers)])
    if len(numbers) == 0:
        return None
    # in whole numbers: 3/10 of 10 values are 3 of them, which floats round up to 4
    ends = [-(-part * len(numbers) // ranges) for part in range(1, ranges)]
    points = {float(numbers[max(end, 1) - 1]) for end in ends}
    inner = sorted(point for point in points if point < numbers[-1])
    return Cuts(*inner) if inner else None
