"""Gaps filled row by row: each with its own best, with the row's joint best, or with a draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bayou._native import sample_categorical, sample_normal
from bayou.errors import ImpossibleEvidence, TooWide
from bayou.inference.asking import ask
from bayou.inference.batches import rows_posteriors
from bayou.inference.compiled import most_probable, plans_of, signed
from bayou.inference.hybrid import Mixture, solve_hybrid
from bayou.inference.question import Finding, Question, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import CodeArray, ColumnArray, FloatArray, IntArray, Name

BoolArray = npt.NDArray[np.bool_]
_NO_GROUP = 0xFFFFFFFF
_TIED = 1e-9
_LARGEST_GENERAL = 1e6
"""Table entries up to which one plan serves rows with any gaps; beyond, each gap pattern has its own."""


@dataclass(frozen=True)
class GappyRows:
    """Rows in codes and numbers, and which of their cells are to be filled (by variable).

    ``first_row`` is the place of the first row in the whole table: draws depend on it, not on the chunk.
    """

    rows: int
    codes: Mapping[Name, CodeArray]
    numbers: Mapping[Name, FloatArray]
    gaps: Mapping[Name, BoolArray]
    first_row: int = 0


@dataclass(frozen=True)
class Completed:
    """For each variable what fills its gaps, in their order, and which rows are impossible."""

    values: dict[Name, ColumnArray]
    impossible: BoolArray


def most_probable_codes(table: FloatArray) -> IntArray:
    """The most probable state of each row; of equally probable ones the first, whatever their last bits.

    >>> most_probable_codes(np.array([[0.2, 0.8], [0.5, np.nextafter(0.5, 1)]])).tolist()
    [1, 0]
    """
    known = np.where(np.isnan(table), -1.0, table)
    top = known.max(axis=1, keepdims=True)
    result: IntArray = (known >= top * (1 - _TIED)).argmax(axis=1)
    return result


def fill_marginally(network: FrozenNetwork, part: GappyRows) -> Completed:
    """Each gap by itself: its most probable state, or its posterior mean."""
    work = _Work(part)
    for name, where in work.open_cells():
        if name in part.numbers:
            mixtures = mixtures_of_rows(network, name, part, where)
            work.put(name, where, np.array([np.nan if m is None else m.mean for m in mixtures]))
        else:
            table = _posterior(network, name, part, where)
            work.put(name, where, np.where(np.isnan(table[:, 0]), np.nan, most_probable_codes(table)))
    return work.done()


def fill_by_drawing(network: FrozenNetwork, part: GappyRows, seed: int) -> Completed:
    """One draw from the joint posterior of a row's gaps: one after the other, given those before."""
    work = _Work(part)
    for name, where in work.open_cells():
        stream = network.schema.index(name)
        if name in part.numbers:
            mixtures = mixtures_of_rows(network, name, work.part(), where)
            noise = sample_normal(seed, stream + len(network.schema), part.first_row, part.rows)[where]
            drawn = [
                np.nan if mixture is None else _drawn(mixture, seed, stream, part.first_row + int(row), z)
                for mixture, row, z in zip(mixtures, where, noise.tolist(), strict=True)
            ]
            work.put(name, where, np.array(drawn))
            continue
        table = _posterior(network, name, work.part(), where)
        possible = ~np.isnan(table[:, 0])
        groups = np.full(part.rows, _NO_GROUP, dtype=np.uint32)
        groups[where[possible]] = np.arange(int(possible.sum()), dtype=np.uint32)
        codes = np.full(len(where), np.nan)
        if possible.any():
            cumulative = np.ascontiguousarray(np.minimum(np.cumsum(table[possible], axis=1), 1.0))
            chosen = sample_categorical(seed, stream, part.first_row, groups, cumulative, part.rows)
            codes[possible] = chosen[where[possible]]
        work.put(name, where, codes)
    return work.done()


def fill_jointly(network: FrozenNetwork, part: GappyRows) -> Completed:
    """The row's most probable completion: states first (numbers integrated out), then the numbers' means."""
    work = _Work(part)
    solver = _Joint(network, part)
    discrete = [name for name in part.gaps if name in part.codes]
    for row in np.flatnonzero(np.any([part.gaps[name] for name in discrete], axis=0)) if discrete else ():
        targets = tuple(name for name in discrete if part.gaps[name][row])
        states = solver.completion(targets, findings(part, int(row)))
        for name in targets:
            code = np.nan if states is None else float(states[name])
            work.put(name, np.array([row]), np.array([code]))
    for name, where in work.open_cells():
        if name in part.numbers:
            mixtures = mixtures_of_rows(network, name, work.part(), where)
            work.put(name, where, np.array([np.nan if m is None else m.mean for m in mixtures]))
    return work.done()


def findings(part: GappyRows, row: int) -> dict[Name, Finding]:
    """What was found in one row."""
    found: dict[Name, Finding] = {
        name: int(column[row])
        for name, column in part.codes.items()
        if column[row] != np.iinfo(column.dtype).max
    }
    found.update({n: float(c[row]) for n, c in part.numbers.items() if not np.isnan(c[row])})
    return found


def mixtures_of_rows(
    network: FrozenNetwork, name: Name, part: GappyRows, where: npt.NDArray[np.intp]
) -> list[Mixture | None]:
    """The posterior of a continuous variable for some rows (None: impossible), equal rows once."""
    known: dict[tuple[tuple[Name, Finding], ...], Mixture | None] = {}
    result = []
    for row in where.tolist():
        found = findings(part, row)
        found.pop(name, None)
        key = tuple(found.items())
        if key not in known:
            try:
                known[key] = ask(network, Question((name,), found)).mixture
            except ImpossibleEvidence:
                known[key] = None
        result.append(known[key])
    return result


