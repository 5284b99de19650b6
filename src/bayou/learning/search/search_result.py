"""What searches share: a time budget, and what they return."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayou.arguments import real_number, whole_number
from bayou.typing import Name

Parents = tuple[tuple[int, ...], ...]
"""For each variable the positions of its parents, ascending."""

LEAST_GAIN = 1e-9
"""Gains below this are rounding."""

FINITE_WORST_SCORE = -1e11
"""A finite stand-in for a score of -inf (a number that never changes), so that sums still rank the others."""


def rounding(score: float) -> float:
    """Scores of this size that differ by less are equal: sums of many logarithms carry that much rounding.

    >>> round(rounding(-20_000.0), 12)
    3e-09
    """
    return LEAST_GAIN + 1e-13 * abs(score)


class OutOfTime(Exception):
    """The budget ran out in the middle of a step; whoever searches catches it."""


@dataclass(frozen=True)
class FoundStructure:
    """A structure, its score, and whether the search ended by itself (not by its time, nor by the user)."""

    parents: Parents
    score: float
    finished: bool = True

    def arcs(self, names: Sequence[Name]) -> list[tuple[Name, Name]]:
        """The arcs by name."""
        return [(names[p], names[child]) for child, ps in enumerate(self.parents) for p in ps]


def now() -> float:
    """The clock of all budgets, in seconds."""
    return time.monotonic()


def seconds_given(time: Any) -> float | None:
    """A time limit as users state it; None: there is none.

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
    """A seed as users state it; None: another one every time.

    >>> seed_given(7)
    7
    """
    if seed is None:
        return int(np.random.default_rng().integers(2**31))
    return whole_number("seed", seed)


@dataclass(frozen=True)
class Budget:
    """How long a search may take; None: as long as it needs."""

    seconds: float | None = None
    started: float = field(default_factory=now)

    @property
    def left(self) -> float:
        """Seconds that are left, perhaps infinitely many."""
        if self.seconds is None:
            return float("inf")
        return self.started + self.seconds - now()

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left <= 0

    def less(self, seconds: float) -> Budget:
        """The same, but for some seconds at its end."""
        return self if self.seconds is None else replace(self, seconds=self.seconds - seconds)

    def share(self, part: float) -> Budget:
        """A part of the time that is left, from now."""
        return self if self.seconds is None else Budget(part * self.left)
