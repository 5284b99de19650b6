"""Facts about the columns of rows that do not fit into memory: values are counted, rows are read again.

The first pass counts the values of every column and hashes every row. Later passes, if a check asks for them,
find the rows that have some values, and count values with the classes of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from bayou.data_checks.column_facts import SHOWN, ColumnFacts, cross_counts, texts_of
from bayou.data_checks.row_copies import RowHashes, column_hashes
from bayou.sources import Column, Columns, NumberColumn
from bayou.sources.row_tables import joined_tables
from bayou.sources.tables.row_selection import row_range
from bayou.statistics.value_histogram import ValueCounts, binned
from bayou.typing import FloatArray, IntArray, Name

_HEAD = 10_000
"""Rows that are kept as they are, to compare columns with each other."""
_SKETCH = 1 << 16
"""Hashes of values that are kept, the smallest: they tell how many values differ if that is not counted."""
_MOST_CELLS = 1 << 24
"""States of columns with more combinations with classes than this are not counted by class: only gaps are."""


class StreamedTable:
    """Rows that ``tables`` gives, some at a time and in the same order whenever it is called.

    >>> from bayou.sources import read_columns
    >>> table = StreamedTable(lambda: iter([read_columns({"x": [1, 2]}), read_columns({"x": [2, 2]})]))
    >>> table.rows, table.facts[0].counts.tolist(), table.copies()
    (4, [1, 3], (2, (2, 3)))
    """

    def __init__(self, tables: Callable[[], Iterator[Columns]]) -> None:
        self._tables = tables
        self._hashes = RowHashes()
        self._crossed: dict[Name, IntArray] = {}
        self.rows = 0
        head: list[Columns] = []
        tallies: dict[Name, _Tally] = {}
        for table in tables():
            if self.rows < _HEAD:
                head.append(row_range(table, 0, _HEAD - self.rows))
            self.rows += table.rows
            hashes = {name: column_hashes(table[name]) for name in table.names}
            for name in table.names:
                tallies.setdefault(name, _Tally(name)).add(table[name], hashes[name])
            self._hashes.add(list(hashes.values()), table.rows)
        first = joined_tables(head)
        self.facts = [StreamedFacts(self, tally, first[name]) for name, tally in tallies.items()]

    def parts(self, names: Sequence[Name]) -> Iterator[tuple[int, list[Column]]]:
        """Some rows at a time: the number of the first, and these columns."""
        first = 0
        for table in self._tables():
            yield first, [table[name] for name in names]
            first += table.rows

    def copies(self) -> tuple[int, tuple[int, ...]]:
        """The number of rows that equal an earlier one, and the first of them."""
        return self._hashes.copies(SHOWN)

    def counts_by_class(self, facts: StreamedFacts, target: StreamedFacts) -> IntArray:
        """The number of rows [group, class] of a column; one pass counts those of all columns."""
        if not self._crossed:
            others = [each for each in self.facts if each is not target]
            for _, columns in self.parts([target.name, *(each.name for each in others)]):
                classes = places_of(target, columns[0])
                known = classes >= 0
                for each, column in zip(others, columns[1:], strict=True):
                    groups = each.groups
                    if (int(groups.max()) + 1) * len(target.counts) > _MOST_CELLS:
                        groups = np.minimum(groups, 1)
                    found = groups[places_of(each, column)[known]]
                    part = cross_counts(found, groups, classes[known], target.counts)
                    before = self._crossed.get(each.name)
                    self._crossed[each.name] = part if before is None else before + part
        return self._crossed[facts.name]


class StreamedFacts(ColumnFacts):
    """What is known of a column of a :class:`StreamedTable`; ``distinct`` may be an estimate.

    Of numbers with more than 2**20 different values, the values are the middles of narrow bins.
    """

    def __init__(self, table: StreamedTable, tally: _Tally, first: Column) -> None:
        super().__init__(tally.name, first)
        self._table, self._first = table, (self.codes, self._numbers if self.is_numeric else None)
        del self.codes
        self.rows, self.integral, self.bin_width = table.rows, tally.integral, tally.bin_width
        self.values, self.counts, self._distinct = tally.values, tally.counts, tally.distinct
        self.texts, self.place_of_code = tally.texts, tally.place_of_code

    @property
    def distinct(self) -> int:
        """The number of distinct values, counted or estimated."""
        return self._distinct

    def rows_of(self, places: Any) -> tuple[int, ...]:
        """The first rows with one of these values; -1 stands for a gap."""
        found: list[int] = []
        for first, (column,) in self._table.parts([self.name]):
            inside = np.isin(places_of(self, column), places)
            found += (first + np.flatnonzero(inside)[:SHOWN]).tolist()
            if len(found) >= SHOWN:
                break
        return tuple(found[:SHOWN])

    def head(self, rows: int) -> tuple[IntArray, FloatArray | None]:
        """Codes and numbers of the first rows."""
        codes, numbers = self._first
        return codes[:rows], None if numbers is None else numbers[:rows]

    def counts_by_class(self, target: ColumnFacts) -> IntArray:
        """The number of rows [group, class] of the groups of values."""
        assert isinstance(target, StreamedFacts)  # a column of the same table
        return self._table.counts_by_class(self, target)


def places_of(facts: StreamedFacts, column: Column) -> IntArray:
    """The place of each row's value among the values of a column; -1: a gap."""
    if isinstance(column, NumberColumn):
        numbers = binned(column.values, facts.bin_width)
        places = np.searchsorted(facts.values, np.where(np.isnan(numbers), facts.values[:1].sum(), numbers))
        return np.where(np.isnan(numbers), -1, places)
    # Labels keep their codes from table to table.
    by_code = np.append(facts.place_of_code, -1)
    return by_code[np.where(column.codes == column.missing_code, -1, column.codes.astype(np.int64))]


