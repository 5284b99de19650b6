"""Intervals around means that hold normal numbers with a given probability."""

from __future__ import annotations

from bayou.arguments import interval_mass
from bayou.special_functions import ndtri
from bayou.typing import FloatArray


def normal_interval(means: FloatArray, deviations: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """The lower and the upper ends: mean ± so many deviations that the probability inside is ``level``.

    >>> import numpy as np
    >>> low, high = normal_interval(np.array([10.0]), np.array([2.0]), 0.95)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([6.08], [13.92])
    """
    reach = float(ndtri(0.5 + interval_mass("level", level) / 2)) * deviations
    return means - reach, means + reach
