"""Parent sets worth having: for each variable those that are better than all their known subsets.

They are found best first: the best set that was not tried yet gets one parent more, and one less.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bayou.graphs.meek import positions
from bayou.learning.constraints import Constraints
from bayou.learning.local_scores import LocalScores
from bayou.typing import FloatArray, IntArray

_WORST = -1e11
"""Instead of -inf (a number that never changes): it must not hide how the other variables do."""


class SortedSets(NamedTuple):
    """The parent sets of all variables as the kernel reads them: those of a variable together, best first."""

    starts: IntArray
    sets: npt.NDArray[np.uint64]
    scores: FloatArray


class CandidateSets:
    """The parent sets (bits of integers) of one child that are known, with their scores."""

    def __init__(self, scores: LocalScores, constraints: Constraints, child: int) -> None:
        self._scores, self.child = scores, child
        self.required = _bits(np.flatnonzero(constraints.required[:, child]))
        self._allowed = _bits(np.flatnonzero(constraints.allowed[:, child])) & ~self.required
        self._most = constraints.max_parents
        self.known: dict[int, float] = {}
        self._expanded: set[int] = set()
        self._waiting: list[tuple[float, int]] = []
        self._useful: list[tuple[float, int]] = []
        self._is_sorted = True
        self.add([self.required])

    def add(self, sets: Iterable[int]) -> bool:
        """Score sets; whether one is new and better than those it contains."""
        new = [bits for bits in dict.fromkeys(sets) if bits not in self.known]
        values = self._scores.families([(self.child, tuple(positions(bits))) for bits in new])
        better = [self._note(bits, float(value)) for bits, value in zip(new, values, strict=True)]
        return any(better)

    def _note(self, bits: int, value: float) -> bool:
        self.known[bits] = value
        free = bits & ~self.required
        smaller = [self.known.get(bits & ~(1 << parent), -np.inf) for parent in positions(free)]
        better = bits == self.required or value > max(smaller)
        if better:
            heapq.heappush(self._waiting, (-value, bits))
            self._useful.append((max(value, _WORST), bits))
            self._is_sorted = False
        return better

    def grow(self) -> bool:
        """Try the best set that waits with one parent more; False where none waits."""
        while self._waiting:
            bits = heapq.heappop(self._waiting)[1]
            if bits not in self._expanded:
                self.expand(bits)
                return True
        return False

    def expand(self, bits: int) -> bool:
        """Try a set with each parent more, and with each less; whether anything new is better."""
        if bits in self._expanded:
            return False
        self._expanded.add(bits)
        better = self.add(bits & ~(1 << parent) for parent in positions(bits & ~self.required))
        others = [other for other in positions(self._allowed & ~bits) if bits | 1 << other not in self.known]
        if bits.bit_count() >= self._most or not others:
            return better
        values = self._scores.additions(self.child, tuple(positions(bits)), others)
        grown = [
            self._note(bits | 1 << other, float(value)) for other, value in zip(others, values, strict=True)
        ]
        return any(grown) or better

    def sorted(self) -> list[tuple[float, int]]:
        """The sets that are better than their known subsets, best first, the smaller of equals first."""
        if not self._is_sorted:
            self._useful.sort(key=lambda one: (-one[0], one[1].bit_count(), one[1]))
            self._is_sorted = True
        return self._useful


def sorted_sets(candidates: Sequence[CandidateSets]) -> SortedSets:
    """All lists, one after the other."""
    words = max((len(candidates) + 63) // 64, 1)
    lists = [child.sorted() for child in candidates]
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    packed = b"".join(bits.to_bytes(8 * words, "little") for one in lists for _, bits in one)
    sets = np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, words)
    return SortedSets(starts, sets, np.array([value for one in lists for value, _ in one], dtype=np.float64))


def _bits(members: IntArray) -> int:
    return sum(1 << int(member) for member in members)
