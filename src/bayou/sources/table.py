"""A table in memory as a source: its columns coded once, every request answered by the kernels."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from bayou._native import combine_codes, count_families, group_moments
from bayou.errors import BadData, TooWide, listed
from bayou.schema import Variable, natural_order, state_key
from bayou.sources.batches import coded_batch
from bayou.sources.columns import CodedColumn, Columns, NumberColumn
from bayou.sources.weights import Weights
from bayou.statistics import (
    Batch,
    Counts,
    CountTable,
    DistinctRows,
    GroupMoments,
    Moments,
    PairCounts,
    PairTables,
    Request,
    Result,
    RowCounts,
    RowSample,
    SampledRows,
    Statistics,
    TokenCounts,
    ValueCounts,
    ValueHistogram,
    WordCounts,
    count_tokens,
)
from bayou.statistics.pair_counting import counted_pairs
from bayou.statistics.row_sample import hash_numbers, hash_states
from bayou.typing import CodeArray, CountArray, FloatArray, IntArray, Name, State

T = TypeVar("T")
LARGEST_COUNT = 2**28
"""The most cells one count table may have (2 GiB)."""


class TableSource:
    """Counts and moments of an in-memory table, optionally weighted.

    ``first_row`` is the number of its first row where the table is a piece of a larger one.

    >>> from bayou.sources import read_columns
    >>> source = TableSource(read_columns({"G": ["d", "d", "c"], "R": [4, 5, 5]}))
    >>> source.collect([CountTable(("G", "R"))])[CountTable(("G", "R"))].values.tolist()
    [[0, 1], [1, 1]]
    """

    def __init__(
        self,
        columns: Columns,
        weights: Weights | None = None,
        declared: Collection[Name] | None = None,
        first_row: int = 0,
    ) -> None:
        self.columns = columns
        self.first_row = first_row
        self.weights = weights
        self.declared = declared
        self._variables: dict[tuple[str, Name], tuple[Variable, Variable]] = {}
        self._finite: set[tuple[str, Name]] = set()

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.columns.names

    @property
    def rows(self) -> float:
        """The number of rows, or the sum of their weights."""
        return self.columns.rows if self.weights is None else self.weights.sum().item()

    def variable(self, name: Name) -> Variable:
        """Text, truth values and integers are states; a column whose type is float is continuous."""
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            if column.kind == "float":
                return Variable(name)
            column = self.columns.coded(name)
        if not _seen_labels(column):
            if not self.columns.rows:
                raise BadData(f"There is no row to learn the states of {name!r} from: the table is empty.")
            raise BadData(
                f"Column {name!r} has no value at all, so its states are unknown. Declare them (states=…)."
            )
        return self._named(name, column)[1]

    def has_values(self, name: Name) -> bool:
        """Whether any row has a value in this column."""
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            return not bool(np.isnan(column.values).all())
        return bool((column.codes != column.missing_code).any())

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all counts in one pass, then the moments."""
        tables = [request for request in requests if isinstance(request, CountTable) and request.variables]
        results: dict[Request, Result] = dict(zip(tables, self._count(tables), strict=True))
        for request in requests:
            if isinstance(request, PairCounts):
                results[request] = self._pairs(request)
            elif isinstance(request, Moments):
                results[request] = self._moments(request)
            elif isinstance(request, DistinctRows):
                results[request] = self._distinct(request)
            elif isinstance(request, RowSample):
                results[request] = self._sample(request)
            elif isinstance(request, WordCounts):
                results[request] = self._words(request)
            elif isinstance(request, ValueHistogram):
                results[request] = self._values(request)
            elif not request.variables:
                results[request] = Counts((), np.asarray(self.rows))
        return Statistics(results, self.rows)

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """One batch: the whole table."""
        return kernel(self.batch(variables))

    def batch(self, variables: Sequence[Variable]) -> Batch:
        """All rows in the codes of these variables, with their weights."""
        return coded_batch(self.columns, variables, self.weights, self.first_row)

    def _count(self, requests: Sequence[CountTable]) -> list[Counts]:
        names = list(dict.fromkeys(name for request in requests for name in request.variables))
        coded = {name: self._states(name) for name in names}
        place = {name: k for k, name in enumerate(names)}
        for request in requests:
            _check_size(request, coded)
        tables: list[CountArray] = count_families(
            [coded[name].codes for name in names],
            [len(coded[name].labels) for name in names],
            [[place[name] for name in request.variables] for request in requests],
            self.weights,
        )
        known = {name: self._named(name, coded[name]) for name in names}
        return [
            Counts(tuple(known[name][0] for name in request.variables), table).aligned(
                [known[name][1] for name in request.variables]
            )
            for request, table in zip(requests, tables, strict=True)
        ]

    def _pairs(self, request: PairCounts) -> PairTables:
        names = (*request.given, *request.variables)
        coded = {name: self._states(name) for name in names}
        known = {name: self._named(name, coded[name]) for name in names}
        raw = {name: variables[0] for name, variables in known.items()}
        tables = counted_pairs(request, {name: coded[name].codes for name in names}, raw, self.weights)
        return tables.aligned([known[name][1] for name in names])

    def _named(self, name: Name, column: CodedColumn) -> tuple[Variable, Variable]:
        """A coded column as a variable: with its labels as they are, and in their own order. Made once."""
        key = state_key(name)
        if key not in self._variables:
            raw = Variable(name, column.labels)
            self._variables[key] = raw, _axis(name, column, raw)
        return self._variables[key]

    def _states(self, name: Name) -> CodedColumn:
        """A column to be counted; fractions are states only where the user said so."""
        column = self.columns[name]
        if not isinstance(column, NumberColumn):
            return column
        if self.declared is not None and not column.integral and name not in self.declared:
            fraction = next(value for value in column.values.tolist() if value == value and value % 1 != 0)
            raise BadData(
                f"{name!r} was learned from whole numbers, so its values are states, but now it has the "
                f"value {fraction!r}. Declare it: continuous=[{name!r}], or states={{{name!r}: [...]}}."
            )
        return column.coded()

    def _distinct(self, request: DistinctRows) -> RowCounts:
        coded = [self._states(name) for name in request.variables]
        codes = np.empty((self.columns.rows, len(coded)), dtype=np.int64)
        seen = np.ones(self.columns.rows, dtype=bool)
        for k, column in enumerate(coded):
            codes[:, k] = column.codes
            seen &= column.codes != column.missing_code
        counts = np.ones(self.columns.rows, dtype=np.int64) if self.weights is None else self.weights
        raw = [Variable(name, c.labels) for name, c in zip(request.variables, coded, strict=True)]
        rows = RowCounts.of(raw, codes[seen], np.asarray(counts)[seen])
        return rows.aligned([_axis(name, c) for name, c in zip(request.variables, coded, strict=True)])

    def _sample(self, request: RowSample) -> SampledRows:
        rows = self.columns.rows
        weights = np.ones(rows) if self.weights is None else self.weights.astype(np.float64)
        return SampledRows.of(request.variables, rows, self._hashes, self._picked, weights, size=request.size)

    def _hashes(self, name: Name) -> npt.NDArray[np.uint64]:
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            return hash_numbers(column.values)
        meanings = hash_states([*column.labels, None])
        result: npt.NDArray[np.uint64] = meanings[_positions(column)]
        return result

    def _picked(self, name: Name, rows: IntArray) -> list[State]:
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            return [None if value != value else value for value in column.values[rows].tolist()]
        meanings = (*column.labels, None)
        return [meanings[place] for place in _positions(column)[rows]]

    def _words(self, request: WordCounts) -> TokenCounts:
        """Texts are counted once for each class that has them, whatever number of rows does."""
        column = self.columns.coded(request.variable)
        (target,) = request.given
        groups = self._states(target)
        wrong = next((label for label in column.labels if not isinstance(label, str)), None)
        if wrong is not None:
            raise BadData(f"The column {request.variable!r} must hold texts; it has the value {wrong!r}.")
        cards = [len(column.labels), len(groups.labels)]
        (table,) = count_families([column.codes, groups.codes], cards, [[0, 1]], self.weights)
        texts, classes = np.nonzero(table)
        raw = Variable(target, groups.labels)
        documents = [str(column.labels[k]) for k in texts]
        counted = count_tokens(documents, (classes.astype(np.uint32), raw), None, table[texts, classes])
        return counted.aligned(_axis(target, groups))

    def _values(self, request: ValueHistogram) -> ValueCounts:
        coded = {name: self._states(name) for name in request.given}
        _check_size(CountTable(request.given), coded)
        codes: CodeArray | None = None
        if request.given:
            cards = [len(coded[name].labels) for name in request.given]
            codes = combine_codes([coded[name].codes for name in request.given], cards)
        values = np.asarray(self.columns.numbers(request.variable), dtype=np.float64)
        weights = None if self.weights is None else self.weights.astype(np.float64)
        raw = [Variable(name, coded[name].labels) for name in request.given]
        counted = ValueCounts.of(request.variable, raw, values, codes, weights)
        return counted.aligned([_axis(name, coded[name]) for name in request.given])

    def _moments(self, request: Moments) -> GroupMoments:
        coded = {name: self._states(name) for name in request.given}
        _check_size(CountTable(request.given), coded)
        cards = [len(coded[name].labels) for name in request.given]
        groups: CodeArray | None = None
        if request.given:
            groups = combine_codes([coded[name].codes for name in request.given], cards)
        values = [self._finite_numbers(name) for name in request.variables]
        weights = None if self.weights is None else self.weights.astype(np.float64)
        n, mean, scatter = group_moments(values, groups, int(np.prod(cards, dtype=np.int64)), weights)
        k = len(values)
        known = [self._named(name, coded[name]) for name in request.given]
        raw = GroupMoments(
            request.variables,
            tuple(variables[0] for variables in known),
            n.reshape(cards),
            mean.reshape(*cards, k),
            scatter.reshape(*cards, k, k),
        )
        return raw.aligned([variables[1] for variables in known])

    def _finite_numbers(self, name: Name) -> FloatArray:
        """A column of numbers, contiguous as the kernels want it; infinite ones are refused by name."""
        values: FloatArray = np.ascontiguousarray(self.columns.numbers(name), dtype=np.float64)
        key = state_key(name)
        # Searches ask for the same columns thousands of times: they are looked through once.
        if key not in self._finite:
            infinite = np.flatnonzero(np.isinf(values))
            if len(infinite):
                raise BadData(
                    f"Column {name!r} is infinite in row {self.first_row + infinite[0]} (counting from 0): "
                    "means and variances need finite numbers. Make such cells missing (NaN), or declare the "
                    "column's states."
                )
            self._finite.add(key)
        return values


