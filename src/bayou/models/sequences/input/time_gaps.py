"""Jumps in time: a jump of k units means k − 1 steps that nobody observed."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np

from bayou.codes import missing_code
from bayou.errors import BadData
from bayou.memory import require_memory
from bayou.schema import Variable
from bayou.statistics import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.typing import ColumnArray, FloatArray, IntArray

IGNORE, MISSING = "ignore", "missing"
GAPS = (IGNORE, MISSING)
_CLOSE = 1e-6
"""A jump may differ from a whole number by so much."""


def with_missing_steps(rows: SequenceBatch, time: Variable) -> SequenceBatch:
    """The sequences with a row for every unit of time from their first to their last; new rows have no
    observation.

    >>> when = Variable("day", [1, 2, 5])
    >>> three = SequenceBatch(Batch(3, {"day": np.array([0, 1, 2], np.uint8)}, {}), np.array([0, 3]))
    >>> with_missing_steps(three, when).lengths.tolist()
    [5]
    """
    jumps = np.diff(_units(rows.batch, time))
    inside = np.ones(len(jumps), dtype=bool)
    inside[rows.starts[1:-1][rows.starts[1:-1] < rows.rows] - 1] = False
    whole = np.where(inside, np.round(jumps), 1.0)
    odd = np.flatnonzero(inside & ((np.abs(jumps - whole) > _CLOSE) | (whole < 1)))
    if len(odd):
        raise BadData(_odd_jump(rows, time, int(odd[0]), float(jumps[odd[0]])))
    columns = len(rows.batch.codes) + len(rows.batch.numbers)
    total = rows.rows + float((whole - 1).sum())
    require_memory(
        8 * columns * total, f"Sequences with {total:,.0f} steps", 'Use gaps="ignore", or larger units.'
    )
    shift = np.concatenate([[0], np.cumsum(whole - 1)]).astype(np.int64)
    place = np.arange(rows.rows) + shift[: rows.rows]
    starts = np.append(place, place[-1] + 1 if rows.rows else 0)[rows.starts]
    return SequenceBatch(
        _spread(rows.batch, place, int(total)), starts.astype(np.int64), rows.weights, rows.labels
    )


def _units(batch: Batch, time: Variable) -> FloatArray:
    """The time of each row: numbers as they are, dates in days."""
    if time.is_continuous:
        return np.asarray(batch.numbers[time.name], dtype=np.float64)
    values = [_unit(state) for state in time.states]
    if None in values:
        raise BadData(
            f'gaps="missing" needs numbers or dates in {time.name!r}, so that jumps can be measured, not '
            f"{time.states[values.index(None)]!r}."
        )
    codes = np.asarray(batch.codes[time.name], dtype=np.int64)
    return np.asarray(values, dtype=np.float64)[codes]


def _unit(state: Any) -> float | None:
    if isinstance(state, dt.datetime):
        return (state.replace(tzinfo=None) - dt.datetime.min) / dt.timedelta(days=1)
    if isinstance(state, dt.date):
        return float(state.toordinal())
    return float(state) if isinstance(state, int | float) else None


def _odd_jump(rows: SequenceBatch, time: Variable, row: int, jump: float) -> str:
    first, second = rows.batch.number(row), rows.batch.number(row + 1)
    unit = "" if time.is_continuous or isinstance(time.states[0], int | float) else " days"
    return (
        f"Between rows {first} and {second} (counting from 0) {time.name!r} jumps by {jump:g}{unit}, which "
        'is not a whole number of steps. gaps="missing" counts steps of 1 (dates: of one day): give a column '
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
