"""Alignment of labelled axes: the union of two variables' states, and the new position of each old state."""

from __future__ import annotations

import heapq
from itertools import chain, pairwise

import numpy as np

from bayou.schema import Variable, natural_order
from bayou.schema.states import state_key
from bayou.typing import IntArray, State


def union(left: Variable, right: Variable) -> Variable:
    """Return the variable with the states of both; the result does not depend on which comes first.

    If not both are ordered, a variable that has all states of the other (and more, or an order) is returned
    as it is; otherwise the states are in natural order. If both are ordered, the orders are merged: each
    state stays behind the states it was behind, and the result is ordered if only one order is possible.
    Orders that contradict each other are replaced by the natural order.

    >>> union(Variable("R", [4, 5]), Variable("R", [5, 1])).states
    (1, 4, 5)
    >>> union(Variable("size", ["s", "m"], ordered=True), Variable("size", ["m", "l"], ordered=True))
    Variable('size', ['s', 'm', 'l'], ordered=True)
    """
    if left == right:
        return left
    for one, other in ((left, right), (right, left)):
        # With the same states in another order neither is preferred, unless only one is ordered.
        preferred = one.cardinality > other.cardinality or one.ordered
        if preferred and not (one.ordered and other.ordered) and _contains(one, other):
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
    """The states of both in an order that agrees with both, and whether it is the only such order.

    Of several possible orders the one nearest to the natural order is taken. None if the orders contradict
    each other.
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


def codes_in(old: Variable, new: Variable) -> IntArray:
    """Return for each state of ``old`` its code in ``new``, or -1 if ``new`` does not have it."""
    if old is new:
        return np.arange(old.cardinality)
    codes = (new.place(state) for state in old.states)
    return np.array([-1 if code is None else code for code in codes], dtype=np.int64)
