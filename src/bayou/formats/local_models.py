"""Local models that GeNIe files give without a full table: functions of the parents, and noisy-MAX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bayou.typing import FloatArray

_LARGEST = 2**24
"""The largest number of table entries that a list of parameters may expand to."""


def function_table(results: Sequence[str], states: Sequence[str]) -> FloatArray:
    """Return the flat table of a function, given the name of its result for each row of the parents.

    >>> function_table(["b", "a"], ["a", "b"]).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    codes = {state: code for code, state in enumerate(states)}
    for result in results:
        if result not in codes:
            raise ValueError(f"expected one of the states {', '.join(states)}, found {result!r}")
    table = np.zeros((len(results), len(states)))
    table[np.arange(len(results)), [codes[result] for result in results]] = 1
    return table.reshape(-1)


def strength_orders(strengths: Sequence[str], parent_sizes: Sequence[int]) -> list[list[int]]:
    """The states of each parent from strongest to weakest, as ``<strengths>`` has them; none: as they stand.

    The parameters of a noisy-MAX node follow this order. A file does not say whether the numbers are states
    in the order of their ranks or ranks in the order of the states; both are the same for an order that is
    its own inverse (two states exchanged, all reversed), and others are refused.

    >>> strength_orders("1 0 0 2 1".split(), [2, 3])
    [[1, 0], [0, 2, 1]]
    """
    if not strengths:
        return [list(range(size)) for size in parent_sizes]
    known = {str(code): code for code in range(max(parent_sizes, default=0))}
    codes = [known.get(word, -1) for word in strengths]
    ends = [sum(parent_sizes[:place]) for place in range(len(parent_sizes) + 1)]
    orders = [codes[start:end] for start, end in pairwise(ends)]
    if len(codes) != ends[-1] or any(sorted(one) != list(range(len(one))) for one in orders):
        raise ValueError("has strengths that are no order of the states of each parent")
    if any(one[one[code]] != code for one in orders for code in range(len(one))):
        raise ValueError(
            "has strengths that order three or more states of a parent in a circle, which can be read in two "
            "ways; turn it into a general chance node in GeNIe and save again"
        )
    return orders


def noisy_max_table(
    parameters: FloatArray, parent_sizes: Sequence[int], size: int, orders: Sequence[Sequence[int]] = ()
) -> FloatArray:
    """Return the flat table of a noisy-MAX node; the first state is the strongest, the last means absent.

    ``parameters`` holds a distribution over the states for each state of each parent (in its order among
    ``orders``, if there are any), then that of the leak, one more cause that is always present. The causes
    act independently, and the strongest effect wins:
    P(effect ≤ s | parents) = P(leak ≤ s) ∏ P(effect of parent i ≤ s).

    These are Díez's ('net') parameters, the ones that SMILE computes with; GeNIe also shows them compounded
    with the leak (Henrion's). Without a leak both are the same.

    >>> leakless = np.array([0.8, 0.2, 0, 1, 0, 1])
    >>> noisy_max_table(leakless, [2], 2).tolist()
    [0.8, 0.2, 0.0, 1.0]
    >>> leaking = np.array([0.8, 0.2, 0, 1, 0.1, 0.9])
    >>> noisy_max_table(leaking, [2], 2).round(4).tolist()
    [0.82, 0.18, 0.1, 0.9]
    """
    if parameters.size != (sum(parent_sizes) + 1) * size:
        expected = (sum(parent_sizes) + 1) * size
        raise ValueError(f"has {parameters.size} parameters; expected {expected} (including the leak)")
    columns = parameters.reshape(-1, size)
    if not np.allclose(columns.sum(axis=1), 1, rtol=0, atol=1e-3) or (columns < 0).any():
        raise ValueError("has parameters that are not distributions")
    if math.prod(parent_sizes) * size > _LARGEST:
        raise ValueError(f"stands for a table of more than {_LARGEST} numbers")
    # P(effect of a cause at most as strong as each state); the product over all causes is that of the node.
    at_most = np.cumsum(columns[:, ::-1], axis=1)[:, ::-1]
    table = at_most[-1:].copy()
    start = 0
    for place, count in enumerate(parent_sizes):
        own = at_most[start : start + count]
        if orders:
            own = own[np.argsort(orders[place])]
        table = (table[:, None, :] * own[None]).reshape(-1, size)
        start += count
    table[:, :-1] -= table[:, 1:].copy()
    return np.maximum(table, 0).reshape(-1)
