"""The rows of all users of a shared table, one below the other, as if they were the rows of one variable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bayou.schema import Variable
from bayou.statistics import Batch, Source
from bayou.typing import Name


class StackedRows(Source):
    """Every row of another source once for each user of a block, with the user's value in the block's column.

    Statistics add, so the statistics of these rows are the sum of the users' statistics: what is computed
    from them (a table, a score) is that of the shared table.

    >>> from bayou.sources import open_source
    >>> from bayou.statistics import CountTable
    >>> films = open_source({"G": ["c", "d", "d"], "R1": [1, 2, 2], "R2": [1, 1, 2]})
    >>> stacked = StackedRows(films, "p_R", [Variable(name, [1, 2]) for name in ("R1", "R2")])
    >>> stacked.collect([CountTable(("G", "p_R"))])[CountTable(("G", "p_R"))].values.tolist()
    [[2, 0], [1, 3]]
    """

    def __init__(self, source: Source, block: Name, users: Sequence[Variable]) -> None:
        self.source, self.block = source, block
        self.is_streamed = source.is_streamed
        self._users = [user.name for user in users]
        self._shared = _renamed(users[0], block)

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns: those that are not users of the block, and the block."""
        return (*(name for name in self.source.names if name not in self._users), self.block)

    def variable(self, name: Name) -> Variable:
        """The users' states for the block; other variables as in the source."""
        return self._shared if name == self.block else self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """Yield each batch of the source once for every user."""
        others = [variable for variable in variables if variable.name != self.block]
        blocks = [variable for variable in variables if variable.name == self.block]
        users = [_renamed(block, name) for block in blocks for name in self._users]
        for batch in self.source.batches([*others, *users]):
            for user in self._users:
                yield self._of_user(batch, user)

    def _of_user(self, batch: Batch, user: Name) -> Batch:
        """The rows with the value of one user in the block's column."""
        hidden = {self.block, *self._users}
        codes = {name: column for name, column in batch.codes.items() if name not in hidden}
        numbers = {name: column for name, column in batch.numbers.items() if name not in hidden}
        if user in batch.codes:
            codes[self.block] = batch.codes[user]
        if user in batch.numbers:
            numbers[self.block] = batch.numbers[user]
        return replace(batch, codes=codes, numbers=numbers, finite=set())


def _renamed(variable: Variable, name: Name) -> Variable:
    return Variable(name, variable.states, ordered=variable.ordered)
