"""Dates and times as numbers of days (dates: since 1970), so that they have an order and distances."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.estimators.input.amount_columns import note_amounts
from bayou.estimators.input.declared_texts import declared_states
from bayou.schema.spelled_values import date_spelled
from bayou.sources import CodedColumn, Columns
from bayou.sources.prepared_source import PreparedSource, counted_states
from bayou.sources.row_tables import first_table
from bayou.sources.table_stream import TableStream
from bayou.sources.tables.times import TIMES, are_times, as_days, days_of, is_time, kind_of_times
from bayou.statistics import Source
from bayou.typing import Name, State

_DAY = 86_400.0


def measured_times(estimator: Any, table: Columns) -> Columns:
    """Return training rows with times as numbers of days; the estimator notes which columns had times."""
    declared = [variable.name for variable in declared_states(estimator)]
    note_amounts(estimator, table, [name for name in table.names if name not in declared])
    note_times(
        estimator,
        {
            name: column.labels
            for name in table.names
            if name not in declared and isinstance(column := table[name], CodedColumn) and is_time(column)
        },
    )
    return with_times_as_numbers(table, declared)


def note_times(estimator: Any, times: Mapping[Name, Sequence[State]]) -> None:
    """Let an estimator know which columns had times, and of which kind: ``time_features_``, if there are any.

    ``times`` has some values of each.
    """
    if times:
        estimator.time_features_ = {name: kind_of_times(values) for name, values in times.items()}


def with_times_as_numbers(table: Columns, kept: Sequence[Name] = ()) -> Columns:
    """Return the table with dates, timestamps, times of day and time spans as days, except ``kept``.

    >>> dates = CodedColumn(np.array([0], dtype=np.uint8), (datetime.date(1970, 1, 3),))
    >>> with_times_as_numbers(Columns(["born"], [dates], 1)).numbers("born").tolist()
    [2.0]
    """
    times = [name for name in table.names if name not in kept and is_time(table[name])]
    return table.replaced(dict.fromkeys(times, as_days)) if times else table


def with_times_measured(estimator: Any, source: Source, names: Sequence[Name], target: Name) -> Source:
    """Do the same for columns of a source; it is returned unchanged if none of them holds dates or times.

    The column ``target`` has classes, even if they were stored as floats.
    """
    declared = [variable.name for variable in declared_states(estimator)]
    others = [name for name in names if name not in declared]
    times = _times_among(source, others) if others else {}
    if others and not hasattr(estimator, "statistics_"):
        note_amounts(estimator, first_table(source, others), [name for name in others if name != target])
    if not times:
        return source
    if not hasattr(estimator, "statistics_"):
        note_times(estimator, times)
    measured = source.measuring(list(times)) if isinstance(source, TableStream) else None
    if measured is not None:
        return measured
    states = counted_states(source, list(times))
    days = {name: np.array([days_of(state) for state in states[name].states]) for name in times}
    return PreparedSource(source, meanings=days, as_states=[target])


def _times_among(source: Source, names: Sequence[Name]) -> dict[Name, Sequence[State]]:
    """The columns that hold dates or times, with some of them; without a value so far, they are counted."""
    first = first_table(source, names)
    empty = [name for name in names if isinstance(column := first[name], CodedColumn) and not column.labels]
    counted = counted_states(source, empty) if empty and first.rows else {}
    shown = {name: column.labels for name in names if isinstance(column := first[name], CodedColumn)}
    known = {**shown, **{name: variable.states for name, variable in counted.items()}}
    return {name: values for name, values in known.items() if are_times(values)}


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
    return int(_DAY) if isinstance(value, TIMES) else 0
