"""Sequences in numpy arrays that can be used as they are: numbers, and whole numbers that are states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.codes import code_type
from bayou.schema import Variable
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, Name


def plain_batch(table: Any, variables: Sequence[Variable]) -> Batch | None:
    """The rows of arrays by name in the codes of these variables; None if they must be read as a table.

    That is the case if a column is absent or of another type, or has a value that is none of the states.

    >>> rolls = plain_batch({"roll": np.array([1, 6])}, [Variable("roll", [1, 2, 3, 4, 5, 6])])
    >>> rolls.codes["roll"].tolist()
    [0, 5]
    """
    if not isinstance(table, Mapping) or not variables:
        return None
    codes: dict[Name, CodeArray] = {}
    numbers: dict[Name, FloatArray] = {}
    rows = 0
    for variable in variables:
        values = table.get(variable.name)
        if type(values) is not np.ndarray or values.ndim != 1 or variable.is_text:
            return None
        rows = len(values)
        if variable.is_continuous:
            if values.dtype.kind != "f":
                return None
            numbers[variable.name] = values.astype(np.float64, copy=False)
            continue
        found = _codes(variable, values)
        if found is None:
            return None
        codes[variable.name] = found
    return Batch(rows, codes, numbers)


def _codes(variable: Variable, values: np.ndarray[Any, Any]) -> CodeArray | None:
    """The codes of whole numbers, if the states are consecutive ones and no value is another."""
    states: tuple[Any, ...] = variable.states
    if values.dtype.kind not in "iu" or not states or any(type(state) is not int for state in states):
        return None
    first = states[0]
    if states != tuple(range(first, first + len(states))):
        return None
    if len(values) and (values.min() < first or values.max() > states[-1]):
        return None
    moved = values if first == 0 else values - first
    codes: CodeArray = moved.astype(code_type(len(states)))
    return codes
