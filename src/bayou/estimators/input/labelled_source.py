"""Labelled rows: a source with a target column and feature columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import mdl_cuts
from bayou.errors import BadData
from bayou.estimators.input.column_kinds import (
    FEW_VALUES,
    are_texts,
    few_whole_numbers,
    kind_of_column,
    kind_of_floats,
)
from bayou.estimators.input.feature_table import FeatureTable, compressed
from bayou.estimators.input.target import read_labels, require_classes
from bayou.estimators.input.unlabelled_rows import labelled_only, labelled_part
from bayou.schema import Variable, state_key
from bayou.schema.identifiers import identifies_rows, numbers_rows
from bayou.sources import Columns, open_source, read_source
from bayou.sources.discretising import discretised
from bayou.sources.matrix_source import MatrixSource
from bayou.sources.prepared_source import PreparedSource
from bayou.sources.row_tables import first_table
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import CodedColumn, NumberColumn, SpelledNumbers
from bayou.sources.tables.objects import replaced_codes
from bayou.sources.weights import Weights
from bayou.statistics import (
    Batch,
    Counts,
    CountTable,
    MissingCounts,
    Request,
    Source,
    Statistics,
    ValueCounts,
    ValueHistogram,
)
from bayou.statistics.result import Key
from bayou.typing import FloatArray, Name, State

_FIRST_ROWS = 10_000
"""Rows that show whether integers number the rows."""


class LabelledSource(Source):
    """A source with a target column: the training rows of every classifier.

    The rows need not be in memory. Whether each row has a class is checked when statistics are collected.

    >>> from bayou.sources import open_source
    >>> rows = LabelledSource(open_source({"wind": ["weak", "strong"], "play": ["yes", "no"]}), "play")
    >>> rows.features, rows.classes, rows.kind("wind")
    (('wind',), ('no', 'yes'), 'states')
    """

    def __init__(
        self,
        source: Source,
        target: Name,
        features: Sequence[Name] | None = None,
        dropped: Mapping[Name, set[Key]] | None = None,
    ) -> None:
        self.source, self.target = source, target
        self.is_streamed = source.is_streamed
        known = source.names if features is None else features
        self.features = tuple(name for name in known if name != target)
        self._counted: list[Counts] = []
        self._dropped = dropped or {}  # states that only rows without a class have

    @property
    def names(self) -> tuple[Name, ...]:
        """The features, then the target."""
        return (*self.features, self.target)

    def variable(self, name: Name) -> Variable:
        """The variable of a column, as the source describes it."""
        return self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows in batches, coded by these variables."""
        return self.source.batches(variables)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests; rows without a class are left out, infinite numbers are errors."""
        classes, gaps = CountTable((self.target,)), MissingCounts((self.target,))
        self._refuse_quantities()
        found = self.source.collect(list(dict.fromkeys([classes, gaps, *requests])))
        if not found[gaps].rows:
            raise BadData("Found array with 0 sample(s): there is no row to learn from.")
        if found[gaps].gaps[0]:
            part = labelled_part(self.source, found[classes].axes[0], self.features, found[gaps].gaps[0])
            self.source, self._dropped = part
            return self.collect(requests)
        require_classes(found[classes].axes[0].states)
        for result in found.values():
            if isinstance(result, ValueCounts) and np.isinf(result.values).any():
                self._name_infinite(result.variable)
        self._counted[:] = [found[classes]]
        if not self._dropped:
            return found.only(set(requests))
        kept = {request: found[request].without_states(self._dropped) for request in requests}
        return Statistics(kept, found.rows)

    @property
    def classes(self) -> tuple[State, ...]:
        """The classes that these rows have."""
        if not self._counted:
            self.collect([])
        return self._counted[0].axes[0].states

    def kind(self, name: Name) -> str:
        """The kind of a column: "int", "float", "bool", "text" (several words per cell) or "states"."""
        return self._kinds[name]

    @cached_property
    def _kinds(self) -> dict[Name, str]:
        """The kind of every column, inferred from the first batch; "text" is checked on all rows."""
        first = first_table(self.source, self.names)
        kinds = {name: kind_of_column(first[name]) for name in self.names}
        texts = {name: CountTable((name,)) for name, kind in kinds.items() if kind == "text"}
        if texts:
            counted = self.source.collect(list(texts.values()))
            for name, request in texts.items():
                counts = counted[request]
                kinds[name] = "text" if are_texts(counts.axes[0].states, counts.total) else "states"
        return kinds

    def identifiers(self) -> tuple[Name, ...]:
        """The features with states of which nearly every row (of the first batch) has a different one."""
        first = first_table(self.source, self.features)
        return tuple(
            name
            for name in self.features
            if isinstance(column := first[name], CodedColumn)
            and identifies_rows(len(column.labels), first.rows)
            and identifies_rows(len(np.unique(column.codes)), first.rows)
        )

    def row_numbers(self) -> tuple[Name, ...]:
        """The features of integers that number the rows (as the first rows show), such as ids."""
        first = first_table(self.source, self.features)
        return tuple(
            name
            for name in self.features
            if isinstance(column := first[name], NumberColumn)
            and not isinstance(column, SpelledNumbers)
            and column.kind == "int"
            and numbers_rows(name, (values := column.first_values(_FIRST_ROWS))[~np.isnan(values)])
        )

    def cuts(self) -> dict[Name, FloatArray]:
        """The cut points of each numeric feature by the MDL rule (Fayyad and Irani 1993)."""
        numeric = [name for name in self.features if self.kind(name) == "float" or self._may_be_cut(name)]
        requests = {name: ValueHistogram(name, (self.target,)) for name in numeric}
        if not requests:
            return {}
        found = self.collect(list(requests.values()))
        counted = {name: found[request] for name, request in requests.items()}
        return {
            name: counts.cuts()
            for name, counts in counted.items()
            if self.kind(name) == "float" or len(np.unique(counts.values)) > FEW_VALUES
        }

    def _may_be_cut(self, name: Name) -> bool:
        """Whether a column has integers, perhaps of more than ``FEW_VALUES`` different values."""
        if self.kind(name) != "int":
            return False
        bounds = self.source.bounds(name)
        return bounds is None or bounds[1] - bounds[0] >= FEW_VALUES

    def with_cuts(self, cut: Mapping[Name, Variable]) -> Source:
        """The same rows, with the numbers of these variables as ranges."""
        if not cut:
            return self
        self._settle_labels()
        source = PreparedSource(self.source, tuple(cut.values()))
        ranges = LabelledSource(source, self.target, self.features, self._dropped)
        ranges._counted = self._counted
        return ranges

    def only_features(self) -> Source:
        """The same rows without the target."""
        self._settle_labels()
        return PreparedSource(self.source, names=self.features)

    def of_class(
        self, state: State, names: Sequence[Name], declared: Collection[Name], variables: Sequence[Variable]
    ) -> Source:
        """The rows of one class with the columns ``names``; variables with cuts become ranges.

        ``declared`` are the columns whose states the user gave; only rows in memory need it.
        """
        self._settle_labels()
        cut = [variable for variable in variables if variable.cuts is not None]
        return PreparedSource(self.source, cut, only=(self.target, state), names=names)

    def _settle_labels(self) -> None:
        """Find rows without a class, unless all rows were counted: parts of the source must not have them."""
        if not self._counted:
            self.collect([])

    @cached_property
    def in_memory(self) -> LabelledTable:
        """All rows in memory, for models that cannot learn from statistics."""
        table, weights = read_source(self.source)
        columns = Columns(self.features, [table[name] for name in self.features], table.rows)
        columns, own, weights = labelled_only(columns, table.coded(self.target), self.target, weights)
        labels = read_labels(own, columns.rows, "learning")
        return LabelledTable(FeatureTable(columns), labels, self.target, weights).with_positive_weight()

    def _refuse_quantities(self) -> None:
        """Refuse a target of measured numbers before its values are counted as classes."""
        if self._counted or self.kind(self.target) != "float":
            return
        request = ValueHistogram(self.target)
        require_classes(self.source.collect([request])[request].values.tolist())

    def _name_infinite(self, name: Name) -> None:
        """Raise the error that names the first row with an infinite number."""
        for batch in self.source.batches([Variable(name)]):
            batch.finite_numbers(name)


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
