"""The M-step of hidden Markov models: the estimates of networks, with what chains need beyond them.

A state that no step visits keeps its parameters where there is no prior. A variance is not smaller than a
share of its column's variance over all rows: given the regression, the best variance above this floor is the
larger of the two, so that the objective still never falls. Gaussians may share covariances; some blocks, or
entries, may be fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayou.distributions import Distribution, LinearGaussian, Table
from bayou.distributions.gaussian.gaussian_regression import regression_lines
from bayou.errors import without_warnings
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.m_step import LearningProblem
from bayou.networks import FrozenNetwork
from bayou.statistics import GroupMoments, Statistics
from bayou.temporal.bounded_tables import Bounds, bounded_rows
from bayou.temporal.chain_structure import SHARED, SHARED_DIAGONAL, SPHERICAL, ChainStructure
from bayou.temporal.tied_states import first_of_group, group_shares
from bayou.typing import BoolArray, Name

LEAST_SHARE = 1e-6
"""A variance is at least this share of the column's variance over all rows."""


@dataclass(frozen=True)
class ChainProblem(LearningProblem):
    """A learning problem whose network is that of a hidden Markov model.

    ``floors`` has the least variance of each Gaussian column, ``kept`` the blocks that are not learned,
    ``bounds`` the lower and upper bounds of some tables.
    """

    chain: ChainStructure = field(kw_only=True)
    floors: Mapping[Name, float] = field(default_factory=dict, kw_only=True)
    kept: frozenset[Name] = field(default_factory=frozenset, kw_only=True)
    bounds: Mapping[Name, Bounds] = field(default_factory=dict, kw_only=True)

    def maximised(self, now: FrozenNetwork, expected: Expectation) -> FrozenNetwork:
        """The network with the parameters that maximise the expected log-likelihood plus the log-prior."""
        known = expected.statistics
        if self.before is not None:
            known = known + self.before.only(known)
        with without_warnings():
            blocks = {
                block: now.blocks[block]
                if block in self.kept
                else self._learned(block, now.blocks[block], known)
                for block in self.users
            }
        if self.chain.covariance == SPHERICAL:
            blocks.update(self._spherical(blocks, known))
        return now.with_blocks(blocks)

    def _learned(self, block: Name, present: Distribution, known: Statistics) -> Distribution:
        answer = self.expected_answer(block, known)
        return present if answer is None else self._learned_answer(block, present, answer)

    def _learned_answer(self, block: Name, present: Distribution, answer: Any) -> Distribution:
        shaped = self._with_stays(block, present, answer.values) if isinstance(present, Table) else None
        if shaped is not None:
            return shaped
        if self.chain.stays is not None and block == self.chain.end:
            answer = replace(answer, values=self.chain.stays.pooled(answer.values))
        if isinstance(present, LinearGaussian):
            return self.maximised_gaussian(block, present, answer)
        better = present.maximised(answer, self.family(block), self.prior(block))
        if isinstance(present, Table) and isinstance(better, Table):
            return self._table(block, present, better, answer)
        return better

    def _with_stays(self, block: Name, present: Table, weights: Any) -> Table | None:
        """The table of starts or moves of states whose stays have their own lengths; None for others."""
        stays = self.chain.stays
        if stays is None or block not in (self.chain.state.name, self.chain.next_state):
            return None
        weights, bounds = np.asarray(weights, dtype=np.float64), self.bounds.get(block)
        if block == self.chain.next_state:
            return Table(stays.transition(weights, present.values, bounds))
        return Table(stays.start(weights, bounds)) if weights.sum() > 0 else present

    def counted_stays(self, block: Name, answer: Any) -> Table | None:
        """The table of starts, moves or ends counted with durations; None for other blocks."""
        stays = self.chain.stays
        if stays is None or block not in (self.chain.state.name, self.chain.next_state, self.chain.end):
            return None
        present = {
            self.chain.state.name: stays.start(stays.beginnings.sum(axis=0)),
            self.chain.next_state: stays.stated(stays.even_moves),
            self.chain.end: np.full((len(stays.owner), 2), 0.5),
        }[block]
        made = self._learned_answer(block, Table(present), answer)
        assert isinstance(made, Table)
        return made

    def _table(self, block: Name, present: Table, better: Table, answer: Any) -> Table:
        """The learned table; rows without counts and pseudocounts keep their numbers."""
        pseudo = self.prior(block).pseudocounts(self.family(block).child, self.family(block).parents)
        weights = answer.values + pseudo
        empty = weights.sum(axis=-1) <= 0
        if block in self.bounds:
            weights = np.where(empty[..., None], present.values, weights)
            return Table(bounded_rows(weights, self.bounds[block]))
        if not empty.any():
            return better
        return Table(np.where(empty[..., None], present.values, better.values))

    def bounded_table(self, block: Name, counted: Table, answer: Any) -> Table:
        """A table that was counted, within its bounds."""
        hidden = (self.chain.state.name, self.chain.next_state, self.chain.end)
        if block not in self.bounds or (self.chain.stays is not None and block in hidden):
            return counted
        return self._table(block, counted, counted, answer)

    def within_bounds(self, network: FrozenNetwork) -> FrozenNetwork:
        """The network with tables moved into their bounds, and into the form that durations need."""
        moved = {}
        for block in self.users:
            table = network.blocks[block]
            if block not in self.kept and isinstance(table, Table):
                shaped = self._with_stays(block, table, table.values)
                if shaped is not None:
                    moved[block] = shaped
                    continue
                values = table.values
                if self.chain.stays is not None and block == self.chain.end:
                    values = self.chain.stays.pooled(values)
                    values = values / values.sum(axis=-1, keepdims=True)
                if block in self.bounds:
                    values = bounded_rows(np.asarray(values), self.bounds[block])
                if values is not table.values:
                    moved[block] = Table(values)
        return network.with_blocks({**network.blocks, **moved}) if moved else network

    def records(self, block: Name, node: Distribution) -> Any:
        """The pseudocounts of a block; an entry that must be 0 has none, and tied states count once."""
        records = super().records(block, node)
        if not isinstance(node, Table):
            return records
        chain = self.chain
        if chain.stays is not None and block in (chain.state.name, chain.next_state):
            return np.zeros(node.values.shape)
        if block in self.bounds:
            records = np.where(self.bounds[block][1] > 0, records, 0.0)
        if chain.stays is not None and block == chain.end:
            return records * chain.stays.beginnings.sum(axis=0)[:, None]
        if chain.tied and block not in (chain.state.name, chain.next_state, chain.end):
            records = records * first_of_group(chain).reshape(-1, *[1] * (node.values.ndim - 1))
        return records

    def maximised_gaussian(
        self, block: Name, present: LinearGaussian, moments: GroupMoments
    ) -> LinearGaussian:
        """The best line and variance of each group above the floor; groups with too few rows keep theirs."""
        shared = self.chain.covariance in (SHARED, SHARED_DIAGONAL)
        if shared:
            return self._shared(block, present, moments)
        intercept, coefficients, variance, enough = regression_lines(moments)
        variance = np.maximum(np.where(np.isfinite(variance), variance, 0.0), self.floors.get(block, 0.0))
        own = _visited(moments) & enough
        return LinearGaussian(
            np.where(own, intercept, present.intercept),
            np.where(own[..., None], coefficients, present.coefficients),
            np.where(own, variance, present.variance),
        )

    def _shared(self, block: Name, present: LinearGaussian, moments: GroupMoments) -> LinearGaussian:
        """Means of their own, but one covariance: slopes and variance of the scatter within all groups."""
        d = len(moments.variables)
        groups = moments.n.size // self.chain.states
        share = np.repeat(group_shares(self.chain), groups)
        within = np.einsum("g,gij->ij", share, moments.scatter.reshape(-1, d, d))
        total = float(share @ moments.n.ravel())
        slopes = np.linalg.lstsq(within[:-1, :-1], within[:-1, -1], rcond=None)[0] if d > 1 else np.zeros(0)
        left = within[-1, -1] - slopes @ within[:-1, -1] if d > 1 else within[-1, -1]
        variance = max(float(left) / max(total, 1e-300), self.floors.get(block, 0.0))
        intercept = moments.mean[..., -1] - moments.mean[..., :-1] @ slopes
        visited = _visited(moments)
        kept = present.intercept + ((present.coefficients - slopes) * moments.mean[..., :-1]).sum(axis=-1)
        return LinearGaussian(
            np.where(visited, intercept, kept),
            np.broadcast_to(slopes, present.coefficients.shape),
            np.full(present.variance.shape, variance),
        )

    def _spherical(self, blocks: Mapping[Name, Distribution], known: Statistics) -> dict[Name, Distribution]:
        """One variance for all columns of a state: the mean of theirs, weighted by their rows."""
        names = self.chain.gaussians
        nodes = [blocks[name] for name in names]
        weights = [np.asarray(self.expected_answer(name, known).n) for name in names]
        total = sum(weights)
        found: dict[Name, Distribution] = {}
        summed = sum(w * node.variance for w, node in zip(weights, nodes, strict=True))  # type: ignore[attr-defined]
        variance = np.where(total > 0, summed / np.where(total > 0, total, 1.0), 0.0)
        for name, node in zip(names, nodes, strict=True):
            assert isinstance(node, LinearGaussian)
            own = np.where(total > 0, variance, node.variance)
            found[name] = LinearGaussian(node.intercept, node.coefficients, own)
        return found


def floors_of(chain: ChainStructure, variances: Mapping[Name, float]) -> dict[Name, float]:
    """The least variance of each Gaussian column, from the variances over all rows."""
    floors = {name: LEAST_SHARE * variances[name] for name in chain.gaussians}
    if chain.covariance == SPHERICAL and floors:
        floors = dict.fromkeys(floors, max(floors.values()))
    return floors


def _visited(moments: GroupMoments) -> BoolArray:
    """The groups that have a weight to learn from."""
    return np.asarray(moments.n > 1e-12)
