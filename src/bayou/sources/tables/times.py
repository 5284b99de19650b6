"""Points in time and durations as plain Python values."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from bayou.typing import State

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
