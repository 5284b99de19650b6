"""The parameters of a network as one vector of unbounded numbers, and the gradient along it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayou.distributions.unbounded import Unbounded
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.m_step import LearningProblem
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


class FreeParameters:
    """The free parameters of a network; each distribution says how its own become unbounded numbers.

    Shared blocks appear once. Blocks without free parameters stay as they are in ``start``.
    """

    def __init__(self, problem: LearningProblem, start: FrozenNetwork, expected: Expectation) -> None:
        self._problem = problem
        self._parts: dict[Name, Unbounded] = {}
        for block, node in start.blocks.items():
            answer = problem.expected_answer(block, expected.statistics)
            part = node.unbounded(answer, problem.records(block, node), problem.family(block))
            if part is not None:
                self._parts[block] = part
        self._fixed = {block: node for block, node in start.blocks.items() if block not in self._parts}
        self._cuts = np.cumsum([part.start.size for part in self._parts.values()])[:-1].astype(np.int64)

    @property
    def start(self) -> FloatArray:
        """The vector of the starting parameters."""
        return np.concatenate([part.start for part in self._parts.values()] or [np.zeros(0)])

    def network(self, free: FloatArray) -> FrozenNetwork:
        """The network with these parameters."""
        pieces = np.split(free, self._cuts)
        blocks = {b: part.made(own) for (b, part), own in zip(self._parts.items(), pieces, strict=True)}
        return replace(self._problem.empty, blocks={**blocks, **self._fixed})

    def gradient(self, free: FloatArray, expected: Expectation) -> FloatArray:
        """The gradient of the objective with respect to the parameters."""
        slopes = [
            part.gradient(own, self._problem.expected_answer(block, expected.statistics))
            for (block, part), own in zip(self._parts.items(), np.split(free, self._cuts), strict=True)
        ]
        return np.concatenate(slopes or [np.zeros(0)])
