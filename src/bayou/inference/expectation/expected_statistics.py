"""The result of an E-step: the log-likelihood of incomplete rows and the statistics expected of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics
from bayou.typing import Name


@dataclass(frozen=True)
class Expectation:
    """The log-likelihood of some rows and their expected statistics; the results of two batches add.

    ``statistics`` answers the request ``Distribution.expects`` of each variable: counts for a table, moments
    for a Gaussian, the values proposed by each cause for a noisy node. Distributions that EM does not change
    (``fixed_in_em``) are left out.
    """

    log_likelihood: float
    statistics: Statistics

    def __add__(self, other: Expectation) -> Expectation:
        total = self.log_likelihood + other.log_likelihood
        return Expectation(total, self.statistics + other.statistics)


def expectation_of(
    network: FrozenNetwork, log_likelihood: float, answers: Mapping[Name, Any], rows: float
) -> Expectation:
    """Return the expectation made of one answer per variable; distributions fixed in EM are left out."""
    nodes = ((network.distribution(name), network.family(name), answer) for name, answer in answers.items())
    learned = {node.expects(family): answer for node, family, answer in nodes if not node.fixed_in_em}
    return Expectation(log_likelihood, Statistics(learned, rows))
