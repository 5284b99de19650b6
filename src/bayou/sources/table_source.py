"""A table in memory as a source: columns are coded once, and kernels answer every request from them."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from bayou.errors import BadData
from bayou.schema import Variable, natural_order, state_key
from bayou.sources.batches import coded_batch
from bayou.sources.tables.columns import CodedColumn, Columns, FewNumbers, NumberColumn
from bayou.sources.weights import Weights
from bayou.statistics import Batch, Request, Source, Statistics
from bayou.statistics.answering import answers
from bayou.statistics.coded_numbers import CodedNumbers, Numbers
from bayou.typing import CodeArray, FloatArray, Name, State

_FEW_ROWS = 2**12
"""States of columns with at most this many rows are sorted before they are counted, not in each answer."""


class TableSource(Source):
    """A table in memory, optionally with a weight per row.

    ``first_row`` is the number of the table's first row in the data, if the table is a part of it. With
    ``declared`` (names of columns), fractions in any other column are not counted as states but refused.

    >>> from bayou.sources import read_columns
    >>> from bayou.statistics import CountTable
    >>> source = TableSource(read_columns({"G": ["d", "d", "c"], "R": [4, 5, 5]}))
    >>> source.collect([CountTable(("G", "R"))])[CountTable(("G", "R"))].values.tolist()
    [[0, 1], [1, 1]]
    """

    is_streamed = False

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
        self._coded: dict[tuple[str, Name], Variable] = {}
        self._ordered: dict[tuple[str, Name], Variable] = {}
        self._finite: set[Name] = set()
        self._sorted: dict[tuple[str, Name], CodedColumn] = {}

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.columns.names

    @property
    def rows(self) -> float:
        """The number of rows, or the sum of their weights."""
        return self.columns.rows if self.weights is None else self.weights.sum().item()

    def variable(self, name: Name) -> Variable:
        """A column of floats is continuous; text, truth values and integers are states."""
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            if column.kind == "float":
                return Variable(name)
            column = self.columns.coded(name)
        if not _seen_labels(column):
            if not self.columns.rows:
                raise BadData(f"The states of {name!r} are unknown: the table has no rows.")
            raise BadData(
                f"Column {name!r} has no value at all, so its states are unknown. Declare them (states=…)."
            )
        return self._in_order(name, self._sorted_column(name, column))

    def with_all_states(self, names: Sequence[Name]) -> list[Variable]:
        """The variables of these columns; they have the states of all rows anyway."""
        return [self.variable(name) for name in names]

    def is_continuous(self, name: Name) -> bool:
        """Whether the type of a column is float."""
        column = self.columns[name]
        return isinstance(column, NumberColumn) and column.kind == "float"

    def has_numbers(self, name: Name) -> bool:
        """Whether the type of a column is a number."""
        return isinstance(self.columns[name], NumberColumn)

    def holds_floats(self, name: Name) -> bool:
        """Whether a column that counts as integers has the type float: whole numbers with gaps."""
        column = self.columns[name]
        return isinstance(column, NumberColumn) and column.floats

    def has_values(self, name: Name) -> bool:
        """Whether at least one row has a value in this column."""
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            return not bool(np.isnan(column.values).all())
        return bool((column.codes != column.missing_code).any())

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests from the rows of this table."""
        return self.collect_after(None, requests)

    def collect_after(self, before: Statistics | None, requests: Sequence[Request]) -> Statistics:
        """Answer all requests, and add the answers to those for the rows before (None: there are none).

        They are answered in the columns' own codes, then the states of the answers are sorted.
        """
        batch, columns = self._batch_for(requests)
        raw = {name: self._as_coded(name, column) for name, column in columns.items()}
        axes = {
            name: self._in_order(name, columns[name])
            for name in dict.fromkeys(name for request in requests for name in request.axes)
        }
        found = {
            request: request.aligned(result, axes)
            for request, result in answers(requests, batch, raw, before)
        }
        own = Statistics(found, batch.total)
        return own if before is None else before + own

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """One batch: the whole table."""
        yield self.batch(variables)

    def batch(self, variables: Sequence[Variable]) -> Batch:
        """All rows in the codes of these variables, with their weights."""
        return coded_batch(self.columns, variables, self.weights, self.first_row)

    def _batch_for(self, requests: Sequence[Request]) -> tuple[Batch, dict[Name, CodedColumn]]:
        """Return all rows of the columns that the requests need, in their own codes, and the coded columns.

        Columns that a request takes as states or as numbers are passed on in the form that they have.
        """
        counted, measured, either = (
            dict.fromkeys(name for request in requests for name in getattr(request, part))
            for part in ("states", "numbers", "values")
        )
        coded = {name: self._states(name) for name in counted}
        numbers = {name: self._numbers(name) for name in measured}
        for name in either:
            column = self.columns[name]
            if isinstance(column, NumberColumn):
                numbers.setdefault(name, self._numbers(name))
            else:
                coded.setdefault(name, self._sorted_column(name, column))
        codes = {name: column.codes for name, column in coded.items()}
        parts = codes, Numbers(numbers), self.weights, self.first_row
        return Batch(self.columns.rows, *parts, finite=self._finite), coded

    def _numbers(self, name: Name) -> FloatArray | CodedNumbers:
        """A column of numbers as it is held: codes of few integers, or float64."""
        column = self.columns[name]
        if isinstance(column, FewNumbers):
            return column.few
        return np.ascontiguousarray(self.columns.numbers(name), dtype=np.float64)

    def _as_coded(self, name: Name, column: CodedColumn) -> Variable:
        """A coded column as a variable whose states are in the order of the labels; computed once."""
        key = state_key(name)
        if key not in self._coded:
            self._coded[key] = Variable(name, column.labels)
        return self._coded[key]

    def _in_order(self, name: Name, column: CodedColumn) -> Variable:
        """A coded column as a variable whose states do not depend on the order of the rows; computed once."""
        key = state_key(name)
        if key not in self._ordered:
            self._ordered[key] = _axis(name, column, self._as_coded(name, column))
        return self._ordered[key]

    def _states(self, name: Name) -> CodedColumn:
        """A column of states; a column with fractions is refused unless the user declared it."""
        column = self.columns[name]
        if not isinstance(column, NumberColumn):
            return self._sorted_column(name, column)
        if self.declared is not None and not column.integral and name not in self.declared:
            fraction = next(value for value in column.values.tolist() if value == value and value % 1 != 0)
            raise BadData(
                f"{name!r} was learned from whole numbers, so its values are states, but now it has the "
                f"value {fraction!r}. Declare it: continuous=[{name!r}], or states={{{name!r}: [...]}}."
            )
        return self._sorted_column(name, column.coded())

    def _sorted_column(self, name: Name, column: CodedColumn) -> CodedColumn:
        """The column with its states in order, if it has few rows; computed once."""
        if len(column) > _FEW_ROWS or column.declared:
            return column
        key = state_key(name)
        if key not in self._sorted:
            self._sorted[key] = _with_sorted_labels(column)
        return self._sorted[key]


