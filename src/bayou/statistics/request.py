"""Requests: frozen, hashable descriptions of statistics, each of which computes its answer from rows.

A new statistic is a file with two classes: the request (the columns it needs, and how it is computed from a
batch of rows) and its result, which adds.
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
    """A request for a statistic; the answers (``R``) for two batches of rows add up to that for both.

    ``states`` names the variables that a batch must have as codes, ``numbers`` those it must have as numbers,
    ``values`` those it may have as either. ``axes`` are the variables of ``states`` that label the answer.
    """

    if TYPE_CHECKING:

        @property
        def variables(self) -> tuple[Name, ...]:
            """The variables of the request; all requests have them."""

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
        """The variables whose states label the answer, in the order of its axes."""
        return self.states

    @abstractmethod
    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> R:
        """Compute the answer for a batch of rows; ``variables`` give the meaning of its codes."""

    def answer_after(self, batch: Batch, variables: Mapping[Name, Variable], before: R) -> R:
        """The same, to be added to the answer for earlier rows: what the sum would drop may be missing."""
        return self.answer(batch, variables)

    def aligned(self, answer: R, variables: Mapping[Name, Variable]) -> R:
        """The same answer with the states of these variables on its axes."""
        return answer.aligned([variables[name] for name in self.axes]) if self.axes else answer


Request: TypeAlias = RequestFor[Any]
"""Any request."""


def group_codes(batch: Batch, given: Sequence[Variable]) -> CodeArray | None:
    """Return for each row the combination of the given variables' states; None without such variables."""
    check_count_size(given)
    if not given:
        return None
    codes = [batch.codes[axis.name] for axis in given]
    combined: CodeArray = combine_codes(codes, [axis.cardinality for axis in given])
    return combined


def check_count_size(axes: Sequence[Variable]) -> None:
    """Raise TooWide for a table that is too large, before anything is allocated."""
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
