"""A file as a source: read in batches, each batch counted and let go, so memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from bayou.errors import BadData
from bayou.progress import tracked
from bayou.schema import Variable
from bayou.sources.columns import Columns
from bayou.sources.reading import column_batches
from bayou.sources.table import TableSource
from bayou.sources.weights import weights_from
from bayou.statistics import Request, Statistics
from bayou.typing import Name

T = TypeVar("T")


class FileSource:
    """A CSV or Parquet file; every ``collect`` is one pass over it."""

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

    def _batches(self) -> Iterator[TableSource]:
        wanted = self._wanted
        if wanted is not None and self.weights is not None:
            wanted = [*wanted, self.weights]
        for columns in column_batches(self.path, names=wanted, as_text=self._as_text):
            yield TableSource(columns, weights_of_column(columns, self.weights))


def weights_of_column(columns: Columns, name: Name | None) -> Any:
    """The weights that a column of the data holds."""
    if name is None:
        return None
    numbers = columns.numbers(name)
    whole = bool((numbers == numbers.round()).all())
    return weights_from(numbers.astype("int64") if whole else numbers, columns.rows)
