"""Back-off: tables with several parents are smoothed towards P(x | class), which more rows support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from bayou.distributions import Dirichlet, Family, Laplace, Prior, Table, prior_from
from bayou.errors import BadPrior
from bayou.learning import PriorChoice
from bayou.schema import Variable, is_number
from bayou.statistics import CountTable, Statistics
from bayou.typing import Name

BACK_OFF = "back-off"


@dataclass(frozen=True)
class BackOff:
    """A prior for P(x | class, parents): ``records`` virtual rows distributed as P(x | class).

    ``base`` smooths P(x | class): a prior, or a number to add to each count.

    Raises ``BadPrior`` if the number of rows is negative.

    >>> BackOff(5)
    BackOff(records=5, base=Laplace(strength=1.0))
    """

    records: float = 1.0
    base: Any = field(default_factory=Laplace)

    def __post_init__(self) -> None:
        if not is_number(self.records) or not 0 <= self.records < inf:
            raise BadPrior(f"BackOff: records must be finite and not negative, not {self.records!r}.")


def back_off_of(given: Any) -> BackOff | None:
    """Return the back-off that ``prior=`` asks for, also as a word; None for another prior.

    >>> back_off_of("back-off"), back_off_of(1.0)
    (BackOff(records=1.0, base=Laplace(strength=1.0)), None)
    """
    if isinstance(given, BackOff):
        return given
    return BackOff() if isinstance(given, str) and given == BACK_OFF else None


def backed_off(
    given: Any,
    parents: Mapping[Name, Sequence[Name]],
    target: Name,
    statistics: Statistics,
    variables: Mapping[Name, Variable],
) -> PriorChoice:
    """Return the priors of all tables; a prior other than back-off is used unchanged."""
    back_off = back_off_of(given)
    if back_off is None:
        return PriorChoice(prior_from(given))
    given = back_off
    base, classes = prior_from(given.base), variables[target]
    chosen: dict[Name, Prior] = {}
    for request in smaller_tables(given, parents, target):
        name = request.variables[-1]
        counts = statistics[request].aligned([classes, variables[name]])
        shares = Table.estimate(counts, Family(variables[name], (classes,)), base).values
        sizes = [variables[parent].cardinality for parent in parents[name]]
        places = [classes.cardinality if parent == target else 1 for parent in parents[name]]
        virtual = (given.records * shares).reshape([*places, -1])
        chosen[name] = Dirichlet(np.broadcast_to(virtual, (*sizes, shares.shape[1])))
    return PriorChoice(base, chosen)


def smaller_tables(given: Any, parents: Mapping[Name, Sequence[Name]], target: Name) -> list[CountTable]:
    """Return the counts (class, x) of tables with the class and other parents; none without back-off."""
    if back_off_of(given) is None:
        return []
    return [CountTable((target, name)) for name, own in parents.items() if len(own) > 1 and target in own]
