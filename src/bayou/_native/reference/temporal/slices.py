"""Sequences run through the slices of a dynamic network: the specification of the compiled kernels.

Products are long doubles, whose range is wide on most machines; the compiled kernels run a sequence again in
numbers of any range where doubles have lost something that matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bayou.typing import FloatArray, IntArray

Codes = npt.NDArray[np.uint32]
TABLE, LIKELIHOOD, MESSAGE, ONE, LATER = range(5)
Wide: TypeAlias = "npt.NDArray[np.longdouble]"


class SliceProgram:
    """One slice of a dynamic network: passes from the incoming message to the outgoing one.

    ``operands`` has (source, index, entries): 0 a table, entered at the codes of ``picks`` (operand, column,
    age, stride, states), 1 likelihoods of the row, 2 the incoming message, 3 the number 1, 4 a part of the
    message from the slices after this one (of factored programs; 1 on the way forwards). Pass k, of
    ``passes`` (left, right, entries), is the operand after those: the sum of left · right over the variables
    of ``axes`` (pass, variable, size, strides in left, right and result) that the result does not have.
    ``loops`` say the same for fast code. ``numbers`` are operands with one entry that multiply the message,
    ``result``. Marginals have (wanted, [operand,] outer, states, inner): sums of the entries
    [outer][state][inner] of the outgoing message or of a table. A variable is age · variables + its number;
    ``incoming`` and ``outgoing`` have (variable, size). A ``factored`` program
    sends ``parts``, marginals of operands (operand, outer, states, inner), instead of the joint message.
    """

    def __init__(
        self,
        operands: IntArray,
        picks: IntArray,
        tables: Sequence[FloatArray],
        passes: IntArray,
        loops: IntArray,
        axes: IntArray,
        result: int,
        numbers: Sequence[int],
        incoming: IntArray,
        outgoing: IntArray,
        message_marginals: IntArray,
        table_marginals: IntArray,
        parts: IntArray,
        factored: bool,
        ids: int,
    ) -> None:
        self.operands, self.picks, self.tables = operands.tolist(), picks.tolist(), list(tables)
        self.passes, self.result, self.numbers = passes.tolist(), result, list(numbers)
        self.axes = [[row[1:] for row in axes.tolist() if row[0] == k] for k in range(len(passes))]
        self.incoming, self.outgoing, self.ids = incoming.tolist(), outgoing.tolist(), ids
        self.message_marginals, self.table_marginals = message_marginals.tolist(), table_marginals.tolist()
        self.parts, self.factored = parts.tolist(), factored
        self.cells = [_cells(axes) for axes in self.axes]

    def with_tables(self, tables: Sequence[FloatArray]) -> SliceProgram:
        """The same program with other tables."""
        other = copy(self)
        other.tables = list(tables)
        return other

    @property
    def entries(self) -> int:
        """The entries of the outgoing message."""
        sizes = [size for _, size in self.outgoing]
        return sum(sizes) or 1 if self.factored else int(np.prod(sizes, dtype=np.int64))


def _cells(axes: Sequence[Sequence[int]]) -> list[IntArray]:
    """For every combination of the variables: the entries of left, right and result."""
    found = [np.zeros(1, dtype=np.int64) for _ in range(3)]
    for _, size, *strides in axes:
        steps = np.arange(size)
        found = [(at[:, None] + steps * by).ravel() for at, by in zip(found, strides, strict=True)]
    return found


class _Step:
    """The program of one row with its tables."""

    def __init__(
        self,
        program: SliceProgram,
        row: int,
        codes: Codes,
        likelihoods: Sequence[FloatArray],
        incoming: Wide,
    ) -> None:
        self.program = program
        self.offsets: list[int] = []
        self.values: list[Wide] = []
        for k, (source, index, entries) in enumerate(program.operands):
            offset = sum(
                int(codes[column, row - age]) * stride
                for operand, column, age, stride, _ in program.picks
                if operand == k
            )
            self.offsets.append(offset)
            if source == TABLE:
                self.values.append(_wide(program.tables[index][offset : offset + entries]))
            elif source == LIKELIHOOD:
                self.values.append(_wide(likelihoods[index][row]))
            elif source == MESSAGE:
                self.values.append(incoming[index : index + entries])
            else:
                self.values.append(_ones(entries))

    def _run(self, maximum: bool) -> None:
        del self.values[len(self.program.operands) :]
        for (left, right, entries), (at, to, out) in zip(
            self.program.passes, self.program.cells, strict=True
        ):
            made = np.zeros(entries, dtype=np.longdouble)
            products = self.values[left][at] * self.values[right][to]
            (np.maximum if maximum else np.add).at(made, out, products)
            self.values.append(made)

    def forward(self, maximum: bool) -> tuple[Wide, float]:
        """The outgoing message divided by its sum (or maximum), and the log of that."""
        self._run(maximum)
        found = self.values[self.program.result]
        numbers = [self.values[k][0] for k in self.program.numbers]
        total = found.max() if maximum else found.sum()
        if not (total > 0 and all(number > 0 for number in numbers)):
            return np.zeros(self.program.entries, dtype=np.longdouble), -np.inf
        logs = float(np.log(total) + sum(np.log(number) for number in numbers))
        if not self.program.factored:
            return found / total, logs
        _, shares = self.shares(_ones(1))
        sent = [_marginal(shares[operand], *around) for operand, *around in self.program.parts]
        return np.concatenate(sent) if sent else _ones(1), logs

    def take_later(self, later: Wide) -> None:
        """Enter the message of the slices after this one, part by part."""
        for k, (source, index, entries) in enumerate(self.program.operands):
            if source == LATER:
                self.values[k] = later[index : index + entries]
        self._run(False)

    def shares(self, outgoing: Wide) -> tuple[Wide, list[Wide]]:
        """(derivatives by the incoming message, posterior of the entries of every operand)."""
        program = self.program
        given = len(program.operands)
        by: list[Wide] = [_ones(len(value)) for value in self.values]
        by[program.result] = outgoing
        for k in reversed(range(len(program.passes))):
            left, right, _ = program.passes[k]
            at, to, out = program.cells[k]
            upper = by[given + k][out]
            by[left] = _summed(at, upper * self.values[right][to], len(self.values[left]))
            by[right] = _summed(to, upper * self.values[left][at], len(self.values[right]))
        parts = [by[k] / by[k].max() for k in range(given) if program.operands[k][0] == MESSAGE]
        products = [self.values[k] * by[k] for k in range(given)]
        shares = [one / one.sum() if one.sum() > 0 else one for one in products]
        return np.concatenate(parts) if parts else _ones(1), shares


def _wide(values: FloatArray) -> Wide:
    return np.asarray(values, dtype=np.longdouble)


def _ones(entries: int) -> Wide:
    return np.ones(entries, dtype=np.longdouble)


def _summed(places: IntArray, values: Wide, entries: int) -> Wide:
    made = np.zeros(entries, dtype=np.longdouble)
    np.add.at(made, places, values)
    return made


def _marginal(entries: Wide, outer: int, states: int, inner: int) -> Wide:
    sums: Wide = entries.reshape(outer, states, inner).sum(axis=(0, 2))
    return sums / sums.sum() if sums.sum() > 0 else sums


def _runs(starts: IntArray) -> list[range]:
    return [range(first, last) for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]


def filter_slices(
    programs: Sequence[SliceProgram],
    starts: IntArray,
    codes: Codes,
    likelihoods: Sequence[FloatArray],
    row_programs: Codes,
    belief_states: Sequence[int],
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
    """(log P of each sequence, log P of each row given those before, beliefs of each wanted variable)."""
    rows = codes.shape[1]
    logs, steps = np.zeros(len(starts) - 1), np.zeros(rows)
    beliefs = [np.zeros((rows, states)) for states in belief_states]
    for sequence, run in enumerate(_runs(starts)):
        message = _ones(1)
        for row in run:
            step = _Step(programs[row_programs[row]], row, codes, likelihoods, message)
            message, steps[row] = step.forward(False)
            if steps[row] == -np.inf:
                steps[row : run.stop] = -np.inf
                break
            if beliefs:
                _, shares = step.shares(_ones(1 if step.program.factored else len(message)))
                _write(step.program, row, beliefs, message, shares)
        logs[sequence] = steps[run.start : run.stop].sum()
    return logs, steps, beliefs


def _write(
    program: SliceProgram,
    row: int,
    beliefs: Sequence[FloatArray],
    message: Wide,
    shares: Sequence[Wide],
) -> None:
    for wanted, outer, states, inner in program.message_marginals:
        beliefs[wanted][row] = _marginal(message, outer, states, inner)
    for wanted, operand, outer, states, inner in program.table_marginals:
        beliefs[wanted][row] = _marginal(shares[operand], outer, states, inner)


def _forward(
    programs: Sequence[SliceProgram],
    run: range,
    codes: Codes,
    likelihoods: Sequence[FloatArray],
    row_programs: Codes,
    maximum: bool,
) -> tuple[list[_Step], list[Wide], float]:
    steps, messages, total = [], [_ones(1)], 0.0
    for row in run:
        step = _Step(programs[row_programs[row]], row, codes, likelihoods, messages[-1])
        message, log = step.forward(maximum)
        steps.append(step)
        messages.append(message)
        total += log
        if log == -np.inf:
            break
    return steps, messages, total


def smooth_slices(
    programs: Sequence[SliceProgram],
    starts: IntArray,
    codes: Codes,
    likelihoods: Sequence[FloatArray],
    row_programs: Codes,
    belief_states: Sequence[int],
    weights: FloatArray | None,
    counts: bool,
    kept_entries: int,
    threads: int = 0,
) -> tuple[FloatArray, list[FloatArray], list[list[FloatArray]]]:
    """(log P of each sequence, beliefs given all rows, expected counts of the tables of each program)."""
    logs = np.zeros(len(starts) - 1)
    beliefs = [np.zeros((codes.shape[1], states)) for states in belief_states]
    found = [[np.zeros(len(table)) for table in program.tables] for program in programs] if counts else []
    for sequence, run in enumerate(_runs(starts)):
        steps, messages, logs[sequence] = _forward(programs, run, codes, likelihoods, row_programs, False)
        if logs[sequence] == -np.inf:
            continue
        weight = 1.0 if weights is None else float(weights[sequence])
        later = _ones(len(messages[-1]))
        for row, step in zip(reversed(run), reversed(steps), strict=True):
            message = messages[row - run.start + 1] * later
            if step.program.factored:
                step.take_later(later)
                later = _ones(1)
            later, shares = step.shares(later)
            _write(step.program, row, beliefs, message, shares)
            for k, (source, index, entries) in enumerate(step.program.operands):
                if counts and source == TABLE:
                    own = found[row_programs[row]][index]
                    own[step.offsets[k] : step.offsets[k] + entries] += weight * shares[k]
    return logs, beliefs, found


def best_slices(
    programs: Sequence[SliceProgram],
    starts: IntArray,
    codes: Codes,
    likelihoods: Sequence[FloatArray],
    row_programs: Codes,
    kept_entries: int,
    threads: int = 0,
) -> tuple[FloatArray, Codes]:
    """(log P of each best path, its codes [variable, row])."""
    logs, paths = np.zeros(len(starts) - 1), codes.copy()
    for sequence, run in enumerate(_runs(starts)):
        steps, messages, logs[sequence] = _forward(programs, run, codes, likelihoods, row_programs, True)
        if logs[sequence] == -np.inf or not len(run):
            continue
        cell = int(messages[-1].argmax())
        for row, step in zip(reversed(run), reversed(steps), strict=True):
            values: dict[int, int] = {}
            cell = _traced(step, cell, values)
            for variable, value in values.items():
                if variable < len(paths):
                    paths[variable, row] = value
    return logs, paths


def _traced(step: _Step, cell: int, values: dict[int, int]) -> int:
    """Set the best values of all variables, given an entry of the outgoing message; the incoming entry."""
    program = step.program
    for variable, size in reversed(program.outgoing):
        cell, values[variable] = divmod(cell, size)
    for k in reversed(range(len(program.passes))):
        left, right, _ = program.passes[k]
        at, to, _ = program.cells[k]
        # Only combinations that agree with the values known so far, whose result is that entry.
        digits = np.unravel_index(np.arange(len(at)), [size for _, size, *_ in program.axes[k]] or [1])
        agrees = np.ones(len(at), dtype=bool)
        for (variable, _, _, _, by), digit in zip(program.axes[k], digits, strict=False):
            if by:
                agrees &= digit == values[variable]
        own = np.flatnonzero(agrees)
        best = own[np.argmax(step.values[left][at[own]] * step.values[right][to[own]])]
        for (variable, _, _, _, by), digit in zip(program.axes[k], digits, strict=False):
            if not by:
                values[variable] = int(digit[best])
    incoming = 0
    for variable, size in program.incoming:
        incoming = incoming * size + values[variable]
    return incoming
