"""The result of every structure search, and when two scores count as equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class FoundStructure:
    """A structure and its score; ``finished`` is False if the time limit or the user ended the search."""

    parents: Parents
    score: float
    finished: bool = True

    def arcs(self, names: Sequence[Name]) -> list[tuple[Name, Name]]:
        """The arcs as (parent, child) pairs of names."""
        return [(names[p], names[child]) for child, ps in enumerate(self.parents) for p in ps]
