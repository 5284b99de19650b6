"""Sequences in a Spark DataFrame: brought together by their keys once and kept so for all passes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import finalize

import numpy as np

from bayou.schema import Variable
from bayou.sources.spark.arrow_rows import RowReader
from bayou.sources.spark.gathering import Gathering, packed_batches
from bayou.sources.spark.partition_tasks import RowsAndResult, summed
from bayou.sources.spark.spark_source import SparkSource
from bayou.statistics import Batch, CountTable
from bayou.statistics.rows.remote_sequences import RemoteSequences
from bayou.statistics.rows.sequence_batch import SequenceBatch, sliced
from bayou.statistics.rows.whole_sequences import SequenceOrder, cut, sequence_order
from bayou.typing import IntArray, Name

T = TypeVar("T")
_ROW = "row"
"""The column with the place of each row, by which rows without times are ordered."""


def sequences_in_spark(
    source: SparkSource, sequence: Name, time: Name | None, variables: Sequence[Variable]
) -> SparkSequences | None:
    """The sequences of a DataFrame; None if their keys are fractions, or if the workers have no bayou."""
    order = sequence_order(source, sequence, time, variables)
    if order.sequence is None or order.sequence.ranks is None or source.counts_by_sql:
        return None
    return SparkSequences(source, order)


class SparkSequences(RemoteSequences):
    """Sequences on the workers of Spark."""

    def __init__(self, source: SparkSource, order: SequenceOrder) -> None:
        assert order.sequence is not None
        self._order, key = order, order.sequence.variable
        request = CountTable((key.name,))
        counts = source.collect([request])[request].aligned([key])
        self._lengths: IntArray = np.zeros(len(key.states), dtype=np.int64)
        assert order.sequence.ranks is not None
        self._lengths[order.sequence.ranks.astype(np.int64)] = counts.values
        names = list(dict.fromkeys(variable.name for variable in order.read))
        self._reader = source.reader(names)
        self._key, self._frame = f"k{names.index(key.name)}", _gathered(source, names, key.name)
        finalize(self, self._frame.unpersist)
        self._gathering = Gathering()

    @property
    def lengths(self) -> IntArray:
        """The number of rows of each sequence."""
        return self._lengths

    def map(self, kernel: Callable[[SequenceBatch], T]) -> T:
        """The sum of a function's results over all sequences; function and model travel to the workers."""
        task = SequenceTask(self._reader, self._order, kernel)
        result: T = self._gathering.total(self._frame, task).result
        return result

    def whole_parts(self) -> Iterator[SequenceBatch]:
        """All sequences, some at a time, brought to the driver."""
        return _whole_sequences(self._reader, self._order, packed_batches(self._frame))

    def only(self, which: IntArray, most: int | None = None) -> SequenceBatch:
        """Some sequences by number, brought to the driver."""
        frame = self._frame
        if len(which) < self.count:
            assert self._order.sequence is not None
            keys = [self._order.sequence.in_order[number] for number in which.tolist()]
            frame = frame.where(frame[self._key].isin(keys))
        batches = [table.batch(self._order.read) for table in self._reader.tables(packed_batches(frame))]
        rows = Batch.joined(batches)
        (found,) = cut(self._order.keyed(rows), self._order, sys.maxsize - rows.rows)
        return found if most is None else found.only(np.arange(found.count), most)


def _gathered(source: SparkSource, names: Sequence[Name], key: Name) -> Any:
    """The rows of each sequence in one partition, one sequence after the other; kept by Spark."""
    from pyspark.sql import functions

    columns = [f"k{place}" for place in range(len(names))]
    frame = source.chosen(names).toDF(*columns)
    key_column = columns[list(names).index(key)]
    frame = frame.withColumn(_ROW, functions.monotonically_increasing_id())
    partitions = int(source.frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return (
        frame.repartition(partitions, key_column).sortWithinPartitions(key_column, _ROW).drop(_ROW).persist()
    )


@dataclass(frozen=True)
class SequenceTask(Generic[T]):
    """Applies a kernel to the whole sequences of a partition."""

    reader: RowReader
    order: SequenceOrder
    kernel: Callable[[SequenceBatch], T]

    def __call__(self, batches: Iterator[Any]) -> RowsAndResult[T] | None:
        parts = _whole_sequences(self.reader, self.order, batches)
        return summed(RowsAndResult(part.rows, self.kernel(part)) for part in parts)


def _whole_sequences(
    reader: RowReader, order: SequenceOrder, batches: Iterable[Any]
) -> Iterator[SequenceBatch]:
    """Cut rows, which come one sequence after the other, into batches of whole sequences."""
    assert order.sequence is not None
    rest: list[Batch] = []
    for table in reader.tables(batches):
        rows = Batch.joined([*rest, table.batch(order.read)])
        keys = order.sequence.keys(rows, "which sequence the row is in")
        others = np.flatnonzero(keys != keys[-1])
        border = int(others[-1]) + 1 if len(others) else 0  # where the last sequence starts, which may go on
        if border:
            yield from cut(order.keyed(sliced(rows, 0, border)), order)
        rest = [sliced(rows, border, rows.rows)]
    for rows in rest:
        yield from cut(order.keyed(rows), order)
