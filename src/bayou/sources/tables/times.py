"""Points in time and durations as plain Python values."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.schema.spelled_values import days_since_1970
from bayou.sources.tables.columns import CodedColumn, Column, NumberColumn
from bayou.typing import State

TIMES = (datetime.date, datetime.time, datetime.timedelta)
_DAY = 86_400.0
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns", "D": "D"}


def moments(values: np.ndarray[Any, Any]) -> list[State]:
    """Return each datetime64 as a date or datetime; one finer than a microsecond as ISO text.

    >>> moments(np.array(["2024-02-29T12:00"], dtype="datetime64[ns]"))
    [datetime.datetime(2024, 2, 29, 12, 0)]
    """
    coarse = values if _is_day(values) else values.astype("datetime64[us]")
    exact = coarse == values
    return [
        plain.item() if same and not isinstance(plain.item(), int) else str(np.datetime_as_string(fine))
        for plain, fine, same in zip(coarse, values, exact, strict=True)
    ]


def spans(values: np.ndarray[Any, Any]) -> list[State]:
    """Return each timedelta64 as a timedelta; one finer than a microsecond as text."""
    coarse = values.astype("timedelta64[us]")
    return [
        plain.item() if same and not isinstance(plain.item(), int) else str(fine)
        for plain, fine, same in zip(coarse, values, coarse == values, strict=True)
    ]


def is_time(column: Column) -> bool:
    """Whether a column has dates or times, and nothing else."""
    return isinstance(column, CodedColumn) and are_times(column.labels)


def are_times(values: Sequence[State]) -> bool:
    """Whether there are values, all of them dates, points in time, times of day or durations."""
    return bool(values) and all(isinstance(value, TIMES) for value in values)


def kind_of_times(values: Sequence[State]) -> str:
    """Return the SQL word for what times are: date, timestamp, zoned timestamp, time or interval.

    >>> kind_of_times([datetime.date(2024, 2, 29)]), kind_of_times([datetime.time(6)])
    ('date', 'time')
    """
    stamps = [value for value in values if isinstance(value, datetime.datetime)]
    if stamps:
        return "timestamp" if stamps[0].tzinfo is None else "zoned timestamp"
    if isinstance(values[0], datetime.timedelta):
        return "interval"
    return "date" if isinstance(values[0], datetime.date) else "time"


def as_days(column: Column) -> NumberColumn:
    """Return a column of dates or times as numbers of days; one without any value is all missing.

    >>> as_days(CodedColumn(np.array([0, 255], dtype=np.uint8), (datetime.date(1970, 1, 3),))).values.tolist()
    [2.0, nan]
    """
    if isinstance(column, NumberColumn):
        return column
    meanings = np.array([*(days_of(label) for label in column.labels), np.nan])
    values = meanings[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
    return NumberColumn(values, False, "float")


def days_of(value: Any) -> float:
    """Return a date (since 1970), timestamp, time of day or time span as days.

    >>> days_of(datetime.timedelta(hours=36)), days_of(datetime.time(6))
    (1.5, 0.25)
    """
    if isinstance(value, datetime.date):
        return days_since_1970(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds() / _DAY
    return float(value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / _DAY


def arrow_times(words: list[int], arrow_format: str) -> list[State]:
    """Return the labels of an Arrow column of dates, times of day, time stamps or durations.

    ``words`` are the integers that Arrow stores; ``arrow_format`` is the format string of the Arrow C data
    interface, such as ``"tsu:UTC"``.
    """
    kind, unit = arrow_format[1], _UNITS[arrow_format[2]]
    integers = np.array(words, dtype=np.int64)
    if kind == "D":
        return spans(integers.view(f"timedelta64[{unit}]"))
    if kind == "d":
        days = integers.view(f"datetime64[{unit}]").astype("datetime64[D]")
        return moments(days)
    stamps = moments(integers.view(f"datetime64[{unit}]"))
    if kind == "t":
        return [stamp.time() if isinstance(stamp, datetime.datetime) else stamp for stamp in stamps]
    zone = arrow_format.partition(":")[2]
    return [_in_zone(stamp, zone) for stamp in stamps] if zone else stamps


def _is_day(values: np.ndarray[Any, Any]) -> bool:
    return np.datetime_data(values.dtype)[0] in ("D", "W", "M", "Y")


def _in_zone(stamp: State, zone: str) -> State:
    if not isinstance(stamp, datetime.datetime):
        return stamp
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    universal = stamp.replace(tzinfo=datetime.timezone.utc)
    try:
        return universal.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError):
        return universal  # an offset such as '+02:00', or a zone unknown to this machine: the same time
