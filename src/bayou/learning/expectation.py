"""The E-step: what incomplete rows are expected to say, as statistics that add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bayou.distributions import MaxOfCauses
from bayou.inference.expected import expected_counts
from bayou.inference.expected_causes import Proposals, proposals_of_table
from bayou.inference.expected_hybrid import expected_moments
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch, Counts, CountTable, Moments, Request, Result, Statistics
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class Expectation:
    """The log-likelihood of some rows and their expected statistics; those of two batches add.

    ``links`` has what the causes of each noisy node are expected to have proposed.
    """

    log_likelihood: float
    statistics: Statistics
    links: Mapping[Name, Proposals]

    def __add__(self, other: Expectation) -> Expectation:
        return Expectation(
            self.log_likelihood + other.log_likelihood,
            self.statistics + other.statistics,
            {name: link + other.links[name] for name, link in self.links.items()},
        )


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
            links = _proposed(self.network, measured.tables)
            return Expectation(measured.log_likelihood, Statistics(answers, measured.rows), links)
        expected = expected_counts(self.network, batch)
        answers = _counted(self.network, expected.tables)
        return Expectation(expected.log_likelihood, Statistics(answers, expected.rows), expected.links)


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
