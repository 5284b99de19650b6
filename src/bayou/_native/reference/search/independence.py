"""Numpy reference of the tests of independence on coded columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc

from bayou._native.reference.counting import count_families
from bayou.typing import CodeArray, FloatArray, IntArray

Tests = tuple[FloatArray, IntArray, IntArray, FloatArray, npt.NDArray[np.uint8]]
Separations = tuple[FloatArray, IntArray, IntArray, FloatArray, IntArray, IntArray, npt.NDArray[np.uint8]]


class _Outcome(NamedTuple):
    statistic: float
    degrees: int
    rows: int
    p_value: float
    telling: int
    groups: int

    def counts(self, reliable: float) -> bool:
        if self.degrees > 0:
            return self.telling >= reliable * self.degrees
        return 0 < self.rows >= reliable * self.groups


class IndependenceTester:
    """Coded columns, kept for many tests.

    >>> codes = np.array([0, 0, 1, 1] * 5, np.uint8)
    >>> tester = IndependenceTester([codes, codes], [2, 2])
    >>> pairs, offsets, given = np.array([[0, 1]]), np.array([0, 0]), np.array([], np.int64)
    >>> [part.round(3).tolist() for part in tester.tests(pairs, offsets, given)]
    [[27.726], [1], [20], [0.0], [1]]
    """

    def __init__(self, columns: list[CodeArray], cards: Sequence[int], threads: int = 0) -> None:
        count_families(columns, cards, [[place] for place in range(len(columns))], None, threads)
        self._columns, self._cards = columns, list(cards)

    def tests(
        self,
        pairs: IntArray,
        offsets: IntArray,
        given: IntArray,
        method: str = "g",
        reliable: float = 0.0,
    ) -> Tests:
        """Return (statistics, degrees of freedom, rows, p-values, whether the test is reliable) of each pair.

        Pair i is tested given the columns ``given[offsets[i]:offsets[i + 1]]``. A test is reliable if it has
        at least ``reliable`` informative rows per degree of freedom or, with 0 degrees of freedom, at least
        ``reliable`` rows per group.
        """
        if len(offsets) != len(pairs) + 1:
            raise ValueError(f"offsets has length {len(offsets)}, expected {len(pairs) + 1}")
        sets = [given[offsets[k] : offsets[k + 1]].tolist() for k in range(len(pairs))]
        found = [self._test(x, y, some, method) for (x, y), some in zip(pairs.tolist(), sets, strict=True)]
        return (*_arrays(found), np.array([one.counts(reliable) for one in found], dtype=np.uint8))

    def separate(
        self,
        pairs: IntArray,
        offsets: IntArray,
        neighbours: IntArray,
        size: int,
        method: str = "g",
        reliable: float = 0.0,
        most_cells: int = 1 << 20,
    ) -> Separations:
        """For each pair, the test with the largest p-value over all sets of neighbours of this size."""
        near = [sorted(neighbours[offsets[k] : offsets[k + 1]].tolist()) for k in range(len(self._cards))]
        best: list[_Outcome | None] = [None] * len(pairs)
        sets = np.zeros((len(pairs), size), dtype=np.int64)
        made = np.zeros(len(pairs), dtype=np.int64)
        for place, (x, y) in enumerate(pairs.tolist()):
            for given in _sets(near[x], near[y], (x, y), size):
                if np.prod([self._cards[member] for member in (*given, x, y)]) > most_cells:
                    continue
                outcome, old = self._test(x, y, given, method), best[place]
                if not outcome.counts(reliable):
                    continue
                made[place] += 1
                if old is None or outcome.p_value > old.p_value:
                    best[place], sets[place] = outcome, given
        known = [_Outcome(0.0, 0, 0, 1.0, 0, 0) if outcome is None else outcome for outcome in best]
        any_made = np.array([outcome is not None for outcome in best], dtype=np.uint8)
        return (*_arrays(known), sets, made, any_made)

    def _test(self, x: int, y: int, given: Sequence[int], method: str) -> _Outcome:
        if method not in ("g", "chi2"):
            raise ValueError(f"method is '{method}': expected 'g' or 'chi2'")
        if len({x, y, *given}) < 2 + len(given):
            raise ValueError("a test names one column twice")
        (counted,) = count_families(self._columns, self._cards, [[*given, x, y]])
        groups = int(np.prod([self._cards[member] for member in given], dtype=np.int64))
        table = counted.reshape(groups, self._cards[x], self._cards[y]).astype(np.float64)
        across, down = table.sum(axis=2), table.sum(axis=1)
        totals = table.sum(axis=(1, 2))
        expected = across[:, :, None] * down[:, None, :] / np.maximum(totals, 1)[:, None, None]
        seen = table > 0
        if method == "g":
            statistic = 2 * float((table[seen] * np.log(table[seen] / expected[seen])).sum())
        else:
            possible = expected > 0
            statistic = float(((table - expected)[possible] ** 2 / expected[possible]).sum())
        free = np.maximum((across > 0).sum(axis=1) - 1, 0) * np.maximum((down > 0).sum(axis=1) - 1, 0)
        degrees = int(free.sum())
        p_value = float(chdtrc(degrees, max(statistic, 0.0))) if degrees else 1.0
        return _Outcome(
            max(statistic, 0.0),
            degrees,
            int(totals.sum()),
            p_value,
            telling=int(totals[free > 0].sum()),
            groups=int(np.count_nonzero(totals)),
        )


def _sets(of_x: list[int], of_y: list[int], pair: tuple[int, int], size: int) -> Iterator[tuple[int, ...]]:
    """The sets of neighbours of x, then those sets of neighbours of y that are not among them."""
    first = [member for member in of_x if member != pair[1]]
    second = [member for member in of_y if member != pair[0]]
    yield from combinations(first, size)
    for given in combinations(second, size):
        if size and not set(given) <= set(first):
            yield given


def _arrays(found: Sequence[_Outcome]) -> tuple[FloatArray, IntArray, IntArray, FloatArray]:
    return (
        np.array([outcome.statistic for outcome in found], dtype=np.float64),
        np.array([outcome.degrees for outcome in found], dtype=np.int64),
        np.array([outcome.rows for outcome in found], dtype=np.int64),
        np.array([outcome.p_value for outcome in found], dtype=np.float64),
    )
