"""A cache of compiled plans, bounded in number and bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import inf
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")


class KeptPlans(Generic[Key, Kept]):
    """A cache of plans; beyond ``most`` plans or ``most_bytes`` the least recently used ones are dropped.

    Threads may share it. ``let_go`` is called with each dropped plan.

    >>> squares = KeptPlans[int, int](most=2)
    >>> [squares.find(k, lambda k=k: k * k) for k in (2, 3, 2, 4)], len(squares), 3 in squares
    ([4, 9, 4, 16], 2, False)
    """

    def __init__(
        self,
        most: int,
        most_bytes: float = inf,
        size: Callable[[Kept], float] = lambda kept: 0.0,
        let_go: Callable[[Kept], None] = lambda kept: None,
    ) -> None:
        self.most, self.most_bytes, self._size, self._let_go = most, most_bytes, size, let_go
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._bytes = 0.0
        self._lock = Lock()

    def find(self, key: Key, make: Callable[[], Kept]) -> Kept:
        """Return the plan kept under a key, or make and keep it; if ``make`` raises, nothing is kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            if key in self._kept:
                self._drop(self._kept.pop(key))
            self._kept[key] = made
            self._bytes += self._size(made)
            while len(self._kept) > self.most or (self._bytes > self.most_bytes and len(self._kept) > 1):
                self._drop(self._kept.popitem(last=False)[1])
        return made

    def _drop(self, kept: Kept) -> None:
        self._bytes -= self._size(kept)
        self._let_go(kept)

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0.0

    @property
    def is_full(self) -> bool:
        """Whether a further plan, of the mean size, would take the place of another one."""
        count = len(self._kept)
        return count >= self.most or self._bytes * (count + 1) > self.most_bytes * max(count, 1)

    def values(self) -> list[Kept]:
        """All plans in the cache."""
        return list(self._kept.values())

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)
