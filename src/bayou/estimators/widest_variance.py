"""The scale of ``var_smoothing``: the largest variance of any column."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bayou.statistics import GroupMoments, Result


def widest_variance(results: Iterable[Result]) -> float:
    """Return the largest variance in these moments, each with all its groups merged; 0 without moments.

    >>> heights = GroupMoments(("x",), (), np.array(4.0), np.array([170.0]), np.array([[100.0]]))
    >>> widest_variance([heights])
    25.0
    """
    widest = 0.0
    for result in results:
        if isinstance(result, GroupMoments) and result.total > 0:
            whole = result.whole
            widest = max(widest, float(np.max(np.diagonal(whole.scatter)) / whole.n))
    return widest
