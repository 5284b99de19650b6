"""X as users hand it over: any table becomes named columns; scikit-learn's checks of names and shapes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from bayou.errors import BadData
from bayou.estimators.time_columns import with_times_as_numbers
from bayou.sources import Columns, IfPresent, read_columns
from bayou.sources.columns import Column, NumberColumn, name_index
from bayou.sources.frames import is_from
from bayou.typing import FloatArray, Name

Matrix = npt.NDArray[Any]


@dataclass(frozen=True)
class FeatureTable:
    """The features of some rows: columns by name and, where X was one, the matrix they are views of."""

    columns: Columns
    matrix: Matrix | None = None

    @property
    def names(self) -> tuple[Name, ...]:
        """The features in order."""
        return self.columns.names

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.columns.rows

    def has(self, name: Name) -> bool:
        """Whether the table has this column at all."""
        return name in self.columns

    def numbers(self, name: Name) -> FloatArray:
        """A column of numbers, NaN where missing (or where the table lacks it)."""
        return self.columns.numbers(name) if self.has(name) else np.full(self.rows, np.nan)


def read_features(estimator: Any, X: Any, *, reset: bool, as_text: Sequence[Name] = ()) -> FeatureTable:
    """Read X; with ``reset`` the estimator learns its number and names of features, else they are checked."""
    if isinstance(X, FeatureTable):
        return X
    X = collected(X)
    if is_named(X):
        return _read_named(estimator, X, reset, as_text)
    if hasattr(X, "columns") or hasattr(X, "__dataframe__"):
        name_index(_frame_names(X))  # scikit-learn does not get as far as naming a column that is there twice
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return _require_rows(
            estimator, FeatureTable(with_times_as_numbers(read_columns(X, names=_known(estimator, reset))))
        )
    return _read_matrix(estimator, X, reset)


def collected(X: Any) -> Any:
    """A lazy frame is a promise: what it promises. Everything else is as it was."""
    return X.collect() if is_from(X, "polars", "LazyFrame") or is_from(X, "narwhals", "LazyFrame") else X


def _frame_names(X: Any) -> list[Name]:
    names = getattr(X, "column_names", None)
    return list(getattr(X, "columns", ()) if names is None or callable(names) else names)


def _known(estimator: Any, reset: bool) -> Sequence[Name] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if reset or names is None else list(names)


def is_named(X: Any) -> bool:
    """Tables with names that scikit-learn does not know: mappings, lists of mappings, files."""
    if isinstance(X, str | os.PathLike | Columns):
        return True
    if isinstance(X, Mapping):
        return True
    return isinstance(X, list | tuple) and bool(X) and isinstance(X[0], Mapping)


def _read_named(estimator: Any, X: Any, reset: bool, as_text: Sequence[Name]) -> FeatureTable:
    if reset:
        table = with_times_as_numbers(read_columns(X, as_text=as_text))
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
        estimator.n_features_in_ = len(table.names)
        return _require_rows(estimator, FeatureTable(table))
    known = getattr(estimator, "feature_names_in_", None)
    if known is None:
        raise BadData(
            f"This {type(estimator).__name__} learned from an array without names; give an array with "
            f"{estimator.n_features_in_} columns."
        )
    rows = read_columns(X, names=IfPresent(known), as_text=as_text)
    return FeatureTable(with_times_as_numbers(rows))


def _read_matrix(estimator: Any, X: Any, reset: bool) -> FeatureTable:
    array = check_array(
        X,
        accept_sparse="csr",
        dtype=None,
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    names = matrix_names(estimator, array.shape[1])
    if sparse.issparse(array):
        return FeatureTable(read_columns(array, columns=names))
    if array.dtype.kind == "O":
        return FeatureTable(_objects(array, names))
    if array.dtype.kind not in "fiub":
        return FeatureTable(read_columns(array, columns=names))
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return FeatureTable(_views(native, names), native)


def _views(array: Matrix, names: Sequence[Name]) -> Columns:
    """Columns of a numeric matrix, made when asked for: the matrix itself is never copied."""

    def column(position: int) -> Any:
        def read() -> Column:
            cells = np.ascontiguousarray(array[:, position])[:, None]
            refuse_infinite(cells, position)
            return read_columns(cells, columns=[names[position]])[names[position]]

        return read

    return Columns(names, [column(position) for position in range(array.shape[1])], len(array))


def _objects(array: Matrix, names: Sequence[Name]) -> Columns:
    """An array of Python objects; what is neither text nor a number is refused as scikit-learn does."""
    for value in array.ravel():
        if isinstance(value, dict | list | set):
            raise TypeError(f"X holds {value!r}: argument must be a string or a number.")
    return read_columns(array, columns=names)


def matrix_names(estimator: Any, count: int) -> list[Name]:
    """The names of an array's columns: those learned from a data frame, else x0, x1, … as in scikit-learn."""
    known = getattr(estimator, "feature_names_in_", None)
    return list(known) if known is not None else [f"x{position}" for position in range(count)]


def refuse_infinite(array: Matrix, first_column: int = 0) -> None:
    """Name the first infinite cell, if there is one.

    Kernels that read a whole matrix do not look for such cells: their sums show them, and only then this is
    called.
    """
    if array.dtype.kind != "f":
        return
    infinite = np.isinf(array)
    if infinite.any():
        row, place = np.unravel_index(int(infinite.argmax()), array.shape)
        raise BadData(
            f"Input X contains infinity in row {row}, column {place + first_column} (from 0): make such "
            "cells missing (NaN)."
        )


def _require_rows(estimator: Any, table: FeatureTable) -> FeatureTable:
    if table.rows == 0:
        raise BadData(
            f"Found array with 0 sample(s) (shape=(0, {len(table.names)})) while a minimum of 1 is required "
            f"by {type(estimator).__name__}."
        )
    for name in table.names if table.matrix is None else ():
        column = table.columns[name]
        if isinstance(column, NumberColumn) and np.isinf(column.values).any():
            row = int(np.flatnonzero(np.isinf(column.values))[0])
            where = f"in row {row} (counting from 0)"
            raise BadData(f"Column {name!r} is infinite {where}: make such cells missing (NaN).")
    return table
