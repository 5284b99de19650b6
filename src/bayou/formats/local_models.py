"""Local models that GeNIe files give without a full table: functions of the parents, and noisy-MAX."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def noisy_max_table(parameters: FloatArray, parent_sizes: Sequence[int], size: int) -> FloatArray:
    """Return the flat table of a noisy-MAX node; the first state is the strongest, the last means absent.

    ``parameters`` holds a distribution over the states for each state of each parent, then that of the leak,
    which must be 'absent'. The parents act independently, and the strongest effect wins:
    P(effect ≤ s | parents) = ∏ P(effect of parent i ≤ s).

    >>> leakless = np.array([0.8, 0.2, 0, 1, 0, 1])
    >>> noisy_max_table(leakless, [2], 2).tolist()
    [0.8, 0.2, 0.0, 1.0]
    """
    if parameters.size != (sum(parent_sizes) + 1) * size:
        expected = (sum(parent_sizes) + 1) * size
        raise ValueError(f"has {parameters.size} parameters; expected {expected} (including the leak)")
    columns = parameters.reshape(-1, size)
    if not np.allclose(columns.sum(axis=1), 1, rtol=0, atol=1e-3) or (columns < 0).any():
        raise ValueError("has parameters that are not distributions")
    if columns[-1, -1] != 1:
        raise ValueError(
            "has a leak, which GeNIe's two conventions for parameters read differently; "
            "turn it into a general chance node in GeNIe and save again"
        )
    if math.prod(parent_sizes) * size > _LARGEST:
        raise ValueError(f"stands for a table of more than {_LARGEST} numbers")
    # P(effect of a cause at most as strong as each state); the product over all causes is that of the node.
    at_most = np.cumsum(columns[:, ::-1], axis=1)[:, ::-1]
    table = np.ones((1, size))
    start = 0
    for count in parent_sizes:
        table = (table[:, None, :] * at_most[None, start : start + count, :]).reshape(-1, size)
        start += count
    table[:, :-1] -= table[:, 1:].copy()
    return np.maximum(table, 0).reshape(-1)
