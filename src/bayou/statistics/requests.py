"""Questions about data: frozen, hashable descriptions of statistics, each of which answers itself from rows.

A new statistic is a class here (what it needs of a batch of rows, and how that is counted) and a class of
answers that add up (``+``), subtract and scale.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from bayou._native import combine_codes, count_families, group_moments
from bayou.errors import BadData, TooWide, listed
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.counts import Counts
from bayou.statistics.moments import GroupMoments
from bayou.statistics.pair_counting import counted_pairs
from bayou.statistics.pair_tables import PairTables
from bayou.statistics.row_counts import RowCounts
from bayou.statistics.row_sample import SampledRows, hash_numbers, hash_states
from bayou.statistics.token_counts import TokenCounts, count_tokens
from bayou.statistics.value_histogram import ValueCounts
from bayou.typing import CodeArray, IntArray, Name, State

R = TypeVar("R")
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
        if not self.axes:
            return answer
        labelled: Any = answer
        aligned: R = labelled.aligned([variables[name] for name in self.axes])
        return aligned


Request: TypeAlias = RequestFor[Any]
"""Any question about data."""


@dataclass(frozen=True)
class CountTable(RequestFor[Counts]):
    """How often does each combination of states of these discrete variables occur?

    A row counts where it has a value in every one of the variables.

    >>> CountTable(("Storm", "Campfire"))
    CountTable(variables=('Storm', 'Campfire'))
    """

    variables: tuple[Name, ...]

    @property
    def states(self) -> tuple[Name, ...]:
        """The counted variables."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> Counts:
        """The table of some rows."""
        return count_tables([self], batch, variables)[0]


@dataclass(frozen=True)
class PairCounts(RequestFor[PairTables]):
    """The counts of every pair of these discrete variables, for each combination of ``given`` states.

    A row counts for a pair where it has a value in both variables and in all of ``given``.

    >>> PairCounts(("a", "b", "c"), given=("class",))
    PairCounts(variables=('a', 'b', 'c'), given=('class',))
    """

    variables: tuple[Name, ...]
    given: tuple[Name, ...] = ()

    @property
    def states(self) -> tuple[Name, ...]:
        """Those that are given, and the pairs'."""
        return (*self.given, *self.variables)

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> PairTables:
        """The tables of some rows."""
        axes, given = ([variables[name] for name in names] for names in (self.variables, self.given))
        return counted_pairs(axes, given, batch.codes, batch.weights)


@dataclass(frozen=True)
class Moments(RequestFor[GroupMoments]):
    """Number, means and centred scatter of continuous variables, for each combination of ``given`` states.

    >>> Moments(("height",), given=("sex",))
    Moments(variables=('height',), given=('sex',))
    """

    variables: tuple[Name, ...]
    given: tuple[Name, ...] = ()

    @property
    def states(self) -> tuple[Name, ...]:
        """Those that are given."""
        return self.given

    @property
    def numbers(self) -> tuple[Name, ...]:
        """Those that are measured."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> GroupMoments:
        """The moments of some rows; infinite numbers are refused."""
        given = tuple(variables[name] for name in self.given)
        cards = [axis.cardinality for axis in given]
        groups = _groups(batch, given)
        values = [np.ascontiguousarray(batch.finite_numbers(name)) for name in self.variables]
        weights = None if batch.weights is None else batch.weights.astype(np.float64)
        n, mean, scatter = group_moments(values, groups, int(np.prod(cards, dtype=np.int64)), weights)
        k = len(values)
        return GroupMoments(
            self.variables, given, n.reshape(cards), mean.reshape(*cards, k), scatter.reshape(*cards, k, k)
        )


@dataclass(frozen=True)
class DistinctRows(RequestFor[RowCounts]):
    """Which rows of these discrete variables occur, and how often? For families too wide for a table.

    A row counts where it has a value in every one of the variables.

    >>> DistinctRows(("Flu", "Cold", "Fever"))
    DistinctRows(variables=('Flu', 'Cold', 'Fever'))
    """

    variables: tuple[Name, ...]

    @property
    def states(self) -> tuple[Name, ...]:
        """The variables of the rows."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> RowCounts:
        """The distinct rows of some rows."""
        codes = np.empty((batch.rows, len(self.variables)), dtype=np.int64)
        seen = np.ones(batch.rows, dtype=bool)
        for k, name in enumerate(self.variables):
            column = batch.codes[name]
            codes[:, k] = column
            seen &= column != np.iinfo(column.dtype).max
        counts = np.ones(batch.rows, dtype=np.int64) if batch.weights is None else batch.weights
        return RowCounts.of([variables[name] for name in self.variables], codes[seen], counts[seen])