def _positions(column: CodedColumn) -> npt.NDArray[np.intp]:
    """Codes as positions; 'missing' stands behind the last label."""
    return np.minimum(column.codes, len(column.labels)).astype(np.intp)


def _axis(name: Name, column: CodedColumn, raw: Variable | None = None) -> Variable:
    """The column's states in an order that does not depend on which row came first."""
    states = column.labels if column.declared else natural_order(_seen_labels(column))
    if raw is not None and not column.ordered and _same_objects(states, raw.states):
        return raw
    return Variable(name, states, ordered=column.ordered)


def _same_objects(left: tuple[State, ...], right: tuple[State, ...]) -> bool:
    """Not merely equal ones: 1 == True, but they are two states."""
    return len(left) == len(right) and all(map(operator.is_, left, right))


def _seen_labels(column: CodedColumn) -> tuple[State, ...]:
    """The labels that occur: a column of truth values is read with both, whichever it holds.

    Without this a batch would know a state that its rows do not show, and splits would differ.
    """
    if column.labels != (False, True) or not isinstance(column.labels[0], bool):
        return column.labels
    return tuple(label for code, label in enumerate(column.labels) if np.any(column.codes == code))


def _check_size(request: CountTable, coded: dict[Name, CodedColumn]) -> None:
    cells = 1
    for name in request.variables:
        cells *= max(1, len(coded[name].labels))
    if cells > LARGEST_COUNT:
        sizes = ", ".join(f"{name!r}: {len(coded[name].labels):,}" for name in request.variables)
        raise TooWide(
            f"Counting {listed(request.variables)} needs {cells:,} cells (at most {LARGEST_COUNT:,}); "
            f"distinct values: {sizes}. Leave out columns such as identifiers, cut numbers into ranges, or "
            "declare them continuous."
        )