def _posterior(
    network: FrozenNetwork, name: Name, part: GappyRows, where: npt.NDArray[np.intp]
) -> FloatArray:
    codes = {other: np.ascontiguousarray(column[where]) for other, column in part.codes.items()}
    numbers = {other: np.ascontiguousarray(column[where]) for other, column in part.numbers.items()}
    return rows_posteriors(network, (name,), codes, numbers, len(where)).tables[name]


def _drawn(mixture: Mixture, seed: int, stream: int, row: int, noise: float) -> float:
    cumulative = np.minimum(np.cumsum(mixture.weights), 1.0)[None, :]
    chosen = int(sample_categorical(seed, stream, row, None, cumulative, 1)[0])
    return float(mixture.means[chosen] + noise * np.sqrt(mixture.variances[chosen]))


class _Work:
    """Rows while they are being filled: copies of the columns that have gaps."""

    def __init__(self, start: GappyRows) -> None:
        self.start = start
        self.codes = {name: c.copy() if name in start.gaps else c for name, c in start.codes.items()}
        self.numbers = {name: c.copy() if name in start.gaps else c for name, c in start.numbers.items()}
        self.impossible: BoolArray = np.zeros(start.rows, dtype=bool)

    def open_cells(self) -> Iterator[tuple[Name, npt.NDArray[np.intp]]]:
        """Each variable with gaps, and the rows that have one."""
        for name, gaps in self.start.gaps.items():
            where = np.flatnonzero(gaps)
            if len(where):
                yield name, where

    def put(self, name: Name, where: npt.NDArray[np.intp], values: FloatArray) -> None:
        """Fill some cells; NaN says that the row is impossible, and its cell stays open."""
        gone = np.isnan(values)
        self.impossible[where[gone]] = True
        if name in self.numbers:
            self.numbers[name][where] = values
        else:
            kind = self.codes[name].dtype
            self.codes[name][where] = np.where(gone, np.iinfo(kind).max, np.nan_to_num(values)).astype(kind)

    def part(self) -> GappyRows:
        """The rows as far as they are filled."""
        return replace(self.start, codes=self.codes, numbers=self.numbers)

    def done(self) -> Completed:
        """What was put into each variable's gaps."""
        columns: dict[Name, ColumnArray] = {**self.codes, **self.numbers}
        return Completed(
            {name: columns[name][gaps] for name, gaps in self.start.gaps.items()}, self.impossible
        )


class _Joint:
    """Most probable completions: one plan for rows with any gaps where it is small, else one a pattern."""

    def __init__(self, network: FrozenNetwork, part: GappyRows) -> None:
        self.network = network
        self.columns = tuple(name for name in part.gaps if name in part.codes)
        self.known: dict[tuple[object, ...], dict[Name, int] | None] = {}
        self.general = self._general()

    def _general(self) -> bool:
        if any(variable.is_continuous for variable in self.network.schema):
            return False
        asked = Question(self.columns, likelihood={name: self._any(name) for name in self.columns})
        names = relevant(self.network, asked)
        self.network.require(names)
        signature, _ = signed(self.network, names, asked)
        numbers = tuple(self.network.schema.index(name) for name in self.columns)
        try:
            core = plans_of(self.network).compiled(replace(signature, maximised=numbers))
        except TooWide:
            return False
        return bool(core.entries <= _LARGEST_GENERAL)

    def completion(self, targets: tuple[Name, ...], found: Mapping[Name, Finding]) -> dict[Name, int] | None:
        """The states of the targets, or None where the findings are impossible; equal rows once."""
        key = (targets, tuple(found.items()))
        if key not in self.known:
            if len(self.known) >= 2**16:
                self.known.clear()
            self.known[key] = self._solved(targets, found)
        return self.known[key]

    def _solved(self, targets: tuple[Name, ...], found: Mapping[Name, Finding]) -> dict[Name, int] | None:
        # A cell that is neither open nor known (a value never seen) is summed out, which needs its own plan.
        if self.general and len(targets) + sum(name in self.columns for name in found) == len(self.columns):
            pinned = {n: self._only(n, int(found[n])) if n in found else self._any(n) for n in self.columns}
            rest = {name: code for name, code in found.items() if name not in pinned}
            return self._best(Question(self.columns, rest, pinned), targets)
        question = Question(targets, found)
        names = relevant(self.network, question)
        self.network.require(names)
        if any(self.network.schema[n].is_continuous and n not in found for n in names):
            return self._hybrid(names, question)
        return self._best(question, targets)

    def _best(self, question: Question, targets: tuple[Name, ...]) -> dict[Name, int] | None:
        names = relevant(self.network, question)
        self.network.require(names)
        states, log = most_probable(self.network, names, question)
        return {name: states[name] for name in targets} if np.isfinite(log) else None

    def _hybrid(self, names: list[Name], question: Question) -> dict[Name, int] | None:
        """Numbers are hidden between findings: the weight of each combination of states, by its Gaussian."""
        solved = solve_hybrid(self.network, names, question)
        top = solved.log_weights.max()
        if not np.isfinite(top):
            return None
        places = [solved.discrete.index(name) for name in question.targets]
        choices, group = np.unique(solved.codes[:, places], axis=0, return_inverse=True)
        weights: FloatArray = np.zeros(len(choices))
        np.add.at(weights, group.ravel(), np.exp(solved.log_weights - top))
        chosen = choices[int(most_probable_codes(weights[None, :])[0])]
        return {name: int(code) for name, code in zip(question.targets, chosen, strict=True)}

    def _any(self, name: Name) -> FloatArray:
        return np.ones(self.network.schema[name].cardinality)

    def _only(self, name: Name, code: int) -> FloatArray:
        single = np.zeros(self.network.schema[name].cardinality)
        single[code] = 1.0
        return single
