"""What searches share: a time budget, and what they return."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bayou.typing import Name

Parents = tuple[tuple[int, ...], ...]
"""For each variable the positions of its parents, ascending."""


@dataclass(frozen=True)
class Found:
    """A structure, its score, and whether the search ended by itself (not by its time, nor by the user)."""

    parents: Parents
    score: float
    finished: bool = True

    def arcs(self, names: Sequence[Name]) -> list[tuple[Name, Name]]:
        """The arcs by name."""
        return [(names[p], names[child]) for child, ps in enumerate(self.parents) for p in ps]


@dataclass(frozen=True)
class Budget:
    """How long a search may take; None: as long as it needs."""

    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds that are left, perhaps infinitely many."""
        if self.seconds is None:
            return float("inf")
        return self.started + self.seconds - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left <= 0