def _axis(name: Name, column: CodedColumn, raw: Variable) -> Variable:
    """The column as a variable, its states in an order that does not depend on the order of the rows."""
    states = column.labels if column.declared else natural_order(_seen_labels(column))
    if not column.ordered and _same_objects(states, raw.states):
        return raw
    return Variable(name, states, ordered=column.ordered)


def _with_sorted_labels(column: CodedColumn) -> CodedColumn:
    """The same column with its labels in natural order."""
    labels = natural_order(column.labels)
    if _same_objects(labels, column.labels):
        return column
    place = {state_key(label): position for position, label in enumerate(labels)}
    moved = np.array([*(place[state_key(label)] for label in column.labels), column.missing_code])
    codes: CodeArray = moved.astype(column.codes.dtype)[np.minimum(column.codes, len(labels)).astype(np.intp)]
    return CodedColumn(codes, labels, column.ordered)


def _same_objects(left: tuple[State, ...], right: tuple[State, ...]) -> bool:
    """Whether two tuples hold identical objects; 1 == True, yet they are different states."""
    return len(left) == len(right) and all(map(operator.is_, left, right))


def _seen_labels(column: CodedColumn) -> tuple[State, ...]:
    """The labels that occur. Only columns of truth values can have others: they are always read with both.

    Otherwise the states would depend on how the rows are split into batches.
    """
    if column.labels != (False, True) or not isinstance(column.labels[0], bool):
        return column.labels
    return tuple(label for code, label in enumerate(column.labels) if np.any(column.codes == code))
