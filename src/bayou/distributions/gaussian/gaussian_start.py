"""The start of EM for a linear Gaussian: complete rows with extra variance, or random lines."""

from __future__ import annotations

import numpy as np

from bayou.distributions.distribution_kind import StartingData
from bayou.errors import BadData
from bayou.schema import Variable
from bayou.statistics import GroupMoments
from bayou.typing import FloatArray

_SLOPE = 0.5
"""The standard deviation of random slopes, in deviations of the child per deviation of the parent."""


def widened_moments(moments: GroupMoments, known: StartingData) -> GroupMoments:
    """Return the moments with one more record's weight and scatter in each group that has rows.

    The added scatter is the variance of each variable over all rows, so that no group has variance 0.
    """
    family = known.family
    wide = np.diag([_spread(known, variable)[1] ** 2 for variable in (*family.continuous, family.child)])
    more = (moments.n > 0).astype(np.float64)
    scatter = moments.scatter + more[..., None, None] * wide
    return GroupMoments(moments.variables, moments.groups, moments.n + more, moments.mean, scatter)


def random_lines(known: StartingData) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return intercepts, slopes and variances of random lines over the range of the child."""
    family, chance = known.family, known.chance
    groups, inputs = family.shape, family.continuous
    mean, deviation = _spread(known, family.child)
    slopes = np.zeros((*groups, len(inputs)))
    centre = np.zeros(groups)
    for place, parent in enumerate(inputs):
        at, wide = _spread(known, parent)
        slopes[..., place] = _SLOPE * chance.normal(size=groups) * deviation / wide
        centre = centre + slopes[..., place] * at
    # A number that is never observed has an arbitrary scale: its groups must differ, a single group need not.
    alone = not groups and _seen(known, family.child) is None
    thrown = mean + (0.0 if alone else deviation * chance.normal(size=groups))
    return thrown - centre, slopes, np.full(groups, deviation**2)


def _seen(known: StartingData, variable: Variable) -> GroupMoments | None:
    """The moments of a variable over all rows that have it; None if there are none."""
    moments: GroupMoments | None = known.alone(variable)
    return moments if moments is not None and moments.total > 0 else None


def _spread(known: StartingData, variable: Variable) -> tuple[float, float]:
    """Mean and standard deviation of a variable over all rows that have it (0 and 1 if there are none)."""
    moments = _seen(known, variable)
    if moments is None:
        return 0.0, 1.0
    variance = float(moments.scatter.item() / moments.n.item()) if moments.n.item() > 0 else 0.0
    if not variance > 0:
        raise BadData(
            f"{variable.name!r} does not vary (variance 0), so it has no density to learn. Declare it "
            "discrete (states=…), or leave it out."
        )
    return float(moments.mean.item()), variance**0.5
