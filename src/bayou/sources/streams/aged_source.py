"""Exponential forgetting: rows that weigh less the older they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bayou.arguments import real_number
from bayou.progress import tracked
from bayou.schema import Variable
from bayou.sources.row_tables import source_tables
from bayou.sources.table_source import TableSource
from bayou.statistics import Batch, Request, Source, Statistics
from bayou.statistics.rows.gap_counts import MissingCounts
from bayou.typing import FloatArray, Name


class Ageing:
    """Exponential forgetting: a row weighs half as much after ``half_life`` further rows.

    >>> ages = Ageing(2)
    >>> ages.weights(3).round(3).tolist(), round(ages.after(2), 3)
    ([0.5, 0.707, 1.0], 0.5)
    """

    def __init__(self, half_life: float) -> None:
        expected = "give a number of rows above 0, such as 10_000"
        self.half_life = real_number("half_life", half_life, 0, above=True, expected=expected)

    def weights(self, rows: int) -> FloatArray:
        """The weights of so many rows, the last of which is new."""
        ages: FloatArray = np.arange(rows - 1, -1, -1, dtype=np.float64)
        return 0.5 ** (ages / self.half_life)

    def after(self, rows: int) -> float:
        """What is left of the weight of a row after so many further rows."""
        return float(0.5 ** (rows / self.half_life))


class AgedSource(Source):
    """The rows of another source, in order, each with a weight by its age: the last row has its full weight.

    >>> from bayou.sources import open_source
    >>> from bayou.statistics import CountTable
    >>> coins = AgedSource(open_source({"C": ["h", "t", "t"]}), Ageing(1))
    >>> coins.collect([CountTable(("C",))])[CountTable(("C",))].values.tolist()
    [0.25, 1.5]
    """

    def __init__(self, source: Source, ageing: Ageing) -> None:
        self.source, self.ageing = source, ageing
        self.is_streamed, self.reads_once = source.is_streamed, source.reads_once
        self._counted: int | None = None

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.source.names

    @property
    def row_count(self) -> int:
        """The number of rows, whatever their weights."""
        if self._counted is None:
            request = MissingCounts(self.names[:1])
            self._counted = self.source.collect([request])[request].rows
        return self._counted

    def variable(self, name: Name) -> Variable:
        """The variable of a column, as the source describes it."""
        return self.source.variable(name)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests, in one pass: the answers so far lose weight with every further table."""
        total: Statistics | None = None
        counted = 0
        for table in tracked(source_tables(self.source), "Counting"):
            rows = table.columns.rows
            part = aged_table(table, self.ageing).collect(requests)
            total = part if total is None else total * self.ageing.after(rows) + part
            counted += rows
        self._counted = counted
        assert total is not None  # an empty source still has one table
        return total

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows with their weights."""
        left = self.row_count
        for batch in self.source.batches(variables):
            left -= batch.rows
            weights = self.ageing.weights(batch.rows) * self.ageing.after(left)
            yield replace(batch, weights=weights if batch.weights is None else weights * batch.weights)


def aged_table(table: TableSource, ageing: Ageing) -> TableSource:
    """The table with the weights of its rows by their age."""
    weights = ageing.weights(table.columns.rows)
    own = weights if table.weights is None else weights * table.weights
    return TableSource(table.columns, own, table.declared, table.first_row)
