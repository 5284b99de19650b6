"""Counts of few columns of a frame that Spark keeps: GROUP BY over blocks of columns, no row leaves Java.

Rows that go to Python are written, sent and read, which costs more than counting them. Where Spark keeps a
frame, a GROUP BY reads just its columns.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from bayou.sources.databases.cell_counts import joined_blocks
from bayou.sources.spark.arrow_rows import RowReader
from bayou.sources.spark.frames import chosen
from bayou.sources.spark.grouped_rows import COUNT, GroupedTable, counted
from bayou.sources.tables.columns import Columns
from bayou.statistics import CountTable, MissingCounts, Request, Statistics
from bayou.typing import Name

MOST_CELLS = 2**14
"""Blocks of columns are joined up to about this many cells."""
_WHOLE = ("tinyint", "smallint", "int", "bigint", "boolean", "date")
_GROUPING = {**dict.fromkeys(_WHOLE, 0.2), "string": 1.0}
"""What grouping by a column of a type costs for each row, where sending it to Python costs 1.3.

Microseconds on two processors: ten million cached rows of twenty columns of about ten values, in blocks
of four and the class. Other types are not grouped: floats have many values, times depend on a zone.
"""
_SENDING = 1.3


@dataclass(frozen=True)
class BlockCounts:
    """Counts the rows of a numbered frame; ``head``, ``reader`` and ``places`` are those of its source."""

    frame: Any
    head: Columns
    reader: Callable[[Sequence[Name]], RowReader]
    places: Callable[[Iterable[Name]], list[int]]

    def collected(self, requests: Sequence[Request]) -> Statistics | None:
        """Answer all requests; None where rows are better sent to Python."""
        names = list(dict.fromkeys(name for request in requests for name in columns_of(request)))
        fields = self.frame.schema.fields
        kinds = [fields[place].dataType.simpleString() for place in self.places(names)]
        blocks = faster_blocks(requests, dict(zip(names, kinds, strict=True)), self._size)
        answers: dict[Request, Any] = {}
        rows: float = 0
        for block in blocks:
            inside = [
                each for each in requests if set(columns_of(each)) <= set(block) and each not in answers
            ]
            found = self._counted(block, inside)
            if found is None:
                return None
            answers.update(found)
            rows = found.rows
        return Statistics({request: answers[request] for request in requests}, rows) if blocks else None

    def _counted(self, block: Sequence[Name], requests: Sequence[Request]) -> Statistics | None:
        """Answer requests about one block; None if it has more cells than the head promised."""
        some = chosen(self.frame, self.places(block))
        most = 4 * MOST_CELLS
        cells = some.groupBy(*some.columns).count().limit(most + 1).toArrow()
        if cells.num_rows > most:
            return None
        reader = self.reader([*block, COUNT])
        ordered = cells.sort_by([(name, "ascending") for name in some.columns])
        tables = [
            GroupedTable(reader.table(part), part.numbers(COUNT).astype(np.int64))
            for part in reader.columns([ordered])
        ]
        return reduce(operator.add, [counted(table, requests) for table in tables])

    def _size(self, name: Name) -> int:
        """About how many values a column has, gaps included."""
        return len(self.head.coded(name).labels) + 1


def faster_blocks(
    requests: Sequence[Request], types: Mapping[Name, str], size: Callable[[Name], int]
) -> list[tuple[Name, ...]]:
    """The blocks of columns to group by, so that each request is about one; none where Python is faster.

    ``types`` has Spark's type of each column, ``size`` tells about how many values it has.

    >>> pairs = [CountTable(("y", name)) for name in "abc"]
    >>> faster_blocks(pairs, dict.fromkeys("abcy", "int"), lambda name: 20)
    [('y', 'a', 'b'), ('y', 'c')]
    >>> faster_blocks(pairs, dict.fromkeys("abcy", "double"), lambda name: 20)
    []
    """
    families = [tuple(dict.fromkeys(columns_of(request))) for request in requests]
    columns = dict.fromkeys(name for family in families for name in family)
    if not columns or not all(isinstance(request, CountTable | MissingCounts) for request in requests):
        return []
    if not all(types[name] in _GROUPING for name in columns):
        return []
    if any(prod(map(size, family)) > MOST_CELLS for family in families):
        return []
    blocks = joined_blocks([family for family in families if family], size, MOST_CELLS)
    grouping = sum(_GROUPING[types[name]] for block in blocks for name in block)
    return blocks if grouping < _SENDING * len(columns) else []


def columns_of(request: Request) -> tuple[Name, ...]:
    """The columns that a request is about."""
    return (*request.states, *request.numbers, *request.values)
