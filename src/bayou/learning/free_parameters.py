"""Tables, noisy nodes and Gaussians as one vector of unbounded numbers, and the gradient along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bayou.distributions import FunctionOfParents, LinearGaussian, LocalDistribution, MaxOfCauses, Table
from bayou.distributions.linear_gaussian import has_own_line
from bayou.errors import NoConvergence
from bayou.learning.expectation import Expectation
from bayou.learning.maximising import Problem, residual_squares
from bayou.networks import FrozenNetwork
from bayou.statistics import GroupMoments
from bayou.typing import BoolArray, FloatArray, Name

_LEAST = 1e-12
"""Chances of the start are kept above this: the logarithm of 0 can not be moved."""
_LEAST_VARIANCE = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class _Part:
    """One array of parameters: its length, how it becomes a distribution, and its gradient."""

    start: FloatArray
    made: Callable[[FloatArray], LocalDistribution]
    slope: Callable[[FloatArray, Expectation], FloatArray]


class FreeParameters:
    """The free parameters of a network around a start.

    Rows of tables are the softmax of free numbers; a Gaussian has its mean at the centre of its inputs and
    its slopes in units of the start's deviations, and the logarithm of its variance. Shared blocks come once.
    """

    def __init__(self, problem: Problem, start: FrozenNetwork, expected: Expectation) -> None:
        self._problem = problem
        self._fixed = {b: node for b, node in start.blocks.items() if isinstance(node, FunctionOfParents)}
        self._parts: dict[Name, _Part] = {}
        for block, node in start.blocks.items():
            if isinstance(node, Table):
                self._parts[block] = self._table(block, node)
            elif isinstance(node, MaxOfCauses):
                self._parts[block] = self._causes(block, node)
            elif isinstance(node, LinearGaussian):
                self._parts[block] = self._gaussian(block, node, self._moments(block, expected))
        self._cuts = np.cumsum([part.start.size for part in self._parts.values()])[:-1].astype(np.int64)

    @property
    def start(self) -> FloatArray:
        """Where the climb begins."""
        return np.concatenate([part.start for part in self._parts.values()] or [np.zeros(0)])

    def network(self, free: FloatArray) -> FrozenNetwork:
        """The network that these numbers stand for."""
        pieces = np.split(free, self._cuts)
        blocks = {b: part.made(own) for (b, part), own in zip(self._parts.items(), pieces, strict=True)}
        return replace(self._problem.empty, blocks={**blocks, **self._fixed})

    def gradient(self, free: FloatArray, expected: Expectation) -> FloatArray:
        """How the objective grows along each number: expected counts less what the table expects."""
        pieces = np.split(free, self._cuts)
        slopes = [part.slope(own, expected) for part, own in zip(self._parts.values(), pieces, strict=True)]
        return np.concatenate(slopes or [np.zeros(0)])

    def _table(self, block: Name, node: Table) -> _Part:
        shape, extra = node.values.shape, self._problem.extra[block]

        def slope(free: FloatArray, expected: Expectation) -> FloatArray:
            counts = self._problem.counts(block, expected.statistics) + extra
            return _softmax_slope(counts, _softmax(free.reshape(shape))).ravel()

        return _Part(_logits(node.values).ravel(), lambda free: Table(_softmax(free.reshape(shape))), slope)

    def _causes(self, block: Name, node: MaxOfCauses) -> _Part:
        lines = np.concatenate([*node.links, node.leak[None]])
        edges = np.cumsum([len(link) for link in node.links]).astype(np.int64)
        pseudo = np.concatenate(
            [np.atleast_2d(pseudo) for pseudo, _ in self._problem.link_pseudocounts(block, node)]
        )
        starts = np.concatenate([[0], edges[:-1]]).astype(np.int64)
        fixed = [int(s) + k for s, k in zip(starts, node.neutral, strict=False) if k >= 0]

        def chances(free: FloatArray) -> FloatArray:
            rows = _softmax(free.reshape(lines.shape))
            rows[fixed] = lines[fixed]
            return rows

        def made(free: FloatArray) -> MaxOfCauses:
            *links, leak = np.split(chances(free), edges)
            return replace(node, links=tuple(links), leak=leak[0])

        def slope(free: FloatArray, expected: Expectation) -> FloatArray:
            found = self._problem.proposals(block, expected.links)
            counts = np.concatenate([*found.links, found.leak[None]]) + pseudo
            result = _softmax_slope(counts, chances(free))
            result[fixed] = 0.0
            return result.ravel()

        return _Part(_logits(lines).ravel(), made, slope)

    def _gaussian(self, block: Name, node: LinearGaussian, moments: GroupMoments) -> _Part:
        line = _Line.around(node, moments)

        def slope(free: FloatArray, expected: Expectation) -> FloatArray:
            return line.slope(line.made(free), self._moments(block, expected))

        return _Part(line.start, line.made, slope)

    def _moments(self, block: Name, expected: Expectation) -> GroupMoments:
        known = self._problem.moments(block, expected.statistics)
        before = self._problem.before
        return known if before is None else known + self._problem.moments(block, before)


@dataclass(frozen=True)
class _Line:
    """A Gaussian in units of its start: mean at the inputs' centre, slopes, log variance.

    Groups with too few rows for a line of their own (``held``) stay as they are: their spread would vanish.
    """

    node: LinearGaussian
    centre: FloatArray
    unit: FloatArray
    wide: FloatArray
    held: BoolArray

    @classmethod
    def around(cls, node: LinearGaussian, moments: GroupMoments) -> _Line:
        n = np.where(moments.n > 0, moments.n, 1)[..., None]
        spread = np.sqrt(np.einsum("...ii->...i", moments.scatter) / n)[..., :-1]
        wide = np.where(spread > 0, spread, 1.0)
        return cls(node, moments.mean[..., :-1], np.sqrt(node.variance), wide, ~has_own_line(moments))

    @property
    def start(self) -> FloatArray:
        return np.zeros(self.node.intercept.size * 2 + self.node.coefficients.size)

    def made(self, free: FloatArray) -> LinearGaussian:
        groups, inputs = self.node.intercept.size, self.node.coefficients.size
        level, steep, spread = np.split(free, [groups, groups + inputs])
        slopes = self.node.coefficients + (
            steep.reshape(self.node.coefficients.shape) * self.unit[..., None] / self.wide
        )
        middle = self.node.intercept + (self.node.coefficients * self.centre).sum(axis=-1)
        middle = middle + level.reshape(self.unit.shape) * self.unit
        with np.errstate(over="ignore", under="ignore"):
            variance = self.node.variance * np.exp(spread.reshape(self.unit.shape))
        if not np.all((variance > _LEAST_VARIANCE) & np.isfinite(variance)):
            raise NoConvergence("A step of the gradient led to a spread of 0, or beyond all numbers.")
        return LinearGaussian(middle - (slopes * self.centre).sum(axis=-1), slopes, variance)

    def slope(self, node: LinearGaussian, moments: GroupMoments) -> FloatArray:
        """The gradient of the expected log density, as Fisher's identity has it."""
        mean, scatter = moments.mean, moments.scatter
        left = mean[..., -1] - node.intercept - (node.coefficients * mean[..., :-1]).sum(axis=-1)
        total = moments.n * left
        along = scatter[..., :-1, -1] - np.einsum(
            "...ij,...j->...i", scatter[..., :-1, :-1], node.coefficients
        )
        off_centre = along + (mean[..., :-1] - self.centre) * total[..., None]
        level = total / node.variance * self.unit
        steep = off_centre / node.variance[..., None] * self.unit[..., None] / self.wide
        spread = 0.5 * (residual_squares(node, moments) / node.variance - moments.n)
        free = ~self.held
        parts = (level * free, steep * free[..., None], spread * free)
        return np.concatenate([part.ravel() for part in parts])


def _logits(chances: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.maximum(chances, _LEAST))
    return logs


def _softmax(free: FloatArray) -> FloatArray:
    powers = np.exp(free - free.max(axis=-1, keepdims=True))
    rows: FloatArray = powers / powers.sum(axis=-1, keepdims=True)
    return rows


def _softmax_slope(counts: FloatArray, rows: FloatArray) -> FloatArray:
    slope: FloatArray = counts - counts.sum(axis=-1, keepdims=True) * rows
    return slope
