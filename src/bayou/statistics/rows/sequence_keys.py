"""The columns that order rows: which sequence a row belongs to, and its time in it."""

from __future__ import annotations

import datetime
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.codes import is_missing_cell
from bayou.errors import BadData, UnknownVariable, warn_user
from bayou.schema import Variable, is_number, natural_order, state_key
from bayou.statistics.batch import Batch
from bayou.statistics.source import Source
from bayou.typing import ColumnArray, FloatArray, Name, State

_EPOCH = datetime.datetime(1970, 1, 1)
_DAY_OR_MONTH_FIRST = re.compile(r"\s*[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})\b")
"""Dates such as 31/12/2024 and 12-31-24."""


@dataclass(frozen=True)
class OrderColumn:
    """A column by which rows are ordered, read as numbers or as states.

    ``ranks`` has the position of each state in order, by its code (None: the column is read as numbers), and
    ``in_order`` has the states in order.
    """

    variable: Variable
    ranks: FloatArray | None = None
    in_order: tuple[State, ...] = ()

    def keys(self, batch: Batch, role: str) -> FloatArray:
        """What the rows are sorted by; raises BadData, naming the row, where a value is missing."""
        name = self.variable.name
        column: ColumnArray = batch.numbers[name] if self.ranks is None else batch.codes[name]
        gaps = is_missing_cell(column)
        if gaps.any():
            row = batch.number(int(gaps.argmax()))
            raise BadData(
                f"Column {name!r} is missing in row {row} (counting from 0), and it says {role}: fill in the "
                "value, or leave the row out."
            )
        return np.asarray(column if self.ranks is None else self.ranks[column.astype(np.intp)], np.float64)

    def label(self, key: float) -> State:
        """The value that a key stands for."""
        return key if self.ranks is None else self.in_order[int(key)]

    def times(self, keys: FloatArray) -> FloatArray:
        """Keys as points in time: numbers as they are, dates and times in seconds, other states by rank."""
        if self.ranks is None:
            return keys
        seconds = [_seconds(state) for state in self.in_order]
        if any(second is None for second in seconds):
            return keys
        points: FloatArray = np.array(seconds, dtype=np.float64)[keys.astype(np.intp)]
        return points


def order_column(source: Source, name: Name, variables: Sequence[Variable], numbers: bool) -> OrderColumn:
    """How to read the column with this name; ``numbers`` says that it has times: numbers are read as numbers.

    ``variables`` are read too: if the column is one of them, its codes are those of that variable.
    """
    if name not in source.names:
        raise UnknownVariable.named(name, list(source.names), "in the data")
    if source.is_continuous(name) or (numbers and source.has_numbers(name)):
        return OrderColumn(Variable(name))
    asked = [v for v in variables if v.name == name and not v.is_continuous]
    variable = asked[0] if asked else with_all_states(source, name)
    if variable is None:
        return OrderColumn(Variable(name))
    in_order = times_in_order(name, variable.states) if numbers else natural_order(variable.states)
    place = {state_key(state): position for position, state in enumerate(in_order)}
    ranks = np.array([place[state_key(state)] for state in variable.states], dtype=np.float64)
    return OrderColumn(variable, ranks, in_order)


def times_in_order(name: Name, states: Sequence[State]) -> tuple[State, ...]:
    """Times from the first to the last. Texts are compared by the numbers in them, so that '10' and 'week 10'
    come after '9' and 'week 9'; a warning names dates that begin with the day or the month, which no order of
    texts sorts.

    >>> times_in_order("week", ["week 10", "week 9", "week 11"])
    ('week 9', 'week 10', 'week 11')
    """
    texts = [state for state in states if isinstance(state, str)]
    if not texts or len(texts) < len(states):
        return natural_order(states)
    reversed_dates = [text for text in texts if _DAY_OR_MONTH_FIRST.match(text)]
    if reversed_dates:
        warn_user(
            f"The times in {name!r} are texts such as {reversed_dates[0]!r}, which are sorted as texts and "
            "not as dates: write them with the year first (2024-12-31), or convert the column to dates."
        )
        return natural_order(states)
    try:
        return tuple(sorted(texts, key=lambda text: (float(text), text)))
    except ValueError:
        return tuple(sorted(texts, key=_by_numbers_inside))


def _by_numbers_inside(text: str) -> tuple[list[tuple[int, int, str]], str]:
    """A sort key that takes each run of digits as a whole number: digits come before letters."""
    parts = [part for part in re.split(r"([0-9]+)", text) if part]
    return [(0, int(part), "") if part[0] in string.digits else (1, 0, part) for part in parts], text


def with_all_states(source: Source, name: Name) -> Variable | None:
    """The variable with the states of all rows, also of a file that is streamed; None without any value."""
    try:
        return source.with_all_states([name])[0]
    except BadData:
        if source.has_values(name):
            raise
        return None


def named_states(source: Source, name: Name) -> Variable:
    """The variable with the states of all rows; of a column without any value as the source describes it."""
    if name not in source.names:
        raise UnknownVariable.named(name, list(source.names), "in the data")
    return with_all_states(source, name) or source.variable(name)


def _seconds(state: State) -> float | None:
    """A number, or a point in time or a duration in seconds; None for another state."""
    if is_number(state):
        return float(state)  # type: ignore[arg-type]  # a number
    if isinstance(state, datetime.timedelta):
        return state.total_seconds()
    if isinstance(state, datetime.datetime):
        return state.timestamp() if state.tzinfo else (state - _EPOCH).total_seconds()
    if isinstance(state, datetime.date):
        return float((state - _EPOCH.date()).days * 86_400)
    return None
