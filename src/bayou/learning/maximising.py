"""The M-step, and the part of its objective that does not come from the rows: priors, and earlier records."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from bayou.distributions import (
    FunctionOfParents,
    LinearGaussian,
    LocalDistribution,
    MaxOfCauses,
    Prior,
    Table,
)
from bayou.distributions.linear_gaussian import has_own_line
from bayou.errors import BayouWarning, warn_user
from bayou.inference.expected_causes import Proposals
from bayou.learning.expectation import Expectation
from bayou.learning.parameters import PriorChoice, estimate_block, requests_for, users_of
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Schema, Variable
from bayou.statistics import CountTable, GroupMoments, Moments, Request, Statistics, pool_counts, pool_moments
from bayou.typing import BoolArray, FloatArray, Name

_LOG_TWO_PI = float(np.log(2 * np.pi))
_ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""The share of the summands that a sum of squares may be off by."""


@dataclass(frozen=True)
class Problem:
    """What stays the same from step to step: structure, states, priors, and statistics known before.

    ``fixed`` blocks (functions of their parents) are not learned from expectations.
    """

    structure: Structure
    variables: Mapping[Name, Variable]
    priors: PriorChoice
    before: Statistics | None = None
    fixed: Mapping[Name, LocalDistribution] | None = None

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
        """The statistic that each variable is learned from."""
        return requests_for(self.structure, self.variables)

    @cached_property
    def _axes(self) -> dict[Name, tuple[Variable, ...]]:
        first = {block: users[0] for block, users in self.users.items()}
        return {b: (*self.empty.discrete_parents(n), self.empty.schema[n]) for b, n in first.items()}

    def axes(self, block: Name) -> tuple[Variable, ...]:
        """The discrete parents of a block's first user and that user."""
        return self._axes[block]

    def prior(self, block: Name) -> Prior:
        """The prior of a block."""
        return self.priors.of(block, tuple(self.users[block]))

    @cached_property
    def extra(self) -> dict[Name, FloatArray]:
        """For each block with a table: pseudocounts, and the counts of earlier records."""
        extra: dict[Name, FloatArray] = {}
        for block, users in self.users.items():
            axes = self.axes(block)
            if axes[-1].is_continuous or users[0] in self.structure.kinds:
                continue
            shape = tuple(axis.cardinality for axis in axes)
            pseudo = np.broadcast_to(self._pseudo(block), shape)
            extra[block] = pseudo + self._counted(block) if self.before is not None else pseudo.copy()
        return extra

    def _counted(self, block: Name) -> FloatArray:
        return np.asarray(self.counts(block, self.before), dtype=np.float64)

    def counts(self, block: Name, statistics: Statistics | None) -> FloatArray:
        """The counts of all users of a block with a table."""
        axes = self.axes(block)
        requests = [self.requests[name] for name in self.users[block]]
        assert statistics is not None
        found = [statistics[r] for r in requests if isinstance(r, CountTable) and r in statistics]
        if len(found) == 1 and all(map(operator.is_, found[0].axes, axes)):
            # The E-step counts on these very axes: nothing to look up, many times a second.
            return found[0].values
        return pool_counts(found, [axis.name for axis in axes]).aligned(axes).values

    def moments(self, block: Name, statistics: Statistics) -> GroupMoments:
        """The moments of all users of a Gaussian block."""
        *groups, child = self.axes(block)
        inputs = self.empty.continuous_parents(child.name)
        requests = [self.requests[name] for name in self.users[block]]
        found = [statistics[r] for r in requests if isinstance(r, Moments) and r in statistics]
        names = [*(parent.name for parent in inputs), child.name]
        return pool_moments(found, names, [group.name for group in groups]).aligned(groups)

    def proposals(self, block: Name, links: Mapping[Name, Proposals]) -> Proposals:
        """What the causes of all users of a noisy block proposed."""
        return reduce(Proposals.__add__, (links[name] for name in self.users[block]))

    def confirm(self, statistics: Statistics) -> None:
        """Give the warnings that counting gives for what the data leave open."""
        for block, users in self.users.items():
            if self.empty.schema[users[0]].is_continuous:
                _warn_of_kept_lines(users[0], has_own_line(self.moments(block, statistics)))
            elif users[0] not in self.structure.kinds:
                estimate_block(self.empty, statistics, self.requests, users, self.prior(block))

    def maximised(self, now: FrozenNetwork, expected: Expectation) -> FrozenNetwork:
        """The parameters that make the expected statistics (and the prior) most probable."""
        known = expected.statistics
        if self.before is not None:
            known = known + self.before.only(known)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            blocks = {block: self._block(block, now, known, expected.links) for block in self.users}
        return now.with_blocks(blocks)

    def _block(
        self, block: Name, now: FrozenNetwork, known: Statistics, links: Mapping[Name, Proposals]
    ) -> LocalDistribution:
        users = self.users[block]
        present = now.blocks[block]
        if isinstance(present, FunctionOfParents):
            return present
        if isinstance(present, MaxOfCauses):
            proposed = self.proposals(block, links)
            child, parents = self.empty.schema[users[0]], self.empty.parents(users[0])
            return MaxOfCauses.from_expected(
                proposed.links, proposed.leak, child, parents, self.prior(block), present
            )
        if isinstance(present, Table):
            return _normalised(self.counts(block, known) + self._pseudo(block))
        estimated = estimate_block(self.empty, known, self.requests, users, self.prior(block))
        if isinstance(estimated, LinearGaussian) and isinstance(present, LinearGaussian):
            return _where_better(estimated, present, self.moments(block, known))
        return estimated

    def _pseudo(self, block: Name) -> FloatArray:
        axes = self.axes(block)
        return self.prior(block).pseudocounts(axes[-1], axes[:-1])

    def log_prior(self, network: FrozenNetwork) -> float:
        """What is added to the log-likelihood: Σ pseudocount · log θ, and earlier records likewise."""
        total = sum(_weighed_logs(self.extra[block], network.blocks[block]) for block in self.extra)
        for block in self.users:
            node = network.blocks[block]
            if isinstance(node, MaxOfCauses):
                total += sum(_weighed(pseudo, line) for pseudo, line in self.link_pseudocounts(block, node))
            elif isinstance(node, LinearGaussian) and self.before is not None:
                total += gaussian_log_likelihood(node, self.moments(block, self.before))
        return total

    def rounding(self, network: FrozenNetwork, statistics: Statistics) -> float:
        """How far off the log-likelihood may be where a line leaves little of large sums."""
        total = 0.0
        for block in self.users:
            node = network.blocks[block]
            if isinstance(node, LinearGaussian):
                moments = self.moments(block, statistics)
                total += float((_summed_squares(node, moments) / node.variance).sum())
        return _ROUNDING * total

    def link_pseudocounts(self, block: Name, node: MaxOfCauses) -> list[tuple[FloatArray, FloatArray]]:
        """Pseudocounts (0 where it is fixed) and probabilities of each link of a noisy node, and the leak."""
        first = self.users[block][0]
        child, parents, prior = self.empty.schema[first], self.empty.parents(first), self.prior(block)
        pairs = []
        for link, parent, neutral in zip(node.links, parents, node.neutral, strict=True):
            pseudo = np.array(np.broadcast_to(prior.pseudocounts(child, [parent]), link.shape))
            if neutral >= 0:
                pseudo[neutral] = 0.0
            pairs.append((pseudo, link))
        return [*pairs, (np.broadcast_to(prior.pseudocounts(child, []), node.leak.shape), node.leak)]


