"""The E-step: what incomplete rows are expected to say, as statistics that add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bayou.distributions import MaxOfCauses
from bayou.inference.expected import expected_counts
from bayou.inference.expected_causes import proposals_of_table
from bayou.inference.expected_hybrid import expected_moments
from bayou.networks import FrozenNetwork
from bayou.statistics import (
    Batch,
    Counts,
    CountTable,
    Moments,
    ProposalCounts,
    Proposals,
    Request,
    Result,
    Statistics,
)
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class Expectation:
    """The log-likelihood of some rows and their expected statistics; those of two batches add.

    What the causes of a noisy node are expected to have proposed is one of the statistics.
    """

    log_likelihood: float
    statistics: Statistics

    def __add__(self, other: Expectation) -> Expectation:
        total = self.log_likelihood + other.log_likelihood
        return Expectation(total, self.statistics + other.statistics)


@dataclass(frozen=True)
class ExpectationKernel:
    """A kernel over batches of rows: what this network expects of them.

    >>> import bayou, numpy as np
    >>> net = bayou.Network("A", tables={"A": {"x": 0.25, "y": 0.75}})
    >>> kernel = ExpectationKernel(net.frozen)
    >>> expected = kernel(Batch(3, {"A": np.array([0, 1, 255], dtype=np.uint8)}, {}))
    >>> expected.statistics[CountTable(("A",))].values.tolist()
    [1.25, 1.75]
    """

    network: FrozenNetwork

    def __call__(self, batch: Batch) -> Expectation:
        if any(variable.is_continuous for variable in self.network.schema):
            measured = expected_moments(self.network, batch)
            answers = _counted(self.network, measured.tables)
            for moments in measured.moments.values():
                given = tuple(axis.name for axis in moments.groups)
                answers[Moments(moments.variables, given)] = moments
            answers.update(self._proposals(_proposed(self.network, measured.tables)))
            return Expectation(measured.log_likelihood, Statistics(answers, measured.rows))
        expected = expected_counts(self.network, batch)
        answers = _counted(self.network, expected.tables)
        answers.update(self._proposals(expected.links))
        return Expectation(expected.log_likelihood, Statistics(answers, expected.rows))

    def _proposals(self, links: Mapping[Name, Proposals]) -> dict[Any, Any]:
        return {ProposalCounts(self.network.family(name).names): found for name, found in links.items()}


def _proposed(network: FrozenNetwork, tables: Mapping[Name, FloatArray]) -> dict[Name, Proposals]:
    """What the causes of noisy nodes proposed, where the whole tables were counted."""
    noisy = {name: network.distribution(name) for name in tables if name in network.kinds}
    return {
        name: proposals_of_table(node, tables[name])
        for name, node in noisy.items()
        if isinstance(node, MaxOfCauses)
    }


def _counted(network: FrozenNetwork, tables: Mapping[Name, FloatArray]) -> dict[Request, Result]:
    """Expected counts with their labels, for all variables that are learned by counting."""
    answers: dict[Request, Result] = {}
    for name, table in tables.items():
        if name not in network.kinds:
            axes = (*network.parents(name), network.schema[name])
            answers[CountTable(tuple(axis.name for axis in axes))] = Counts(axes, table)
    return answers
