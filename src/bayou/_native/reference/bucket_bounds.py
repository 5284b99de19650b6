"""The numpy reference of bucket bounds: bounds on sums of products, by an elimination of bounded size."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, prod

import numpy as np

from bayou._native.reference.samplers import Scope
from bayou.typing import BoolArray, FloatArray, IntArray

ROUNDING = 2.0**-51
"""Each operation may be wrong by a share of 2⁻⁵³; this is four times that."""
SMALLEST_POWER = 900.0
"""Products that are raised to the power e are kept above 2^(−SMALLEST_POWER / e), or 0."""
SMALLEST_PRODUCT = 2.0**-600
LARGEST_SHIFTS = 200.0
"""The factors that are moved to a group are from 2^−200 to 2^200 in all."""

Table = tuple[list[int], FloatArray]


class BucketBounds:
    """Lower and upper bounds on Σ Π tables, summed over ``order``, for rows of states of ``fixed``.

    The sum over a variable v takes all tables with v: its bucket. A bucket of several groups is split:

        Σ_v Π_g f_g(v, c_g)  ≤  Π_g (Σ_v f_g(v, c_g)^e_g)^(1/e_g)     where Σ_g 1/e_g = 1 (Hölder),
        Σ_v Π_g f_g(v, c_g)  ≥  Π_v q(v)^(−q(v)) Π_g f_g(v, c_g)^q(v)  for any distribution q (Jensen).

    ``buckets`` has the groups for each variable of the order; a group is a list of tables, where number
    len(tables) + k is the result of the k-th group. Exponents are powers of 2, so that powers are squares and
    square roots. Before it is split, a factor λ_g(v) with Π_g λ_g = 1 is moved between the groups, so that
    they agree on v (moment matching). What is left at the end are tables over ``targets``.
    Dechter and Rish (2003), Mini-buckets, J. ACM 50; Liu and Ihler (2011), Bounding the partition function
    using Hölder's inequality, ICML 28.

    >>> coin, copy = np.array([0.5, 0.5]), np.eye(2)
    >>> plan = BucketBounds([2, 2], [[0], [0, 1]], [coin, copy], [], [0], [[[0, 1]]], [[1]], [1])
    >>> upper, upper_scale, lower, lower_scale = plan.run(np.zeros((1, 0), dtype=np.uint32))
    >>> np.ldexp(upper[0], upper_scale[0]).round(6).tolist(), plan.operations
    ([0.5, 0.5], 17)
    """

    def __init__(
        self,
        cards: Scope,
        scopes: Sequence[Scope],
        tables: list[FloatArray],
        fixed: Scope,
        order: Scope,
        buckets: Sequence[Sequence[Scope]],
        exponents: Sequence[Scope],
        targets: Scope,
    ) -> None:
        self.cards, self.fixed, self.targets = list(cards), list(fixed), list(targets)
        self.tables = [
            (list(scope), np.asarray(table, dtype=np.float64).reshape([cards[v] for v in scope]))
            for scope, table in zip(scopes, tables, strict=True)
        ]
        self.steps = [
            (v, [*map(list, groups)], list(powers))
            for v, groups, powers in zip(order, buckets, exponents, strict=True)
        ]
        used = [at for _, groups, _ in self.steps for group in groups for at in group]
        self.made = sum(len(groups) for _, groups, _ in self.steps)
        self.last = sorted(set(range(len(self.tables) + self.made)) - set(used))
        self.operations = self._counted()

    def _counted(self) -> int:
        """An upper bound on the number of roundings on the way to one result."""
        total = len(self.last) + 8
        for v, groups, _ in self.steps:
            for group in groups:
                total += len(group) + self.cards[v] + (4 if len(groups) == 1 else 16)
                # Logs of up to 416 are averaged and raised again, which multiplies their roundings.
                total += 0 if len(groups) == 1 else 1024 * (self.cards[v] + 4)
        return total

    @property
    def is_exact(self) -> bool:
        """Whether no bucket is split: then both bounds differ by roundings only."""
        return all(len(groups) == 1 for _, groups, _ in self.steps)

    def run(self, rows: IntArray, threads: int = 0) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
        """By row: upper bounds by cell of the targets, in units of 2^scale, and the same of lower bounds."""
        cells = prod(self.cards[v] for v in self.targets)
        found = [np.zeros((len(rows), cells)), np.zeros((len(rows), cells))]
        scales = [np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)]
        for row, codes in enumerate(np.asarray(rows).tolist()):
            for side, (values, scale) in enumerate(self._bounds(dict(zip(self.fixed, codes, strict=True)))):
                found[side][row], scales[side][row] = values.ravel(), scale
        wider = self.operations * ROUNDING
        return found[0] * (1 + wider), scales[0], found[1] * (1 - wider), scales[1]

    def _bounds(self, codes: dict[int, int]) -> list[tuple[FloatArray, int]]:
        """The upper and the lower bound of one row, each with its binary exponent."""
        start = [_sliced(table, codes) for table in self.tables]
        upper, lower = list(start), list(start)
        scale = [0, 0]
        for v, groups, powers in self.steps:
            above = [self._product(upper, group, v, True) for group in groups]
            below = [self._product(lower, group, v, False) for group in groups]
            scale[0] += sum(found[2] for found in above)
            scale[1] += sum(found[2] for found in below)
            scopes = [scope for scope, _, _ in above]
            if len(groups) == 1:
                upper.append((scopes[0], above[0][1].sum(axis=-1)))
                lower.append((scopes[0], below[0][1].sum(axis=-1)))
                continue
            matched = _matched([values for _, values, _ in above], powers)
            for scope, values, power in zip(scopes, matched, powers, strict=True):
                message, shift = _norm(values, power)
                upper.append((scope, message))
                scale[0] += shift
            lower += zip(scopes, _geometric([values for _, values, _ in below]), strict=True)
        results = []
        for side, tables in enumerate((upper, lower)):
            _, values, shift = self._joined([tables[at] for at in self.last], self.targets, side == 0)
            results.append((values, scale[side] + shift))
        return results

    def _product(
        self, tables: list[Table], group: Scope, v: int, up: bool
    ) -> tuple[list[int], FloatArray, int]:
        """The product of a group with v as its last axis, and the scope of what is sent."""
        scope = sorted({u for at in group for u in tables[at][0]} - {v})
        return self._joined([tables[at] for at in group], [*scope, v], up, scope)

    def _joined(
        self, tables: list[Table], scope: list[int], up: bool, sent: list[int] | None = None
    ) -> tuple[list[int], FloatArray, int]:
        values, scale = np.ones([self.cards[u] for u in scope]), 0
        for own, table in tables:
            order = sorted(range(len(own)), key=lambda axis: scope.index(own[axis]))
            axes = {own[axis] for axis in order}
            spread = np.transpose(table, order).reshape([self.cards[u] if u in axes else 1 for u in scope])
            values, shift = _scaled(
                _outward(values * spread, (values > 0) & (spread > 0), SMALLEST_PRODUCT, up)
            )
            scale += shift
        return sent or [], values, scale


def _sliced(table: Table, codes: dict[int, int]) -> Table:
    scope, values = table
    values = np.asarray(values[tuple(codes.get(v, slice(None)) for v in scope)])
    return [v for v in scope if v not in codes], values


def _outward(values: FloatArray, positive: BoolArray, smallest: float, up: bool) -> FloatArray:
    """Positive values below ``smallest`` become ``smallest`` in an upper bound and 0 in a lower one."""
    small = (values < smallest) & positive
    result: FloatArray = np.where(small, smallest if up else 0.0, values)
    return result


def _scaled(values: FloatArray) -> tuple[FloatArray, int]:
    """The values divided by a power of 2, so that the largest is from 1/2 to 1; and its exponent."""
    most = float(values.max(initial=0.0))
    if most == 0.0:
        return values, 0
    exponent = frexp(most)[1]
    return np.ldexp(values, -exponent), exponent


def _matched(tables: list[FloatArray], powers: Sequence[int]) -> list[FloatArray]:
    """The tables multiplied by factors of their last axis whose product is 1 (0 where a table is)."""
    sums = []
    for table, power in zip(tables, powers, strict=True):
        kept = _outward(table, table > 0, 2.0 ** (-SMALLEST_POWER / power), True)
        sums.append((kept**power).reshape(-1, table.shape[-1]).sum(axis=0))
    alive = np.all([own > 0 for own in sums], axis=0)
    safe = [np.where(alive, own, 1.0) for own in sums]
    mean = sum((np.log(own) / power for own, power in zip(safe, powers, strict=True)), np.zeros(1))
    most, left, factors = 2.0 ** (LARGEST_SHIFTS / (len(tables) - 1)), np.ones(len(alive)), []
    for own, power in zip(safe[:-1], powers, strict=False):
        shift = np.exp((mean - np.log(own)) / power)
        factors.append(np.clip(shift, 1 / most, most))
        left = left * factors[-1]
    return [table * np.where(alive, f, 0.0) for table, f in zip(tables, [*factors, 1 / left], strict=True)]


def _norm(values: FloatArray, power: int) -> tuple[FloatArray, int]:
    """(Σ values^power)^(1/power) along the last axis, rounded up where it is small; and its exponent."""
    values, scale = _scaled(values)
    kept = _outward(values, values > 0, 2.0 ** (-SMALLEST_POWER / power), True)
    result: FloatArray = kept
    steps = power.bit_length() - 1
    for _ in range(steps):
        result = result * result
    result = result.sum(axis=-1)
    for _ in range(steps):
        result = np.sqrt(result)
    return result, scale


def _geometric(tables: list[FloatArray]) -> list[FloatArray]:
    """Means of the logs along the last axis, weighted by q, as lower bounds; see :class:`BucketBounds`.

    q is one state, the one with the largest product of sums, or spread over all states that are nowhere zero
    where another state is not; whichever promises more.
    """
    states = tables[0].shape[-1]
    flat = [table.reshape(-1, states) for table in tables]
    with np.errstate(divide="ignore"):
        liked = np.sum([np.log(table.sum(axis=0)) for table in flat], axis=0)
    best = int(np.argmax(liked))
    single = [table[..., best] for table in tables]
    alive = [(table > 0) | ~(table > 0).any(axis=1, keepdims=True) for table in flat]
    full = np.all([cells.all(axis=0) for cells in alive], axis=0)
    if full.sum() < 2 or liked[best] == -np.inf:
        return single
    q = np.where(full, np.exp(liked - liked[full].max()), 0.0)
    q = q / q.sum()
    used = q > 0
    entropy = -float((q[used] * np.log(q[used])).sum())
    with np.errstate(divide="ignore"):
        means = [np.exp((np.log(table[..., used]) * q[used]).sum(axis=-1)) for table in tables]
        promise = entropy + sum(float(np.log(mean.sum())) for mean in means)
    if not promise > liked[best]:
        return single
    return [means[0] * np.exp(entropy), *means[1:]]
