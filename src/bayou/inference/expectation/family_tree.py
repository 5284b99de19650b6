"""The families of a network given findings, in one clique tree: log P(findings) and P(family | findings).

Observed variables are taken out of the tables before the tree is made, so that cliques are as small as the
findings allow. The tree depends on the shapes of the tables only and is used again with other numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod

import numpy as np

from bayou._native import ExpectedCounts
from bayou.errors import TooWide
from bayou.inference.exact.density_factors import densities
from bayou.inference.exact.kept_plans import KeptPlans
from bayou.inference.exact.local_factors import compact_factors_of
from bayou.inference.question import Question, evidence_columns
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

KEPT_TREES = 16
LARGEST_FAMILY = 2**16
"""The most entries to which the table of a noisy node is expanded where its whole family is needed."""
REMEDIES = (
    "Observe more variables, ask about one table at a time (net.sensitivity(…, table=…)), or raise the "
    "limits (with bayou.limits(memory=…, work=…))."
)
Shape = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""The number of states of each variable, and the variables of each table."""


@dataclass(frozen=True)
class FamilyFactor:
    """A table over numbered variables; ``owner`` is the variable whose whole family it is, if it is one."""

    owner: Name | None
    scope: tuple[int, ...]
    table: FloatArray


def family_factors(
    network: FrozenNetwork, names: Sequence[Name], question: Question, expanded: Collection[Name] = ()
) -> tuple[list[FamilyFactor], list[int]]:
    """Return the factors of P(names, findings), and the number of states of each numbered variable.

    A noisy node is a chain without owner, unless it is among ``expanded``. Likelihoods and densities of
    observed numbers have no owner; only their ratios matter, so each is divided by its largest value.
    """
    cards = [max(variable.cardinality, 1) for variable in network.schema]
    factors: list[FamilyFactor] = []
    for name in names:
        if network.schema[name].is_continuous:
            continue
        if name in expanded or network.finite(name).is_tabled:
            scope = tuple(network.schema.index(member) for member in network.family(name).names)
            factors.append(FamilyFactor(name, scope, network.table(name)))
            continue
        local = compact_factors_of(network, name, len(cards))
        cards += local.sizes
        pieces = zip(local.scopes, local.tables, strict=True)
        factors += [FamilyFactor(None, tuple(scope), table) for scope, table in pieces]
    for name, weights in question.likelihood.items():
        largest = float(weights.max())
        scaled = weights / largest if largest > 0 else weights
        factors.append(FamilyFactor(None, (network.schema.index(name),), scaled))
    measured = densities(network, names, evidence_columns(network, question))
    factors += [FamilyFactor(None, factor.scope, factor.values[0]) for factor in measured.factors]
    return factors, cards


class FamilyTree:
    """Factors with some variables ``fixed`` to a state, and their clique tree.

    ``fixed`` may have other states in each run; which variables it names is part of the tree. Raises TooWide
    beyond the limits, and beyond ``most_entries`` table entries.
    """

    def __init__(
        self,
        factors: Sequence[FamilyFactor],
        cards: Sequence[int],
        fixed: Collection[int],
        most_entries: float = inf,
    ) -> None:
        self.factors = factors
        scopes = [tuple(v for v in factor.scope if v not in fixed) for factor in factors]
        hidden = sorted({variable for scope in scopes for variable in scope})
        place = {variable: k for k, variable in enumerate(hidden)}
        self._inside = [k for k, scope in enumerate(scopes) if scope]
        self._shape: Shape = (
            tuple(cards[variable] for variable in hidden),
            tuple(tuple(place[variable] for variable in scopes[k]) for k in self._inside),
        )
        self._core = _kept.find(self._shape, lambda: _made(self._shape)) if hidden else None
        if self._core is not None:
            _check_cost(self._core, len(hidden), most_entries)

    def place(self, which: int, fixed: Mapping[int, int]) -> tuple[int | slice, ...]:
        """The entries of a factor that agree with the fixed states."""
        return tuple(fixed.get(variable, slice(None)) for variable in self.factors[which].scope)

    def tables(self, fixed: Mapping[int, int]) -> list[FloatArray]:
        """The entries of every factor that agree with the fixed states."""
        found = (factor.table[self.place(k, fixed)] for k, factor in enumerate(self.factors))
        return [np.ascontiguousarray(table, dtype=np.float64).reshape(np.shape(table)) for table in found]

    def run(self, tables: Sequence[FloatArray]) -> tuple[float, list[FloatArray]]:
        """Return the log of the sum of the product of these tables, and each entry's share of that sum.

        The log is -inf, and all shares are 0, where every product is 0.
        """
        inside = set(self._inside)
        constants = np.array([float(table) for k, table in enumerate(tables) if k not in inside])
        with np.errstate(divide="ignore"):
            log = float(np.log(constants).sum())
        shares = [np.ones(()) for _ in tables]
        if self._core is not None:
            given = [np.ascontiguousarray(tables[k]) for k in self._inside]
            more, counts = self._core.run(given, [], [], 1, None, 0, current_limits().memory)
            log += float(more[0])
            for k, count in zip(self._inside, counts, strict=True):
                shares[k] = count.reshape(tables[k].shape)
        return log, shares if log > -np.inf else [np.zeros_like(share) for share in shares]


_kept = KeptPlans[Shape, ExpectedCounts](KEPT_TREES)


def _made(shape: Shape) -> ExpectedCounts:
    try:
        return ExpectedCounts(list(shape[0]), [list(scope) for scope in shape[1]])
    except ValueError as error:
        raise TooWide(f"To look at all families at once is too wide: {error}. {REMEDIES}") from None


def _check_cost(core: ExpectedCounts, hidden: int, most_entries: float) -> None:
    needed, entries = core.bytes(1), core.expected_entries([1.0] * hidden)
    # A run also keeps the product of every entry that it visits.
    needed += 8.0 * entries
    allowed = current_limits()
    work = min(allowed.work, most_entries)
    if needed > allowed.memory or entries > work:
        raise TooWide(
            f"To look at all families at once needs {amount_text(needed)} and goes through {entries:.3g} "
            f"table entries (limits: {amount_text(allowed.memory)} and {work:.3g}). {REMEDIES}"
        )


def expandable(network: FrozenNetwork, names: Sequence[Name]) -> set[Name]:
    """The noisy nodes and functions among ``names`` whose tables are small enough to be written out."""
    return {
        name
        for name in names
        if not network.schema[name].is_continuous
        and not network.finite(name).is_tabled
        and prod(network.finite(name).shape) <= LARGEST_FAMILY
    }
