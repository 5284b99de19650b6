"""Bounds from the neighbourhood of a variable alone, whatever the rest of the network says.

Let R be a region around the target X, and S the variables next to it. All tables with a variable of R
together are φ(R, S), and the others do not know R. So P(x | s, e) = φ(x, s) / Σ_y φ(y, s), and

    min_s P(x | s, e)  ≤  P(x | e) = Σ_s P(s | e) P(x | s, e)  ≤  max_s P(x | s, e).

The larger R, the nearer the bounds. Leisink and Kappen (2003), Bound propagation, JAIR 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from bayou.inference.bounds.bounds import posterior_bounds
from bayou.inference.bounds.mini_buckets import BucketLimits, bucket_plan
from bayou.inference.sampling.zero_propagation import PlainFactor, Scope
from bayou.typing import FloatArray


def neighbourhood_bounds(
    factors: Sequence[PlainFactor], cards: Sequence[int], targets: Scope, limits: BucketLimits
) -> tuple[FloatArray, FloatArray] | None:
    """Bounds on P(targets | findings) from the largest region that fits; None where none does."""
    regions = _growing_regions(factors, cards, targets, limits)
    for region in reversed(regions):
        own = [factor for factor in factors if not region.isdisjoint(factor.scope)]
        border = sorted({v for factor in own for v in factor.scope} - region)
        plan = bucket_plan(own, cards, (), (*border, *targets), limits)
        if plan.is_exact:
            upper, upper_scale, lower, lower_scale = plan.core.run(np.zeros((1, 0), dtype=np.uint32))
            states = prod(cards[v] for v in targets)
            lower = np.ldexp(lower, (lower_scale - upper_scale)[:, None])
            return _over_border(lower.reshape(-1, states), upper.reshape(-1, states))
    return None


def _over_border(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The widest of the bounds for each state of the border that is possible."""
    possible = upper.any(axis=-1)
    low, high = posterior_bounds(lower[possible], upper[possible])
    return low.min(axis=0, initial=1.0), high.max(axis=0, initial=0.0)


def _growing_regions(
    factors: Sequence[PlainFactor], cards: Sequence[int], targets: Scope, limits: BucketLimits
) -> list[frozenset[int]]:
    """Regions, each with one variable more than the last, while the tables over their borders fit."""
    near: dict[int, set[int]] = {}
    for factor in factors:
        for variable in factor.scope:
            near.setdefault(variable, set()).update(factor.scope)
    region, border = set(targets), {v for t in targets for v in near.get(t, ())} - {*targets}
    found: list[frozenset[int]] = []
    while limits.allow({*targets, *border}, cards):
        found.append(frozenset(region))
        if not border:
            break
        chosen = min(border, key=lambda b: (prod(cards[v] for v in (border | near[b]) - region - {b}), b))
        region.add(chosen)
        border = (border | near[chosen]) - region
    return found
