"""The base class of data sources; tables and files implement it one floor up, in ``sources``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeVar

from bayou.errors import BadData
from bayou.schema import Variable
from bayou.statistics.answering import AnswerRequests, needed_variables
from bayou.statistics.batch import Batch, empty_batch
from bayou.statistics.counts import CountTable
from bayou.statistics.request import Request
from bayou.statistics.rows.gap_counts import MissingCounts
from bayou.statistics.statistics import Statistics
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.statistics.rows.sequence_batch import SequenceBatch

T = TypeVar("T")


class Source(ABC):
    """Data that answers requests: a table in memory, a file, a database.

    A source must define ``names``, ``variable`` and ``batches``; the rest follows from them. Override
    ``collect`` where the data can be counted in place, as in a database. Every function that takes data
    takes a source.

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
    """Whether the rows are read again for every pass; False if all of them are in memory."""
    gives_rows: bool = True
    """Whether rows may be read; False if only statistics may be collected."""

    reads_once: bool = False
    """Whether the rows come from an iterator, so that a second pass over them is impossible."""

    @property
    @abstractmethod
    def names(self) -> tuple[Name, ...]:
        """The columns."""

    @abstractmethod
    def variable(self, name: Name) -> Variable:
        """The variable inferred from the data of a column: its states, or that it is continuous."""

    @abstractmethod
    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """Yield all rows, in order if they have one, as codes and numbers of these variables.

        The code of a state is its position among the variable's states; the largest number of the code's
        type means missing. A continuous variable has numbers, NaN where missing. A variable without a column
        is missing in every row. The same column may be requested as states and as numbers.
        """

    def with_all_states(self, names: Sequence[Name]) -> list[Variable]:
        """The variables of these columns, each with the states of all rows.

        Of data that is streamed, ``variable`` may know only the states of the first rows.
        """
        found = [self.variable(name) for name in names]
        counted = {variable.name: CountTable((variable.name,)) for variable in found if variable.states}
        if not counted:
            return found
        answers = self.collect(list(counted.values()))
        return [answers[counted[v.name]].axes[0] if v.name in counted else v for v in found]

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests, in one pass over the rows."""
        asked = tuple(dict.fromkeys(requests))
        variables, by_name = needed_variables(asked, self.variable)
        return self.map_batches(AnswerRequests(asked, by_name), variables)

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of a function's results over all batches, in any order: for statistics only."""
        total: T | None = None
        for batch in self.batches(variables):
            part = kernel(batch)
            total = part if total is None else total + part  # type: ignore[operator]  # results add
        return kernel(empty_batch(variables)) if total is None else total

    def map_sequences(
        self,
        kernel: Callable[[SequenceBatch], T],
        *,
        sequence: Name | None = None,
        time: Name | None = None,
        variables: Sequence[Variable],
    ) -> T:
        """The sum of a function's results over all sequences, some whole ones at a time.

        Rows with the same value in the column ``sequence`` are one sequence (None: all rows are one), in the
        order of the column ``time`` (None: in the order of the rows). Sequences come in the order of their
        keys: the order of the rows and the size of the batches change nothing. Two rows of a sequence at the
        same time, and rows without a key or a time, are errors that name them.

        >>> import numpy as np
        >>> from bayou.sources import open_source
        >>> visits = open_source({"who": ["b", "a", "b"], "day": [2, 1, 1], "x": [20.5, 10.5, 15.5]})
        >>> visits.map_sequences(
        ...     lambda rows: list(zip(rows.labels, np.split(rows.batch.numbers["x"], rows.starts[1:-1]))),
        ...     sequence="who", time="day", variables=[visits.variable("x")])
        [('a', array([10.5])), ('b', array([15.5, 20.5]))]
        """
        from bayou.statistics.rows.whole_sequences import whole_sequences, without_rows

        total: T | None = None
        for rows in whole_sequences(self, sequence, time, variables):
            part = kernel(rows)
            total = part if total is None else total + part  # type: ignore[operator]  # results add
        return kernel(without_rows(variables, time)) if total is None else total

    def gives_sample(self, names: Sequence[Name]) -> bool:
        """Whether a sample of the rows of these columns may be collected."""
        return True

    def one_state(self) -> AbstractContextManager[None]:
        """Show one state of the data for all that is read inside; may be nested.

        Learning reads several times. Data that others may change meanwhile, as in a database, override it.
        """
        return nullcontext()

    def has_values(self, name: Name) -> bool:
        """Whether any row has a value in this column."""
        found = self.collect([request := MissingCounts((name,))])[request]
        return found.gaps[0] < found.rows

    def bounds(self, name: Name) -> tuple[float, float] | None:
        """The smallest and largest number of a column, if known without reading the rows; else None."""
        return None

    def is_continuous(self, name: Name) -> bool:
        """Whether a column is taken as real numbers; False for a column without any value."""
        try:
            return self.variable(name).is_continuous
        except BadData:
            return False

    def has_numbers(self, name: Name) -> bool:
        """Whether the values of a column are numbers that floats hold; False for a column without values."""
        try:
            variable = self.variable(name)
        except BadData:
            return False
        return not variable.is_text and all(map(_is_held_by_floats, variable.states))

    def holds_floats(self, name: Name) -> bool:
        """Whether a column that counts as integers has the type float: whole numbers with gaps."""
        return False


def _is_held_by_floats(state: State) -> bool:
    return isinstance(state, int | float) and not isinstance(state, bool) and abs(state) <= 2**53
