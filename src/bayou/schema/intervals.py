"""Intervals of real numbers: the state type ``Interval``, and ``Cuts``, the points between such states."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from bayou.errors import BadVariable

_NOTATION = re.compile(r"([(\[])([^,\s]+), ([^,\s]+)\]")


@dataclass(frozen=True, order=True, repr=False)
class Interval:
    """The numbers x with ``lower`` < x ≤ ``upper``: a value on a cut belongs to the interval on its left.

    An infinite end includes everything on that side, infinity too. ``closed_left`` includes ``lower`` itself,
    as in the first interval of a declared range.

    Raises ``BadVariable`` if it is empty.

    >>> middle = Interval(30, 50)
    >>> str(middle), 30 in middle, 50 in middle, middle.mid
    ('30 to 50', False, True, 40.0)
    >>> str(Interval(-math.inf, 30)), str(Interval(50, math.inf))
    ('up to 30', 'over 50')
    """

    lower: float
    upper: float
    closed_left: bool = False

    def __post_init__(self) -> None:
        lower, upper = (_number(end, "An end of an interval") for end in (self.lower, self.upper))
        if not lower < upper:
            raise BadVariable(
                f"An interval must have lower < upper; from {_text(lower)} to {_text(upper)} is empty."
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "closed_left", bool(self.closed_left) and math.isfinite(lower))

    @property
    def mid(self) -> float:
        """The midpoint; ±infinity if one end is infinite, NaN if both are."""
        return self.lower / 2 + self.upper / 2

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    @property
    def notation(self) -> str:
        """The interval in mathematical notation, which :meth:`from_notation` reads back exactly.

        >>> Interval(30, 50).notation, Interval.from_notation("[0, 0.1]")
        ('(30, 50]', Interval(0, 0.1, closed_left=True))
        """
        return f"{'[' if self.closed_left else '('}{_text(self.lower)}, {_text(self.upper)}]"

    @classmethod
    def from_notation(cls, text: str) -> Interval:
        """Return the interval that :attr:`notation` wrote; a ValueError for any other text.

        Raises ``ValueError`` for any other text.

        >>> Interval.from_notation("(30, 50]")
        Interval(30, 50)
        """
        found = _NOTATION.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is not an interval such as (30, 50]")
        return cls(float(found[2]), float(found[3]), found[1] == "[")

    def __contains__(self, value: Any) -> bool:
        above = value > self.lower or self.lower == -math.inf or (self.closed_left and value == self.lower)
        return bool(above and value <= self.upper)

    def __str__(self) -> str:
        if self.is_bounded:
            return f"{_text(self.lower)} to {_text(self.upper)}"
        if math.isfinite(self.upper):
            return f"up to {_text(self.upper)}"
        return f"over {_text(self.lower)}" if math.isfinite(self.lower) else "any number"

    def __repr__(self) -> str:
        closed = ", closed_left=True" if self.closed_left else ""
        return f"Interval({_text(self.lower)}, {_text(self.upper)}{closed})"


class Cuts(Sequence[Interval]):
    """The intervals into which points cut the real numbers: the states of a discretised variable.

    ``low`` and ``high`` declare the whole range (both are part of it); without them the outer intervals have
    no bound. ``Cuts([30, 50])`` is the same as ``Cuts(30, 50)``.

    ``points`` are the cuts, in ascending order. Raises ``BadVariable`` if they do not ascend.

    >>> [str(interval) for interval in Cuts(30, 50)]
    ['up to 30', '30 to 50', 'over 50']
    >>> Cuts(30, 50, low=0, high=120)
    Cuts(30, 50, low=0, high=120)
    """

    __slots__ = ("_intervals", "high", "low", "points")

    def __init__(self, *points: Any, low: float = -math.inf, high: float = math.inf) -> None:
        given = points[0] if len(points) == 1 and _is_list(points[0]) else points
        self.points: tuple[float, ...] = tuple(_number(point, "A cut") for point in given)
        self.low = _number(low, "low")
        self.high = _number(high, "high")
        _check_ascending(self.points, self.low, self.high)
        ends = (self.low, *self.points, self.high)
        self._intervals = tuple(
            Interval(lower, upper, closed_left=position == 0)
            for position, (lower, upper) in enumerate(pairwise(ends))
        )

    @classmethod
    def of_states(cls, states: Sequence[Any]) -> Cuts | None:
        """Return the cuts between states that are adjoining intervals in ascending order; else None.

        ``states`` are the states of a variable.

        >>> Cuts.of_states([Interval(0, 30, closed_left=True), Interval(30, 50)])
        Cuts(30, low=0, high=50)
        """
        if not states or not all(type(state) is Interval for state in states):
            return None
        points = [state.upper for state in states[:-1]]
        if [state.lower for state in states[1:]] != points:
            return None
        cuts = cls(points, low=states[0].lower, high=states[-1].upper)
        return cuts if cuts._intervals == tuple(states) else None

    def __len__(self) -> int:
        return len(self._intervals)

    def __getitem__(self, position: Any) -> Any:
        return self._intervals[position]

    def __iter__(self) -> Iterator[Interval]:
        return iter(self._intervals)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cuts) and self._intervals == other._intervals

    def __hash__(self) -> int:
        return hash(self._intervals)

    def __repr__(self) -> str:
        ends = [f"low={_text(self.low)}"] if math.isfinite(self.low) else []
        ends += [f"high={_text(self.high)}"] if math.isfinite(self.high) else []
        return f"Cuts({', '.join([*map(_text, self.points), *ends])})"


def overlapping(states: Sequence[Any]) -> tuple[Interval, Interval] | None:
    """Return two overlapping intervals; None if there are none, or if not all states are intervals.

    >>> overlapping([Interval(0, 2), Interval(1, 3)])
    (Interval(0, 2), Interval(1, 3))
    """
    if not all(type(state) is Interval for state in states):
        return None
    intervals: list[Interval] = sorted(states)
    for left, right in pairwise(intervals):
        if right.lower < left.upper or (right.lower == left.upper and right.closed_left):
            return left, right
    return None


def as_interval(value: Any) -> Interval | None:
    """Return a pandas Interval that is closed on the right only as an :class:`Interval`; else None."""
    if type(value).__name__ != "Interval" or getattr(value, "closed", None) != "right":
        return None
    try:
        return Interval(value.left, value.right)
    except BadVariable:
        return None


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _number(value: Any, what: str) -> float:
    """Return any number as a float; truth values and NaN are refused. (Adding 0.0 turns -0.0 into 0.0.)"""
    if type(value) is float and value == value:
        return value + 0.0
    if isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool):
        try:
            number = float(value) + 0.0
        except (OverflowError, ValueError):
            number = math.nan
        if not math.isnan(number):
            return number
    raise BadVariable(f"{what} must be a number, not {value!r}.")


def _check_ascending(points: tuple[float, ...], low: float, high: float) -> None:
    for point in points:
        if math.isinf(point):
            raise BadVariable(
                f"A cut must be finite; {_text(point)} is not. Leave it out: the outer intervals are open."
            )
    for left, right in pairwise(points):
        if left >= right:
            how = "is given twice" if left == right else f"comes before {_text(right)}"
            sorted_points = ", ".join(map(_text, sorted(set(points))))
            raise BadVariable(f"Cuts must ascend, but {_text(left)} {how}. Write Cuts({sorted_points}).")
    ends = (low, *points, high)
    if not (ends[0] < ends[1] and ends[-2] < ends[-1]):
        raise BadVariable(
            f"Every cut must lie inside the declared range; {_text(low)} to {_text(high)} does not contain "
            f"{', '.join(map(_text, points)) or 'any number'}."
        )


def _text(number: float) -> str:
    """The shortest text that gives the same float; whole numbers without '.0'."""
    return repr(number).removesuffix(".0")
