"""What a source of data must do; tables and files do it one floor up, in ``sources``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from bayou.errors import BadData
from bayou.schema import Variable
from bayou.statistics.answering import AnswerRequests, needed_variables
from bayou.statistics.batch import Batch, empty_batch
from bayou.statistics.request import Request
from bayou.statistics.rows.gap_counts import MissingCounts
from bayou.statistics.statistics import Statistics
from bayou.typing import Name

T = TypeVar("T")


class Source(ABC):
    """Data that can be asked: a table in memory, a file, a database.

    A source needs three things: ``names``, ``variable`` and ``batches``. All else follows from them;
    ``collect`` is overridden where the data themselves can count. Whatever takes data takes a source.

    >>> import numpy as np
    >>> from bayou import Network
    >>> class Coins(Source):
    ...     names = ("coin",)
    ...     def variable(self, name):
    ...         return Variable(name, ["heads", "tails"])
    ...     def batches(self, variables):
    ...         for toss in ("heads", "heads", "tails"):
    ...             codes = {coin.name: np.array([coin.code(toss)], dtype=np.uint8) for coin in variables}
    ...             yield Batch(1, codes, {})
    >>> round(Network("coin").fit(Coins(), prior=0).query("coin")["heads"], 3)
    0.667
    """

    is_streamed: bool = True
    """Whether the rows are read anew for every pass; False where all of them are in memory."""

    @property
    @abstractmethod
    def names(self) -> tuple[Name, ...]:
        """The columns."""

    @abstractmethod
    def variable(self, name: Name) -> Variable:
        """What the data themselves say about a column: its states, or that it is continuous."""

    @abstractmethod
    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows, in their order where they have one, coded as these variables say.

        The codes of a discrete variable are the positions of its states, and the largest number of their
        type where a value is missing; a continuous one has numbers, NaN where missing. A variable without
        a column is missing in every row. The same column may be asked for as both.
        """

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests, in one pass over the rows."""
        asked = tuple(dict.fromkeys(requests))
        variables, known = needed_variables(asked, self.variable)
        return self.map_batches(AnswerRequests(asked, known), variables)

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of a kernel's results over all batches, in any order: for statistics only."""
        total: T | None = None
        for batch in self.batches(variables):
            part = kernel(batch)
            total = part if total is None else total + part  # type: ignore[operator]  # results add
        return kernel(empty_batch(variables)) if total is None else total

    def has_values(self, name: Name) -> bool:
        """Whether any row has a value in this column."""
        found = self.collect([request := MissingCounts((name,))])[request]
        return found.gaps[0] < found.rows

    def is_continuous(self, name: Name) -> bool:
        """Whether a column is taken as real numbers; one without any value is not."""
        try:
            return self.variable(name).is_continuous
        except BadData:
            return False
