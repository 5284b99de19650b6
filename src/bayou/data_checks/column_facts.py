"""Facts about a column that the checks use: its distinct values, their counts, its missing cells."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from bayou.errors import counted as counted
from bayou.schema import state_key
from bayou.sources import Column, NumberColumn
from bayou.sources.tables.columns import SpelledDates, SpelledNumbers
from bayou.typing import BoolArray, FloatArray, IntArray, Name

SHOWN = 4
"""The number of examples in a finding."""


class ColumnFacts:
    """A column as codes (-1: missing) into its distinct values, with their counts.

    >>> from bayou.sources import read_columns
    >>> facts = ColumnFacts("x", read_columns({"x": ["a", None, "a"]})["x"])
    >>> facts.distinct, facts.missing, facts.kinds
    (1, 1, {'text'})
    """

    def __init__(self, name: Name, column: Column) -> None:
        self.name = name
        self.rows = len(column)
        self.numbers: FloatArray | None = None
        self.integral = False
        self.stored_as_float = False
        self.texts = _texts_of(column)
        """The texts that spell the numbers or dates of the column; empty if it has other types."""
        if isinstance(column, NumberColumn):
            self._read_numbers(column)
        else:
            positions = column.codes.astype(np.int64)
            positions[column.codes == column.missing_code] = -1
            counts = np.bincount(positions[positions >= 0], minlength=len(column.labels))
            seen = np.flatnonzero(counts)
            place = np.full(len(column.labels) + 1, -1)
            place[seen] = np.arange(len(seen))
            self.codes: IntArray = place[positions]
            self.values: Any = [column.labels[k] for k in seen]
            self.counts: IntArray = counts[seen]

    def _read_numbers(self, column: NumberColumn) -> None:
        self.numbers, self.integral = column.values, column.integral
        self.stored_as_float = column.kind == "float"
        observed = ~np.isnan(column.values)
        distinct, inverse, counts = np.unique(
            column.values[observed], return_inverse=True, return_counts=True
        )
        self.codes = np.full(self.rows, -1, dtype=np.int64)
        self.codes[observed] = inverse.ravel()
        self.values, self.counts = distinct, counts

    @property
    def distinct(self) -> int:
        """The number of distinct values."""
        return len(self.values)

    @cached_property
    def gaps(self) -> BoolArray:
        """A mask of the rows without a value."""
        return self.codes < 0

    @property
    def missing(self) -> int:
        """The number of rows without a value."""
        return int(self.gaps.sum())

    @property
    def observed(self) -> int:
        """The number of rows with a value."""
        return self.rows - self.missing

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of values that occur: text, number, truth, or the name of another type."""
        return {"number"} if self.numbers is not None else {state_key(value)[0] for value in self.values}

    @property
    def is_text(self) -> bool:
        """Whether all values are text."""
        return self.kinds == {"text"}

    def plain(self, place: int) -> Any:
        """A distinct value for people to read: whole numbers without a decimal point."""
        value = self.values[place]
        if self.numbers is None:
            return value
        return int(value) if self.integral else float(value)

    def rows_of(self, places: Any) -> tuple[int, ...]:
        """The first rows (counting from 0) with one of these distinct values."""
        return first_rows(np.isin(self.codes, places))


def _texts_of(column: Column) -> tuple[str, ...]:
    if isinstance(column, SpelledNumbers):
        return tuple(str(label) for label in column.written.labels)
    return column.texts if isinstance(column, SpelledDates) else ()


def first_rows(which: BoolArray) -> tuple[int, ...]:
    """The numbers of the first few rows in the mask, counting from 0."""
    return tuple(np.flatnonzero(which)[:SHOWN].tolist())
