"""The plan of a bounded elimination: which tables are multiplied, and which buckets are split."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from bayou._native import BucketBounds
from bayou.graphs.ordering import elimination_order
from bayou.inference.sampling.zero_propagation import PlainFactor


@dataclass(frozen=True)
class BucketLimits:
    """How large the tables may be that are summed out at once.

    ``cells`` is the most entries of a product of tables, ``width`` the most variables of it less one. Where
    all products together have at most ``whole`` entries, single ones may have more than ``cells``.
    """

    cells: int
    width: int | None = None
    whole: int = 0

    def allow(self, scope: Collection[int], cards: Sequence[int]) -> bool:
        """Whether tables over these variables may be multiplied."""
        if self.width is not None and len(scope) > self.width + 1:
            return False
        return prod(cards[v] for v in scope) <= self.cells


def summing_order(
    factors: Sequence[PlainFactor], cards: Sequence[int], fixed: Collection[int], targets: Collection[int]
) -> tuple[int, ...]:
    """A cheap order in which to sum out all variables but the targets, the fixed ones left out."""
    scopes = [[v for v in factor.scope if v not in fixed] for factor in factors]
    return elimination_order(scopes, dict(enumerate(cards)), keep=targets)


@dataclass(frozen=True)
class BucketPlan:
    """The compiled plan for rows of states of some variables, and its table entries per row.

    It ``is_exact`` if both bounds are the sum itself, but for roundings.
    """

    core: BucketBounds
    order: Sequence[int]
    cells: int
    is_exact: bool


def bucket_plan(
    factors: Sequence[PlainFactor],
    cards: Sequence[int],
    fixed: Sequence[int],
    targets: Sequence[int],
    limits: BucketLimits,
) -> BucketPlan:
    """Put the tables of each bucket together while the limits allow; what does not fit is a further group."""
    order = summing_order(factors, cards, set(fixed), targets)
    buckets, cells = _buckets(
        factors, cards, order, fixed, replace(limits, cells=max(limits.cells, limits.whole))
    )
    if cells > limits.whole or any(len(groups) > 1 for groups in buckets):
        buckets, cells = _buckets(factors, cards, order, fixed, limits)
    core = BucketBounds(
        list(cards),
        [list(factor.scope) for factor in factors],
        [np.ascontiguousarray(factor.values) for factor in factors],
        list(fixed),
        list(order),
        buckets,
        [_exponents(len(groups)) for groups in buckets],
        list(targets),
    )
    return BucketPlan(core, order, cells, all(len(groups) == 1 for groups in buckets))


def _buckets(
    factors: Sequence[PlainFactor],
    cards: Sequence[int],
    order: Sequence[int],
    fixed: Sequence[int],
    limits: BucketLimits,
) -> tuple[list[list[list[int]]], int]:
    """The groups of each bucket (numbers of tables and of what groups send), and the entries in all."""
    scopes = [frozenset(factor.scope) - {*fixed} for factor in factors]
    rank = {variable: place for place, variable in enumerate(order)}
    waiting: dict[int, list[int]] = {variable: [] for variable in order}

    def wait(number: int) -> None:
        first = min((rank[v] for v in scopes[number] if v in rank), default=None)
        if first is not None:
            waiting[order[first]].append(number)

    for number in range(len(scopes)):
        wait(number)
    buckets: list[list[list[int]]] = []
    cells = 0
    for variable in order:
        groups = _groups(waiting.pop(variable), scopes, cards, limits)
        buckets.append([members for _, members in groups])
        for scope, _ in groups:
            cells += prod(cards[v] for v in scope)
            scopes.append(scope - {variable})
            wait(len(scopes) - 1)
    return buckets, cells


def _groups(
    numbers: Sequence[int], scopes: Sequence[frozenset[int]], cards: Sequence[int], limits: BucketLimits
) -> list[tuple[frozenset[int], list[int]]]:
    """Groups of tables, the largest first; each joins the group with which it shares the most variables."""
    groups: list[tuple[frozenset[int], list[int]]] = []
    for number in sorted(numbers, key=lambda at: (-prod(cards[v] for v in scopes[at]), at)):
        own, best = scopes[number], -1
        for at, (scope, _) in enumerate(groups):
            if not (scope >= own or limits.allow(scope | own, cards)):
                continue
            if best < 0 or len(scope & own) > len(groups[best][0] & own):
                best = at
        if best < 0:
            groups.append((own, [number]))
        else:
            groups[best] = (groups[best][0] | own, [*groups[best][1], number])
    return groups


def _exponents(groups: int) -> list[int]:
    """Powers of 2, as equal as they can be, whose reciprocals sum to 1.

    >>> _exponents(1), _exponents(2), _exponents(3)
    ([1], [2, 2], [2, 4, 4])
    """
    found = [1]
    while len(found) < groups:
        least = min(found)
        found.remove(least)
        found += [2 * least, 2 * least]
        found.sort()
    return found
