"""Many climbs of EM at once, for models that one kernel can learn; a climb's parameters are a row of numbers.

A row has P(first state), P(state | state before) and P(code | state) of each coded column, then of the
Gaussian columns, which are regressions on those before them, the means, the slopes (lower triangle) and the
variances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayou._native import climb_chains
from bayou.distributions import Distribution, LinearGaussian, Table
from bayou.networks import FrozenNetwork
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_problem import ChainProblem
from bayou.temporal.chain_structure import COVARIANCES, FULL, SHARED
from bayou.temporal.soft_statistics import labels_of
from bayou.typing import FloatArray, IntArray, Name

MOST_STATES, MOST_COLUMNS = 16, 16
_LITTLE = 1e-3
_MOST_MESSAGES = 2**19
"""States times the steps of the longest sequence: the kernel needs 128 bytes for each, in every thread."""

_WORK_OF_A_CELL = 50
"""Products that take as long as the estimate of a cell, which no vector of climbs shares."""

_MOST_CELLS = 2**20
"""States times the codes of all columns: the kernel needs 128 bytes for each in every thread, and every climb
8."""


@dataclass(frozen=True, eq=False)
class ManyClimbs:
    """The problem and the rows that climbs are made on; ``coded`` and ``numbers`` are the columns' names."""

    problem: ChainProblem
    rows: SequenceBatch
    coded: tuple[Name, ...]
    numbers: tuple[Name, ...]

    @property
    def states(self) -> int:
        """The number of states."""
        return self.problem.chain.states

    @cached_property
    def cards(self) -> list[int]:
        """The number of codes of each coded column."""
        return [self.problem.variables[name].cardinality for name in self.coded]

    @cached_property
    def matrix(self) -> FloatArray:
        """The columns of numbers, [row, column]."""
        columns = [self.rows.batch.finite_numbers(name) for name in self.numbers]
        return np.ascontiguousarray(np.column_stack(columns)) if columns else np.zeros((self.rows.rows, 0))

    @cached_property
    def units(self) -> tuple[FloatArray, FloatArray]:
        """The mean and the deviation of each column of numbers; a deviation of 0 counts as 1."""
        centre, spread = self.matrix.mean(axis=0), self.matrix.std(axis=0)
        return centre, np.where(spread > 0, spread, 1.0)

    @cached_property
    def scaled(self) -> FloatArray:
        """The columns of numbers in standard units."""
        centre, spread = self.units
        return (self.matrix - centre) / spread

    @property
    def linked(self) -> bool:
        """Whether the columns of numbers depend on each other within a state."""
        return self.problem.chain.covariance in (FULL, SHARED)

    @cached_property
    def floors(self) -> FloatArray:
        """The least variance of each column of numbers."""
        return np.array([self.problem.floors.get(name, 0.0) for name in self.numbers])

    @cached_property
    def _shapes(self) -> list[tuple[int, ...]]:
        k, d = self.states, len(self.numbers)
        tables = [(k,), (k, k), *((k, card) for card in self.cards)]
        return [*tables, (k, d), (k, d * (d - 1) // 2), (k, d)]

    @cached_property
    def _pseudocounts(self) -> FloatArray:
        found = []
        chain = self.problem.chain
        for block, shape in zip(
            (chain.state.name, chain.next_state, *self.coded), self._shapes, strict=False
        ):
            family = self.problem.family(block)
            pseudo = self.problem.prior(block).pseudocounts(family.child, family.parents)
            found.append(np.broadcast_to(pseudo, shape).ravel())
        return np.concatenate(found).astype(np.float64)

    @property
    def work(self) -> float:
        """About the products of one step of EM: moves, densities and moments of every row, and the estimate
        of every cell of the tables of codes.
        """
        d = len(self.numbers)
        numbers = 8 + d * (d + 3) if d else 0
        by_row = 2 * self.states + 4 * len(self.coded) + numbers
        return float(self.states * (self.rows.rows * by_row + sum(self.cards) * _WORK_OF_A_CELL))

    def parts(self, rows: FloatArray) -> list[FloatArray]:
        """Rows of parameters as arrays [climb, …]: start, transition, tables, means, slopes, variances."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])[:-1]
        split = np.split(rows, ends, axis=1)
        return [part.reshape(len(rows), *shape) for part, shape in zip(split, self._shapes, strict=True)]

    def rows_of(self, parts: Sequence[FloatArray]) -> FloatArray:
        """The inverse of :meth:`parts`."""
        return np.ascontiguousarray(np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1))

    def climb(
        self, parameters: FloatArray, steps: int, tolerance: float = 0.0
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """(parameters after these steps of EM, the objective before the last step, the steps made)."""
        codes = [self.rows.batch.codes[name] for name in self.coded]
        columns = [self.matrix[:, j] for j in range(len(self.numbers))]
        return climb_chains(
            parameters,
            self.states,
            self.rows.starts,
            self.rows.weights,
            codes,
            self.cards,
            columns,
            COVARIANCES.index(self.problem.chain.covariance),
            self.floors,
            self._pseudocounts,
            steps,
            tolerance,
        )

    def network(self, row: FloatArray) -> FrozenNetwork:
        """The network with these parameters."""
        chain = self.problem.chain
        start, transition, *tables, means, slopes, variances = (part[0] for part in self.parts(row[None]))
        blocks: dict[Name, Distribution] = {
            chain.state.name: Table(start),
            chain.next_state: Table(transition),
        }
        blocks.update({name: Table(table) for name, table in zip(self.coded, tables, strict=True)})
        first = 0
        for j, name in enumerate(self.numbers):
            inputs = j if self.linked else 0
            own = slopes[:, first : first + inputs]
            intercept = means[:, j] - (own * means[:, :inputs]).sum(axis=1)
            blocks[name] = LinearGaussian(intercept, own, variances[:, j])
            first += j
        return replace(self.problem.empty, blocks=blocks)

    def without_zeros(self, rows: FloatArray) -> FloatArray:
        """The parameters with a little probability in all cells of tables: EM could not leave zeros that a
        part of the sequences left.
        """
        parts = self.parts(rows)
        tables = [part + _LITTLE / part.shape[-1] for part in parts[:-3]]
        return self.rows_of([*(part / part.sum(axis=-1, keepdims=True) for part in tables), *parts[-3:]])


def many_climbs(problem: ChainProblem, rows: SequenceBatch) -> ManyClimbs | None:
    """The climbs of a problem; None if the kernel can not make its steps of EM.

    It knows plain chains whose columns are tables and Gaussians without gaps, all of which is learned.
    """
    chain, batch = problem.chain, rows.batch
    special = chain.component or chain.tied or chain.stays or chain.ends or problem.bounds
    if special or problem.kept or problem.fixed or problem.before or labels_of(chain, rows).any():
        return None
    coded = tuple(name for name in chain.columns if name not in chain.gaussians)
    plain = all(problem.empty.kind(name) is Table for name in coded)
    measurable = all(0 < problem.floors[name] < np.inf for name in chain.gaussians)
    if not plain or not measurable or any(batch.has_gaps(name) for name in chain.gaussians):
        return None
    longest = int(rows.lengths.max(initial=0))
    codes = sum(problem.variables[name].cardinality for name in coded)
    if (
        chain.states > MOST_STATES
        or len(chain.gaussians) > MOST_COLUMNS
        or chain.states * longest > _MOST_MESSAGES
        or chain.states * codes > _MOST_CELLS
    ):
        return None
    return ManyClimbs(problem, rows, coded, chain.gaussians)
