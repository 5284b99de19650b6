"""Lining up labelled axes: the union of two variables' states, and where each old state goes."""

from __future__ import annotations

import heapq
from itertools import chain, pairwise

import numpy as np

from bayou.schema import Variable, natural_order
from bayou.schema.states import state_key
from bayou.typing import IntArray, State


def union(left: Variable, right: Variable) -> Variable:
    """The variable that has the states of both, whichever comes first; new states in mid-stream are normal.

    Two orders merge: each state stays after those it came after, and the result is ordered where that leaves
    no choice. Orders that contradict each other, or mean nothing, give way to the natural order.

    >>> union(Variable("R", [4, 5]), Variable("R", [5, 1])).states
    (1, 4, 5)
    >>> union(Variable("size", ["s", "m"], ordered=True), Variable("size", ["m", "l"], ordered=True))
    Variable('size', ['s', 'm', 'l'], ordered=True)
    """
    if left == right:
        return left
    for one, other in ((left, right), (right, left)):
        # The same states in another order are no reason to prefer one, unless only one order counts.
        says_more = one.cardinality > other.cardinality or one.ordered
        if says_more and not (one.ordered and other.ordered) and _contains(one, other):
            return one
    merged = _merged(left, right) if left.ordered and right.ordered else None
    if merged is None:
        return Variable(left.name, natural_order(_all_states(left, right)))
    states, is_forced = merged
    return Variable(left.name, states, ordered=is_forced)


def _contains(one: Variable, other: Variable) -> bool:
    return all(one.place(state) is not None for state in other.states)


def _all_states(left: Variable, right: Variable) -> list[State]:
    return [*left.states, *(state for state in right.states if left.place(state) is None)]


def _merged(left: Variable, right: Variable) -> tuple[list[State], bool] | None:
    """The states of both in an order that agrees with both, the naturally first where there is a choice.

    Also whether there never was a choice; None where the orders contradict each other.
    """
    states = natural_order(_all_states(left, right))
    place = {state_key(state): k for k, state in enumerate(states)}
    after: list[set[int]] = [set() for _ in states]
    for variable in (left, right):
        for first, second in pairwise(place[state_key(state)] for state in variable.states):
            after[first].add(second)
    waiting = [0] * len(states)
    for second in chain.from_iterable(after):
        waiting[second] += 1
    ready = [k for k, count in enumerate(waiting) if not count]
    order: list[int] = []
    is_forced = True
    while ready:
        is_forced = is_forced and len(ready) == 1
        order.append(heapq.heappop(ready))
        for second in after[order[-1]]:
            waiting[second] -= 1
            if not waiting[second]:
                heapq.heappush(ready, second)
    return ([states[k] for k in order], is_forced) if len(order) == len(states) else None


def positions(old: Variable, new: Variable) -> IntArray:
    """For each state of ``old`` its code in ``new``, or -1 where ``new`` lacks it."""
    if old is new:
        return np.arange(old.cardinality)
    codes = (new.place(state) for state in old.states)
    return np.array([-1 if code is None else code for code in codes], dtype=np.int64)
