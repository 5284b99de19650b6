"""Rows without any Python on the workers: equal rows are grouped by Spark SQL, and travel as cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from bayou.sources.spark.frames import chosen
from bayou.sources.table_source import TableSource
from bayou.sources.tables.row_selection import taken_rows
from bayou.statistics import MissingCounts, NumberSummary, Request, Statistics
from bayou.typing import IntArray

COUNT = ("count", "of equal rows")
"""The name of the column that counts equal rows."""
_BATCH_ROWS = 1 << 16
_OF_ROWS = (MissingCounts, NumberSummary)
"""Requests that count every row once, whatever its weight."""


@dataclass(frozen=True)
class GroupedTable:
    """Distinct rows, and how many of each there are."""

    rows: TableSource
    counts: IntArray

    @cached_property
    def weighted(self) -> TableSource:
        """The distinct rows with their numbers as weights, times their own."""
        own = self.rows.weights
        return TableSource(
            self.rows.columns, self.counts if own is None else self.counts * own, self.rows.declared
        )


def counted(table: GroupedTable, requests: Sequence[Request]) -> Statistics:
    """Answer requests about all rows."""
    of_rows = [request for request in requests if isinstance(request, _OF_ROWS)]
    found = table.weighted.collect([request for request in requests if request not in of_rows])
    if not of_rows:
        return found
    return Statistics({**found, **_of_repeated_rows(table, of_rows)}, found.rows)


def _of_repeated_rows(table: GroupedTable, requests: Sequence[Request]) -> Statistics:
    """Answers that ignore weights: those of rows whose number has a bit, doubled as often as its place."""
    total: Statistics | None = None
    for place in reversed(range(int(table.counts.max(initial=1)).bit_length())):
        rows = np.flatnonzero((table.counts >> place) & 1)
        part = TableSource(taken_rows(table.rows.columns, rows)).collect(requests)
        total = part if total is None else total + total + part
    assert total is not None  # a number has at least one bit
    return total


def grouped_batches(frame: Any, places: Sequence[int]) -> Iterator[Any]:
    """The distinct rows of some columns in their order, as Arrow batches; the last column counts them."""
    from pyspark.sql import functions

    some = chosen(frame, places) if places else frame.select(functions.lit(0).alias("c0"))
    names = some.columns
    return streamed_batches(some.groupBy(*names).count().orderBy(*names))


def streamed_batches(frame: Any) -> Iterator[Any]:
    """All rows in order as Arrow batches, one partition after the other."""
    import pyarrow
    from pyspark.sql import functions

    schema = frame.limit(0).toArrow().schema
    zoned = [field.dataType.typeName() == "timestamp" for field in frame.schema.fields]
    # Python would get the times of the driver's own zone.
    exact = frame.select(
        *(functions.unix_micros(n) if z else n for n, z in zip(frame.columns, zoned, strict=True))
    )
    rows = exact.toLocalIterator(prefetchPartitions=True)
    none = True
    while chunk := list(islice(rows, _BATCH_ROWS)):
        yield _batch(chunk, schema, zoned)
        none = False
    if none:
        yield pyarrow.RecordBatch.from_pylist([], schema=schema)


def _batch(rows: list[Any], schema: Any, zoned: Sequence[bool]) -> Any:
    import pyarrow

    columns = []
    for k, (field, micros) in enumerate(zip(schema, zoned, strict=True)):
        cells = [row[k] for row in rows]
        kind = pyarrow.int64() if micros else field.type
        columns.append(pyarrow.array(cells, kind).cast(field.type))
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)
