"""A batch: some rows of data as columns of codes and numbers, the input of all statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_cell, missing_code
from bayou.errors import BadData
from bayou.schema import Variable
from bayou.statistics.coded_numbers import CodedNumbers, Numbers
from bayou.typing import BoolArray, CodeArray, CountArray, FloatArray, IntArray, Name

FloatMatrix = npt.NDArray[np.floating[Any]]
"""Numbers [row, column] as the kernels read them: float64 or float32, of any strides."""


@dataclass(frozen=True)
class Batch:
    """Rows as columns by name: codes of states (largest code = missing) and numbers (NaN = missing).

    A column of texts stands among the numbers, as an array of Python objects (None = missing).
    A variable without a column in the data is missing in every row. Batches add: their rows follow each
    other. ``weights`` are whole or real numbers. ``first`` is the number of the first row in the data, or
    ``places`` has the numbers of all rows if they are not consecutive; both are used in messages only.
    ``finite`` has the columns that were already checked for infinite numbers, ``complete`` those that were
    found to have no gaps. ``repeated``: the weights say how often each row occurs in the data.

    >>> one = Batch(2, {"A": np.array([0, 255], dtype=np.uint8)}, {})
    >>> (one + one).codes["A"].tolist(), (one + one).rows
    ([0, 255, 0, 255], 4)
    """

    rows: int
    codes: Mapping[Name, CodeArray]
    numbers: Mapping[Name, FloatArray]
    weights: CountArray | None = None
    first: int = 0
    places: IntArray | None = None
    finite: set[Name] = field(default_factory=set, compare=False, repr=False)
    complete: set[Name] = field(default_factory=set, compare=False, repr=False)
    repeated: bool = False

    @property
    def standing(self) -> IntArray:
        """The number of each row in the data, counting from 0."""
        return np.arange(self.first, self.first + self.rows) if self.places is None else self.places

    def number(self, row: int) -> int:
        """The number of one row in the data, counting from 0."""
        return self.first + row if self.places is None else int(self.places[row])

    def taken(self, kept: IntArray | BoolArray) -> Batch:
        """Some of the rows, with their row numbers in the data."""
        places = self.standing[kept]
        return Batch(
            len(places),
            {name: column[kept] for name, column in self.codes.items()},
            {name: column[kept] for name, column in self.numbers.items()},
            None if self.weights is None else self.weights[kept],
            places=places,
            repeated=self.repeated,
        )

    @property
    def occurrences(self) -> IntArray:
        """How often each row occurs in the data."""
        if self.repeated and self.weights is not None:
            return self.weights.astype(np.int64)
        return np.ones(self.rows, dtype=np.int64)

    @property
    def total(self) -> float:
        """The number of rows, or the sum of their weights."""
        return self.rows if self.weights is None else self.weights.sum().item()

    def finite_numbers(self, name: Name) -> FloatArray:
        """A column of numbers for means and variances; raises BadData, naming the row, if one is infinite.

        Searches ask for the same columns thousands of times, so each column is checked once.
        """
        values = self.numbers[name]
        if name not in self.finite:
            infinite = np.flatnonzero(np.isinf(values))
            if len(infinite):
                raise BadData(
                    f"Column {name!r} is infinite in row {self.number(int(infinite[0]))} (counting from 0): "
                    "means and variances need finite numbers. Make such cells missing (NaN), or declare the "
                    "column's states."
                )
            self.finite.add(name)
        return values

    def has_gaps(self, name: Name) -> bool:
        """Whether a column of numbers has missing ones; that it has none is remembered."""
        if name not in self.complete:
            if np.isnan(self.numbers[name]).any():
                return True
            self.complete.add(name)
        return False

    def matrix(self, names: Sequence[Name]) -> FloatMatrix:
        """The numbers of these variables as one matrix [row, variable]."""
        filled = np.empty((self.rows, len(names)), order="F")
        for position, name in enumerate(names):
            filled[:, position] = self.numbers[name]
        return filled

    def refuse_infinite(self, names: Sequence[Name]) -> None:
        """Raise BadData, naming the first one, if these variables have infinite numbers."""
        for name in names:
            self.finite_numbers(name)

    def few_numbers(self, name: Name) -> CodedNumbers | None:
        """A column of numbers as codes of its distinct numbers, where it is held so."""
        return self.numbers.coded(name) if isinstance(self.numbers, Numbers) else None

    def missing(self, name: Name) -> BoolArray:
        """A mask of the rows in which a variable is missing."""
        few = self.few_numbers(name)
        if few is not None:
            return is_missing_cell(few.codes)
        return is_missing_cell(self.numbers[name] if name in self.numbers else self.codes[name])

    def gaps(self, name: Name) -> int:
        """The number of rows in which a variable is missing.

        Most columns have no gaps, which the largest code shows fastest.
        """
        few = self.few_numbers(name)
        codes = self.codes.get(name) if few is None else few.codes
        if codes is not None and (not len(codes) or codes.max() != missing_code(codes.dtype)):
            return 0
        return int(np.count_nonzero(self.missing(name)))

    @classmethod
    def joined(cls, batches: Sequence[Batch]) -> Batch:
        """The rows of several batches (at least one), one after the other, concatenated once."""
        first = batches[0]
        if len(batches) == 1:
            return first
        ends = [batch.first + batch.rows for batch in batches]
        plain = all(batch.places is None for batch in batches)
        follows = plain and all(end == batch.first for end, batch in zip(ends, batches[1:], strict=False))
        return cls(
            sum(batch.rows for batch in batches),
            {name: np.concatenate([batch.codes[name] for batch in batches]) for name in first.codes},
            {name: np.concatenate([batch.numbers[name] for batch in batches]) for name in first.numbers},
            joined_weights([(batch.rows, batch.weights) for batch in batches]),
            first.first,
            None if follows else np.concatenate([batch.standing for batch in batches]),
        )

    def __add__(self, other: Batch) -> Batch:
        return Batch.joined([self, other])


def joined_weights(parts: Sequence[tuple[int, CountArray | None]]) -> CountArray | None:
    """Join the weights of several stretches of rows, each given as (number of rows, weights or None).

    Rows without weights count once; None where no stretch has weights.

    >>> joined_weights([(2, None), (1, np.array([0.5]))]).tolist()
    [1.0, 1.0, 0.5]
    """
    if all(weights is None for _, weights in parts):
        return None
    return np.concatenate(
        [np.ones(rows, dtype=np.int64) if weights is None else weights for rows, weights in parts]
    )


def empty_batch(variables: Sequence[Variable]) -> Batch:
    """Return a batch of these variables without rows."""
    codes: dict[Name, CodeArray] = {
        variable.name: np.empty(0, dtype=np.uint8) for variable in variables if not variable.is_continuous
    }
    return Batch(0, codes, {v.name: np.empty(0) for v in variables if v.is_continuous})
