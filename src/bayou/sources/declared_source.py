"""A source in which the user declared what some of the columns are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bayou.schema import Variable
from bayou.statistics import Batch, Source
from bayou.typing import Name


class DeclaredSource(Source):
    """Another source, in which declared columns of numbers are states or are cut into intervals."""

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
        return self._declared[name] if name in self._declared else self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows, in the codes of these variables."""
        return self.source.batches(variables)
