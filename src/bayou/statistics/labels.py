"""Lining up labelled axes: the union of two variables' states, and where each old state goes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.schema import Variable, natural_order
from bayou.typing import IntArray


def union(left: Variable, right: Variable) -> Variable:
    """The variable that has the states of both; new states in mid-stream are normal.

    >>> union(Variable("R", [4, 5]), Variable("R", [5, 1])).states
    (1, 4, 5)
    """
    if left == right:
        return left
    if all(left.find(state) is not None for state in right.states):
        return left
    if all(right.find(state) is not None for state in left.states):
        return right
    extra = [state for state in right.states if left.find(state) is None]
    return Variable(left.name, natural_order([*left.states, *extra]), ordered=left.ordered and right.ordered)


def positions(old: Variable, new: Variable) -> IntArray:
    """For each state of ``old`` its code in ``new``, or -1 where ``new`` lacks it."""
    if old is new:
        return np.arange(old.cardinality)
    codes = (new.find(state) for state in old.states)
    return np.array([-1 if code is None else code for code in codes], dtype=np.int64)


def is_identity(places: Sequence[IntArray], shape: Sequence[int]) -> bool:
    """Tell whether the new axes are the old ones, so that nothing has to move."""
    return all(
        len(place) == size and bool(np.array_equal(place, np.arange(size)))
        for place, size in zip(places, shape, strict=True)
    )
