"""The cut-set: variables without which the rest is narrow enough to be summed out exactly.

It is found one variable at a time, as the search goes deeper. Bidyuk and Dechter (2007), Cutset sampling for
Bayesian networks, JAIR 28.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bayou.inference.bounds.mini_buckets import BucketLimits
from bayou.inference.sampling.zero_propagation import PlainFactor


def next_cut(
    factors: Sequence[PlainFactor],
    cards: Sequence[int],
    fixed: Collection[int],
    order: Sequence[int],
    limits: BucketLimits,
) -> int | None:
    """The variable that is in the most tables beyond the limits when the order is summed out, or None.

    Of equal ones it is that with the fewest states. ``fixed`` variables are no part of the tables any more.
    """
    counts: dict[int, int] = {}
    summed = set(order)
    for scope in _tables_beyond(factors, cards, fixed, order, limits):
        for variable in scope & summed:
            counts[variable] = counts.get(variable, 0) + 1
    return min(counts, key=lambda v: (-counts[v], cards[v], v), default=None)


def _tables_beyond(
    factors: Sequence[PlainFactor],
    cards: Sequence[int],
    fixed: Collection[int],
    order: Sequence[int],
    limits: BucketLimits,
) -> list[set[int]]:
    """The scopes of the products beyond the limits, when the order is summed out without splitting."""
    near: dict[int, set[int]] = {}
    for factor in factors:
        members = {v for v in factor.scope if v not in fixed}
        for variable in members:
            near.setdefault(variable, set()).update(members)
    beyond = []
    for variable in order:
        scope = near.pop(variable)
        if not limits.allow(scope, cards):
            beyond.append(set(scope))
        for other in scope - {variable}:
            near[other] |= scope
            near[other].discard(variable)
    return beyond
