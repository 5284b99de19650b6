"""Tables with several parents lean on tables with fewer: what few rows say is pulled to what many say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayou.distributions import Dirichlet, Laplace, Prior, prior_from
from bayou.learning import PriorChoice
from bayou.schema import Variable
from bayou.statistics import CountTable, Statistics
from bayou.typing import Name


@dataclass(frozen=True)
class BackOff:
    """P(x | class, parents) starts from ``records`` virtual rows that show P(x | class), itself smoothed.

    >>> BackOff(5)
    BackOff(records=5, base=Laplace(strength=1.0))
    """

    records: float = 1.0
    base: Prior = field(default_factory=Laplace)


def backed_off(
    given: Any,
    parents: Mapping[Name, Sequence[Name]],
    classes: Variable,
    statistics: Statistics,
    declared: Mapping[Name, Variable],
) -> PriorChoice:
    """The priors of all tables; a plain prior is used as it is."""
    if isinstance(given, str) and given == "back-off":
        given = BackOff()
    if not isinstance(given, BackOff):
        return PriorChoice(prior_from(given))
    chosen: dict[Name, Prior] = {}
    for name, own in parents.items():
        if len(own) < 2:
            continue
        counts = statistics[CountTable((classes.name, name))]
        child = declared.get(name, counts.axes[1])
        table = counts.aligned([classes, child])
        weighed = table.values + np.broadcast_to(
            given.base.pseudocounts(child, [classes]), table.values.shape
        )
        shares = weighed / weighed.sum(axis=1, keepdims=True)
        sizes = [_states(parent, statistics, classes, declared) for parent in own[1:]]
        cells = shares.reshape(len(shares), *[1] * len(sizes), -1)
        shape = (len(shares), *sizes, shares.shape[1])
        chosen[name] = Dirichlet(given.records * np.broadcast_to(cells, shape))
    return PriorChoice(given.base, chosen)


def _states(name: Name, statistics: Statistics, classes: Variable, declared: Mapping[Name, Variable]) -> int:
    known = declared.get(name) or statistics[CountTable((classes.name, name))].axes[1]
    return known.cardinality
