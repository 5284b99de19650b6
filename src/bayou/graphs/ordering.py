"""Elimination orders: the order in which variables are summed out, and its cost.

The graph is stored as one integer of bits per variable, so joining a variable's neighbours takes a few
word-wise operations, and after each step only the scores that can have changed are computed again.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

from bayou.errors import BadQuestion, UnknownVariable
from bayou.graphs.meek import set_bits
from bayou.typing import Name

Scopes = Sequence[Collection[Name]]
N = TypeVar("N", bound=Name)


def elimination_order(
    scopes: Sequence[Collection[N]],
    cards: Mapping[N, int],
    keep: Collection[N] = (),
    *,
    until: float = math.inf,
) -> tuple[N, ...]:
    """A cheap order in which to sum out every variable of the scopes that is not in ``keep``.

    Tries greedy min-fill (the fewest new edges; ties by the size of the table) and greedy min-size (the
    smallest table), and returns the order whose tables have fewer entries in all. ``until`` is a time on the
    clock of ``time.monotonic``: the variables that are left then follow as they stand, the last ones first
    (where parents come before their children: as rows are drawn forwards), and nothing else is tried.

    >>> elimination_order([["A", "B"], ["B", "C"], ["C", "D"]], {"A": 2, "B": 2, "C": 2, "D": 2}, keep=["D"])
    ('A', 'B', 'C')
    """
    tries: list[tuple[int, tuple[Any, ...]]] = []
    for by_fill in (True, False):
        graph = _Interaction(scopes, cards)
        order, left = _greedy(graph, keep, by_fill, until)
        if left and tries:
            break
        tries.append((graph.total, order + left))
    return min(tries, key=lambda attempt: attempt[0])[1]


def elimination_cost(
    scopes: Scopes, cards: Mapping[Any, int], order: Sequence[Name], keep: Collection[Name] = ()
) -> tuple[int, int]:
    """The number of entries of the largest table and of all tables together, as exact integers.

    One table is made per variable of the order, and a last one over the variables that are left.

    >>> elimination_cost([["A", "B"], ["B", "C"]], {"A": 2, "B": 3, "C": 5}, ["A", "B"], keep=["C"])
    (15, 26)
    """
    graph = _Interaction(scopes, cards)
    kept = set(keep)
    for name in order:
        if name not in graph.index:
            raise UnknownVariable.named(name, graph.names, "in the elimination order")
        if name in kept:
            raise BadQuestion(f"{name!r} is to be kept, but the elimination order sums it out.")
        graph.eliminate(graph.index[name])
    if graph.left:
        graph.count_table(graph.left)
    return graph.largest, graph.total


class _Interaction:
    """The interaction graph: which variables share a table, while variables are summed out one by one."""

    def __init__(self, scopes: Scopes, cards: Mapping[Any, int]) -> None:
        self.names = tuple(dict.fromkeys(name for scope in scopes for name in scope))
        self.index = {name: position for position, name in enumerate(self.names)}
        for name in self.names:
            if name not in cards:
                raise UnknownVariable.named(name, tuple(cards), "among the given cardinalities")
        self.cards = [cards[name] for name in self.names]
        self.logs = [math.log2(card) if card > 0 else 0.0 for card in self.cards]
        alike: dict[float, int] = {}
        for position, log in enumerate(self.logs):
            alike[log] = alike.get(log, 0) | 1 << position
        self.alike = tuple(alike.items())
        self.sums: dict[tuple[int, ...], float] = {}
        self.neighbours = [0] * len(self.names)
        for scope in scopes:
            members = sum(1 << position for position in {self.index[name] for name in scope})
            for position in set_bits(members):
                self.neighbours[position] |= members
        for position in range(len(self.names)):
            self.neighbours[position] &= ~(1 << position)
        self.left = (1 << len(self.names)) - 1
        self.largest = 0
        self.total = 0

    def eliminate(self, position: int) -> list[tuple[int, int]]:
        """Sum one variable out; return the pairs of neighbours that this joins."""
        near = self.neighbours[position]
        own = 1 << position
        self.count_table(near | own)
        self.left &= ~own
        joined: list[tuple[int, int]] = []
        for first in set_bits(near):
            absent = near & ~self.neighbours[first] & ~(1 << first)
            joined.extend((first, second) for second in set_bits(absent) if second > first)
        for first in set_bits(near):
            self.neighbours[first] = (self.neighbours[first] | near) & ~own & ~(1 << first)
        return joined

    def count_table(self, members: int) -> None:
        entries = math.prod(self.cards[position] for position in set_bits(members))
        self.largest = max(self.largest, entries)
        self.total += entries

    def fill(self, position: int) -> int:
        """The number of pairs of neighbours that are not joined yet."""
        near = self.neighbours[position]
        return sum((near & ~self.neighbours[other]).bit_count() - 1 for other in set_bits(near)) // 2

    def size(self, position: int) -> float:
        """The binary logarithm of the size of the table that is made when this variable is summed out."""
        members = self.neighbours[position] | 1 << position
        counts = tuple((members & bits).bit_count() for _, bits in self.alike)
        found = self.sums.get(counts)
        if found is None:
            logs = [log for (log, _), count in zip(self.alike, counts, strict=True) for _ in range(count)]
            found = self.sums[counts] = math.fsum(logs)
        return found


def _greedy(
    graph: _Interaction, keep: Collection[Name], by_fill: bool, until: float
) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """The greedy order by min-fill, or by min-size, and the variables left when the time was over."""
    kept = {graph.index[name] for name in keep if name in graph.index}
    free = [position not in kept for position in range(len(graph.names))]
    fills = [graph.fill(position) if by_fill and free[position] else 0 for position in range(len(free))]
    sizes = [graph.size(position) for position in range(len(free))]
    # Of equal scores the variable with more states goes first: the table that remains is smaller.
    states = graph.cards
    heap = [(fills[at], sizes[at], -states[at], at) for at in range(len(free)) if free[at]]
    heapq.heapify(heap)
    order: list[Name] = []
    while heap:
        if until < math.inf and monotonic() > until:
            return tuple(order), tuple(graph.names[at] for at in reversed(range(len(free))) if free[at])
        fill, size, _, position = heapq.heappop(heap)
        # An entry whose score has changed since is outdated: the newer one is in the heap too.
        if not free[position] or fill != fills[position] or size != sizes[position]:
            continue
        free[position] = False
        order.append(graph.names[position])
        for changed in _score_again(graph, position, fills, sizes, by_fill):
            if free[changed]:
                heapq.heappush(heap, (fills[changed], sizes[changed], -states[changed], changed))
    return tuple(order), ()


def _score_again(
    graph: _Interaction, position: int, fills: list[int], sizes: list[float], by_fill: bool
) -> Iterator[int]:
    """Sum a variable out; yield the variables whose score changed.

    These are its neighbours, and (by fill) the common neighbours of two variables that are newly joined.
    """
    near = graph.neighbours[position]
    joined = graph.eliminate(position)
    affected = 0
    if by_fill:
        for first, second in joined:
            common = graph.neighbours[first] & graph.neighbours[second] & ~near
            affected |= common
            for neighbour in set_bits(common):
                fills[neighbour] -= 1
    for neighbour in set_bits(near):
        fills[neighbour] = graph.fill(neighbour) if by_fill else 0
        sizes[neighbour] = graph.size(neighbour)
    yield from set_bits(near | affected)
