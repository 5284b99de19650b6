"""Reading X: any table becomes named columns, with scikit-learn's checks of names and shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from bayou.errors import BadData
from bayou.estimators.input.column_matching import learned_names, tell_of_columns, with_gaps
from bayou.estimators.input.containers import (
    collected,
    column_names,
    frame_names,
    is_frame,
    is_named,
    is_streamable,
    plain_frame_row,
    plain_row,
    with_types,
)
from bayou.estimators.input.declared_texts import declared_states, declared_texts
from bayou.estimators.input.feature_table import FeatureTable, Matrix
from bayou.estimators.input.time_columns import measured_times, with_times_as_numbers
from bayou.schema import Variable, text_names
from bayou.sources import Columns, FileSource, IfPresent, read_columns, row_tables
from bayou.sources.files.file_source import as_path
from bayou.sources.table_stream import TableStream
from bayou.sources.tables.column_names import name_index
from bayou.sources.tables.columns import NumberColumn
from bayou.statistics import Source
from bayou.typing import Name

LARGEST_WHOLE = 2**26
"""Files that take up to this many bytes in memory are read at once, larger ones in batches."""


def read_features(estimator: Any, X: Any, *, reset: bool, as_text: Sequence[Name] = ()) -> FeatureTable:
    """Read X; with ``reset`` the estimator stores the names and number of features, otherwise checks them."""
    if isinstance(X, FeatureTable):
        return X
    if not reset and _is_plain_matrix(estimator, X):
        return FeatureTable.of_matrix(X, _default_names(X.shape[1]))
    X = collected(X)
    if is_named(X):
        return _read_named(estimator, X, reset, as_text)
    if is_frame(X):
        return _read_frame(estimator, X, reset)
    return _read_matrix(estimator, X, reset)


def _read_frame(estimator: Any, X: Any, reset: bool) -> FeatureTable:
    """Read a frame: by name if the estimator was fitted by name, else as scikit-learn would have it."""
    names, known = frame_names(X), None if reset else _known(estimator)
    as_trained = known is not None and names == known
    by_name = known is not None and getattr(estimator, "by_name_", False)
    if not as_trained:
        name_index(names)  # names a duplicate column, which scikit-learn's error does not
        if by_name:
            tell_of_columns(estimator, names)
        else:
            validate_data(estimator, X, reset=reset, skip_check_array=True)

    texts = declared_texts(estimator)

    def read() -> Columns:
        if reset:
            return measured_times(estimator, read_columns(X, as_text=texts))
        if known is None or not by_name:
            return new_rows(estimator, read_columns(X, names=known, as_text=texts))
        return new_rows(estimator, with_gaps(read_columns(X, names=IfPresent(known), as_text=texts), known))

    cells = plain_frame_row(X, names) if as_trained or by_name else None
    if cells is None or known is None:
        return _require_rows(estimator, FeatureTable(read()))
    return FeatureTable.of_row(cells if as_trained else {name: cells.get(name) for name in known}, read)


def _known(estimator: Any) -> list[Name] | None:
    """The names of the training columns; None if they had no names."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else list(names)


def _read_named(estimator: Any, X: Any, reset: bool, as_text: Sequence[Name]) -> FeatureTable:
    """Read a container that scikit-learn does not know; new rows are read by name."""
    as_text = [*as_text, *declared_texts(estimator)]
    if reset:
        table = measured_times(estimator, read_columns(X, as_text=as_text))
        estimator.feature_names_in_ = name_array(table.names)
        estimator.n_features_in_ = len(table.names)
        return _require_rows(estimator, FeatureTable(table))
    known = learned_names(estimator)

    def read() -> Columns:
        table = read_columns(X, names=IfPresent(known), as_text=as_text)
        return new_rows(estimator, with_gaps(table, known))

    cells = None if as_text else plain_row(X)
    if cells is None:
        tell_of_columns(estimator, column_names(X))
        return FeatureTable(read())
    row = {name: cells.get(name) for name in known}
    if len(cells) != len(known) or row.keys() != cells.keys():
        tell_of_columns(estimator, list(cells))
    return FeatureTable.of_row(row, read)


