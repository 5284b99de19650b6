"""A file as a source: kept as codes where it is small, else read in batches that are counted and let go."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from bayou.errors import BadData
from bayou.progress import tracked
from bayou.schema import Variable
from bayou.sources.columns import Columns
from bayou.sources.reading import column_batches, read_columns
from bayou.sources.table import TableSource
from bayou.sources.weights import weights_from
from bayou.statistics import Request, Statistics
from bayou.typing import Name

T = TypeVar("T")


LARGEST_WHOLE = 2**30
"""Files up to this size (in bytes) are read once and kept as codes; larger ones are streamed every time."""


class FileSource:
    """A CSV or Parquet file. Memory stays bounded whatever its size."""

    def __init__(
        self,
        path: Any,
        names: Sequence[Name] | None = None,
        as_text: Collection[Name] = (),
        weights: Name | None = None,
    ) -> None:
        self.path = path
        self.weights = weights
        self._wanted = names
        self._as_text = as_text

    @cached_property
    def _whole(self) -> TableSource | None:
        """The whole file in memory, if it is small enough to be kept."""
        if os.path.isfile(self.path) and os.path.getsize(self.path) > LARGEST_WHOLE:
            return None
        return self._table(read_columns(self.path, names=self._columns, as_text=self._as_text))

    @cached_property
    def _first(self) -> TableSource:
        """The first batch: enough to know the columns and their types."""
        for source in self._batches():
            return source
        raise BadData(f"{self.path}: the file has no columns.")

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self._first.names

    def variable(self, name: Name) -> Variable:
        """What the first batch says of a column (later batches may add states)."""
        return self._first.variable(name)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Count batch by batch and add."""
        total: Statistics | None = None
        for source in tracked(self._batches(), f"Counting {self.path}"):
            part = source.collect(requests)
            total = part if total is None else total + part
        assert total is not None  # an empty file still has one batch, without rows
        return total

    def map_batches(self, kernel: Callable[[Columns], T]) -> T:
        """The sum of the kernel's results over all batches."""
        total: T | None = None
        for source in self._batches():
            part = kernel(source.columns)
            total = part if total is None else total + part  # type: ignore[operator]  # a kernel's results add
        assert total is not None
        return total

    @property
    def _columns(self) -> Sequence[Name] | None:
        if self._wanted is None or self.weights is None:
            return self._wanted
        return [*self._wanted, self.weights]

    def _batches(self) -> Iterator[TableSource]:
        if self._whole is not None:
            yield self._whole
            return
        for columns in column_batches(self.path, names=self._columns, as_text=self._as_text):
            yield self._table(columns)

    def _table(self, columns: Columns) -> TableSource:
        return TableSource(columns, weights_of_column(columns, self.weights))


def weights_of_column(columns: Columns, name: Name | None) -> Any:
    """The weights that a column of the data holds."""
    if name is None:
        return None
    numbers = columns.numbers(name)
    whole = bool((numbers == numbers.round()).all())
    return weights_from(numbers.astype("int64") if whole else numbers, columns.rows)
