"""The time from one step to the next: given, or found as the largest step that all jumps share.

Whole numbers count steps of 1. Dates and numbers with fractions have the largest step that divides all jumps:
15 minutes, a week, a month (where all times lie at the same place of their month). One jump alone shows no
step: where the shortest one occurs only once, whole days are counted in days.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion
from bayou.typing import BoolArray, FloatArray, IntArray, State

NUMBER, DURATION, MONTHS = "number", "duration", "months"
_CLOSE = 1e-6
"""A jump may differ from a whole number of steps by so much."""
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_UNITS = {
    "week": 7 * _DAY,
    "day": _DAY,
    "hour": 3600 * _SECOND,
    "minute": 60 * _SECOND,
    "second": _SECOND,
    "millisecond": 1000,
    "microsecond": 1,
}
"""Microseconds."""
_CALENDAR = {"year": 12, "quarter": 3, "month": 1}
_SPELLED = re.compile(r"\s*(?P<number>[0-9]*\.?[0-9]*)\s*(?P<unit>[a-z]+?)s?\s*", re.IGNORECASE)
_MOST_PARTS = 60
"""A step of numbers is at least this part of the shortest jump."""


@dataclass(frozen=True)
class TimeStep:
    """A step: a difference of numbers, a duration in microseconds, or a number of months.

    >>> str(TimeStep.read("15 minutes")), str(TimeStep.read(dt.timedelta(hours=1))), str(TimeStep.read(0.5))
    ('15 minutes', '1 hour', '0.5')
    """

    amount: float
    unit: str = NUMBER

    @classmethod
    def read(cls, given: Any) -> TimeStep:
        """Read a step that a user gave: a number, a timedelta, or a text such as "hour" or "3 months"."""
        if isinstance(given, np.timedelta64):
            given = given.astype("timedelta64[us]").item()
        if isinstance(given, dt.timedelta):
            return cls._checked(given // dt.timedelta(microseconds=1), DURATION, given)
        if isinstance(given, int | float | np.number) and not isinstance(given, bool):
            return cls._checked(float(given), NUMBER, given)
        found = _SPELLED.fullmatch(given) if isinstance(given, str) else None
        word = "" if found is None else found["unit"].lower()
        if found is None or word not in (*_UNITS, *_CALENDAR):
            raise BadQuestion(
                f'gaps={given!r}: give "ignore", "missing" (the step is found), or the step: a number, a '
                'timedelta, or a text such as "day", "15 minutes", "3 months".'
            )
        try:
            number = float(found["number"] or 1)
        except ValueError:
            number = 0.0
        if word in _CALENDAR:
            return cls._checked(number * _CALENDAR[word], MONTHS, given)
        return cls._checked(round(number * _UNITS[word]), DURATION, given)

    @classmethod
    def _checked(cls, amount: float, unit: str, given: Any) -> TimeStep:
        whole = unit == NUMBER or float(amount).is_integer()
        if not np.isfinite(amount) or amount <= 0 or not whole:
            raise BadQuestion(f"gaps={given!r}: a step is above 0 (and a whole number of months).")
        return cls(amount if unit == NUMBER else int(amount), unit)

    @property
    def is_usual(self) -> bool:
        """Whether users need not be told: one unit, one day."""
        return self == TimeStep(1.0) or self == TimeStep(_DAY, DURATION)

    def __str__(self) -> str:
        if self.unit == NUMBER:
            return f"{self.amount:g}"
        units = _CALENDAR if self.unit == MONTHS else _UNITS
        word, size = next((word, size) for word, size in units.items() if self.amount % size == 0)
        number = int(self.amount) // size
        return f"{number} {word}{'s' if number != 1 else ''}"

    def after(self, last: Any, count: int) -> Any:
        """The time so many steps after another one: a number, a date or a time stamp.

        >>> TimeStep(1, MONTHS).after(dt.date(2024, 1, 31), 1)
        datetime.date(2024, 2, 29)
        """
        if self.unit == NUMBER:
            return last + self.amount * count
        if self.unit == DURATION:
            return last + dt.timedelta(microseconds=int(self.amount) * count)
        month = last.year * 12 + last.month - 1 + int(self.amount) * count
        year, place = divmod(month, 12)
        length = calendar.monthrange(year, place + 1)[1]
        at_end = last.day == calendar.monthrange(last.year, last.month)[1]
        return last.replace(year=year, month=place + 1, day=length if at_end else min(last.day, length))


@dataclass(frozen=True)
class TimePoints:
    """The times of rows in all measures that they have: numbers; or microseconds, those of the clock on the
    wall, and months where every time lies at the same place of its month.
    """

    numbers: FloatArray | None = None
    instants: IntArray | None = None
    wall: IntArray | None = None
    months: IntArray | None = None

    @classmethod
    def of_states(cls, states: Sequence[State]) -> TimePoints | int:
        """The points of some times, or the place of the first one that is none."""
        dates = [isinstance(state, dt.date) for state in states]
        if all(dates) and dates:
            return cls._of_dates(states)
        for place, state in enumerate(states):
            if isinstance(state, bool) or not isinstance(state, int | float | dt.timedelta):
                return place
        if all(isinstance(state, dt.timedelta) for state in states):
            spans = [state // dt.timedelta(microseconds=1) for state in states]  # type: ignore[operator]
            return cls(instants=np.array(spans, dtype=np.int64))
        if any(isinstance(state, dt.timedelta) for state in states):
            return next(k for k, state in enumerate(states) if isinstance(state, dt.timedelta))
        return cls(numbers=np.array(states, dtype=np.float64))

    @classmethod
    def _of_dates(cls, states: Sequence[Any]) -> TimePoints:
        stamps = [_stamp(state) for state in states]
        wall = [(stamp.replace(tzinfo=None) - dt.datetime.min) // _MICROSECOND for stamp in stamps]
        shifts = [stamp.utcoffset() or dt.timedelta(0) for stamp in stamps]
        instants = [one - shift // _MICROSECOND for one, shift in zip(wall, shifts, strict=True)]
        return cls(
            None, np.array(instants, dtype=np.int64), np.array(wall, dtype=np.int64), _months_of(stamps)
        )

    def taken(self, places: IntArray) -> TimePoints:
        """The points at these places."""
        numbers = None if self.numbers is None else self.numbers[places]
        instants, wall, months = (
            None if own is None else own[places] for own in (self.instants, self.wall, self.months)
        )
        return TimePoints(numbers, instants, wall, months)


_MICROSECOND = dt.timedelta(microseconds=1)


def _stamp(date: dt.date) -> dt.datetime:
    return date if isinstance(date, dt.datetime) else dt.datetime(date.year, date.month, date.day)


def _months_of(stamps: Sequence[dt.datetime]) -> IntArray | None:
    """The number of the month of each time, if all are at the same day and time of their month, or all on its
    last day.
    """
    if len({stamp.timetz().replace(tzinfo=None) for stamp in stamps}) > 1:
        return None
    days = {stamp.day for stamp in stamps}
    if len(days) > 1 and any(
        stamp.day != calendar.monthrange(stamp.year, stamp.month)[1] for stamp in stamps
    ):
        return None
    return np.array([stamp.year * 12 + stamp.month for stamp in stamps], dtype=np.int64)


def common_step(parts: Iterable[tuple[TimePoints, BoolArray]]) -> TimeStep:
    """The step of some sequences: points of all rows in order, and which jumps to the next row are inside of
    a sequence.

    >>> weeks = TimePoints.of_states([dt.date(2024, 1, day) for day in (1, 8, 15, 29)])
    >>> str(common_step([(weeks, np.ones(3, dtype=bool))]))
    '1 week'
    """
    kept: dict[str, list[Any]] = {NUMBER: [], DURATION: [], "wall": [], MONTHS: []}
    regular, rounding = True, 0.0
    for points, inside in parts:
        measures = (points.numbers, points.instants, points.wall, points.months)
        regular &= points.months is not None
        rounding = max(rounding, rounding_of(points))
        for measure, values in zip(kept, measures, strict=True):
            if values is not None:
                kept[measure].append(np.unique(np.diff(values)[inside], return_counts=True))
    if not any(kept[DURATION]):
        return _step_of_numbers(_pooled(kept[NUMBER])[0], rounding)
    months, often = _pooled(kept[MONTHS])
    if regular and len(months) and months[0] > 0 and often.sum() > 1:
        return TimeStep(int(np.gcd.reduce(months.astype(np.int64))), MONTHS)
    instants, _ = chosen = _pooled(kept[DURATION])
    wall, own = _pooled(kept["wall"])
    # Days across a change of the clock have 23 or 25 hours, but are steps of one day on the wall.
    if len(wall) and wall[0] > 0 and _divisor(wall) > _divisor(instants):
        chosen = wall, own
    return _step_of_durations(*chosen)


def _pooled(parts: Sequence[tuple[Any, IntArray]]) -> tuple[Any, IntArray]:
    """The different jumps of all parts, ascending, and how often each occurs."""
    if not parts:
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    jumps, places = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    often = np.bincount(places, np.concatenate([part[1] for part in parts]), len(jumps))
    return jumps, often.astype(np.int64)


def _divisor(jumps: Any) -> int:
    return int(np.gcd.reduce(jumps.astype(np.int64))) if len(jumps) else 0


def _step_of_durations(jumps: Any, often: IntArray) -> TimeStep:
    step = _divisor(jumps)
    if step <= 0 or (step % _DAY == 0 and often[0] < 2):
        step = _DAY
    return TimeStep(step, DURATION)


def rounding_of(points: TimePoints) -> float:
    """How far a difference of two times may be off because large numbers have few digits after the point.

    >>> rounding_of(TimePoints(np.array([1.7e9, 1.7e9 + 0.1]))) < 1e-6
    True
    """
    if points.numbers is None or not len(points.numbers):
        return 0.0
    return float(2 * np.spacing(np.abs(points.numbers).max()))


def tolerance(steps: FloatArray, step: TimeStep, rounding: float) -> FloatArray:
    """How far from whole these numbers of steps may be: by the rounding of jumps and of the step."""
    counts = np.maximum(1.0, np.abs(steps))
    rounded = np.minimum(rounding * (1 + counts) / step.amount, 0.1) if step.unit == NUMBER else 0.0
    return np.asarray(np.maximum(_CLOSE * counts, rounded))


def _step_of_numbers(jumps: Any, rounding: float) -> TimeStep:
    if not len(jumps) or np.all(np.abs(jumps - np.round(jumps)) <= max(_CLOSE, rounding)):
        return TimeStep(1.0)
    shortest = float(jumps[jumps > 0][0]) if (jumps > 0).any() else 1.0
    digits = int(np.floor(-np.log10(rounding))) if rounding > 0 else 15
    for part in range(1, _MOST_PARTS + 1):
        own = float(f"{shortest / part:.12g}")
        for amount in (round(own, digits), own):  # 0.1 rather than 0.0999999
            steps = jumps / amount if amount > 0 else np.full(len(jumps), 0.5)
            if np.all(np.abs(steps - np.round(steps)) <= tolerance(steps, TimeStep(amount or 1.0), rounding)):
                return TimeStep(amount)
    raise BadData(
        f"The times share no step: jumps of {shortest:g} and {float(jumps[-1]):g} are not multiples of one. "
        'Round the times, or give a column that counts steps; gaps="ignore" takes rows as they follow each '
        "other."
    )


def steps_between(points: TimePoints, step: TimeStep) -> FloatArray:
    """How many steps each row is after the one before."""
    if step.unit == NUMBER:
        if points.numbers is None:
            raise BadQuestion(
                f'gaps={step.amount:g}: the times are dates, so give a duration, such as gaps="1 hour".'
            )
        return np.asarray(np.diff(points.numbers) / step.amount)
    if points.instants is None or (step.unit == MONTHS and points.wall is None):
        raise BadQuestion(f'gaps="{step}": the times are no dates, so give a number, such as gaps=1.')
    if step.unit == MONTHS:
        if points.months is None:
            raise BadData(
                f'gaps="{step}": the times do not lie at the same day and time of their months, so steps of '
                'months cannot be counted. Leave the step out: gaps="missing".'
            )
        return np.asarray(np.diff(points.months) / step.amount)
    found = np.diff(points.instants) / step.amount
    if points.wall is not None and np.any(np.abs(found - np.round(found)) > _CLOSE):
        wall = np.diff(points.wall) / step.amount
        if np.all(np.abs(wall - np.round(wall)) <= _CLOSE):
            return np.asarray(wall)
    return np.asarray(found)
