"""The times of the steps of sequences of a table, and of those that follow: times go on as they went."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from bayou.errors import TooWide
from bayou.models.sequences.input.given_sequences import SequencesGiven
from bayou.models.sequences.input.time_gaps import MISSING, step_found
from bayou.models.sequences.input.time_index import has_time_index
from bayou.models.sequences.input.time_steps import (
    DURATION,
    MONTHS,
    NUMBER,
    TimePoints,
    TimeStep,
    steps_between,
)
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.statistics.rows.sequence_keys import with_all_states
from bayou.statistics.rows.whole_sequences import whole_sequences

_LOOKED_AT = 64
"""So many rows before the end show how the times go on."""


def times_ahead(given: SequencesGiven, steps: int) -> list[list[Any] | None] | None:
    """For each sequence the times of its next steps, None where its times do not go on evenly; None for all
    if there is no column of times, or if one of the sequences is too long for memory.

    >>> from bayou.models.sequences.input.sequence_input import sequences_given
    >>> months = {"month": [dt.date(2024, 1, 31), dt.date(2024, 2, 29), dt.date(2024, 3, 31)], "x": [1, 2, 3]}
    >>> [str(time) for time in times_ahead(sequences_given(months, time="month"), 2)[0]]
    ['2024-04-30', '2024-05-31']
    """
    read = _times_read(given, _LOOKED_AT)
    if read is None:
        return None
    sequences, step = read
    return [_after(times, step, steps) for times in sequences]


def times_given(given: SequencesGiven) -> list[list[Any]] | None:
    """For each sequence the times of its steps, those that ``gaps=`` fills in among them; None for all if
    there is no column of times, or if one of the sequences is too long for memory.

    >>> from bayou.models.sequences.input.sequence_input import sequences_given
    >>> times_given(sequences_given({"day": [4, 1, 2], "x": [1, 2, 3]}, time="day", gaps="missing"))
    [[1, 2, 3, 4]]
    """
    read = _times_read(given)
    if read is None:
        return None
    sequences, step = read
    return [_filled(times, step) for times in sequences]


def _times_read(
    given: SequencesGiven, latest: int | None = None
) -> tuple[list[list[Any]], TimeStep | None] | None:
    """(the times of each sequence in order, or its latest ones, the step by which gaps are filled in)."""
    if given.time is None or given.starts is not None:
        return None
    source = open_source(given.table, names=[n for n in (given.sequence, given.time) if n is not None])
    numbers = source.has_numbers(given.time)
    when = Variable(given.time) if numbers else with_all_states(source, given.time)
    if when is None:
        return None
    whole = numbers and not source.is_continuous(given.time)

    def parts() -> Iterator[SequenceBatch]:
        return whole_sequences(source, given.sequence, given.time, [when])

    try:
        step = given.step
        if step is None and given.gaps == MISSING:
            step = step_found(parts(), when)
        return [times for rows in parts() for times in _times_of(rows, when, whole, latest)], step
    except TooWide:
        return None


def _times_of(rows: SequenceBatch, when: Variable, whole: bool, latest: int | None) -> Iterator[list[Any]]:
    """The (latest) times of each sequence, as users wrote them."""
    numbers = when.is_continuous
    column: Any = rows.batch.numbers[when.name] if numbers else rows.batch.codes[when.name]
    for first, last in pairwise(rows.starts.tolist()):
        begin = first if latest is None else max(first, last - latest)
        cells = column[begin:last].tolist()
        yield [int(cell) if whole else cell if numbers else when.states[cell] for cell in cells]


def _filled(times: list[Any], step: TimeStep | None) -> list[Any]:
    """The times with those between them, in steps."""
    points = TimePoints.of_states(times)
    if step is None or isinstance(points, int) or len(times) < 2:
        return times
    found: list[Any] = []
    for time, jump in zip(
        times, np.round(steps_between(points, step)).astype(np.int64).tolist(), strict=False
    ):
        found += [time, *_later(time, step, jump - 1)]
    return [*found, times[-1]]


def has_times(data: Any, how: Mapping[str, Any]) -> bool:
    """Whether the rows of data have times: in a column, or in an index of times."""
    return how.get("time") is not None or has_time_index(data)


def with_times(forecasts: Sequence[Any], given: SequencesGiven, steps: int) -> list[Any]:
    """The forecasts after each sequence, with the times of their steps where these are known."""
    times = times_ahead(given, steps) or [None] * len(forecasts)
    pairs = zip(forecasts, times, strict=True)
    return [replace(one, time=given.time, times=own) for one, own in pairs]


def placed(answers: Sequence[Any], given: SequencesGiven, labels: Sequence[Any]) -> list[Any]:
    """The answer (or list of answers) about each sequence, with the times of its steps and its name, where
    these are known.
    """
    known = times_given(given)
    times: Sequence[list[Any] | None] = [None] * len(answers) if known is None else known
    keys = labels if given.sequence is not None else [None] * len(answers)
    return [
        [_at(each, given, own, key) for each in one] if isinstance(one, list) else _at(one, given, own, key)
        for one, own, key in zip(answers, times, keys, strict=True)
    ]


def _at(answer: Any, given: SequencesGiven, times: list[Any] | None, key: Any) -> Any:
    time = None if times is None else given.time
    return replace(answer, time=time, times=times, sequence=given.sequence, key=key)


def _after(times: Sequence[Any], given: TimeStep | None, steps: int) -> list[Any] | None:
    step = _even_step(times) if given is None else given
    if step is None or not times:
        return None
    try:
        return _later(times[-1], step, steps)
    except (OverflowError, ValueError):  # no such date
        return None


def _later(last: Any, step: TimeStep, steps: int) -> list[Any]:
    """The times of so many steps after another one."""
    zone = getattr(last, "tzinfo", None)
    if step.unit == DURATION and zone is not None and step.amount % (86_400 * 1_000_000):
        last = last.astimezone(dt.timezone.utc)  # hours pass as they do, whatever the clock on the wall says
    ahead = [step.after(last, k) for k in range(1, steps + 1)]
    if zone is not None:
        return [time.astimezone(zone) for time in ahead]
    whole = isinstance(last, int) and float(step.amount).is_integer()
    return [round(time) for time in ahead] if whole else ahead


def _even_step(times: Sequence[Any]) -> TimeStep | None:
    """The step between all of these times; None if they differ, or cannot be measured."""
    points = TimePoints.of_states(times)
    if isinstance(points, int) or len(times) < 2:
        return None
    measures = ((points.months, MONTHS), (points.instants, DURATION), (points.wall, DURATION))
    if points.numbers is not None:
        jumps = np.diff(points.numbers)
        even = jumps[0] > 0 and np.allclose(jumps, jumps[0], rtol=1e-6, atol=0.0)
        return TimeStep(float(f"{jumps[0]:.12g}"), NUMBER) if even else None
    for values, unit in measures:
        jumps = np.zeros(0) if values is None else np.diff(values)
        shown = len(jumps) > (1 if unit == MONTHS else 0)
        if shown and jumps[0] > 0 and (jumps == jumps[0]).all():
            return TimeStep(int(jumps[0]), unit)
    return None
