"""Tables with several parents lean on tables with fewer: what few rows say is pulled to what many say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayou.distributions import Dirichlet, Family, Laplace, Prior, Table, prior_from
from bayou.learning import PriorChoice
from bayou.schema import Variable
from bayou.statistics import CountTable, Statistics
from bayou.typing import Name

BACK_OFF = "back-off"


@dataclass(frozen=True)
class BackOff:
    """P(x | class, parents) starts from ``records`` virtual rows that show P(x | class), itself smoothed.

    ``base`` smooths that: a prior, or a number to add to each count.

    >>> BackOff(5)
    BackOff(records=5, base=Laplace(strength=1.0))
    """

    records: float = 1.0
    base: Any = field(default_factory=Laplace)


def backed_off(
    given: Any,
    parents: Mapping[Name, Sequence[Name]],
    target: Name,
    statistics: Statistics,
    variables: Mapping[Name, Variable],
) -> PriorChoice:
    """The priors of all tables; a plain prior is used as it is."""
    given = BackOff() if isinstance(given, str) and given == BACK_OFF else given
    if not isinstance(given, BackOff):
        return PriorChoice(prior_from(given))
    base, classes = prior_from(given.base), variables[target]
    chosen: dict[Name, Prior] = {}
    for request in smaller_tables(given, parents, target):
        name = request.variables[-1]
        counts = statistics[request].aligned([classes, variables[name]])
        shares = Table.estimate(counts, Family(variables[name], (classes,)), base).values
        sizes = [variables[parent].cardinality for parent in parents[name]]
        places = [classes.cardinality if parent == target else 1 for parent in parents[name]]
        virtual = np.broadcast_to(shares.reshape([*places, -1]), (*sizes, shares.shape[1]))
        chosen[name] = Dirichlet(given.records * virtual)
    return PriorChoice(base, chosen)


def smaller_tables(given: Any, parents: Mapping[Name, Sequence[Name]], target: Name) -> list[CountTable]:
    """The counts that tables with the class among several parents lean on, if they do."""
    if not isinstance(given, BackOff) and not (isinstance(given, str) and given == BACK_OFF):
        return []
    return [CountTable((target, name)) for name, own in parents.items() if len(own) > 1 and target in own]
