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

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bayou.distributions import Table
from bayou.inference.expectation.family_tree import FamilyTree, family_factors
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

LARGEST_STAND_IN = 1e-40
SMALLER_THAN_FINDINGS = 1e-34
SMALLEST_LOG = -380.0
"""log P(findings) below which there is no number that could stand for 0; the number's logarithm is -458."""
NEGLIGIBLE = 1e-24
"""Gradients below this, divided by P(findings), are made of the numbers that stand for 0."""
LARGEST_LOG_RATIO = 690.0

Run = tuple[float, list[FloatArray]]
"""What a tree returns: the log of a sum, and the shares of the entries of each table."""


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

    def gradients(self) -> tuple[FloatArray, dict[Name, FloatArray]]:
        """Return P(target = t | findings), and ∂P(target = t, findings)/∂θ / P(findings) for all entries.

        The gradients have the axes (target, axes of the table). Probabilities are NaN, and gradients empty,
        where the findings are impossible.
        """
        runs = [self._tree.run(self._tree.tables(fixed)) for fixed in self._states]
        logs = np.array([log for log, _ in runs])
        total = float(np.logaddexp.reduce(logs))
        if total == -np.inf:
            return np.full(len(logs), np.nan), {}
        shapes = {name: self._tree.factors[k].table.shape for name, k in self.entries.items()}
        found = {name: np.zeros((len(logs), *shape)) for name, shape in shapes.items()}
        of_state = self._all_at_once if total >= SMALLEST_LOG else self._one_at_a_time
        for code, fixed in enumerate(self._states):
            for name, gradient in of_state(fixed, runs[code], total):
                gradient[gradient < NEGLIGIBLE] = 0.0
                found[name][(code, *self._tree.place(self.entries[name], fixed))] = gradient
        probabilities: FloatArray = np.exp(logs - total)
        return probabilities / probabilities.sum(), found

    def _all_at_once(
        self, fixed: Mapping[int, int], run: Run, total: float
    ) -> Iterator[tuple[Name, FloatArray]]:
        """The gradients for one state of the target, with a tiny number instead of each zero."""
        tables = self._tree.tables(fixed)
        stand_in = min(LARGEST_STAND_IN, float(np.exp(total)) * SMALLER_THAN_FINDINGS)
        with_zeros = [k for k in self.entries.values() if not np.all(tables[k] > 0)]
        for k in with_zeros:
            tables[k] = np.where(tables[k] > 0, tables[k], stand_in)
        log, shares = self._tree.run(tables) if with_zeros else run
        for name, k in self.entries.items():
            yield name, np.asarray(shares[k] / tables[k] * np.exp(log - total))

    def _one_at_a_time(
        self, fixed: Mapping[int, int], run: Run, total: float
    ) -> Iterator[tuple[Name, FloatArray]]:
        """The same with an own run for each table that has a zero, which is replaced by 1."""
        tables = self._tree.tables(fixed)
        for name, k in self.entries.items():
            own, (log, shares) = tables[k], run
            if not np.all(own > 0):
                own = np.where(own > 0, own, 1.0)
                log, shares = self._tree.run([*tables[:k], own, *tables[k + 1 :]])
            yield name, np.asarray(shares[k] / own * np.exp(min(log - total, LARGEST_LOG_RATIO)))

    def _tables(self, fixed: Mapping[int, int], changed: Mapping[Name, FloatArray]) -> list[FloatArray]:
        tables = self._tree.tables(fixed)
        for name, table in changed.items():
            k = self.entries[name]
            tables[k] = np.array(table[self._tree.place(k, fixed)], dtype=np.float64)
        return tables
