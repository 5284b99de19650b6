"""A source in which the user declared what some of the columns are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from bayou.schema import Variable
from bayou.sources.batches import columns_of
from bayou.sources.ctrl_c import mapped
from bayou.sources.prepared_source import AfterChange
from bayou.statistics import Batch, Source
from bayou.typing import Name

T = TypeVar("T")


class DeclaredSource(Source):
    """Another source, in which declared columns of numbers are states or are cut into intervals.

    Columns declared as texts are counted as the source has them, and read as texts in batches.
    """

    def __init__(self, source: Source, declared: Iterable[Variable]) -> None:
        self.source = source
        self.is_streamed = source.is_streamed
        self._declared = {variable.name: variable for variable in declared}

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.source.names

    def variable(self, name: Name) -> Variable:
        """The declared variable of a column, else the variable that the source infers."""
        declared = self._declared.get(name)
        return self.source.variable(name) if declared is None or declared.is_text else declared

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows, in the codes of these variables."""
        read, change = self._change(variables)
        return mapped(change, self.source.batches(read))

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of a function's results; texts are made where the source applies the function."""
        read, change = self._change(variables)
        return self.source.map_batches(AfterChange(change, kernel), read)

    def _change(self, variables: Sequence[Variable]) -> tuple[list[Variable], Callable[[Batch], Batch]]:
        """What to read from the source, and how its batches become those of these variables."""
        texts = {v.name: self.source.variable(v.name) for v in variables if v.is_text}
        return [texts.get(v.name, v) for v in variables], partial(_with_texts, tuple(texts.values()))


def _with_texts(columns: Sequence[Variable], batch: Batch) -> Batch:
    """The same rows with these columns of states as texts."""
    if not columns:
        return batch
    table = columns_of(batch, columns)
    texts = {column.name: table.texts(column.name) for column in columns}
    codes = {name: codes for name, codes in batch.codes.items() if name not in texts}
    return replace(batch, codes=codes, numbers={**batch.numbers, **texts})
