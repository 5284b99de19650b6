"""One sequence that is longer than memory: a hidden Markov model on blocks of its rows.

The way forward keeps one message at the border of each block (a checkpoint); the way back reads the blocks
again, from the last to the first. A block is a sequence of its own for the kernels: it starts with

    a(j) = P(state j in its first row | rows before)

and ends with the weights b(i) = P(rows after | state i in its last row), so that its smoothed states and
expected counts are those of the whole sequence. Between two blocks there is one move more, with
P(i, j) ∝ P(i, rows so far) · T[i, j] · P(the next block and what follows | j).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from bayou._native import best_paths, carry_message, expect_chain, filter_chain
from bayou.errors import ImpossibleEvidence
from bayou.statistics import CountTable, Statistics
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_counts import chain_statistics
from bayou.temporal.chain_model import Borders, ChainModel
from bayou.temporal.stored_sequences import LongRows
from bayou.typing import FloatArray, IntArray

LARGEST_CELLS = 2**23
"""A block has at most so many rows times states."""
_TINY = 1e-100
"""Moves that are less probable make messages that only logarithms hold."""


class LongSequence:
    """A model and the rows of one long sequence."""

    def __init__(self, model: ChainModel, rows: LongRows) -> None:
        self._model = model
        self._rows = rows.in_blocks(max(1, LARGEST_CELLS // model.chain.states))

    @cached_property
    def _wide(self) -> bool:
        return bool((self._model.transition < _TINY).any())

    @cached_property
    def _moves(self) -> FloatArray:
        return _log(self._model.transition)

    @cached_property
    def _end(self) -> FloatArray:
        end = self._model.end
        return np.zeros(self._model.chain.states) if end is None else _log(end)

    # The way forward

    @cached_property
    def _sums(self) -> _Messages:
        return self._forward(_log_sum, best=False)

    @cached_property
    def _best(self) -> _Messages:
        return self._forward(np.max, best=True)

    def _forward(self, total: Callable[..., FloatArray], *, best: bool) -> _Messages:
        """The messages before the first and at the last row of each block, each divided by its sum, and the
        logarithm of the sequence's probability.
        """
        found = _Messages()
        before = _log(self._model.start)
        for block in self._rows.blocks():
            last, log_scale = self._carried(block, before, best)
            size = float(total(last))
            found.before.append(before)
            if size == -np.inf:
                found.log_probability = -np.inf
                return found
            found.last.append(last - size)
            found.log_probability += size + log_scale
            before = total(found.last[-1][:, None] + self._moves, axis=0)
        found.log_probability += float(total(found.last[-1] + self._end))
        return found

    def _carried(self, block: SequenceBatch, before: FloatArray, best: bool) -> tuple[FloatArray, float]:
        """The message at the last row of a block, divided by a number, and the logarithm of that number.

        Together they would lose digits: log P(all rows) is large, log odds of states are not.
        """
        arguments, gaussian = self._model.arguments(block)
        if not best and not self._wide:
            shares = np.exp(before)
            found, _, states = filter_chain(shares, arguments[1], None, *arguments[3:], gaussian=gaussian)
            return _log(states[-1]), float(found[0])
        transition, starts, columns, tables, logs = arguments[1], *arguments[3:]
        return carry_message(before, transition, starts, columns, tables, logs, best=best, gaussian=gaussian)

    @property
    def log_likelihood(self) -> float:
        """log P(all rows); −inf if they are impossible."""
        return self._sums.log_probability

    @property
    def last_states(self) -> FloatArray:
        """P(state of the last row | all rows, if the sequence may go on)."""
        if len(self._sums.last) < self._rows.count:
            self._refuse(self._sums)
        return np.exp(self._sums.last[-1])

    def _refuse(self, messages: _Messages) -> None:
        if messages.log_probability > -np.inf:
            return
        number = len(messages.last)
        if number == self._rows.count:
            row, where = self._rows.rows - 1, "at its end"
        else:
            block = self._rows.block(number)
            arguments, gaussian = self._model.arguments(block)
            start = np.exp(messages.before[number])
            steps = filter_chain(start, arguments[1], None, *arguments[3:], gaussian=gaussian)[1]
            row = number * self._rows.size + int((steps == -np.inf).argmax())
            where = f"at its step {row}"
        raise ImpossibleEvidence(
            f"Sequence {self._rows.number} is impossible under this model: {where} no state can follow with "
            "what is observed. Learn with a prior above 0, or look at this row."
        )

    # The way back

    def expected(self) -> tuple[float, Statistics]:
        """The log-likelihood and the expected statistics, times the weight of the sequence."""
        found = self._sums
        self._refuse(found)
        state = self._model.chain.state.name
        total: Statistics | None = None
        ahead: FloatArray | None = None
        moves: FloatArray | None = None
        for number in reversed(range(self._rows.count)):
            block, after = self._rows.block(number), self._after(ahead)
            borders = Borders(found.before[number], after, self._wide)
            _, part = self._model.expected_of_part(block, borders)
            first = np.asarray(part[CountTable((state,))].values)
            last = _shares(found.last[number] + after)
            if ahead is not None:
                moves = _shares(found.last[number][:, None] + self._moves + ahead)
            part = self._joined(part, number, first, moves, last)
            total = part if total is None else total + part
            ahead = self._ahead(block, found.before[number], after, first)
        assert total is not None
        return self._rows.weight * found.log_probability, self._weighed(total)

    def _after(self, ahead: FloatArray | None) -> FloatArray:
        """log P(rows after a block | state of its last row), up to a constant; None: it is the last block."""
        after = self._end if ahead is None else _log_sum(self._moves + ahead, axis=1)
        shifted: FloatArray = after - after.max()
        return shifted

    def _ahead(
        self, block: SequenceBatch, before: FloatArray, after: FloatArray, first: FloatArray
    ) -> FloatArray:
        """log P(the block and what follows | state of its first row), up to a constant."""
        if not self._wide:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(before > -np.inf, _log(first) - before, -np.inf)
        arguments, gaussian = self._model.arguments(block)
        transition, starts, columns, tables, logs = arguments[1], *arguments[3:]
        return carry_message(
            after, transition, starts, columns, tables, logs, backward=True, gaussian=gaussian
        )[0]

    def smoothed(self) -> Iterator[tuple[SequenceBatch, FloatArray]]:
        """Blocks from the last to the first, each with P(state | all rows of the sequence)."""
        found = self._sums
        self._refuse(found)
        ahead: FloatArray | None = None
        for number in reversed(range(self._rows.count)):
            block, after = self._rows.block(number), self._after(ahead)
            borders = Borders(found.before[number], after, self._wide)
            arguments, gaussian = self._model.arguments(block, borders=borders)
            states = expect_chain(*arguments, None, counts=False, smoothed=True, gaussian=gaussian)[5]
            ahead = self._ahead(block, found.before[number], after, states[0])
            yield block, states

    def decoded(self) -> Iterator[tuple[SequenceBatch, IntArray]]:
        """Blocks from the last to the first, each with the states of the most probable path."""
        found = self._best
        self._refuse(found)
        state = int((found.last[-1] + self._end).argmax())
        for number in reversed(range(self._rows.count)):
            block, only = self._rows.block(number), np.full(self._model.chain.states, -np.inf)
            only[state] = 0.0
            borders = Borders(found.before[number], only, wide=True)
            arguments, gaussian = self._model.arguments(block, borders=borders)
            path = best_paths(*arguments, gaussian=gaussian)[0].astype(np.int64)
            if number:
                state = int((found.last[number - 1] + self._moves[:, path[0]]).argmax())
            yield block, path

    @property
    def path_log_probability(self) -> float:
        """log P(the most probable path, all rows)."""
        return self._best.log_probability

    def expected_of_best(self) -> tuple[float, Statistics]:
        """The log probability of the best path, and the statistics of the rows with these states."""
        chosen = np.eye(self._model.chain.states)

        def part_of(block: SequenceBatch, path: IntArray) -> Statistics:
            return self._model.of_states(block, chosen[path], chosen[path])

        statistics = self._of_paths(self.decoded(), part_of)
        return self._rows.weight * self.path_log_probability, statistics

    def counted(self, part_of: Callable[[SequenceBatch], Statistics]) -> Statistics:
        """The statistics of blocks whose rows all have a known state; ``part_of`` counts one."""
        name = self._model.chain.state.name
        blocks = (self._rows.block(number) for number in reversed(range(self._rows.count)))
        known = ((block, block.batch.codes[name].astype(np.int64)) for block in blocks)
        return self._of_paths(known, lambda block, _: part_of(block))

    def _of_paths(
        self,
        paths: Iterator[tuple[SequenceBatch, IntArray]],
        part_of: Callable[[SequenceBatch, IntArray], Statistics],
    ) -> Statistics:
        """The statistics of blocks, from the last to the first, whose states are known."""
        total: Statistics | None = None
        after: int | None = None
        chosen = np.eye(self._model.chain.states)
        for number, (block, path) in zip(reversed(range(self._rows.count)), paths, strict=True):
            moves = None if after is None else np.outer(chosen[path[-1]], chosen[after])
            own = part_of(block, path)
            part = self._joined(own, number, chosen[path[0]], moves, chosen[path[-1]])
            total = part if total is None else total + part
            after = int(path[0])
        assert total is not None
        return self._weighed(total)

    def _joined(
        self, part: Statistics, number: int, first: FloatArray, moves: FloatArray | None, last: FloatArray
    ) -> Statistics:
        """The statistics of a block without the start and the end that it has counted as its own where it has
        neighbours, and with the move to the next block (None: it is the last one).
        """
        nothing = np.zeros(self._model.chain.states)
        border = chain_statistics(
            self._model.chain,
            self._model.network.schema,
            -first if number else nothing,
            np.outer(nothing, nothing) if moves is None else moves,
            nothing if moves is None else -last,
        )
        joined = {request: part[request] + answer for request, answer in border.items()}
        return Statistics({**part, **joined}, part.rows)

    def _weighed(self, total: Statistics) -> Statistics:
        """The statistics of all blocks as those of one sequence with its weight."""
        weight = self._rows.weight
        return Statistics(dict(total if weight == 1 else total * weight), weight)


def log_likelihoods(model: ChainModel, rows: SequenceBatch | LongRows) -> FloatArray:
    """log P of each sequence, in memory or of one that is too long."""
    if isinstance(rows, SequenceBatch):
        return model.log_likelihoods(rows)
    return np.array([LongSequence(model, rows).log_likelihood])


class _Messages:
    """What the way forward keeps."""

    def __init__(self) -> None:
        self.before: list[FloatArray] = []
        self.last: list[FloatArray] = []
        self.log_probability = 0.0


def _log(shares: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(shares)


def _log_sum(logs: FloatArray, axis: int | None = None) -> FloatArray:
    """log Σ exp(logs)."""
    largest = np.max(logs, axis=axis, keepdims=True)
    base = np.where(largest > -np.inf, largest, 0.0)
    with np.errstate(divide="ignore"):
        found = np.log(np.exp(logs - base).sum(axis=axis, keepdims=True)) + base
    return np.asarray(found.squeeze(axis))


def _shares(logs: FloatArray) -> FloatArray:
    """Probabilities that sum to 1, from logarithms."""
    weights = np.exp(logs - logs.max())
    shares: FloatArray = weights / weights.sum()
    return shares
