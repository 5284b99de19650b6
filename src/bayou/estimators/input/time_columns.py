"""Dates and times as numbers of days (dates: since 1970), so that they have an order and distances."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from bayou.schema.spelled_values import date_spelled, days_since_1970
from bayou.sources import CodedColumn, Columns
from bayou.sources.prepared_source import PreparedSource, counted_states
from bayou.sources.row_tables import first_table
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.statistics import Source
from bayou.typing import Name

_DAY = 86_400.0
_TIMES = (datetime.date, datetime.time, datetime.timedelta)


def with_times_as_numbers(table: Columns) -> Columns:
    """Return the table with dates, timestamps, times of day and time spans as numbers of days.

    >>> dates = CodedColumn(np.array([0], dtype=np.uint8), (datetime.date(1970, 1, 3),))
    >>> with_times_as_numbers(Columns(["born"], [dates], 1)).numbers("born").tolist()
    [2.0]
    """
    times = [name for name in table.names if _is_time(table[name])]
    return table.replaced({name: partial(_numbers) for name in times}) if times else table


def with_times_measured(source: Source, names: Sequence[Name], target: Name) -> Source:
    """Do the same for columns of a source; it is returned unchanged if none of them holds dates or times.

    The column ``target`` has classes, even if they were stored as floats.
    """
    first = first_table(source, names)
    times = [name for name in names if _is_time(first[name])]
    if not times:
        return source
    states = counted_states(source, times)
    days = {name: np.array([days_of(state) for state in states[name].states]) for name in times}
    return PreparedSource(source, meanings=days, as_states=[target])


def _is_time(column: Column) -> bool:
    return (
        isinstance(column, CodedColumn)
        and bool(column.labels)
        and all(isinstance(label, _TIMES) for label in column.labels)
    )


def _numbers(column: Column) -> Column:
    assert isinstance(column, CodedColumn)
    meanings = np.array([*(days_of(label) for label in column.labels), np.nan])
    values = meanings[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
    return NumberColumn(values, False, "float")


def days_of(value: Any) -> float:
    """Return a date, timestamp, time of day or time span as days.

    >>> days_of(datetime.timedelta(hours=36)), days_of(datetime.time(6))
    (1.5, 0.25)
    """
    if isinstance(value, datetime.date):
        return days_since_1970(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds() / _DAY
    return float(value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / _DAY


def time_like(days: float, like: Any) -> Any:
    """Return days as a value of the kind of ``like``: a date, a timestamp, or the ISO text of one of them.

    Whole days for dates, whole seconds for all others; the number itself if no such date exists.

    >>> time_like(2.0, datetime.date(2024, 2, 29)), time_like(2.5, "2024-02-29T12:00")
    (datetime.date(1970, 1, 3), '1970-01-03T12:00:00')
    """
    known = date_spelled(like) if isinstance(like, str) else like
    try:
        found = _time_of(days, known)
    except (OverflowError, ValueError):
        return days
    if not isinstance(like, str):
        return found
    return found.isoformat(sep="T" if "T" in like else " ") if parts_of_day(known) > 1 else found.isoformat()


def _time_of(days: float, like: Any) -> Any:
    if parts_of_day(like) == 1:
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=round(days))
    span = datetime.timedelta(seconds=round(days * _DAY))
    if isinstance(like, datetime.timedelta):
        return span
    if isinstance(like, datetime.time):
        return (datetime.datetime(1970, 1, 1) + span).time()
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + span
    return moment.replace(tzinfo=None) if like.tzinfo is None else moment.astimezone(like.tzinfo)


def parts_of_day(value: Any) -> int:
    """Return into how many parts a value divides the day: 1 for a date, seconds for other times; else 0.

    >>> [parts_of_day(value) for value in (datetime.date(2024, 2, 29), "2024-02-29 12:00", "$5", 3)]
    [1, 86400, 0, 0]
    """
    value = date_spelled(value) if isinstance(value, str) else value
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return 1
    return int(_DAY) if isinstance(value, _TIMES) else 0
