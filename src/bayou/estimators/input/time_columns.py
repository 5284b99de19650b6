"""Dates and times as numbers of days (dates: since 1970), so that they have an order and distances."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from bayou.schema.spelled_values import days_since_1970
from bayou.sources import CodedColumn, Columns
from bayou.sources.prepared_source import PreparedSource, counted_states
from bayou.sources.row_tables import first_table
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.statistics import Source
from bayou.typing import Name

_DAY = 86_400.0


def with_times_as_numbers(table: Columns) -> Columns:
    """Return the table with dates, timestamps, times of day and time spans as numbers of days.

    >>> dates = CodedColumn(np.array([0], dtype=np.uint8), (datetime.date(1970, 1, 3),))
    >>> with_times_as_numbers(Columns(["born"], [dates], 1)).numbers("born").tolist()
    [2.0]
    """
    times = [name for name in table.names if _is_time(table[name])]
    return table.replaced({name: partial(_numbers) for name in times}) if times else table


def with_times_measured(source: Source, names: Sequence[Name]) -> Source:
    """Do the same for columns of a source; it is returned unchanged if none of them holds dates or times."""
    first = first_table(source, names)
    times = [name for name in names if _is_time(first[name])]
    if not times:
        return source
    states = counted_states(source, times)
    days = {name: np.array([_days(state) for state in states[name].states]) for name in times}
    return PreparedSource(source, meanings=days)


def _is_time(column: Column) -> bool:
    kinds = (datetime.date, datetime.time, datetime.timedelta)
    return (
        isinstance(column, CodedColumn)
        and bool(column.labels)
        and all(isinstance(label, kinds) for label in column.labels)
    )


def _numbers(column: Column) -> Column:
    assert isinstance(column, CodedColumn)
    meanings = np.array([*(_days(label) for label in column.labels), np.nan])
    values = meanings[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
    return NumberColumn(values, False, "float")


def _days(value: Any) -> float:
    """A date or time as days."""
    if isinstance(value, datetime.date):
        return days_since_1970(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds() / _DAY
    return float(value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / _DAY