def gaussian_log_likelihood(node: LinearGaussian, moments: GroupMoments) -> float:
    """Σ log density of the records that these moments sum up.

    >>> one = GroupMoments(("x",), (), np.array(2.0), np.array([0.0]), np.array([[2.0]]))  # −1 and 1
    >>> gaussian_log_likelihood(LinearGaussian(np.array(0.0), np.zeros(0), np.array(1.0)), one)
    -2.8378770664093453
    """
    return float(_log_likelihoods(node, moments).sum())


def _log_likelihoods(node: LinearGaussian, moments: GroupMoments) -> FloatArray:
    """The same by group."""
    n, variance = moments.n, node.variance
    squares = residual_squares(node, moments)
    logs = -0.5 * (n * (_LOG_TWO_PI + np.log(variance)) + squares / variance)
    return np.where(n > 0, logs, 0.0)


def residual_squares(node: LinearGaussian, moments: GroupMoments) -> FloatArray:
    """Σ (y − intercept − coefficients · x)² in each group."""
    away = np.concatenate([-node.coefficients, np.ones((*node.intercept.shape, 1))], axis=-1)
    centre = (away * moments.mean).sum(axis=-1) - node.intercept
    squares: FloatArray = np.einsum("...i,...ij,...j->...", away, moments.scatter, away)
    return np.asarray(squares + moments.n * centre**2)


def _summed_squares(node: LinearGaussian, moments: GroupMoments) -> FloatArray:
    """The size of what residual squares are the difference of."""
    away = np.concatenate([np.abs(node.coefficients), np.ones((*node.intercept.shape, 1))], axis=-1)
    wide = np.sqrt(np.maximum(np.einsum("...ii->...i", moments.scatter), 0.0))
    return np.asarray(((away * wide).sum(axis=-1)) ** 2)


def _where_better(new: LinearGaussian, old: LinearGaussian, moments: GroupMoments) -> LinearGaussian:
    """Groups keep what they have where it is better, or where too few rows are left for a line of their own.

    Least squares leave out directions in which parents hardly differ: a line that uses them may be closer.
    """
    slack = _ROUNDING * _summed_squares(old, moments) / old.variance
    better = _log_likelihoods(new, moments) >= _log_likelihoods(old, moments) - slack
    better &= has_own_line(moments)
    if np.all(better):
        return new
    return LinearGaussian(
        np.where(better, new.intercept, old.intercept),
        np.where(better[..., None], new.coefficients, old.coefficients),
        np.where(better, new.variance, old.variance),
    )


def _normalised(weighed: FloatArray) -> Table:
    """Each row by its sum, as :meth:`Table.estimate` does; a row of zeros becomes uniform."""
    totals = weighed.sum(axis=-1, keepdims=True)
    if not np.all(totals > 0):
        weighed = np.where(totals > 0, weighed, 1.0)
        totals = weighed.sum(axis=-1, keepdims=True)
    rows = np.asarray(weighed / totals)
    rows.setflags(write=False)
    return Table(rows)


def _warn_of_kept_lines(name: Name, own: BoolArray) -> None:
    if not np.all(own):
        warn_user(
            f"{int((~own).sum())} of {own.size} parent combinations of {name!r} rest on too few rows for a "
            "spread of their own: they keep the one that they had when the other rows left them."
        )


def _weighed_logs(weights: FloatArray, node: LocalDistribution) -> float:
    assert isinstance(node, Table)
    return _weighed(weights, node.values)


def _weighed(weights: FloatArray, chances: FloatArray) -> float:
    """Σ weight · log chance, where 0 · log 0 is 0."""
    used = weights > 0
    with np.errstate(divide="ignore"):
        return float((weights[used] * np.log(chances[used])).sum())
