"""Numpy reference of the local search over orders."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayou.typing import FloatArray, IntArray

_LEAST_GAIN = 1e-9
_NO_PARENT_SET = -1e12


def climb_orders(
    starts: IntArray,
    sets: npt.NDArray[np.uint64],
    scores: FloatArray,
    visits: npt.NDArray[np.int32],
    orders: npt.NDArray[np.int32],
    passes: int,
    threads: int = 0,
) -> tuple[FloatArray, npt.NDArray[np.int32], IntArray]:
    """Move single variables of each order to better positions; return scores, orders and the chosen sets.

    The parent sets of variable v are ``sets[starts[v]:starts[v + 1]]``, best first; each variable takes the
    first one whose members all precede it. In each pass the variables of ``visits`` in turn move to the
    position with the best sum of scores.

    >>> sets = np.array([[2], [0], [0]], dtype=np.uint64)
    >>> order = np.array([[0, 1]], dtype=np.int32)
    >>> climb_orders(np.array([0, 2, 3]), sets, np.array([-1.0, -2.0, -3.0]), order[0], order, 9)
    (array([-4.]), array([[1, 0]], dtype=int32), array([[0, 2]]))
    """
    masks = [sum(int(word) << 64 * at for at, word in enumerate(row)) for row in sets]
    lists = _Lists(starts.tolist(), masks, scores.tolist())
    climbed = [lists.climb(order.tolist(), visits.tolist(), passes) for order in orders]
    shape = orders.shape
    better = np.array(climbed, dtype=np.int32).reshape(shape)
    chosen = [lists.chosen(order) for order in climbed]
    totals = [sum((lists.score(one) for one in row), 0.0) for row in chosen]
    return np.array(totals), better, np.array(chosen, dtype=np.int64).reshape(shape)


class _Lists:
    def __init__(self, starts: list[int], masks: list[int], scores: list[float]) -> None:
        self._starts, self._masks, self._scores = starts, masks, scores

    def climb(self, order: list[int], visits: list[int], passes: int) -> list[int]:
        for _ in range(passes):
            before = list(order)
            for variable in visits:
                order = self._placed(order, variable)
            if order == before:
                break
        return order

    def chosen(self, order: list[int]) -> list[int]:
        """The chosen parent set of each variable."""
        chosen, known = [-1] * len(order), 0
        for variable in order:
            chosen[variable] = self._first(variable, known)
            known |= 1 << variable
        return chosen

    def score(self, one: int) -> float:
        return self._scores[one] if one >= 0 else _NO_PARENT_SET

    def _first(self, variable: int, known: int) -> int:
        places = range(self._starts[variable], self._starts[variable + 1])
        return next((place for place in places if self._masks[place] & ~known == 0), -1)

    def _placed(self, order: list[int], variable: int) -> list[int]:
        now = order.index(variable)
        rest = order[:now] + order[now + 1 :]
        best, best_gain = now, _LEAST_GAIN
        for way in (range(now - 1, -1, -1), range(now + 1, len(order))):
            for at in way:
                gain = self._gain(order, [*rest[:at], variable, *rest[at:]], variable, way)
                if gain > best_gain:
                    best, best_gain = at, gain
        return [*rest[:best], variable, *rest[best:]]

    def _gain(self, old: list[int], new: list[int], variable: int, way: range) -> float:
        """The change in score of the variables that are passed, nearest first, and of the one that moves."""
        was, becomes = self.chosen(old), self.chosen(new)
        passed = [old[at] for at in way if old[at] != variable]
        others = 0.0
        for other in passed[: abs(new.index(variable) - old.index(variable))]:
            others += self.score(becomes[other]) - self.score(was[other])
        return others + self.score(becomes[variable]) - self.score(was[variable])
