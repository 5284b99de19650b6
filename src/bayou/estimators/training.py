"""Labelled rows to learn from: features, classes and weights as one source that answers requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_sample_weight

from bayou.errors import BadData, UnknownVariable
from bayou.estimators.table_input import FeatureTable, collected, read_features
from bayou.estimators.target import Labels, label_array, read_labels
from bayou.sources import CodedColumn, Columns, read_columns
from bayou.sources.columns import Column, NumberColumn, code_type
from bayou.sources.table import TableSource
from bayou.sources.weights import Weights
from bayou.typing import CodeArray, Name


@dataclass(frozen=True)
class Training:
    """What one call of ``fit`` or ``partial_fit`` brings."""

    features: FeatureTable
    labels: Labels
    target: Name
    weights: Weights | None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.features.rows

    @cached_property
    def source(self) -> TableSource:
        """Features and target as one table that answers requests."""
        columns = self.features.columns
        getters: list[Any] = [_getter(columns, name) for name in columns.names]
        table = Columns([*columns.names, self.target], [*getters, self.labels.column], self.rows)
        return TableSource(table, self.weights)


def _getter(columns: Columns, name: Name) -> Any:
    return lambda: columns[name]


def read_training(estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Training:
    """Check and read what was given; rows of weight 0 are left out, as if they were not there."""
    kind = type(estimator).__name__
    target = "class"
    X = collected(X)
    if isinstance(y, str) and _has_columns(X):
        target = y
        X, y = _split(X, y)
    elif isinstance(getattr(y, "name", None), str):
        target = y.name
    features = read_features(estimator, X, reset=reset)
    labels = read_labels(y, features.rows, kind)
    while target in features.names:
        target = f"{target}'"
    weights = None
    if sample_weight is not None:
        weights = _checked_weights(sample_weight, features)
        if not weights.all():
            kept = np.flatnonzero(weights)
            features, labels, weights = taken(features, kept), _taken_labels(labels, kept), weights[kept]
    return Training(features, labels, target, weights)


def _has_columns(X: Any) -> bool:
    return hasattr(X, "columns") or isinstance(X, str | Mapping | list | Columns) or hasattr(X, "__fspath__")


def _split(X: Any, target: str) -> tuple[Columns, npt.NDArray[Any]]:
    """A table that holds its own target."""
    table = read_columns(X)
    if target not in table:
        raise UnknownVariable.named(target, table.names, "in the data")
    values = table[target]
    names = [name for name in table.names if name != target]
    if not names:
        raise BadData(
            f"The table has no column beside the target {target!r}: there is nothing to learn from."
        )
    return Columns(names, [table[name] for name in names], table.rows), label_array(_plain_values(values))


def _plain_values(column: Column) -> list[Any]:
    coded = column.coded() if isinstance(column, NumberColumn) else column
    return coded.values()


def _checked_weights(given: Any, features: FeatureTable) -> Weights:
    """scikit-learn's checks, then whole numbers as integers: their counts are exact."""
    if isinstance(given, str):
        raise BadData(
            f"sample_weight={given!r}: weights are numbers, one a row; hand over the column, X[{given!r}]."
        )
    stand_in = np.empty((features.rows, 1))
    weights: Weights = _check_sample_weight(given, stand_in, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise BadData("All sample weights are 0: there is nothing to learn from.")
    whole = weights.astype(np.int64) if weights.max() < 2**31 else weights
    return whole if np.array_equal(whole, weights) else weights


def taken(features: FeatureTable, rows: npt.NDArray[np.intp]) -> FeatureTable:
    """Some of the rows."""
    if features.matrix is not None:
        names = features.names
        part = features.matrix[rows]
        return FeatureTable(read_columns(part, columns=list(names)), part)
    columns = [taken_column(features.columns[name], rows) for name in features.names]
    return FeatureTable(Columns(features.names, columns, len(rows)))


def taken_column(column: Column, rows: npt.NDArray[np.intp]) -> Column:
    """Some rows of a column, without the states that none of them has."""
    if isinstance(column, NumberColumn):
        return NumberColumn(column.values[rows], column.integral, column.kind)
    if column.declared:
        return CodedColumn(column.codes[rows], column.labels, column.ordered, declared=True)
    return _compressed(column.codes[rows], column)


def _compressed(codes: CodeArray, column: CodedColumn) -> CodedColumn:
    """Only the labels that are still there: a state that no row has would take part in smoothing."""
    used = np.unique(codes[codes != column.missing_code])
    places = np.full(len(column.labels) + 1, np.iinfo(np.uint32).max, dtype=np.uint32)
    places[used] = np.arange(len(used))
    kind = code_type(len(used))
    moved = places[np.minimum(codes.astype(np.int64), len(column.labels))]
    fresh: CodeArray = np.where(moved == np.iinfo(np.uint32).max, np.iinfo(kind).max, moved).astype(kind)
    return CodedColumn(fresh, tuple(column.labels[k] for k in used), column.ordered, column.declared)


def _taken_labels(labels: Labels, rows: npt.NDArray[np.intp]) -> Labels:
    return Labels(_compressed(labels.column.codes[rows], labels.column))