def name_array(names: Sequence[Name]) -> npt.NDArray[Any]:
    """Return names of any type as an array of objects, as scikit-learn stores them.

    >>> name_array([("a", 1), ("a", 2)]).shape
    (2,)
    """
    return np.fromiter(names, dtype=object, count=len(names))


def new_rows(estimator: Any, table: Columns) -> Columns:
    """Return new rows with times as numbers of days, except where ``states=`` declares them."""
    return with_times_as_numbers(table, [variable.name for variable in declared_states(estimator)])


def open_rows(
    X: Any,
    names: Sequence[Name] | None,
    weights: Name | None = None,
    declared: Sequence[Variable] = (),
) -> Source:
    """Open a file or a source as a source; columns that are declared as texts stay texts.

    Small files are read at once, which is faster; the rows of others come in batches.
    """
    X = as_path(X)
    texts = text_names(declared)
    if isinstance(X, TableStream) and texts:
        return X.declaring([variable for variable in declared if variable.name in texts], None)
    if isinstance(X, Source):
        return X
    return FileSource(X, names, texts, weights, largest_whole=LARGEST_WHOLE)


def feature_tables(estimator: Any, X: Any) -> Iterator[tuple[int, FeatureTable]]:
    """Yield new rows in order, in batches, each with the number of its first row."""
    if not is_streamable(X):
        yield 0, read_features(estimator, X, reset=False)
        return
    known = learned_names(estimator)
    tell_of_columns(estimator, column_names(X))
    names = IfPresent(known)
    first = 0
    for rows in row_tables(open_rows(X, names, declared=declared_states(estimator)), names):
        yield first, FeatureTable(new_rows(estimator, with_gaps(rows, known)))
        first += rows.rows


def _read_matrix(estimator: Any, X: Any, reset: bool) -> FeatureTable:
    array = check_array(
        with_types(X),
        accept_sparse="csr",
        dtype=None,
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    names = array_column_names(estimator, array.shape[1])
    if sparse.issparse(array):
        matrix: Any = array
        return FeatureTable.of_sparse(matrix, tuple(names))
    if array.dtype.kind == "O":
        return FeatureTable(_objects(array, names))
    if array.dtype.kind not in "fiub":
        return FeatureTable(read_columns(array, columns=names))
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return FeatureTable.of_matrix(native, tuple(names))


def _is_plain_matrix(estimator: Any, X: Any) -> bool:
    """Whether X is an array of numbers that scikit-learn's checks would accept and return unchanged."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "fiub" or not X.dtype.isnative:
        return False
    as_trained = X.shape[1] == getattr(estimator, "n_features_in_", None) and len(X) > 0
    return as_trained and not hasattr(estimator, "feature_names_in_")


@lru_cache(maxsize=16)
def _default_names(count: int) -> tuple[Name, ...]:
    """The names that scikit-learn gives the columns of an array: x0, x1, …"""
    return tuple([f"x{position}" for position in range(count)])


def _objects(array: Matrix, names: Sequence[Name]) -> Columns:
    """Read an array of Python objects; containers in it are refused with scikit-learn's message."""
    for value in array.ravel():
        if isinstance(value, dict | list | set):
            raise TypeError(f"X holds {value!r}: argument must be a string or a number.")
    return read_columns(array, columns=names)


def array_column_names(estimator: Any, count: int) -> list[Name]:
    """Return the names of an array's columns: those of training, else x0, x1, … as in scikit-learn."""
    known = getattr(estimator, "feature_names_in_", None)
    return list(known) if known is not None else list(_default_names(count))


def _require_rows(estimator: Any, table: FeatureTable) -> FeatureTable:
    """Check that there are rows and no infinite numbers."""
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
