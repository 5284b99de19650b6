"""Sums and differences of the moments of classes: means, scatter, third and fourth moments of two parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import BadStatistics, listed
from bayou.schema import Variable
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.statistics.matrix.class_moments import ClassMoments, FourthMoments

_ROUNDING = 1e-9
"""Weights below this share of those before are the rounding of sums."""


def merged_spread(a: ClassMoments, b: ClassMoments, mean: FloatArray) -> FourthMoments | None:
    """The third and fourth moments of both parts about their common mean."""
    if a.spread is None or b.spread is None:
        return None
    third, fourth = (left + right for left, right in zip(_moved(a, mean), _moved(b, mean), strict=True))
    return replace(a.spread, third=third, fourth=fourth)


def _moved(part: ClassMoments, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The third and fourth moments of one part about another mean: deviations u become u + a."""
    assert part.spread is not None
    n = part.n[:, :1, None]
    a = np.where(part.n > 0, part.mean - mean, 0.0)
    i, j = a[:, :, None], a[:, None, :]
    s = part.scatter
    variances = np.diagonal(s, axis1=1, axis2=2)
    vi, vj = variances[:, :, None], variances[:, None, :]
    t = part.spread.third
    third = t + j * vi + 2 * i * s + n * i**2 * j
    fourth = (
        part.spread.fourth
        + 2 * (j * t + i * t.transpose(0, 2, 1))
        + j**2 * vi
        + i**2 * vj
        + 4 * i * j * s
        + n * i**2 * j**2
    )
    return third, fourth


def difference(whole: ClassMoments, part: ClassMoments) -> ClassMoments:
    """The moments of the rows of ``whole`` that are not in ``part``; both have the same classes.

    With n = n₁ − n₂ the mean is m = m₁ + (n₂ / n) (m₁ − m₂) and the scatter is
    S₁ − S₂ − (n n₂ / n₁) (m₂ − m)(m₂ − m)ᵀ.
    """
    rows, n = _left(whole.rows, part.rows), _left(whole.n, part.n)
    mean = whole.mean + part.n / np.where(n > 0, n, 1.0) * (whole.mean - part.mean)
    mean = np.where(n > 0, np.where(part.n > 0, mean, whole.mean), 0.0)
    gap = np.where((n > 0) & (part.n > 0), part.mean - mean, 0.0)
    between = n * part.n / np.where(whole.n > 0, whole.n, 1.0)
    if whole.form == "columns":
        moved = between * gap**2
    else:
        by_class = np.einsum("k,ki,kj->kij", between[:, 0] if between.shape[1] else rows * 0, gap, gap)
        moved = by_class if whole.form == "matrices" else by_class.sum(axis=0)
    scatter = _checked((whole.scatter - moved) - part.scatter, whole)
    if whole.form != "pooled":
        empty = n == 0 if whole.form == "columns" else (n == 0)[:, :, None] | (n == 0)[:, None, :]
        scatter = np.where(empty, 0.0, scatter)
    sample = (
        whole.sample - part.sample if whole.sample is not None and part.sample is not None else whole.sample
    )
    rest = replace(whole, rows=rows, n=n, mean=mean, scatter=scatter, sample=sample)
    return _without_empty(_with_spread(rest, whole, part))


def _left(before: FloatArray, removed: FloatArray) -> FloatArray:
    """What is left of weights; remainders of rounding become 0, and fewer than none are an error."""
    left = before - removed
    left = np.where(np.abs(left) <= _ROUNDING * np.maximum(before, removed), 0.0, left)
    if left.size and left.min() < 0:
        raise BadStatistics(
            f"Cannot subtract more rows than were added (a class would have {left.min():g}). Only records "
            "that were added before can be forgotten."
        )
    return left


def _checked(scatter: FloatArray, whole: ClassMoments) -> FloatArray:
    """The scatter that is left; one that is clearly negative belongs to rows that were never added."""
    of = (
        (lambda each: each)
        if whole.form == "columns"
        else (lambda each: np.diagonal(each, axis1=-2, axis2=-1))
    )
    left, before = of(scatter), of(whole.scatter)
    if np.any(left < -_ROUNDING * np.maximum(before, 1e-300)):
        column = int(np.argwhere(left < -_ROUNDING * np.maximum(before, 1e-300))[0][-1])
        raise BadStatistics(
            f"The rows to be removed vary more in {listed([whole.variables[column]])} than all rows do: "
            "only records that were added before can be forgotten."
        )
    return scatter


def _with_spread(rest: ClassMoments, whole: ClassMoments, part: ClassMoments) -> ClassMoments:
    """The third and fourth moments that, together with those of the part, make those of the whole."""
    if whole.spread is None or part.spread is None:
        return replace(rest, spread=None)
    third, fourth = (
        own - removed
        for own, removed in zip(
            (whole.spread.third, whole.spread.fourth), _moved(part, whole.mean), strict=True
        )
    )
    nothing = np.zeros_like(third)
    # What the rest would have about the mean of the whole if its own moments were 0, is what they are not.
    start = replace(rest, spread=replace(whole.spread, third=nothing, fourth=nothing))
    own_third = third - _moved(start, whole.mean)[0]
    start = replace(rest, spread=replace(whole.spread, third=own_third, fourth=nothing))
    own_fourth = fourth - _moved(start, whole.mean)[1]
    return replace(rest, spread=replace(whole.spread, third=own_third, fourth=own_fourth))


def _without_empty(moments: ClassMoments) -> ClassMoments:
    """The same moments without the classes that have no rows."""
    kept = np.flatnonzero(moments.rows > 0)
    if len(kept) == moments.classes.cardinality:
        return moments
    classes = moments.classes
    spread = moments.spread
    gaps = moments.incomplete
    if gaps is not None:
        place = np.full(classes.cardinality, -1)
        place[kept] = np.arange(len(kept))
        gaps = gaps.aligned(place, len(kept))
    return replace(
        moments,
        classes=Variable(classes.name, [classes.states[k] for k in kept.tolist()], ordered=classes.ordered),
        rows=moments.rows[kept],
        n=moments.n[kept],
        mean=moments.mean[kept],
        scatter=moments.scatter if moments.form == "pooled" else moments.scatter[kept],
        spread=spread and replace(spread, third=spread.third[kept], fourth=spread.fourth[kept]),
        incomplete=gaps,
    )
