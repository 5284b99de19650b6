"""Labelled rows in memory: features, the class of each row, and perhaps weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import mdl_cuts
from bayou.estimators.input.column_kinds import (
    are_truth_values,
    few_whole_numbers,
    kind_of_column,
    kind_of_floats,
)
from bayou.estimators.input.feature_table import FeatureTable, compressed
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.schema import Variable, state_key
from bayou.sources import Columns, open_source
from bayou.sources.discretising import discretised
from bayou.sources.matrix_source import MatrixSource
from bayou.sources.streams.aged_source import Ageing
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import CodedColumn, NumberColumn
from bayou.sources.tables.objects import replaced_codes
from bayou.sources.weights import Weights
from bayou.statistics import (
    Request,
    Source,
    Statistics,
)
from bayou.typing import FloatArray, Name, State


class LabelledTable(LabelledSource):
    """Labelled rows in memory: features, the classes as a column of codes, and perhaps weights."""

    def __init__(
        self, table: FeatureTable, labels: CodedColumn, target: Name, weights: Weights | None = None
    ) -> None:
        self.table, self.labels, self.target, self.weights = table, labels, target, weights
        self.is_streamed = False
        self.features = table.names

    @cached_property
    def source(self) -> Source:  # type: ignore[override]  # made when it is needed
        """Features and target as one source."""
        matrix, names = self.table.matrix, self.features
        # Not a bound method: a reference cycle would keep the arrays alive until garbage collection.
        whole = partial(_whole_table, self.table.columns, self.labels, self.target, self.weights)
        if matrix is None:
            return whole()
        return MatrixSource(whole, matrix, names, self.target, self.labels, self.weights)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests; the rows were checked when they were read."""
        return self.source.collect(requests)

    @property
    def classes(self) -> tuple[State, ...]:
        """The classes that these rows have."""
        return self.labels.labels

    def row_numbers(self) -> tuple[Name, ...]:
        """The features of integers that number the rows; none of a matrix, whose columns are chosen."""
        return () if self.table.matrix is not None or self.table.sparse is not None else super().row_numbers()

    def kind(self, name: Name) -> str:
        """The kind of a column, by its type."""
        matrix = self.table.matrix
        if matrix is not None:
            if matrix.dtype.kind == "f":
                return kind_of_floats(matrix[:, self.features.index(name)])
            return "bool" if matrix.dtype.kind == "b" else "int"
        return kind_of_column(self.table.columns[name])

    def has_truth_values(self, name: Name) -> bool:
        """Whether a column has True and False, and no other values; a sparse matrix has numbers."""
        matrix = self.table.matrix
        if matrix is not None:
            return matrix.dtype.kind == "b"
        return self.table.sparse is None and are_truth_values(self.table.columns[name])

    def cuts(self) -> dict[Name, FloatArray]:
        """The cut points of each numeric feature; one call of the kernel for all columns."""
        columns = self.table.columns
        numbers = {name: columns[name] for name in columns.names}
        return self.cuts_of(
            {
                name: np.ascontiguousarray(column.values)
                for name, column in numbers.items()
                if isinstance(column, NumberColumn) and not few_whole_numbers(column)
            }
        )

    def cuts_of(self, columns: Mapping[Name, npt.NDArray[Any]]) -> dict[Name, FloatArray]:
        """The cut points of these columns of numbers by the MDL rule."""
        if not columns:
            return {}
        weights = None if self.weights is None else self.weights.astype(np.float64)
        codes = self.labels.codes.astype(np.uint32)
        cuts = mdl_cuts(list(columns.values()), codes, len(self.labels.labels), weights)
        return dict(zip(columns, cuts, strict=True))

    def with_cuts(self, cut: Mapping[Name, Variable]) -> TableSource:
        """The same rows, with the numbers of these variables as ranges; other values are errors."""
        for name in cut if self.table.matrix is None else ():
            if not isinstance(self.table.columns[name], NumberColumn):
                self.table.numbers(name)  # raises an error that names the value that is not a number
        whole = _whole_table(self.table.columns, self.labels, self.target, self.weights).columns
        return TableSource(discretised(whole, cut.values()), self.weights)

    def only_features(self) -> TableSource:
        """The features as a source of their own."""
        return TableSource(self.table.columns)

    def of_class(
        self, state: State, names: Sequence[Name], declared: Collection[Name], variables: Sequence[Variable]
    ) -> Source:
        """The rows of one class with the columns ``names``; ``declared`` ones keep their states."""
        part = self.taken(state)
        return open_source(
            part.table.columns, names=names, weights=part.weights, declared=declared, variables=variables
        )

    def taken(self, state: State) -> LabelledTable:
        """The rows of one class."""
        code = Variable(self.target, self.labels.labels).code(state)
        rows = np.flatnonzero(self.labels.codes == code)
        labels = CodedColumn(self.labels.codes[rows], self.labels.labels)
        weights = None if self.weights is None else self.weights[rows]
        return LabelledTable(self.table.taken(rows), labels, self.target, weights)

    def aged(self, ageing: Ageing) -> LabelledTable:
        """The same rows with weights by their age: the last one is new."""
        weights = ageing.weights(len(self.labels))
        own = weights if self.weights is None else weights * self.weights
        return LabelledTable(self.table, self.labels, self.target, own)

    def with_positive_weight(self) -> LabelledTable:
        """The rows whose weight is above 0."""
        if self.weights is None or self.weights.all():
            return self
        rows = np.flatnonzero(self.weights)
        labels = compressed(self.labels.codes[rows], self.labels)
        return LabelledTable(self.table.taken(rows), labels, self.target, self.weights[rows])

    @property
    def in_memory(self) -> LabelledTable:
        """This object: its rows are in memory."""
        return self

    def relabelled(self, classes: Variable) -> LabelledTable:
        """The same rows; labels that differ from a known class only by their type are that class."""
        found = [classes.find(label) for label in self.labels.labels]
        labels = [
            label if code is None else classes.states[code]
            for label, code in zip(self.labels.labels, found, strict=True)
        ]
        if labels == list(self.labels.labels):
            return self
        return LabelledTable(self.table, _merged(self.labels, labels), self.target, self.weights)

    def renamed(self, target: Name) -> LabelledTable:
        """The same rows with another name of the target."""
        return LabelledTable(self.table, self.labels, target, self.weights)


def _merged(column: CodedColumn, labels: Sequence[State]) -> CodedColumn:
    """The column with other labels, of which several may be equal."""
    distinct = list({state_key(label): label for label in labels}.values())
    places = {state_key(label): place for place, label in enumerate(distinct)}
    codes = replaced_codes(column.codes, [places[state_key(label)] for label in labels])
    return CodedColumn(codes, tuple(distinct), column.ordered, column.declared)


def _whole_table(
    features: Columns, labels: CodedColumn, target: Name, weights: Weights | None
) -> TableSource:
    """Features and target as one table."""
    getters: list[Any] = [_getter(features, name) for name in features.names]
    return TableSource(Columns([*features.names, target], [*getters, labels], features.rows), weights)


def _getter(columns: Columns, name: Name) -> Any:
    return lambda: columns[name]
