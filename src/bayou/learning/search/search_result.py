"""The time budget and the result of every structure search."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayou.arguments import real_number, seed_number
from bayou.typing import Name

Parents = tuple[tuple[int, ...], ...]
"""For each variable the positions of its parents, in ascending order."""

LEAST_GAIN = 1e-9
"""Gains below this are treated as rounding."""

FINITE_WORST_SCORE = -1e11
"""Replaces a score of −∞ (of a number that never varies, for example), so that sums still rank the others."""


def rounding(score: float) -> float:
    """The rounding error of a score of this size: scores that differ by less are treated as equal.

    >>> round(rounding(-20_000.0), 12)
    3e-09
    """
    return LEAST_GAIN + 1e-13 * abs(score)


class OutOfTime(Exception):
    """The budget ran out in the middle of a step; the search catches it."""


@dataclass(frozen=True)
class FoundStructure:
    """A structure and its score; ``finished`` is False if the time limit or the user ended the search."""

    parents: Parents
    score: float
    finished: bool = True

    def arcs(self, names: Sequence[Name]) -> list[tuple[Name, Name]]:
        """The arcs as (parent, child) pairs of names."""
        return [(names[p], names[child]) for child, ps in enumerate(self.parents) for p in ps]


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


def seed_given(seed: Any) -> int:
    """Check a seed given by the user and return it; None gives a random seed.

    >>> seed_given(7)
    7
    """
    if seed is None:
        return int(np.random.default_rng().integers(2**31))
    return seed_number(seed)


@dataclass(frozen=True)
class Budget:
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

    def less(self, seconds: float) -> Budget:
        """The same budget, ending this many seconds earlier."""
        return self if self.seconds is None else replace(self, seconds=self.seconds - seconds)

    def share(self, part: float) -> Budget:
        """A budget that starts now and has this share of the time that is left."""
        return self if self.seconds is None else Budget(part * self.left)
