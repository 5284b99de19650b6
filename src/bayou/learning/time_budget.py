"""The time that learning may take: how much of it is left, and the error that ends a step when it is up."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any

from bayou.arguments import real_number


class OutOfTime(Exception):
    """The budget ran out in the middle of a step; the search catches it."""


def now() -> float:
    """The clock that all budgets use, in seconds."""
    return time.monotonic()


def seconds_given(time: Any) -> float | None:
    """Check a time limit given by the user and return it in seconds; None means no limit.

    >>> seconds_given(10)
    10.0
    """
    if time is None:
        return None
    if time == math.inf:
        return math.inf
    expected = "give the seconds that the search may take, above 0"
    return real_number("time", time, 0, above=True, expected=expected)


@dataclass(frozen=True)
class TimeBudget:
    """The time that a search may take from ``started``; ``seconds=None`` means no limit."""

    seconds: float | None = None
    started: float = field(default_factory=now)

    @property
    def left(self) -> float:
        """The seconds that are left; infinite without a limit."""
        if self.seconds is None:
            return float("inf")
        return self.started + self.seconds - now()

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left <= 0

    def less(self, seconds: float) -> TimeBudget:
        """The same budget, ending this many seconds earlier."""
        return self if self.seconds is None else replace(self, seconds=self.seconds - seconds)

    def share(self, part: float) -> TimeBudget:
        """A budget that starts now and has this share of the time that is left."""
        return self if self.seconds is None else TimeBudget(part * self.left)
