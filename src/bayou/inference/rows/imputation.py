"""Imputation of gaps: each gap by its most probable value, or all gaps of a row by a draw.

A draw from the joint posterior of a row's gaps g₁ … gₙ uses the chain rule

    P(g₁ … gₙ | findings) = Π_i P(g_i | findings, g₁ … g_(i−1)):

the gaps are drawn one after the other, and each drawn value is a finding for the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bayou._native import sample_categorical, sample_normal
from bayou.codes import is_missing_cell, missing_code
from bayou.errors import ImpossibleEvidence
from bayou.inference.mixed.row_mixtures import RowMixtures, TooManyGaussians, row_mixtures
from bayou.inference.query import ask
from bayou.inference.question import Finding, Question
from bayou.inference.rows.batch_posteriors import rows_posteriors
from bayou.networks import FrozenNetwork
from bayou.typing import CodeArray, ColumnArray, FloatArray, IntArray, Name

BoolArray = npt.NDArray[np.bool_]
_NO_GROUP = 0xFFFFFFFF
_TIED = 1e-9
"""Probabilities that differ by less than this (relative to the largest) count as equal."""


@dataclass(frozen=True)
class GappyRows:
    """Rows in codes and numbers, and masks of the cells to fill (by variable).

    ``first_row`` is the index of the first row in the whole table: random draws depend on a row's index
    there, not on how the table is divided into chunks.
    """

    rows: int
    codes: Mapping[Name, CodeArray]
    numbers: Mapping[Name, FloatArray]
    gaps: Mapping[Name, BoolArray]
    first_row: int = 0


@dataclass(frozen=True)
class ImputedValues:
    """For each variable the values for its gaps, in row order; a mask of rows with impossible findings."""

    values: dict[Name, ColumnArray]
    impossible: BoolArray


def most_probable_codes(table: FloatArray) -> IntArray:
    """Return the most probable state of each row; of states equal up to rounding, the first.

    >>> most_probable_codes(np.array([[0.2, 0.8], [0.5, np.nextafter(0.5, 1)]])).tolist()
    [1, 0]
    """
    chances = np.where(np.isnan(table), -1.0, table)
    top = chances.max(axis=1, keepdims=True)
    result: IntArray = (chances >= top * (1 - _TIED)).argmax(axis=1)
    return result


def fill_marginally(network: FrozenNetwork, part: GappyRows) -> ImputedValues:
    """Fill each gap on its own: with its most probable state, or its posterior mean."""
    work = ImputationInProgress(part)
    for name, where in work.open_cells():
        if name in part.numbers:
            work.put(name, where, means_of_rows(network, name, part, where))
        else:
            table = _posterior(network, name, part, where)
            work.put(name, where, np.where(np.isnan(table[:, 0]), np.nan, most_probable_codes(table)))
    return work.done()


def fill_by_drawing(network: FrozenNetwork, part: GappyRows, seed: int) -> ImputedValues:
    """Fill the gaps of each row with one draw from their joint posterior, one gap after the other."""
    work = ImputationInProgress(part)
    for name, where in work.open_cells():
        stream = network.schema.index(name)
        if name in part.numbers:
            noise = sample_normal(seed, stream + len(network.schema), part.first_row, part.rows)[where]
            drawn = np.full(len(where), np.nan)
            for some in _mixtures(network, name, work.part(), where):
                one = _chosen(some, seed, stream, part.first_row + where[some.rows])
                drawn[some.rows] = some.means[one] + noise[some.rows] * np.sqrt(some.variances[one])
            work.put(name, where, drawn)
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


def findings(part: GappyRows, row: int) -> dict[Name, Finding]:
    """Return the observed cells of one row."""
    found: dict[Name, Finding] = {
        name: int(column[row])
        for name, column in part.codes.items()
        if column[row] != missing_code(column.dtype)
    }
    gaps = {name: is_missing_cell(column[row : row + 1])[0] for name, column in part.numbers.items()}
    found.update({n: c[row : row + 1].tolist()[0] for n, c in part.numbers.items() if not gaps[n]})
    return found


def means_of_rows(
    network: FrozenNetwork, name: Name, part: GappyRows, where: npt.NDArray[np.intp]
) -> FloatArray:
    """Return the posterior means of a continuous variable in the rows ``where`` (NaN: impossible)."""
    means = np.full(len(where), np.nan)
    for some in _mixtures(network, name, part, where):
        means[some.rows] = some.expected
    return means


def _mixtures(
    network: FrozenNetwork, name: Name, part: GappyRows, where: npt.NDArray[np.intp]
) -> Iterator[RowMixtures]:
    """Yield the posteriors of a continuous variable for the rows ``where``, those with possible findings.

    ``RowMixtures.rows`` are positions in ``where``.
    """
    columns: dict[Name, ColumnArray] = {**part.codes, **part.numbers}
    columns = {other: column[where] for other, column in columns.items()}
    for some in row_mixtures(network, name, columns, len(where)):
        if isinstance(some, TooManyGaussians):
            yield from _one_by_one(network, name, part, where, some.rows)
        else:
            possible = ~np.isnan(some.weights[:, 0])
            yield some if possible.all() else some.taken(possible)


def _one_by_one(
    network: FrozenNetwork,
    name: Name,
    part: GappyRows,
    where: npt.NDArray[np.intp],
    places: npt.NDArray[np.intp],
) -> Iterator[RowMixtures]:
    """Yield large mixtures by one query per set of equal rows; ``places`` are positions in ``where``."""
    equal: dict[tuple[tuple[Name, Finding], ...], list[int]] = {}
    for place in places.tolist():
        found = findings(part, int(where[place]))
        found.pop(name, None)
        equal.setdefault(tuple(found.items()), []).append(place)
    for key, same in equal.items():
        try:
            mixture = ask(network, Question((name,), dict(key))).mixture
        except ImpossibleEvidence:
            continue
        assert mixture is not None  # a continuous target has one
        for place in same:
            shown = (mixture.weights[None], mixture.means[None], mixture.variances[None])
            yield RowMixtures(np.array([place]), *shown)


def _chosen(
    some: RowMixtures, seed: int, stream: int, rows: npt.NDArray[np.intp]
) -> tuple[IntArray, IntArray]:
    """Draw one Gaussian of each mixture, as an index into its arrays; ``rows`` are indices in the table."""
    every = np.arange(len(rows))
    if some.weights.shape[1] == 1 or not len(rows):
        return every, np.zeros(len(rows), dtype=np.int64)
    cumulative = np.ascontiguousarray(np.minimum(np.cumsum(some.merged(), axis=1), 1.0))
    first = int(rows.min())
    groups = np.full(int(rows.max()) + 1 - first, _NO_GROUP, dtype=np.uint32)
    groups[rows - first] = every.astype(np.uint32)
    codes = sample_categorical(seed, stream, first, groups, cumulative, len(groups))
    return every, codes[rows - first].astype(np.int64)


def _posterior(
    network: FrozenNetwork, name: Name, part: GappyRows, where: npt.NDArray[np.intp]
) -> FloatArray:
    """P(name | findings) of a discrete variable in the rows ``where``."""
    codes = {other: np.ascontiguousarray(column[where]) for other, column in part.codes.items()}
    numbers = {other: np.ascontiguousarray(column[where]) for other, column in part.numbers.items()}
    return rows_posteriors(network, (name,), codes, numbers, len(where)).tables[name]


class ImputationInProgress:
    """Rows during imputation, with copies of the columns that have gaps."""

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
        """Fill some cells; a NaN value marks the row as impossible, and its cell stays missing."""
        impossible = np.isnan(values)
        self.impossible[where[impossible]] = True
        if name in self.numbers:
            self.numbers[name][where] = values
        else:
            kind = self.codes[name].dtype
            self.codes[name][where] = np.where(impossible, missing_code(kind), np.nan_to_num(values)).astype(
                kind
            )

    def part(self) -> GappyRows:
        """The rows with the cells filled so far."""
        return replace(self.start, codes=self.codes, numbers=self.numbers)

    def done(self) -> ImputedValues:
        """The values of each variable's gaps."""
        columns: dict[Name, ColumnArray] = {**self.codes, **self.numbers}
        return ImputedValues(
            {name: columns[name][gaps] for name, gaps in self.start.gaps.items()}, self.impossible
        )
