"""A source some of whose columns are taken as the user declared them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bayou.schema import Variable
from bayou.statistics import Batch, Source
from bayou.typing import Name


class DeclaredSource(Source):
    """Another source, whose numbers in the declared columns are states or are cut into intervals."""

    def __init__(self, source: Source, declared: Iterable[Variable]) -> None:
        self.source = source
        self.is_streamed = source.is_streamed
        self._declared = {variable.name: variable for variable in declared}

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.source.names

    def variable(self, name: Name) -> Variable:
        """What was declared of a column, else what the data say."""
        return self._declared[name] if name in self._declared else self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """The rows of the source, which codes them as these variables say."""
        return self.source.batches(variables)
