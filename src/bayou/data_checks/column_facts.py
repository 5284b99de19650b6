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
BINS = 64
"""Measurements are cut into at most so many ranges."""


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
        self.is_numeric = isinstance(column, NumberColumn)
        self.integral = False
        self.stored_as_float = False
        self.texts = texts_of(column)
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
        self._numbers, self.integral = column.values, column.integral
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
    def missing(self) -> int:
        """The number of rows without a value."""
        return self.rows - int(self.counts.sum())

    @property
    def observed(self) -> int:
        """The number of rows with a value."""
        return self.rows - self.missing

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of values that occur: text, number, truth, or the name of another type."""
        return {"number"} if self.is_numeric else {state_key(value)[0] for value in self.values}

    @property
    def is_text(self) -> bool:
        """Whether all values are text."""
        return self.kinds == {"text"}

    def plain(self, place: int) -> Any:
        """A distinct value for people to read: whole numbers without a decimal point."""
        value = self.values[place]
        if not self.is_numeric:
            return value
        return int(value) if self.integral else float(value)

    # What the rows tell beyond their values

    def rows_of(self, places: Any) -> tuple[int, ...]:
        """The first rows (counting from 0) with one of these distinct values; -1 stands for a gap."""
        return first_rows(np.isin(self.codes, places))

    def head(self, rows: int) -> tuple[IntArray, FloatArray | None]:
        """Codes of the first rows that are equal where the values are, and their numbers, if they are any."""
        return self.codes[:rows], self._numbers[:rows] if self.is_numeric else None

    def counts_by_class(self, target: ColumnFacts) -> IntArray:
        """The number of rows [group, class] of the groups of values; rows without a class are left out."""
        known = target.codes >= 0
        return cross_counts(self.groups[self.codes[known]], self.groups, target.codes[known], target.counts)

    @cached_property
    def groups(self) -> IntArray:
        """The group of each value, and 0, that of a gap, at the end; measurements are cut into ranges.

        The ranges have nearly equal counts.
        """
        groups = np.arange(len(self.counts))
        if self.is_numeric and self.distinct > BINS:
            bins = int(min(BINS, max(2, self.observed // 5)))
            groups = (np.cumsum(self.counts) - self.counts) * bins // self.observed
        return np.append(groups + 1, 0)


def texts_of(column: Column) -> tuple[str, ...]:
    """The texts that spell the numbers or dates of a column; empty if it has other types."""
    if isinstance(column, SpelledNumbers):
        return tuple(str(label) for label in column.written.labels)
    return column.texts if isinstance(column, SpelledDates) else ()


def cross_counts(found: IntArray, groups: IntArray, classes: IntArray, of_class: IntArray) -> IntArray:
    """The number of rows [group, class] from both of each row; ``groups`` are those that there may be."""
    shape = int(groups.max()) + 1, len(of_class)
    return np.bincount(found * shape[1] + classes, minlength=shape[0] * shape[1]).reshape(shape)


def first_rows(which: BoolArray) -> tuple[int, ...]:
    """The numbers of the first few rows in the mask, counting from 0."""
    return tuple(np.flatnonzero(which)[:SHOWN].tolist())
