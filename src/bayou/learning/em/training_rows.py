"""The rows of an iterative learner: kept in memory if they fit, else read again for every pass."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from bayou.errors import BadData
from bayou.inference.expectation.barren_cells import barren_columns
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.e_step import ExpectationKernel
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.statistics import LARGEST_HELD, Batch, RowBuffer, Source
from bayou.statistics.rows.distinct_rows import compress_rows
from bayou.typing import CodeArray, Name

T = TypeVar("T")


@dataclass(frozen=True)
class Census:
    """The result of reading: the number of rows, the missing values per variable, and the rows if they fit.

    ``empty`` counts rows without any value, which are left out. Censuses of batches add up; when the rows
    become too large they are no longer kept.
    """

    rows: int
    empty: int
    weight: float
    gaps: Mapping[Name, int]
    pile: RowBuffer

    def __add__(self, other: Census) -> Census:
        gaps = Counter(self.gaps) + Counter(other.gaps)
        rows, empty = self.rows + other.rows, self.empty + other.empty
        return Census(rows, empty, self.weight + other.weight, gaps, self.pile + other.pile)

    @cached_property
    def kept(self) -> Batch | None:
        """The rows, or None if they were too large."""
        return self.pile.whole()

    @property
    def cells(self) -> int:
        """The number of missing cells in all columns."""
        return sum(self.gaps.values())


@dataclass(frozen=True)
class RowReader:
    """The kernel that reads a batch: keeps distinct rows, counts missing values, refuses infinite numbers."""

    most: int = LARGEST_HELD

    def __call__(self, batch: Batch) -> Census:
        batch.refuse_infinite([name for name, column in batch.numbers.items() if column.dtype.kind == "f"])
        filled = without_empty_rows(batch)
        names, times = (*batch.codes, *batch.numbers), filled.occurrences
        gaps = {name: int(times[filled.missing(name)].sum()) for name in names}
        shrink = None if filled.numbers else compress_rows
        kept = filled if shrink is None else shrink(filled)
        pile = RowBuffer((kept,), self.most, shrink=shrink).within()
        rows = int(times.sum())
        return Census(rows, int(batch.occurrences.sum()) - rows, filled.total, gaps, pile)


@dataclass(frozen=True)
class WithoutEmptyRows(Generic[T]):
    """Applies a kernel to a batch without its empty rows."""

    kernel: Callable[[Batch], T]

    def __call__(self, batch: Batch) -> T:
        return self.kernel(without_empty_rows(batch))


def without_empty_rows(batch: Batch) -> Batch:
    """The rows that have at least one value.

    >>> without_empty_rows(Batch(2, {"A": np.array([255, 0], dtype=np.uint8)}, {})).rows
    1
    """
    empty = np.ones(batch.rows, dtype=bool)
    for name in (*batch.codes, *batch.numbers):
        empty &= batch.missing(name)
    if not empty.any():
        return batch
    return batch.taken(~empty)


def checksum(batch: Batch) -> int:
    """A checksum of the values and weights; the checksums of batches are added up.

    >>> one, other = (Batch(1, {"A": np.array([code], dtype=np.uint8)}, {}) for code in (0, 1))
    >>> checksum(one) == checksum(other)
    False
    """
    check = 0
    weights = () if batch.weights is None else (batch.weights,)
    for column in (*batch.codes.values(), *batch.numbers.values(), *weights):
        content = repr(column.tolist()).encode() if column.dtype.kind == "O" else column.tobytes()
        check = zlib.crc32(content, check)
    return check


class TrainingRows:
    """The incomplete rows of a source, coded by the states of the variables.

    >>> from bayou.sources import open_source
    >>> source = open_source({"A": ["x", None, "x", None], "B": [0, 1, 0, None]})
    >>> rows = TrainingRows(source, [Variable("A", ["x", "y"]), Variable("B", [0, 1])])
    >>> rows.census.rows, rows.census.empty, rows.census.kept.rows, rows.census.cells
    (3, 1, 2, 1)
    """

    def __init__(
        self,
        source: Source,
        variables: Sequence[Variable],
        most: int = LARGEST_HELD,
        *,
        fill_all: bool = False,
    ) -> None:
        self._source, self._variables, self._fill_all = source, tuple(variables), fill_all
        self._barren: dict[Name, CodeArray] | None = None
        self.census = source.map_batches(RowReader(most), self._variables)
        if self.census.kept is not None and not self.census.kept.numbers:
            # Compressed again after joining batches, so that a file gives the same rows as a table.
            whole = replace(self.census.pile, batches=(compress_rows(self.census.kept),))
            self.census = replace(self.census, pile=whole)
        if self.census.empty and not self.census.rows:
            raise BadData("There are no values to learn from: every cell of every row is missing.")
        if self.census.weight <= 0:
            raise BadData("There is no row to learn from: the table is empty (or all weights are 0).")

    def map(self, kernel: Callable[[Batch], T]) -> T:
        """The kernel's results over all rows, added up."""
        if self.census.kept is not None:
            return kernel(self.census.kept)
        return self._source.map_batches(WithoutEmptyRows(kernel), self._variables)

    def expect(self, network: FrozenNetwork) -> Expectation:
        """The expected statistics of the rows under this network.

        Where rows are kept, their barren cells are found once: networks differ in their tables only.
        """
        kept = self.census.kept
        discrete = kept is not None and not kept.numbers
        if kept is not None and discrete and self._barren is None and not self._fill_all:
            self._barren = barren_columns(network, kept)
        return self.map(ExpectationKernel(network, self._fill_all, self._barren))
