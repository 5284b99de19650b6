"""How large the ensemble is, and which random numbers it draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from bayou.errors import BadQuestion, listed

T = TypeVar("T")
SIZES = {"small": (4, 40), "standard": (12, 120), "large": (20, 250)}
"""The number of k-dependence members and of class trees of each size."""
MOST_TERMS = 1 << 24
"""Terms [row, class, column] of a k-dependence member: some arrays of so many numbers are held at once."""
FEWEST_KEPT = 200


@dataclass(frozen=True)
class PoolSettings:
    """The number of members of each kind, the seed, and how many rows the weights are fitted on."""

    members: int = 12
    trees: int = 120
    seed: int = 0
    kept: int = 3000

    def kept_of(self, classes: int, columns: int) -> int:
        """How many rows the weights are fitted on: fewer if rows × classes × columns would take much memory.

        >>> PoolSettings().kept_of(2, 200), PoolSettings().kept_of(100, 200)
        (3000, 838)
        """
        return min(self.kept, max(FEWEST_KEPT, MOST_TERMS // max(1, classes * columns)))

    @classmethod
    def of(cls, size: object, seed: int) -> PoolSettings:
        """The settings of a size by its name.

        >>> PoolSettings.of("small", 0).trees
        40
        """
        if not isinstance(size, str) or size not in SIZES:
            raise BadQuestion(f"size={size!r}: use one of {listed(SIZES)}.")
        members, trees = SIZES[size]
        return cls(members, trees, seed)


def size_within(seconds: float, grow: Callable[[str], T]) -> tuple[str, T]:
    """Return the largest size that is expected to be grown in this time, and what was grown.

    The smallest is grown first, whatever it takes. A larger one takes at most as many times longer as it
    has more trees.

    >>> size_within(0.0, str.upper)
    ('small', 'SMALL')
    >>> size_within(3600.0, str.upper)
    ('large', 'LARGE')
    """
    started = monotonic()
    found = grow("small")
    spent = monotonic() - started
    for size in ("large", "standard"):
        if spent * (1 + SIZES[size][1] / SIZES["small"][1]) <= seconds:
            return size, grow(size)
    return "small", found
