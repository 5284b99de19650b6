"""Credible intervals of the entries of a learned table.

A row with counts n and pseudocounts α has the posterior Dirichlet(n + α), so that one entry is distributed as
Beta(n_i + α_i, Σ_j (n_j + α_j) − n_i − α_i): the ends of its interval are exact quantiles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.errors import BadQuestion
from bayou.explain.intervals.credible_intervals import parameter_posteriors
from bayou.learning import PriorChoice
from bayou.networks import FrozenNetwork
from bayou.special_functions import betaincinv
from bayou.statistics import GroupMoments, Statistics
from bayou.typing import FloatArray, Name


@dataclass(frozen=True, eq=False)
class TableIntervals:
    """The central interval of each entry of a table, in the form of the table: parents …, states."""

    mass: float
    lower: FloatArray
    upper: FloatArray


def table_intervals(
    network: FrozenNetwork, name: Name, statistics: Statistics, priors: PriorChoice, mass: float = 0.95
) -> TableIntervals:
    """Return the central intervals of all entries of one table, from its counts and its prior."""
    if not network.distribution(name).has_dirichlet_posterior:
        raise BadQuestion(
            f"{name!r} is not a table of counts but a {network.kind(name).title} distribution: its entries "
            "have no intervals of their own."
        )
    known, _ = parameter_posteriors(network, statistics, priors, [name])[network.slots[name]]
    assert not isinstance(known, GroupMoments)
    rest = known.sum(axis=-1, keepdims=True) - known
    tail = (1 - mass) / 2
    some, other = np.maximum(known, 1e-300), np.maximum(rest, 1e-300)
    lower, upper = (
        np.where(known <= 0, 0.0, np.where(rest <= 0, 1.0, betaincinv(some, other, p)))
        for p in (tail, 1 - tail)
    )
    return TableIntervals(mass, lower, upper)
