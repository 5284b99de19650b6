"""The M-step, and the part of its objective that does not come from the rows: priors and earlier data."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bayou.distributions import Distribution, Family, Prior
from bayou.errors import BayouWarning
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.parameters import PriorChoice, pooled_answer, requests_for, users_of
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Schema, Variable
from bayou.statistics import Request, Statistics
from bayou.typing import Name, Units


@dataclass(frozen=True)
class LearningProblem:
    """What stays the same in all iterations: structure, states, priors, and statistics of earlier data.

    ``fixed`` blocks (functions of their parents) are not learned from expected statistics.
    """

    structure: Structure
    variables: Mapping[Name, Variable]
    priors: PriorChoice
    before: Statistics | None = None
    fixed: Mapping[Name, Distribution] | None = None

    @cached_property
    def empty(self) -> FrozenNetwork:
        """The network without parameters."""
        schema = Schema(self.variables[name] for name in self.structure.dag.nodes)
        return FrozenNetwork(schema, self.structure.dag, self.structure.sharing, {}, self.structure.kinds)

    @cached_property
    def users(self) -> dict[Name, list[Name]]:
        """The variables that use each block."""
        return users_of(self.empty)

    @cached_property
    def requests(self) -> dict[Name, Request]:
        """The statistic that each variable's parameters are estimated from."""
        return requests_for(self.structure, self.variables)

    @cached_property
    def expected_requests(self) -> dict[Name, Any]:
        """The statistic that the E-step gives for each variable."""
        network = self.empty
        return {name: network.kind(name).expects(network.family(name)) for name in network.dag.nodes}

    @cached_property
    def countable(self) -> frozenset[Request]:
        """The statistics that rows can be added to later: not those of hidden parts of a distribution."""
        return frozenset(self.requests.values())

    def family(self, block: Name) -> Family:
        """The family of a block's first user."""
        return self.empty.family(self.users[block][0])

    def prior(self, block: Name) -> Prior:
        """The prior of a block."""
        return self.priors.of(block, tuple(self.users[block]))

    def answer(self, block: Name, statistics: Statistics) -> Any:
        """The counted statistics of all users of a block, added up; None if there are none."""
        return self._pooled(block, statistics, self.requests)

    def expected_answer(self, block: Name, statistics: Statistics) -> Any:
        """The expected statistics of all users of a block, added up; None if there are none."""
        return self._pooled(block, statistics, self.expected_requests)

    def _pooled(self, block: Name, statistics: Statistics, requests: Mapping[Name, Any]) -> Any:
        users = [name for name in self.users[block] if requests[name] in statistics]
        if not users:
            return None
        return pooled_answer(self.empty, users, {name: statistics[requests[name]] for name in users})

    def before_answer(self, block: Name) -> Any:
        """The statistics of earlier data for a block; None without any."""
        return None if self.before is None else self.answer(block, self.before)

    @cached_property
    def _records(self) -> dict[Name, Any]:
        return {}

    def records(self, block: Name, node: Distribution) -> Any:
        """The pseudocounts and earlier statistics of a block; computed once."""
        if block not in self._records:
            before = self.before_answer(block)
            self._records[block] = node.prior_records(self.family(block), self.prior(block), before)
        return self._records[block]

    def confirm(self, statistics: Statistics) -> None:
        """Give the same warnings as counting, about parameters that the data do not determine."""
        for block, users in self.users.items():
            answer = self.expected_answer(block, statistics)
            if answer is not None:
                self.empty.kind(users[0]).warn_about(answer, self.family(block), self.prior(block))

    def maximised(self, now: FrozenNetwork, expected: Expectation) -> FrozenNetwork:
        """The network with the parameters that maximise the expected log-likelihood plus the log-prior."""
        known = expected.statistics
        if self.before is not None:
            known = known + self.before.only(known)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            blocks = {block: self._better(block, now.blocks[block], known) for block in self.users}
        return now.with_blocks(blocks)

    def _better(self, block: Name, present: Distribution, known: Statistics) -> Distribution:
        return present.maximised(self.expected_answer(block, known), self.family(block), self.prior(block))

    def log_prior(self, network: FrozenNetwork) -> float:
        """The term added to the log-likelihood: Σ pseudocount · log θ, and likewise for earlier data."""
        blocks = ((block, network.blocks[block]) for block in self.users)
        return sum(node.log_prior(self.records(block, node)) for block, node in blocks)

    def distance(self, one: FrozenNetwork, other: FrozenNetwork, units: Units) -> float:
        """The largest difference of a parameter; ``units`` are a mean and a deviation of continuous ones."""
        learned = (block for block in self.users if block not in (self.fixed or {}))
        return max(
            (one.blocks[b].distance(other.blocks[b], self.family(b), units) for b in learned), default=0.0
        )

    def rounding(self, network: FrozenNetwork, statistics: Statistics) -> float:
        """An estimate of the rounding error of the log-likelihood."""
        answers = ((network.blocks[block], self.expected_answer(block, statistics)) for block in self.users)
        return sum(node.rounding(answer) for node, answer in answers if answer is not None)
