"""What a source of data must do; the implementations live two floors up, in ``sources``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.requests import Request
from bayou.statistics.statistics import Statistics
from bayou.typing import Name

T = TypeVar("T")


class Source(Protocol):
    """Data that can be asked: a table in memory, a file, a database.

    ``collect`` answers requests. ``map_batches`` hands every batch of rows to a picklable kernel and adds
    up (``+``) what it returns: the way for everything that is not a fixed statistic.
    """

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""

    def variable(self, name: Name) -> Variable:
        """What the data themselves say about a column: its states, or that it is continuous."""

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests, in one pass over the data where that is possible."""

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of the kernel's results over all batches of rows, coded as these variables say."""
