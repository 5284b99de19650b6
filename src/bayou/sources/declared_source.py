"""A source in which the user declared what some of the columns are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bayou.schema import Variable
from bayou.sources.batches import columns_of
from bayou.statistics import Batch, Source
from bayou.typing import Name


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
        texts = {v.name: self.source.variable(v.name) for v in variables if v.is_text}
        for batch in self.source.batches([texts.get(v.name, v) for v in variables]):
            yield _with_texts(batch, list(texts.values())) if texts else batch


def _with_texts(batch: Batch, columns: Sequence[Variable]) -> Batch:
    """The same rows with these columns of states as texts."""
    table = columns_of(batch, columns)
    texts = {column.name: table.texts(column.name) for column in columns}
    codes = {name: codes for name, codes in batch.codes.items() if name not in texts}
    return replace(batch, codes=codes, numbers={**batch.numbers, **texts})
