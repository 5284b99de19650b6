"""Local models that GeNIe states without a full table: functions of the parents, and noisy-MAX."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bayou.typing import FloatArray

_LARGEST = 2**24
"""Entries of a table that a short list of parameters may expand to."""


def function_table(results: Sequence[str], states: Sequence[str]) -> FloatArray:
    """The table of a function, its result for each row of the parents by name; flat.

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
    """The table of a noisy-MAX without leak, flat; the first state is the strongest, the last means absent.

    ``parameters`` holds a distribution over the states for each state of each parent, then the leak's.
    The effect is the strongest that any parent causes, each on its own.

    >>> leakless = np.array([0.8, 0.2, 0, 1, 0, 1])
    >>> noisy_max_table(leakless, [2], 2).tolist()
    [0.8, 0.2, 0.0, 1.0]
    """
    if parameters.size != (sum(parent_sizes) + 1) * size:
        wanted = (sum(parent_sizes) + 1) * size
        raise ValueError(f"has {parameters.size} parameters; expected {wanted} (the leak's included)")
    columns = parameters.reshape(-1, size)
    if not np.allclose(columns.sum(axis=1), 1, rtol=0, atol=1e-3) or (columns < 0).any():
        raise ValueError("has parameters that are no distributions")
    if columns[-1, -1] != 1:
        raise ValueError(
            "has a leak, which GeNIe's two conventions for parameters read differently; "
            "turn it into a general chance node in GeNIe and save again"
        )
    if math.prod(parent_sizes) * size > _LARGEST:
        raise ValueError(f"stands for a table of more than {_LARGEST} numbers")
    # Chance that a cause leaves the effect no stronger than each state; those of several causes multiply.
    at_most = np.cumsum(columns[:, ::-1], axis=1)[:, ::-1]
    table = np.ones((1, size))
    start = 0
    for count in parent_sizes:
        table = (table[:, None, :] * at_most[None, start : start + count, :]).reshape(-1, size)
        start += count
    table[:, :-1] -= table[:, 1:].copy()
    return np.maximum(table, 0).reshape(-1)
