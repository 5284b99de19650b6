"""Frames and columns of pandas whose rows are named by their times: the index is the column of times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.errors import BadData
from bayou.models.sequences.input.array_likes import is_table
from bayou.typing import Name

_KINDS = ("DatetimeIndex", "PeriodIndex")
DEFAULT_NAME = "time"
"""The name of the times of an index that has none."""


def has_time_index(data: Any) -> bool:
    """Whether the rows of a frame, or the cells of one of its columns, are named by their times.

    >>> import pandas as pd
    >>> days = pd.Series([1.0, 2.0], index=pd.date_range("2024-01-01", periods=2))
    >>> has_time_index(days), has_time_index([1.0, 2.0])
    (True, False)
    """
    index = getattr(data, "index", None)
    if type(index).__name__ not in _KINDS:
        return False
    return getattr(getattr(data, "columns", None), "nlevels", 1) == 1


def with_time_column(data: Any, column: Name) -> tuple[Mapping[Name, Any], Name]:
    """(columns by name, among them the times of the index; the name of these). ``column`` is the name of a
    column without a frame.
    """
    frame = data if is_table(data) else data.to_frame(column)
    index = data.index.to_timestamp() if type(data.index).__name__ == "PeriodIndex" else data.index
    found: dict[Name, Any] = {name: frame[name].reset_index(drop=True) for name in frame.columns}
    time: str = DEFAULT_NAME if index.name is None else str(index.name)
    while time in found:
        time += "'"
    found[time] = index.to_series().reset_index(drop=True)
    return found, time


def in_time_order(data: Any, states: Any) -> Any:
    """A list of sequences, each in the order of the times that name its rows; everything else as it is."""
    if not isinstance(data, list | tuple) or not any(map(has_time_index, data)):
        return data
    return [_in_order(one, k, states) for k, one in enumerate(data)]


def _in_order(one: Any, place: int, states: Any) -> Any:
    if not has_time_index(one) or one.index.is_monotonic_increasing:
        return one
    if states is not None:
        raise BadData(
            f"The rows of sequence {place} (counting from 0) are not in the order of their index: sort them, "
            "and their states= in the same way."
        )
    return one.sort_index()
