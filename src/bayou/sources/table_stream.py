"""The base class of sources that give their rows as tables, some at a time, whose states may grow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from bayou.schema import Variable
from bayou.sources.table_source import TableSource
from bayou.statistics import Source
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.statistics.rows.remote_sequences import RemoteSequences


class TableStream(Source):
    """A source whose rows come as tables, in their own codes: a table of a database, a Spark DataFrame."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What messages call it."""

    @abstractmethod
    def tables(self, needed: Collection[Name] | None = None) -> Iterator[TableSource]:
        """Yield the rows as tables, at least one; only the columns in ``needed`` (None: all)."""

    @property
    @abstractmethod
    def first_table(self) -> TableSource:
        """A table that shows the columns and their types."""

    @abstractmethod
    def declaring(self, variables: Collection[Variable], declared: Collection[Name] | None) -> Source:
        """The same source with declared states and cuts; see ``open_source``."""

    @abstractmethod
    def restricted(self, cut: Sequence[Variable], only: tuple[Name, State] | None) -> Source | None:
        """The same source with numbers cut into ranges and chosen rows; None where it cannot do so."""

    def measuring(self, times: Sequence[Name]) -> Source | None:
        """The same source with columns of dates and times as numbers of days; None where it cannot do so."""
        return None

    def remote_sequences(
        self, sequence: Name, time: Name | None, variables: Sequence[Variable]
    ) -> RemoteSequences | None:
        """The sequences of the rows, which stay where they are; None where only the driver can make them."""
        return None
