"""P(target, findings) and its gradient with respect to the entries of every table, from one clique tree.

P(t, e) is a sum of products with one entry of each table, so it is linear in the entries of one variable, and

    ∂P(t, e)/∂θ = P(states of θ's family, t, e) / θ,

where the families' probabilities come from messages up and down the tree. An entry 0 is replaced by a number
ε so small that all terms with ε are lost in the rounding of those without: the quotient is then exact. Where
P(e) is too small for such a number, the tables with zeros are taken one at a time, with 1 for their zeros,
which is exact because P(t, e) is linear in them. Darwiche (2003), A differential approach to inference in
Bayesian networks, J. ACM 50.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bayou.distributions import Table
from bayou.inference.expectation.family_tree import FamilyTree, family_factors
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

STAND_IN = 1e-60
SMALLER_THAN_FINDINGS = 1e-34
"""What stands for 0: the first, or where P(findings) is small, P(findings) times the second."""
LEAST_LOG = -59.0
"""log P(findings) from which on the first is small enough."""
SMALLEST_LOG = -380.0
"""log P(findings) below which no number is; the logarithm of what stands for 0 is then -458."""
NEGLIGIBLE = 1e-24
"""Gradients below this, divided by P(findings), are made of the numbers that stand for 0."""
LARGEST_LOG_RATIO = 690.0


class TargetGradients:
    """The sums P(target = t, findings) over ``names``, for all states t of the question's target.

    ``names`` are discrete variables (and real ones, whose densities are factors) that can affect the answer.
    """

    def __init__(self, network: FrozenNetwork, names: Sequence[Name], question: Question) -> None:
        schema = network.schema
        (target,) = question.targets
        factors, cards = family_factors(network, names, question)
        given = {**question.evidence, **question.do}
        known = {schema.index(name): int(code) for name, code in given.items() if schema[name].cardinality}
        number = schema.index(target)
        self._states = [{**known, number: code} for code in range(schema[target].cardinality)]
        self._tree = FamilyTree(factors, cards, {*known, number})
        self.entries: dict[Name, int] = {
            factor.owner: k
            for k, factor in enumerate(factors)
            if factor.owner is not None and isinstance(network.distribution(factor.owner), Table)
        }
        """The variables that have a table with entries, and the places of their factors."""

    def logs(self, changed: Mapping[Name, FloatArray] | None = None) -> FloatArray:
        """Return log P(target = t, findings) for every t, up to a constant; with some tables ``changed``."""
        return np.array([self._tree.run(self._tables(fixed, changed or {}))[0] for fixed in self._states])

    def gradients(self) -> dict[Name, FloatArray]:
        """Return ∂P(target = t, findings)/∂θ / P(findings) for all entries θ; the findings must be possible.

        The gradients have the axes (target, axes of the table).
        """
        sums = [_Sum(self._tree, fixed, self.entries.values(), STAND_IN) for fixed in self._states]
        total = _log_of_all(sums)
        if total < LEAST_LOG and any(one.has_zeros for one in sums):
            sums = [_Sum(self._tree, fixed, self.entries.values(), 0.0) for fixed in self._states]
            total = _log_of_all(sums)
            if total >= SMALLEST_LOG:
                small = float(np.exp(total)) * SMALLER_THAN_FINDINGS
                sums = [_Sum(self._tree, fixed, self.entries.values(), small) for fixed in self._states]
        with_zeros = any(one.has_zeros for one in sums)
        shapes = {name: self._tree.factors[k].table.shape for name, k in self.entries.items()}
        found = {name: np.zeros((len(sums), *shape)) for name, shape in shapes.items()}
        for code, (fixed, one) in enumerate(zip(self._states, sums, strict=True)):
            for name, k in self.entries.items():
                gradient = one.gradient(k, total)
                if with_zeros:
                    gradient[gradient < NEGLIGIBLE] = 0.0
                found[name][(code, *self._tree.place(k, fixed))] = gradient
        return found

    def _tables(self, fixed: Mapping[int, int], changed: Mapping[Name, FloatArray]) -> list[FloatArray]:
        tables = self._tree.tables(fixed)
        for name, table in changed.items():
            k = self.entries[name]
            tables[k] = np.array(table[self._tree.place(k, fixed)], dtype=np.float64)
        return tables


class _Sum:
    """P(target = t, findings) for one t, with ``stand_in`` for the zeros of tables of entries."""

    def __init__(
        self, tree: FamilyTree, fixed: Mapping[int, int], entries: Iterable[int], stand_in: float
    ) -> None:
        self._tree, self._tables = tree, tree.tables(fixed)
        self.has_zeros = False
        for k in entries:
            if not np.all(self._tables[k] > 0):
                self._tables[k] = np.where(self._tables[k] > 0, self._tables[k], stand_in)
                self.has_zeros = True
        self.log, self._shares = tree.run(self._tables)

    def gradient(self, k: int, total: float) -> FloatArray:
        """The gradient by the entries of one table, divided by e^total; alone where zeros are still there."""
        own, log, share = self._tables[k], self.log, self._shares[k]
        if not np.all(own > 0):
            own = np.where(own > 0, own, 1.0)
            log, shares = self._tree.run([*self._tables[:k], own, *self._tables[k + 1 :]])
            share = shares[k]
        return np.asarray(share / own * np.exp(min(log - total, LARGEST_LOG_RATIO)))


def _log_of_all(sums: Sequence[_Sum]) -> float:
    return float(np.logaddexp.reduce([one.log for one in sums]))
