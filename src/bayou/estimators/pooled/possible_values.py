"""What the columns of an ensemble could be instead: their states, and numbers on both sides of every cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from bayou.distributions import TEXTS
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.pooled.feature_codes import StateCodes
from bayou.estimators.pooled.pooled_members import PooledMembers
from bayou.schema import Variable
from bayou.typing import Name

REACH = 3.0
"""Gaussian classes are searched up to this many standard deviations from the mean."""


def variables_of(members: PooledMembers | None, plain: NaiveModel | None) -> tuple[Variable, ...]:
    """The columns that are used, with their states; numbers and texts have none."""
    if members is None:
        return () if plain is None else tuple(density.variable for density in plain.densities)
    read = [
        one.variable if isinstance(one, StateCodes) else Variable(one.name)
        for one in members.prepared.columns
    ]
    texts = () if members.texts is None else members.texts.columns
    return (*read, *(Variable(one.name, texts=True) for one in texts))


def numbers_of(
    members: PooledMembers | None, plain: NaiveModel | None, name: Name, points: int
) -> Sequence[float]:
    """Numbers of a column, ascending: all tables and trees answer alike between two of them.

    Only Gaussian classes do not, so ``points`` more are spread over the range of training.
    """
    if members is None:
        densities = () if plain is None else plain.densities
        own = next((density for density in densities if density.variable.name == name), None)
        if own is None or own.distribution.values_are == TEXTS:
            return []
        return own.distribution.likely_values(points)
    column = next((one for one in members.prepared.columns if one.name == name), None)
    if column is None or isinstance(column, StateCodes):
        return []
    found = [column.cuts, np.nextafter(column.cuts, np.inf)]
    features = chain.from_iterable(one.features.numbers for one in members.gaussians.values())
    spread = [
        [one.centre - REACH * one.scale, one.centre + REACH * one.scale] if not len(one.knots) else one.knots
        for one in features
        if one.name == name
    ]
    if spread:
        ends = np.concatenate(spread)
        found.append(np.linspace(ends.min(), ends.max(), points))
    numbers: list[float] = np.unique(np.concatenate(found)).tolist()
    return numbers
