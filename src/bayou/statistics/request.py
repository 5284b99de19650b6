"""Questions about data: frozen, hashable descriptions of statistics, each of which answers itself from rows.

A new statistic is a file with two classes: the request (what it needs of a batch of rows, and how that is
counted) and its result, whose answers add up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from bayou._native import combine_codes
from bayou.errors import TooWide, listed
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.result import Result
from bayou.typing import CodeArray, Name

R = TypeVar("R", bound=Result)
LARGEST_COUNT = 2**28
"""The most cells one count table may have (2 GiB)."""


class RequestFor(ABC, Generic[R]):
    """A question about data, whose answers (``R``) from two batches of rows add up to that of both.

    ``states`` names the variables whose codes a batch must have, ``numbers`` those whose numbers it must
    have, and ``values`` those that it may have as either. ``axes`` are those of ``states`` that the answer
    is labelled by.
    """

    if TYPE_CHECKING:

        @property
        def variables(self) -> tuple[Name, ...]:
            """What the question is about; all requests have it."""

    @property
    def states(self) -> tuple[Name, ...]:
        """The variables that are needed as codes of states."""
        return ()

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The variables that are needed as numbers."""
        return ()

    @property
    def values(self) -> tuple[Name, ...]:
        """The variables that are needed as codes or as numbers, whichever they are in the data."""
        return ()

    @property
    def axes(self) -> tuple[Name, ...]:
        """The variables by whose states the answer is labelled, in the order in which it aligns them."""
        return self.states

    @abstractmethod
    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> R:
        """The answer of some rows, whose codes are those of these variables' states."""

    def aligned(self, answer: R, variables: Mapping[Name, Variable]) -> R:
        """The same answer with the states that these variables have on its axes."""
        return answer.aligned([variables[name] for name in self.axes]) if self.axes else answer


Request: TypeAlias = RequestFor[Any]
"""Any question about data."""


def group_codes(batch: Batch, given: Sequence[Variable]) -> CodeArray | None:
    """For each row the combination of the given variables' states; None where nothing is given."""
    check_table_size(given)
    if not given:
        return None
    codes = [batch.codes[axis.name] for axis in given]
    combined: CodeArray = combine_codes(codes, [axis.cardinality for axis in given])
    return combined


def check_table_size(axes: Sequence[Variable]) -> None:
    """Refuse a table that is too large, before anything is allocated."""
    cells = 1
    for axis in axes:
        cells *= max(1, axis.cardinality)
    if cells > LARGEST_COUNT:
        sizes = ", ".join(f"{axis.name!r}: {axis.cardinality:,}" for axis in axes)
        raise TooWide(
            f"Counting {listed([axis.name for axis in axes])} needs {cells:,} cells (at most "
            f"{LARGEST_COUNT:,}); distinct values: {sizes}. Leave out columns such as identifiers, cut "
            "numbers into ranges, or declare them continuous."
        )
