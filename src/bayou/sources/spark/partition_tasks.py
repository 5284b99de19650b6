"""What is done with the rows of one partition, on a worker that has bayou."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bayou.schema import Variable
from bayou.sources.spark.arrow_rows import RowReader
from bayou.statistics import Batch, Request, Statistics
from bayou.thread_count import threads

T = TypeVar("T")


@dataclass(frozen=True)
class RowsAndResult(Generic[T]):
    """The number of rows that were read, and what was made of them; those of two partitions add."""

    rows: int
    result: T

    def __add__(self, other: RowsAndResult[T]) -> RowsAndResult[T]:
        return RowsAndResult(self.rows + other.rows, self.result + other.result)  # type: ignore[operator]  # results add


@dataclass(frozen=True)
class CollectTask:
    """Answers requests."""

    reader: RowReader
    requests: tuple[Request, ...]

    def __call__(self, batches: Iterator[Any]) -> RowsAndResult[Statistics] | None:
        return summed(
            RowsAndResult(table.columns.rows, table.collect(self.requests))
            for table in self.reader.tables(batches)
        )


@dataclass(frozen=True)
class BatchTask(Generic[T]):
    """Applies a kernel to rows in the codes of some variables."""

    reader: RowReader
    kernel: Callable[[Batch], T]
    variables: Sequence[Variable]

    def __call__(self, batches: Iterator[Any]) -> RowsAndResult[T] | None:
        return summed(
            RowsAndResult(table.columns.rows, self.kernel(table.batch(self.variables)))
            for table in self.reader.tables(batches)
        )


def summed(parts: Iterator[RowsAndResult[T]]) -> RowsAndResult[T] | None:
    """The sum of all parts, from the first to the last; None if there are none."""
    total: RowsAndResult[T] | None = None
    for part in parts:
        total = part if total is None else total + part
    return total


def run_task(task: bytes, batches: Iterator[Any]) -> Any:
    """Apply a pickled task to the batches of a partition; Spark has one process for each core."""
    with threads(1):
        return pickle.loads(task)(batches)
