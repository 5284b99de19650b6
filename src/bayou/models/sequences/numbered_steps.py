"""The steps of an answer: numbered, and with their times where these are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayou.arguments import whole_number
from bayou.errors import BadQuestion
from bayou.schema import label
from bayou.typing import Name


def steps_to_draw(length: int | None, given: Any) -> int:
    """How many steps are drawn: without ``length`` none after sequences that are given.

    >>> steps_to_draw(None, [1, 6]), steps_to_draw(3, None)
    (0, 3)
    """
    if length is None and given is None:
        raise BadQuestion("How many steps? Give length=10, or sequences whose states are drawn in given=.")
    return 0 if length is None else whole_number("length", length, 1 if given is None else 0)


def step_columns(
    first: int, count: int, time: Name | None, times: Sequence[Any] | None
) -> dict[str, list[Any]]:
    """The first columns of a table of steps: their numbers, and their times.

    >>> step_columns(1, 2, "day", [8, 9])
    {'step': [1, 2], 'day': [8, 9]}
    """
    found: dict[str, list[Any]] = {"step": list(range(first, first + count))}
    if times is not None:
        found[str(time) if str(time) not in found else f"{time}'"] = list(times)[:count]
    return found


def named_steps(answer: Any, first: int, count: int) -> dict[str, list[Any]]:
    """The same after the sequence's name, where it is known."""
    steps = step_columns(first, count, answer.time, answer.times)
    if answer.sequence is None:
        return steps
    name = str(answer.sequence)
    return {name if name not in steps else f"{name}'": [answer.key] * count, **steps}


def place_columns(answer: Any, count: int) -> dict[Any, list[Any]]:
    """The first columns of a table of steps: the sequence's name and the times, where they are known."""
    found: dict[Any, list[Any]] = {}
    if answer.sequence is not None:
        found[answer.sequence] = [answer.key] * count
    if answer.times is not None:
        found[answer.time] = list(answer.times)[:count]
    return found


def step_header(time: Name | None, times: Sequence[Any] | None) -> str:
    """The head of the first printed column."""
    return "step" if times is None else label(time)


def step_cell(place: int, first: int, times: Sequence[Any] | None) -> str | int:
    """The first printed cell of a step: its time, or its number."""
    return first + place if times is None else time_label(times[place])


def time_label(time: Any) -> str:
    """A time as it is printed: midnight is left out.

    >>> import datetime as dt
    >>> time_label(dt.datetime(2024, 1, 1)), time_label(7)
    ('2024-01-01', '7')
    """
    return label(time).removesuffix(" 00:00:00")
