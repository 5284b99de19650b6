"""A hidden Markov model with parameters, and what the kernels compute of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou._native import best_paths, expect_chain, filter_chain
from bayou.errors import ImpossibleEvidence
from bayou.networks import FrozenNetwork
from bayou.statistics import Counts, CountTable, Request, Result, Statistics
from bayou.statistics.rows.sequence_batch import SequenceBatch, numbers_in_data
from bayou.temporal.chain_counts import chain_statistics, counts_of_states
from bayou.temporal.chain_emissions import ChainEmissions, Coded
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.kernel_arguments import KernelArguments, KernelGaussian
from bayou.temporal.tied_states import tied_weights
from bayou.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Borders:
    """What a block of a long sequence must know of the rows around it, in logarithms.

    ``before`` is P(state of its first row | rows before it), ``after`` P(rows after it | state of its last
    row). With ``wide`` they may be too small for numbers that are not logarithms.
    """

    before: FloatArray
    after: FloatArray
    wide: bool

    def arguments(self, rows: int, logs: FloatArray | None) -> tuple[FloatArray, FloatArray | None, Any]:
        """Start, end and log-likelihoods of the rows, as the kernels take them."""
        states = len(self.before)
        if not self.wide:
            return np.exp(self.before), np.exp(self.after - self.after.max()), logs
        added = np.zeros((rows, states)) if logs is None else logs.copy()
        added[0] += self.before
        added[-1] += self.after
        return np.ones(states), None, added


@dataclass(frozen=True, eq=False)
class ChainModel:
    """The structure of a hidden Markov model and a network with its parameters."""

    chain: ChainStructure
    network: FrozenNetwork

    @cached_property
    def start(self) -> FloatArray:
        """P(first state)."""
        return np.ascontiguousarray(self.network.table(self.chain.state.name))

    @cached_property
    def end(self) -> FloatArray | None:
        """P(the sequence ends | state); None if sequences may end anywhere."""
        if not self.chain.ends:
            return None
        return np.ascontiguousarray(self.network.table(self.chain.end)[:, 1])

    @cached_property
    def transition(self) -> FloatArray:
        """P(next state | state), rows: from; times the probability to go on if sequences end by chance."""
        table = self.network.table(self.chain.next_state)
        return np.ascontiguousarray(table if self.end is None else table * (1 - self.end)[:, None])

    @cached_property
    def emissions(self) -> ChainEmissions:
        """P(observations | state)."""
        return ChainEmissions(self.chain, self.network)

    def _parts(self, rows: SequenceBatch) -> Iterable[SequenceBatch]:
        """Some sequences at a time; what is known of all numbers is found out once, before."""
        if rows.count == 1:
            return (rows,)
        self.emissions.gaussian(rows.batch)
        return rows.parts()

    def arguments(
        self, part: SequenceBatch, coded: Sequence[Coded] | None = None, borders: Borders | None = None
    ) -> tuple[KernelArguments, KernelGaussian | None]:
        """What all kernels take, and what they get by name; ``borders``: of a block of a long sequence."""
        coded = self.emissions.coded(part.batch) if coded is None else coded
        columns, tables = [one.codes for one in coded], [one.table for one in coded]
        gaussian = self.emissions.gaussian(part.batch)
        logs = self.emissions.logs(part.batch, without_gaussian=gaussian is not None)
        start, end = self.start, self.end
        if borders is not None:
            start, end, logs = borders.arguments(part.rows, logs)
        return (start, self.transition, end, part.starts, columns, tables, logs), gaussian

    def log_likelihoods(self, rows: SequenceBatch) -> FloatArray:
        """log P(sequence) of each sequence."""
        found = []
        for part in self._parts(rows):
            arguments, gaussian = self.arguments(part)
            found.append(filter_chain(*arguments, states=False, gaussian=gaussian)[0])
        return found[0] if len(found) == 1 else np.concatenate([np.zeros(0), *found])

    def filtered(self, rows: SequenceBatch) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(log P of each sequence, log P(row | rows before), P(state | rows so far))."""
        parts = []
        for part in self._parts(rows):
            arguments, gaussian = self.arguments(part)
            parts.append(filter_chain(*arguments, gaussian=gaussian))
        return _joined(parts, self.chain.states)

    def smoothed(self, rows: SequenceBatch) -> tuple[FloatArray, FloatArray]:
        """(log P of each sequence, P(state | all rows of the sequence)); impossible sequences are refused."""
        parts = []
        for part in self._parts(rows):
            arguments, gaussian = self.arguments(part)
            found = expect_chain(*arguments, None, counts=False, smoothed=True, gaussian=gaussian)
            parts.append((found[0], np.zeros(0), found[5]))
        logs, _, states = _joined(parts, self.chain.states)
        self.refuse_impossible(rows, logs)
        return logs, states

    def decoded(self, rows: SequenceBatch) -> tuple[IntArray, FloatArray]:
        """(codes of the most probable states, the log probability of each sequence with them)."""
        paths, logs = np.empty(rows.rows, np.int64), np.empty(rows.count)
        row = sequence = 0
        for part in self._parts(rows):
            arguments, gaussian = self.arguments(part)
            here, which = slice(row, row + part.rows), slice(sequence, sequence + part.count)
            paths[here], logs[which] = best_paths(*arguments, gaussian=gaussian)
            row, sequence = here.stop, which.stop
        self.refuse_impossible(rows, logs)
        return paths, logs

    def refuse_impossible(self, rows: SequenceBatch, logs: FloatArray) -> None:
        """Raise ImpossibleEvidence for the first sequence of probability 0, naming the step where it becomes
        so.
        """
        if len(logs) == 1 and logs[0] > -np.inf:
            return
        bad = np.flatnonzero(logs == -np.inf)
        if not len(bad):
            return
        first, numbers = int(bad[0]), numbers_in_data(rows)
        named = first if numbers is None else int(numbers[first])
        one = rows.taken(first, first + 1)
        _, steps, _ = self.filtered(one)
        gone = np.flatnonzero(steps == -np.inf)
        step = int(gone[0]) if len(gone) else one.rows - 1
        where = f"at its step {step}" if len(gone) else "at its end"
        cell = self._impossible_cell(one, step) if len(gone) else None
        raise ImpossibleEvidence(
            f"Sequence {named} is impossible under this model: {where} (row "
            f"{one.batch.number(step)}, counting from 0) no state "
            f"{cell or 'can follow with what is observed'}. Learn with a prior above 0, or look at this row."
        )

    def refuse_impossible_steps(self, rows: SequenceBatch, steps: FloatArray) -> None:
        """The same of sequences that need not have ended with their last row."""
        gone = np.flatnonzero(steps == -np.inf)
        if len(gone):
            logs = np.zeros(rows.count)
            logs[np.searchsorted(rows.starts, gone, side="right") - 1] = -np.inf
            self.refuse_impossible(rows, logs)

    def _impossible_cell(self, rows: SequenceBatch, step: int) -> str | None:
        """The first column whose value no state emits, in words."""
        batch = rows.batch
        for one in self.emissions.coded(batch):
            code = min(int(one.codes[step]), len(one.table) - 1)
            if one.counted and not one.table[code].any():
                return f"emits {self.network.schema[one.name].states[code]!r} in column {one.name!r}"
        for name in self.chain.columns:
            if name not in self.chain.gaussians and name in batch.numbers:
                value = batch.numbers[name][step : step + 1]
                if (self.network.distribution(name).log_density_by_group(value) == -np.inf).all():
                    return f"emits {value.tolist()[0]!r} in column {name!r}"
        return None

    def expected(self, rows: SequenceBatch) -> tuple[float, Statistics]:
        """The log-likelihood and the statistics that are expected of these sequences: the E-step."""
        total: tuple[float, Statistics] | None = None
        for part in self._parts(rows):
            logs, statistics = self.expected_of_part(part)
            total = (logs, statistics) if total is None else (total[0] + logs, total[1] + statistics)
        return self.expected_of_part(rows) if total is None else total

    def expected_of_part(
        self, part: SequenceBatch, borders: Borders | None = None
    ) -> tuple[float, Statistics]:
        """The same of sequences that are worked on at once, or of a block of a long one."""
        coded = self.emissions.coded(part.batch)
        arguments, gaussian = self.arguments(part, coded, borders)
        dense = arguments[-1] is not None
        logs, first, moves, last, tables, states, moments = expect_chain(
            *arguments, part.weights, counts=True, smoothed=dense, gaussian=gaussian
        )
        self.refuse_impossible(part, logs)
        answers = self._counts(first, moves, last)
        for one, counts in zip(coded, tables, strict=True):
            if one.counted:
                axes = self.network.family(one.name).axes
                own = tied_weights(self.chain, counts[:-1])
                answers[CountTable(tuple(axis.name for axis in axes))] = Counts(
                    axes, np.ascontiguousarray(own.T)
                )
        if dense:
            weights = tied_weights(self.chain, states)
            answers.update(
                self.emissions.expected(part.batch, weights, without_gaussian=gaussian is not None)
            )
        if gaussian is not None:
            answers.update(self.emissions.gaussian_answers(moments))
        weighted = logs if part.weights is None else part.weights * logs
        return float(weighted.sum()), Statistics(answers, part.weight)

    def expected_of_best(self, rows: SequenceBatch) -> tuple[float, Statistics]:
        """The log probability of the best paths, and the statistics of the rows with these states."""
        total: tuple[float, Statistics] | None = None
        for part in self._parts(rows):
            path, logs = self.decoded(part)
            own = np.eye(self.chain.states)[path]
            weighed = own if part.weights is None else own * np.repeat(part.weights, part.lengths)[:, None]
            statistics = self.of_states(part, own, weighed)
            value = float((logs if part.weights is None else part.weights * logs).sum())
            total = (value, statistics) if total is None else (total[0] + value, total[1] + statistics)
        return (0.0, self.expected_of_part(rows)[1]) if total is None else total

    def of_states(self, part: SequenceBatch, own: FloatArray, weighed: FloatArray) -> Statistics:
        """The statistics of rows that are in state k with a weight, without and with that of sequences."""
        answers = self._counts(*counts_of_states(part, weighed, own))
        weighed = tied_weights(self.chain, weighed)
        for one in self.emissions.coded(part.batch):
            if one.counted:
                counts = np.zeros(one.table.shape)
                np.add.at(counts, np.minimum(one.codes.astype(np.int64), len(one.table) - 1), weighed)
                axes = self.network.family(one.name).axes
                answers[CountTable(tuple(axis.name for axis in axes))] = Counts(axes, counts[:-1].T.copy())
        answers.update(self.emissions.expected(part.batch, weighed))
        return Statistics(answers, part.weight)

    def _counts(self, first: FloatArray, moves: FloatArray, last: FloatArray) -> dict[Request, Result]:
        return chain_statistics(self.chain, self.network.schema, first, moves, last)


def _joined(
    parts: Sequence[tuple[FloatArray, FloatArray, FloatArray]], states: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    if not parts:
        return np.zeros(0), np.zeros(0), np.zeros((0, states))
    if len(parts) == 1:
        return parts[0]
    first, second, third = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return first, second, third
