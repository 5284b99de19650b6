"""How far the belief in a variable moves: the Hellinger distance between two distributions.

H(p, q)² = ½ Σ (√p − √q)², between 0 (equal) and 1 (nothing in common). Numbers are compared as Gaussians of
their mean m and variance v: H² = 1 − √(2 s t / (v + w)) exp(−(m − n)² / 4 (v + w)), with s = √v, t = √w.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bayou.inference import MarginalAnswers, Mixture
from bayou.schema import Schema
from bayou.typing import FloatArray, Name, State


@dataclass(frozen=True)
class BeliefChange:
    """A variable before the findings and after them: the state whose probability rose most, or the mean.

    ``state`` is None for a variable of numbers; ``before`` and ``after`` are then its means. ``distance`` is
    the Hellinger distance between the two distributions.
    """

    name: Name
    state: State | None
    before: float
    after: float
    distance: float


def distance(before: FloatArray, after: FloatArray) -> float:
    """The Hellinger distance between two tables of one variable.

    >>> round(distance(np.array([0.5, 0.5]), np.array([0.5, 0.5])), 4)
    0.0
    >>> round(distance(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 4)
    1.0
    """
    return math.sqrt(0.5 * float(((np.sqrt(before) - np.sqrt(after)) ** 2).sum()))


def distance_of_numbers(before: Mixture, after: Mixture) -> float:
    """The Hellinger distance between the Gaussians with the means and variances of two mixtures.

    >>> one = Mixture(np.ones(1), np.zeros(1), np.ones(1))
    >>> other = Mixture(np.ones(1), np.ones(1), np.ones(1))
    >>> distance_of_numbers(one, one), round(distance_of_numbers(one, other), 4)
    (0.0, 0.3428)
    """
    spread = before.variance + after.variance
    gap = (before.mean - after.mean) ** 2
    product = before.variance * after.variance
    if product <= 0:
        return 0.0 if gap == 0 and spread == 0 else 1.0
    exponent = 0.5 * math.log(2 * math.sqrt(product) / spread) - gap / (4 * spread)
    return math.sqrt(max(0.0, -math.expm1(exponent)))


def moves(before: MarginalAnswers, after: MarginalAnswers) -> dict[Name, float]:
    """How far the belief in each variable moves between two answers that both have it."""
    found = {
        name: distance(table, after.tables[name])
        for name, table in before.tables.items()
        if name in after.tables
    }
    for name, mixture in before.mixtures.items():
        if name in after.mixtures:
            found[name] = distance_of_numbers(mixture, after.mixtures[name])
    return found


def change_of(
    schema: Schema, name: Name, before: MarginalAnswers, after: MarginalAnswers
) -> BeliefChange | None:
    """The change of one variable; None if one of the answers does not have it."""
    if name in before.tables and name in after.tables:
        earlier, later = before.tables[name], after.tables[name]
        code = int(np.argmax(later - earlier))
        state = schema[name].states[code]
        return BeliefChange(name, state, float(earlier[code]), float(later[code]), distance(earlier, later))
    if name in before.mixtures and name in after.mixtures:
        first, last = before.mixtures[name], after.mixtures[name]
        return BeliefChange(name, None, first.mean, last.mean, distance_of_numbers(first, last))
    return None
