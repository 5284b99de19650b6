"""Candidate parent sets for order-based search.

If a subset T of a parent set S scores at least as well, S is never needed: in every order in which S comes
before the child, T does too (Teyssier & Koller 2005). So only sets that are better than all their known
subsets are candidates.

Not all sets can be scored. They are explored best first: the best set that is not expanded yet is scored with
one more parent; around the best network, sets are also scored with one parent less.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bayou.graphs.meek import set_bits
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FINITE_WORST_SCORE, LEAST_GAIN
from bayou.typing import FloatArray, IntArray

_WIDE = 10
"""The number of single parents of a child that are combined with every other variable."""

_SPARE = 3
"""The number of parents without a gain that are kept in each expansion: with others they may gain."""

_GRAIN = 2.0**-24
"""Scores are rounded to multiples of this, so that equal scores are identical whichever scorer computed them,
and sums do not depend on their order. It is far below any difference that matters."""


class SortedSets(NamedTuple):
    """The parent sets of all variables as the kernel reads them: variable by variable, the best set first.

    ``starts[v] : starts[v + 1]`` are the sets of variable v. Each set is a row of 64-bit words.
    """

    starts: IntArray
    sets: npt.NDArray[np.uint64]
    scores: FloatArray


class CandidateSets:
    """The parent sets (bits of integers) of one child that have been scored."""

    def __init__(self, scores: LocalScores, constraints: Constraints, child: int) -> None:
        self._scores, self.child = scores, child
        self.required = _bits(np.flatnonzero(constraints.required[:, child]))
        self._allowed = _bits(np.flatnonzero(constraints.allowed[:, child])) & ~self.required
        self._most = constraints.max_parents
        self._promising = self.required
        self.known: dict[int, float] = {}
        self._wide = _WIDE
        self._expanded: set[int] = set()
        self._exhausted: set[int] = set()
        self._waiting: list[tuple[float, int]] = []
        self._single: list[tuple[float, int]] = []
        self._useful: list[tuple[float, int]] = []
        self._is_sorted = True
        self.add([self.required])

    def add(self, sets: Iterable[int]) -> bool:
        """Score sets; return whether a new one is better than its known subsets."""
        new = [bits for bits in dict.fromkeys(sets) if bits not in self.known]
        values = _grained(self._scores.families([(self.child, tuple(set_bits(bits))) for bits in new]))
        better = [self._note(bits, float(value)) for bits, value in zip(new, values, strict=True)]
        return any(better)

    def _note(self, bits: int, value: float) -> bool:
        """Store a set and its score; return whether it is better than its known subsets."""
        self.known[bits] = value
        heapq.heappush(self._waiting, (-value, bits))
        if (bits & ~self.required).bit_count() == 1:
            heapq.heappush(self._single, (-value, bits))
        smaller = [self.known.get(bits & ~(1 << one), -np.inf) for one in set_bits(bits & ~self.required)]
        better = bits == self.required or value > max(self.known[self.required], *smaller)
        if better:
            self._useful.append((value, bits))
            self._is_sorted = False
            self._promising |= bits
        return better

    def grow(self) -> bool:
        """Score the best set that is not expanded yet with one more parent; False if there is none.

        The best single parents come first and are combined with every other variable: a pair may gain where
        neither does alone. After that, sets grow only by parents that are in some candidate set.
        """
        wide = self._wide > 0 and bool(self._single)
        waiting = self._single if wide else self._waiting
        while waiting:
            bits = heapq.heappop(waiting)[1]
            if bits not in self._expanded:
                self._expanded.add(bits)
                self._wide -= wide
                self._try(bits, self._allowed if wide else self._promising)
                return True
        return bool(self._waiting)

    def expand(self, bits: int) -> bool:
        """Score a set with any one parent more and with each one less; return whether a new set is better."""
        if bits in self._exhausted:
            return False
        self._expanded.add(bits)
        self._exhausted.add(bits)
        fewer = self.add(bits & ~(1 << parent) for parent in set_bits(bits & ~self.required))
        return self._try(bits, self._allowed) or fewer

    def _try(self, bits: int, parents: int) -> bool:
        """Score a set with each of ``parents`` added; return whether a new set is better."""
        others = [other for other in set_bits(parents & ~bits) if bits | 1 << other not in self.known]
        if bits.bit_count() >= self._most or not others:
            return False
        values = _grained(self._scores.additions(self.child, tuple(set_bits(bits)), others))
        # Parents that gain nothing alone may gain together, so the best few of them are kept too.
        ranked = np.argsort(-values, kind="stable")
        gaining = int((values > self.known[bits]).sum())
        kept = ranked[: gaining + _SPARE].tolist()
        better = [self._note(bits | 1 << others[place], float(values[place])) for place in kept]
        return any(better)

    def sorted(self) -> list[tuple[float, int]]:
        """The candidate sets with their scores, the best first; of equal scores the smaller set first."""
        if not self._is_sorted:
            self._useful.sort(key=lambda one: (-one[0], one[1].bit_count(), one[1]))
            self._is_sorted = True
        return self._useful


def sorted_sets(candidates: Sequence[CandidateSets]) -> SortedSets:
    """The candidate sets of all variables, packed for the kernel."""
    words = max((len(candidates) + 63) // 64, 1)
    lists = [child.sorted() for child in candidates]
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    packed = b"".join(bits.to_bytes(8 * words, "little") for one in lists for _, bits in one)
    sets = np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, words)
    return SortedSets(starts, sets, np.array([value for one in lists for value, _ in one], dtype=np.float64))


def uncertainty(size: int) -> float:
    """The largest difference between sums of rounded and unrounded scores over this many variables."""
    return LEAST_GAIN + size * _GRAIN


def _grained(scores: FloatArray) -> FloatArray:
    """Scores rounded to multiples of ``_GRAIN``, with −∞ replaced by a finite value."""
    grains: FloatArray = np.rint(np.maximum(scores, FINITE_WORST_SCORE) / _GRAIN)
    return grains * _GRAIN


def _bits(members: IntArray) -> int:
    return sum(1 << int(member) for member in members)
