"""Jumps in time: a jump of k steps means k − 1 steps that nobody observed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bayou.codes import missing_code
from bayou.errors import BadData, warn_user
from bayou.memory import require_memory
from bayou.models.sequences.input.time_steps import (
    TimePoints,
    TimeStep,
    common_step,
    rounding_of,
    steps_between,
    tolerance,
)
from bayou.schema import Variable
from bayou.statistics import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.typing import BoolArray, ColumnArray, IntArray

IGNORE, MISSING = "ignore", "missing"
GAPS = (IGNORE, MISSING)
_MANY_FOLD, _MANY_ROWS = 10, 1000
"""Users are told if a step that was found fills in more than so many times the rows, and so many rows."""
_MOST_FOLD, _ALWAYS = 1000, 100_000
"""A step that was found must not make so many times as many rows; up to so many rows always do."""


def step_found(parts: Iterable[SequenceBatch], time: Variable) -> TimeStep:
    """The step that the times of all sequences share.

    >>> import datetime as dt
    >>> hours = Variable("when", [dt.datetime(2024, 1, 1, hour) for hour in (0, 3, 9)])
    >>> rows = SequenceBatch(Batch(3, {"when": np.arange(3, dtype=np.uint8)}, {}), np.array([0, 3]))
    >>> str(step_found([rows], hours))
    '3 hours'
    """
    return common_step((_points(rows.batch, time), _inside(rows)) for rows in parts)


def tell_step(step: TimeStep, time: Variable) -> None:
    """Warn of a step that was found, unless it is a unit or a day."""
    if not step.is_usual:
        stated = step.amount if step.unit == "number" else f'"{step}"'
        warn_user(
            f"The times in {time.name!r} are counted in steps of {step}, the largest step that all jumps "
            f"share. State the step if it is another one, or to be sure: gaps={stated}."
        )


def with_missing_steps(rows: SequenceBatch, time: Variable, step: TimeStep | None = None) -> SequenceBatch:
    """The sequences with a row for every step of time from their first to their last; new rows have no
    observation. Without ``step`` it is found.

    >>> when = Variable("day", [1, 2, 5])
    >>> three = SequenceBatch(Batch(3, {"day": np.array([0, 1, 2], np.uint8)}, {}), np.array([0, 3]))
    >>> with_missing_steps(three, when).lengths.tolist()
    [5]
    """
    used = step_found([rows], time) if step is None else step
    points = _points(rows.batch, time)
    jumps = steps_between(points, used)
    inside = _inside(rows)
    whole = np.where(inside, np.round(jumps), 1.0)
    far = np.abs(jumps - whole) > tolerance(whole, used, rounding_of(points))
    odd = np.flatnonzero(inside & (far | (whole < 1)))
    if len(odd):
        raise BadData(_odd_jump(rows, time, int(odd[0]), float(jumps[odd[0]]), used))
    total = rows.rows + float((whole - 1).sum())
    _require_room(rows, total, time, used, found=step is None)
    if step is None:
        tell_step(used, time)
        _tell_many_rows(rows, total, time, used)
    shift = np.concatenate([[0], np.cumsum(whole - 1)]).astype(np.int64)
    place = np.arange(rows.rows) + shift[: rows.rows]
    starts = np.append(place, place[-1] + 1 if rows.rows else 0)[rows.starts]
    times = None if rows.times is None else _column(rows.times, place, int(total))
    return SequenceBatch(
        _spread(rows.batch, place, int(total)), starts.astype(np.int64), rows.weights, rows.labels, times
    )


def _inside(rows: SequenceBatch) -> BoolArray:
    """Which rows are followed by one of the same sequence."""
    inside = np.ones(max(rows.rows - 1, 0), dtype=bool)
    ends = rows.starts[1:-1]
    inside[ends[(ends > 0) & (ends < rows.rows)] - 1] = False
    return inside


def _points(batch: Batch, time: Variable) -> TimePoints:
    """The time of each row."""
    if time.is_continuous:
        return TimePoints(np.asarray(batch.numbers[time.name], dtype=np.float64))
    found = TimePoints.of_states(time.states)
    if isinstance(found, int):
        raise BadData(
            f'gaps="missing" needs numbers or dates in {time.name!r}, so that jumps can be measured, not '
            f"{time.states[found]!r}."
        )
    return found.taken(np.asarray(batch.codes[time.name], dtype=np.int64))


def _require_room(rows: SequenceBatch, total: float, time: Variable, step: TimeStep, *, found: bool) -> None:
    if found and total > max(_MOST_FOLD * rows.rows, _ALWAYS) and not step.is_usual:
        raise BadData(
            f"In steps of {step}, the largest that all times in {time.name!r} share, {rows.rows:,} rows "
            f'become {total:,.0f}. Round the times, or state a longer step, such as gaps="1 hour".'
        )
    columns = len(rows.batch.codes) + len(rows.batch.numbers)
    require_memory(
        8 * columns * total, f"Sequences with {total:,.0f} steps", 'Use gaps="ignore", or larger units.'
    )


def _tell_many_rows(rows: SequenceBatch, total: float, time: Variable, step: TimeStep) -> None:
    more = total - rows.rows
    if more > max(_MANY_FOLD * rows.rows, _MANY_ROWS):
        warn_user(
            f'gaps="missing" counts the times in {time.name!r} in steps of {step}, and fills in '
            f"{more:,.0f} rows without observations between the {rows.rows:,} that are given. If a step "
            'is longer, state it: gaps=3600 for numbers (hours in seconds), gaps="1 hour" for dates.'
        )


def _odd_jump(rows: SequenceBatch, time: Variable, row: int, jump: float, step: TimeStep) -> str:
    first, second = rows.batch.number(row), rows.batch.number(row + 1)
    return (
        f"Between rows {first} and {second} (counting from 0) {time.name!r} jumps by {jump:g} steps of "
        f'{step}, which is not a whole number. Leave the step to be found (gaps="missing"), give a column '
        "that counts steps, or leave gaps= out."
    )


def _spread(batch: Batch, place: IntArray, total: int) -> Batch:
    """The rows at other places of a longer batch, whose other rows are missing."""
    before = np.searchsorted(place, np.arange(total), side="right") - 1
    return Batch(
        total,
        {name: _column(column, place, total) for name, column in batch.codes.items()},
        {name: _column(batch.numbers[name], place, total) for name in batch.numbers},
        places=batch.standing[before],
    )


def _column(column: Any, place: IntArray, total: int) -> Any:
    kind = column.dtype
    gap: Any = missing_code(kind) if kind.kind == "u" else None if kind.kind == "O" else np.nan
    made: ColumnArray = np.full(total, gap, dtype=kind)
    made[place] = column
    return made