@dataclass(frozen=True)
class RowSample(RequestFor[SampledRows]):
    """Some whole rows of these variables: at most ``size`` distinct ones, the same in any order of the data.

    >>> RowSample(("age", "smoker"), size=100)
    RowSample(variables=('age', 'smoker'), size=100)
    """

    variables: tuple[Name, ...]
    size: int = 4096

    @property
    def values(self) -> tuple[Name, ...]:
        """The variables of the rows."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> SampledRows:
        """The sample of some rows."""

        def hashed(name: Name) -> npt.NDArray[np.uint64]:
            if name in batch.numbers:
                return hash_numbers(batch.numbers[name])
            states = variables[name].states
            result: npt.NDArray[np.uint64] = hash_states([*states, None])[_positions(batch, name, states)]
            return result

        def picked(name: Name, rows: IntArray) -> list[State]:
            if name in batch.numbers:
                return [None if value != value else value for value in batch.numbers[name][rows].tolist()]
            states = variables[name].states
            return [(*states, None)[place] for place in _positions(batch, name, states)[rows]]

        weights = np.ones(batch.rows) if batch.weights is None else batch.weights.astype(np.float64)
        return SampledRows.of(self.variables, batch.rows, hashed, picked, weights, size=self.size)


@dataclass(frozen=True)
class ValueHistogram(RequestFor[ValueCounts]):
    """Which values does a number take, and how often, for each combination of ``given`` states?

    >>> ValueHistogram("height", given=("sex",))
    ValueHistogram(variable='height', given=('sex',))
    """

    variable: Name
    given: tuple[Name, ...] = ()

    @property
    def variables(self) -> tuple[Name, ...]:
        """The number, as the other requests name theirs."""
        return (self.variable,)

    @property
    def states(self) -> tuple[Name, ...]:
        """Those that are given."""
        return self.given

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The number."""
        return (self.variable,)

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> ValueCounts:
        """The values of some rows."""
        given = [variables[name] for name in self.given]
        weights = None if batch.weights is None else batch.weights.astype(np.float64)
        values = batch.numbers[self.variable]
        return ValueCounts.of(self.variable, given, values, _groups(batch, given), weights)


@dataclass(frozen=True)
class WordCounts(RequestFor[TokenCounts]):
    """How often does each word occur in the texts of a column, for each state of ``given``?

    >>> WordCounts("review", given=("rating",))
    WordCounts(variable='review', given=('rating',))
    """

    variable: Name
    given: tuple[Name, ...]

    @property
    def variables(self) -> tuple[Name, ...]:
        """The column of texts, as the other requests name theirs."""
        return (self.variable,)

    @property
    def states(self) -> tuple[Name, ...]:
        """The texts, and what they are counted by."""
        return (self.variable, *self.given)

    @property
    def axes(self) -> tuple[Name, ...]:
        """What the words are counted by."""
        return self.given

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> TokenCounts:
        """The words of some rows: texts are cut once for each class that has them, in however many rows."""
        (target,) = self.given
        labels, classes = variables[self.variable].states, variables[target]
        wrong = next((label for label in labels if not isinstance(label, str)), None)
        if wrong is not None:
            raise BadData(f"The column {self.variable!r} must hold texts; it has the value {wrong!r}.")
        cards = [len(labels), classes.cardinality]
        columns = [batch.codes[self.variable], batch.codes[target]]
        (table,) = count_families(columns, cards, [[0, 1]], batch.weights)
        texts, groups = np.nonzero(table)
        documents = [str(labels[k]) for k in texts]
        return count_tokens(documents, (groups.astype(np.uint32), classes), None, table[texts, groups])

    def aligned(self, answer: TokenCounts, variables: Mapping[Name, Variable]) -> TokenCounts:
        """The same counts with the classes that this variable has."""
        return answer.aligned(variables[self.given[0]])


def count_tables(
    requests: Sequence[CountTable], batch: Batch, variables: Mapping[Name, Variable]
) -> list[Counts]:
    """All tables in one pass over the rows."""
    if not any(request.variables for request in requests):
        return [Counts((), np.asarray(batch.total)) for _ in requests]
    names = list(dict.fromkeys(name for request in requests for name in request.variables))
    place = {name: k for k, name in enumerate(names)}
    for request in requests:
        check_table_size([variables[name] for name in request.variables])
    tables = count_families(
        [batch.codes[name] for name in names],
        [variables[name].cardinality for name in names],
        [[place[name] for name in request.variables] for request in requests],
        batch.weights,
    )
    return [
        Counts(tuple(variables[name] for name in request.variables), table)
        for request, table in zip(requests, tables, strict=True)
    ]


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


def _groups(batch: Batch, given: Sequence[Variable]) -> CodeArray | None:
    """For each row the combination of the given variables' states; None where nothing is given."""
    check_table_size(given)
    if not given:
        return None
    codes = [batch.codes[axis.name] for axis in given]
    combined: CodeArray = combine_codes(codes, [axis.cardinality for axis in given])
    return combined


def _positions(batch: Batch, name: Name, states: tuple[State, ...]) -> npt.NDArray[np.intp]:
    """Codes as positions; 'missing' stands behind the last state."""
    return np.minimum(batch.codes[name], len(states)).astype(np.intp)