class _Tally:
    """The values of one column, counted table after table."""

    def __init__(self, name: Name) -> None:
        self.name = name
        self.integral = True
        self.texts: tuple[str, ...] = ()
        self._numbers: ValueCounts | None = None
        self._labels: Sequence[Any] = ()
        self._counts = np.zeros(0, dtype=np.int64)
        self._smallest = np.empty(0, dtype=np.uint64)

    def add(self, column: Column, hashes: Any) -> None:
        """Count the values of one more table."""
        self.texts = texts_of(column) or self.texts
        if isinstance(column, NumberColumn):
            self.integral = self.integral and column.integral
            part = ValueCounts.of(self.name, (), column.values)
            self._numbers = part if self._numbers is None else self._numbers + part
            kept = np.concatenate([self._smallest, hashes[~np.isnan(column.values)]])
            self._smallest = np.unique(kept)[:_SKETCH]
            return
        self.integral = False
        self._labels = column.labels
        known = column.codes[column.codes != column.missing_code].astype(np.intp)
        counts = np.bincount(known, minlength=len(column.labels))
        counts[: len(self._counts)] += self._counts
        self._counts = counts

    @property
    def values(self) -> Any:
        """The values that occur: numbers ascending, states in the order of their codes."""
        if self._numbers is not None:
            return self._numbers.values
        return [label for label, count in zip(self._labels, self._counts.tolist(), strict=True) if count]

    @property
    def counts(self) -> IntArray:
        """The number of rows of each value."""
        if self._numbers is not None:
            return self._numbers.weights.astype(np.int64)
        return self._counts[self._counts > 0]

    @property
    def place_of_code(self) -> IntArray:
        """The place of each code of states among the values that occur; -1: it does not occur."""
        occurs = self._counts > 0
        return np.where(occurs, np.cumsum(occurs) - 1, -1)

    @property
    def bin_width(self) -> float:
        """The width of the bins that numbers are counted in; 0: every value by itself."""
        return 0.0 if self._numbers is None else self._numbers.bin_width

    @property
    def distinct(self) -> int:
        """How many values differ; estimated if numbers are counted in bins (Bar-Yossef et al. 2002)."""
        if not self.bin_width:
            return len(self.values)
        share = float(self._smallest[-1]) / 2.0**64  # of all hashes, the kept ones are the smallest
        return round((len(self._smallest) - 1) / share)
