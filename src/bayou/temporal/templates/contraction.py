"""The sum of a product of tables, as a list of products of two tables at a time.

Variables are eliminated one after the other: the tables that have one are multiplied, the smallest pair
first, and whatever no other table has is summed out in the same pass. So no table is larger than what is left
to eliminate makes it, and the product of all tables is never made. (Zhang and Poole 1996; Murphy 2002, ch. 3,
for slices.)
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

TRIES = 12
"""Orders of elimination that are tried, each with other choices between equals; the cheapest is used."""
_LONG_LOOP, _LARGE_PASS = 8, 256
"""A pass over more entries than the second whose inner loop is shorter than the first is done on a table with
other axes first.
"""

Scope = tuple[int, ...]


class PassAxis(NamedTuple):
    """A variable of a product: its size and its strides in both tables and in the result (0: not there)."""

    variable: int
    size: int
    left: int
    right: int
    out: int


class Pass(NamedTuple):
    """result = sum over some variables of left · right. Tables are numbered: those given, then results.

    The last two loops have strides in one of the tables only: one along the left, one along the right one.
    """

    left: int
    right: int
    entries: int
    axes: tuple[PassAxis, ...]
    loops: tuple[tuple[int, int, int, int], ...]


@dataclass
class Contraction:
    """The passes, the number of the table with the result, and its cost: entries visited, largest table."""

    passes: list[Pass] = field(default_factory=list)
    result: int = -1
    cost: float = 0.0
    largest: float = 1.0


def planned(
    scopes: Sequence[Iterable[int]], keep: Iterable[int], sizes: Mapping[int, int], tries: int = TRIES
) -> list[tuple[int, int]]:
    """Pairs of tables to multiply, by number; results are numbered after the tables given."""
    begun = _Order([frozenset(scope) for scope in scopes], frozenset(keep), sizes)
    begun.absorb()
    orders = [_finished(begun.copy(), random.Random(attempt)) for attempt in range(tries)]
    return min(orders, key=lambda order: order.cost).pairs


def _entries(scope: Iterable[int], sizes: Mapping[int, int]) -> float:
    return math.prod((float(sizes[v]) for v in scope), start=1.0)


class _Order:
    """Tables that are still to be multiplied, by number."""

    def __init__(
        self, scopes: Sequence[frozenset[int]], keep: frozenset[int], sizes: Mapping[int, int]
    ) -> None:
        self.live, self.keep, self.sizes = dict(enumerate(scopes)), keep, sizes
        self.entries = {number: _entries(scope, sizes) for number, scope in self.live.items()}
        self.count, self.cost = len(scopes), 0.0
        self.pairs: list[tuple[int, int]] = []

    def copy(self) -> _Order:
        """The same, to be continued apart."""
        twin = copy.copy(self)
        twin.live, twin.entries, twin.pairs = dict(self.live), dict(self.entries), list(self.pairs)
        return twin

    def add(self, scope: frozenset[int], pair: tuple[int, int]) -> None:
        """Add the table that a pair gives."""
        self.live[self.count] = scope
        self.entries[self.count] = _entries(scope, self.sizes)
        self.pairs.append(pair)
        self.count += 1

    def merge(self, one: int, other: int) -> None:
        left, right = self.live.pop(one), self.live.pop(other)
        self.cost += _entries(left | right, self.sizes)
        elsewhere: frozenset[int] = frozenset().union(self.keep, *self.live.values())
        self.add((left | right) & elsewhere, (one, other))

    def merge_all(self, numbers: Sequence[int]) -> None:
        """Multiply these tables, each time the pair with the smallest product."""
        left = list(numbers)
        while len(left) > 1:
            _, one, other = min(
                (_entries(self.live[a] | self.live[b], self.sizes), a, b)
                for k, a in enumerate(left)
                for b in left[k + 1 :]
            )
            self.merge(one, other)
            left = [number for number in left if number not in (one, other)] + [self.count - 1]

    def absorb(self) -> None:
        """Multiply tables into others that have all their variables."""
        changed = True
        while changed:
            changed = False
            for one, scope in sorted(self.live.items(), key=lambda item: len(item[1])):
                hosts = [
                    (self.entries[k], k) for k, other in self.live.items() if k != one and scope <= other
                ]
                if hosts:
                    self.merge(min(hosts)[1], one)
                    changed = True
                    break


def _finished(order: _Order, chance: random.Random) -> _Order:
    """Sum out one variable after another, each time one with the smallest product."""
    while True:
        waiting = sorted(frozenset().union(*order.live.values()) - order.keep)
        if not waiting:
            break
        weight = {
            v: _entries(frozenset().union(*(s for s in order.live.values() if v in s)), order.sizes)
            for v in waiting
        }
        chosen = min(waiting, key=lambda v: (weight[v], chance.random()))
        bucket = [k for k, scope in order.live.items() if chosen in scope]
        if len(bucket) == 1:
            bucket.append(order.count)
            order.add(frozenset(), (-1, -1))
        order.merge_all(bucket)
    order.merge_all(list(order.live))
    return order


def contracted(
    scopes: Sequence[Scope], keep: Scope, sizes: Mapping[int, int], pairs: Sequence[tuple[int, int]], one: int
) -> Contraction:
    """The passes of planned pairs. ``scopes`` have the axes of each table in the order of memory; table
    ``one`` is the number 1, for sums of a single table. The result has the axes ``keep`` in this order.
    """
    made = Contraction()
    layouts: dict[int, Scope] = dict(enumerate(scopes))
    live: dict[int, int] = {k: k for k in layouts if k != one}
    place = len(scopes)
    # Numbers in `pairs` count tables without `one`, and a number 1 where a sum needs a partner.
    known = dict(enumerate(k for k in layouts if k != one))
    following = len(known)

    def emit(left: int, right: int, kept: Scope) -> int:
        nonlocal place
        step = _pass(left, layouts[left], right, layouts[right], kept, sizes)
        made.passes.append(step)
        made.cost += math.prod(axis.size for axis in step.axes)
        made.largest = max(made.largest, float(step.entries))
        layouts[place] = kept
        place += 1
        return place - 1

    for a, b in pairs:
        if (a, b) == (-1, -1):
            known[following] = one
            following += 1
            continue
        left, right = known[a], known[b]
        live.pop(left, None)
        live.pop(right, None)
        others = set(keep).union(*(layouts[k] for k in live))
        left, right = _larger_first(left, right, layouts, sizes)
        if _short_loops(layouts[left], layouts[right], sizes):
            front = [v for v in layouts[left] if v in layouts[right]]
            left = emit(left, one, (*front, *(v for v in layouts[left] if v not in front)))
        rest = [v for v in layouts[left] if v in others]
        new = [v for v in layouts[right] if v in others and v not in layouts[left]]
        known[following] = emit(left, right, (*rest, *new))
        live[known[following]] = known[following]
        following += 1
    made.result = next(iter(live), one)
    if layouts[made.result] != tuple(keep):
        made.result = emit(made.result, one, tuple(keep))
    return made


def _larger_first(a: int, b: int, layouts: Mapping[int, Scope], sizes: Mapping[int, int]) -> tuple[int, int]:
    return (a, b) if _entries(layouts[a], sizes) >= _entries(layouts[b], sizes) else (b, a)


def _short_loops(left: Scope, right: Scope, sizes: Mapping[int, int]) -> bool:
    """Whether the loops along one table only are too short for a large pass: other axes first would help."""
    tail = 1
    for v in reversed(left):
        if v in right:
            break
        tail *= sizes[v]
    free = math.prod(sizes[v] for v in left if v not in right)
    new = math.prod(sizes[v] for v in right if v not in left)
    everything = _entries({*left, *right}, sizes)
    return everything > _LARGE_PASS and tail * new < _LONG_LOOP <= free * new


def _strides(scope: Scope, sizes: Mapping[int, int]) -> dict[int, int]:
    strides, stride = {}, 1
    for v in reversed(scope):
        strides[v] = stride
        stride *= sizes[v]
    return strides


def _pass(
    left: int, left_scope: Scope, right: int, right_scope: Scope, kept: Scope, sizes: Mapping[int, int]
) -> Pass:
    in_left, in_right = _strides(left_scope, sizes), _strides(right_scope, sizes)
    in_out = _strides(kept, sizes)
    variables = [*left_scope, *(v for v in right_scope if v not in in_left)]
    axes = tuple(
        PassAxis(v, sizes[v], in_left.get(v, 0), in_right.get(v, 0), in_out.get(v, 0)) for v in variables
    )
    entries = math.prod((sizes[v] for v in kept), start=1)
    return Pass(left, right, entries, axes, tuple(_loops(axes)))


Loop = tuple[int, int, int, int]


def _loops(axes: Sequence[PassAxis]) -> list[Loop]:
    """Axes as loops (size, strides): kept ones, then summed ones, then one along the left and one along the
    right table. Neighbours that run through memory as one are joined.
    """
    inner_left: list[PassAxis] = []
    for axis in sorted((axis for axis in axes if axis.left), key=lambda axis: axis.left):
        if axis.right or not axis.out:
            break
        inner_left.insert(0, axis)
    inner_right = [axis for axis in axes if not axis.left]
    joined_left = _joined([(a.size, a.left, a.right, a.out) for a in inner_left])
    joined_right = _joined([(a.size, a.left, a.right, a.out) for a in inner_right])
    others = [axis for axis in axes if axis not in inner_left and axis not in inner_right]
    outer = [(a.size, a.left, a.right, a.out) for a in others if a.out] + joined_left[:-1] + joined_right[:-1]
    summed = [(a.size, a.left, a.right, a.out) for a in others if not a.out]
    last_left = joined_left[-1] if joined_left else (1, 0, 0, 0)
    last_right = joined_right[-1] if joined_right else (1, 0, 0, 0)
    return [*_joined(outer), *_joined(summed), last_left, last_right]


def _joined(loops: Sequence[Loop]) -> list[Loop]:
    made: list[Loop] = []
    for size, left, right, out in loops:
        if made:
            outer = made[-1]
            if outer[1:] == (left * size, right * size, out * size):
                made[-1] = (outer[0] * size, left, right, out)
                continue
        made.append((size, left, right, out))
    return made
