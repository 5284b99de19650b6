"""Sequences that can be used as they are: numbers, and symbols that are states, in numpy arrays and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from bayou.codes import code_type
from bayou.schema import Variable
from bayou.schema.spelled_values import TRUTH, date_spelled, number_spelled
from bayou.sources.tables.columns import LARGEST_EXACT
from bayou.sources.tables.number_text import is_gap_word
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, Name

_FEW_WORDS = 2**16
"""Longer arrays of words are not made Python objects."""


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
        found = PlainSymbols(variable).of_array(values)
        if found is None:
            return None
        codes[variable.name] = found
    return Batch(rows, codes, numbers)


class PlainSymbols:
    """The codes of a variable's states, for columns that have nothing but states, all of one type.

    >>> words = PlainSymbols(Variable("weather", ["rain", "sun"]))
    >>> words.of_list(["sun", "rain"]).tolist(), words.of_list(["sun", "snow"])
    ([1, 0], None)
    """

    def __init__(self, variable: Variable) -> None:
        self._states = variable.states
        self._code_type = code_type(len(variable.states))

    @cached_property
    def _first(self) -> int | None:
        """The first state if the states are consecutive whole numbers; else None."""
        first: Any = self._states[0] if self._states else None
        if self._kind is int and self._states == tuple(range(first, first + len(self._states))):
            return int(first)
        return None

    @cached_property
    def _kind(self) -> type | None:
        """The type of all states, if values of this type mean only themselves; else None."""
        states: tuple[Any, ...] = self._states
        kinds = {type(state) for state in states}
        if kinds == {str}:
            return str if all(_is_word(state) for state in states) else None
        if kinds == {int}:
            return int if max(map(abs, states)) < LARGEST_EXACT else None
        return bool if kinds == {bool} else None

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {state: code for code, state in enumerate(self._states)}

    def of_array(self, values: np.ndarray[Any, Any]) -> CodeArray | None:
        """The codes of whole numbers or words in an array; None if it has other values."""
        kind = values.dtype.kind
        if kind == "U":
            return self.of_list(values.tolist()) if len(values) <= _FEW_WORDS else None
        if kind not in "iu" or self._first is None:
            return None
        first, count = self._first, len(self._states)
        if values.dtype == np.int64:
            moved = values if first == 0 else values - first
            # Numbers below the first state are large ones without a sign.
            outside = len(moved) and moved.view(np.uint64).max() >= count
        else:
            outside = len(values) and (values.min() < first or values.max() >= first + count)
            # Small types, and those without a sign, do not hold every difference.
            moved = values if first == 0 or outside else values.astype(np.int64) - first
        return None if outside else moved.astype(self._code_type)

    def of_list(self, values: Sequence[Any]) -> CodeArray | None:
        """The codes of a list of states; None if it has anything else."""
        kind = self._kind
        if kind is None or set(map(type, values)) != {kind}:
            return None
        try:
            codes = map(self._codes.__getitem__, values)
            if self._code_type is np.uint8:
                return np.frombuffer(bytes(codes), np.uint8)  # three times faster
            return np.fromiter(codes, self._code_type, len(values))
        except KeyError:
            return None


def _is_word(text: str) -> bool:
    """Whether a text stands for nothing else: a number, a date, a truth value, a gap."""
    spells = number_spelled(text) is not None or date_spelled(text) is not None
    return not (spells or text in TRUTH or is_gap_word(text))


def plain_numbers(values: Sequence[Any]) -> FloatArray | None:
    """The numbers of a list of Python's numbers; None if it has anything else.

    >>> plain_numbers([1, 2.5]).tolist(), plain_numbers([1, None])
    ([1.0, 2.5], None)
    """
    kinds = set(map(type, values))
    if not kinds <= {int, float}:
        return None
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    if int in kinds and np.abs(numbers).max() >= LARGEST_EXACT:
        return None
    return numbers
