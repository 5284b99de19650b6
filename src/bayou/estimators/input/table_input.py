"""Reading X: any table becomes named columns, with scikit-learn's checks of names and shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from bayou.codes import code_type, is_missing_code, missing_code
from bayou.errors import BadData, warn_user
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
from bayou.estimators.input.time_columns import with_times_as_numbers
from bayou.sources import CodedColumn, Columns, FileSource, IfPresent, read_columns, row_tables
from bayou.sources.matrix_source import float_matrix, refuse_infinite
from bayou.sources.tables.column_names import name_index
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.statistics import Source
from bayou.statistics.batch import FloatMatrix
from bayou.typing import CodeArray, FloatArray, Name, State

Matrix = npt.NDArray[Any]
LARGEST_WHOLE = 2**26
"""Files that take up to this many bytes in memory are read at once, larger ones in batches."""


class FeatureTable:
    """The features of some rows: columns by name and, if X was a matrix, the matrix behind them.

    ``matrix`` is a numeric array, ``sparse`` a sparse matrix; both are None for other tables.
    """

    __slots__ = ("_cells", "_columns", "_places", "_read", "matrix", "names", "rows", "sparse")

    def __init__(self, columns: Columns) -> None:
        self._columns: Columns | None = columns
        self._read: Callable[[], Columns] | None = None
        self._cells: Mapping[Name, State] | None = None
        self._places: dict[Name, int] | None = None
        self.matrix: Matrix | None = None
        self.sparse: sparse.csr_array | None = None
        self.names, self.rows = columns.names, columns.rows

    @classmethod
    def of_matrix(cls, matrix: Matrix, names: tuple[Name, ...]) -> FeatureTable:
        """The columns of a matrix, which is not copied."""
        table = cls.__new__(cls)
        table._columns, table._cells, table._read = None, None, partial(_views, matrix, names)
        table._places = None
        table.matrix, table.sparse, table.names, table.rows = matrix, None, names, len(matrix)
        return table

    @classmethod
    def of_sparse(cls, matrix: sparse.csr_array, names: tuple[Name, ...]) -> FeatureTable:
        """The columns of a sparse matrix, which is not copied."""
        table = cls.__new__(cls)
        table._columns, table._cells, table._places = None, None, None
        table._read = partial(read_columns, matrix, columns=list(names))
        table.matrix, table.sparse, table.names, table.rows = None, matrix, names, matrix.shape[0]
        return table

    def copied(self) -> FeatureTable:
        """The same table with its own copy of a sparse matrix; other tables are not copied."""
        return self if self.sparse is None else FeatureTable.of_sparse(self.sparse.copy(), self.names)

    @classmethod
    def of_row(cls, cells: Mapping[Name, State], read: Callable[[], Columns]) -> FeatureTable:
        """One row of plain Python values; ``read`` makes columns of it, where these are needed."""
        table = cls.__new__(cls)
        table._columns, table._cells, table._read, table._places = None, cells, read, None
        table.matrix, table.sparse, table.names, table.rows = None, None, tuple(cells), 1
        return table

    @property
    def columns(self) -> Columns:
        """The columns by name; those of a matrix or a single row are made when they are first needed."""
        if self._columns is None:
            assert self._read is not None
            self._columns = self._read()
        return self._columns

    @property
    def only_row(self) -> Mapping[Name, State] | None:
        """The values of a single row, if they are plain ones (text, numbers, truth values, None)."""
        if self._cells is None and self.matrix is not None and self.rows == 1:
            self._cells = dict(zip(self.names, self.matrix[0].tolist(), strict=True))
        return self._cells

    def has(self, name: Name) -> bool:
        """Whether the table has this column."""
        return name in (self.columns if self._cells is None else self._cells)

    def numbers(self, name: Name) -> FloatArray:
        """A column of numbers, NaN where missing; all NaN if the table does not have the column."""
        if self._cells is not None and _is_exact_number(value := self._cells.get(name)):
            return np.array([value], dtype=np.float64)
        column = self.column_of_matrix(name)
        if column is not None:
            return column
        return self.columns.numbers(name) if self.has(name) else np.full(self.rows, np.nan)

    def seen_numbers(self, name: Name) -> tuple[FloatArray, int]:
        """The same for new rows, and how many cells have a text that is no number: they are missing."""
        if self._cells is None and self.matrix is None and self.has(name):
            return self.columns.seen_numbers(name)
        if self._cells is not None and isinstance(self._cells.get(name), str):
            return self.columns.seen_numbers(name)
        return self.numbers(name), 0

    def column_of_matrix(self, name: Name) -> FloatArray | None:
        """A column of a numeric matrix; None for other tables, and for numbers that need more checks."""
        if self.matrix is None or self.matrix.dtype.kind not in "fiu":
            return None
        place = self.place(name)
        if place is None:
            return None
        column: FloatArray = self.matrix[:, place].astype(np.float64)
        is_float = self.matrix.dtype.kind == "f"
        doubtful = np.isinf(column) if is_float else np.abs(column) >= 2.0**53
        return None if doubtful.any() else column

    def place(self, name: Name) -> int | None:
        """The position of a column in the matrix; None if it does not have the column."""
        if self._places is None:
            self._places = {own: position for position, own in enumerate(self.names)}
        return self._places.get(name)

    def taken(self, rows: npt.NDArray[np.intp]) -> FeatureTable:
        """Return some of the rows."""
        if self.matrix is not None:
            return FeatureTable.of_matrix(self.matrix[rows], self.names)
        if self.sparse is not None:
            return FeatureTable.of_sparse(self.sparse[rows], self.names)
        columns = [taken_column(self.columns[name], rows) for name in self.names]
        return FeatureTable(Columns(self.names, columns, len(rows)))


def _is_exact_number(value: State) -> bool:
    """Whether a plain value is NaN or a number that a float holds exactly."""
    if type(value) is float:
        return abs(value) < np.inf or value != value
    return type(value) is int and abs(value) <= 2**53


def number_matrix(features: FeatureTable) -> FloatMatrix:
    """Return new rows as a float matrix [row, feature], NaN where missing; one warning counts other texts."""
    if features.matrix is not None:
        return float_matrix(features.matrix)
    filled = np.empty((features.rows, len(features.names)), order="F")
    told = []
    for position, name in enumerate(features.names):
        filled[:, position], texts = features.seen_numbers(name)
        told += [f"{texts} in {name!r}"] if texts else []
    if told:
        warn_user(f"Texts that are no numbers count as missing: {', '.join(told)}.")
    return filled


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

    def read() -> Columns:
        if known is None or not by_name:
            return with_times_as_numbers(read_columns(X, names=known))
        return with_times_as_numbers(with_gaps(read_columns(X, names=IfPresent(known)), known))

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
    if reset:
        table = with_times_as_numbers(read_columns(X, as_text=as_text))
        estimator.feature_names_in_ = name_array(table.names)
        estimator.n_features_in_ = len(table.names)
        return _require_rows(estimator, FeatureTable(table))
    known = learned_names(estimator)

    def read() -> Columns:
        table = read_columns(X, names=IfPresent(known), as_text=as_text)
        return with_times_as_numbers(with_gaps(table, known))

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


def open_rows(X: Any, names: Sequence[Name] | None, weights: Name | None = None) -> Source:
    """Open a file or a source as a source.

    Small files are read at once, which is faster; the rows of others come in batches.
    """
    if isinstance(X, Source):
        return X
    return FileSource(X, names, weights=weights, largest_whole=LARGEST_WHOLE)


def feature_tables(estimator: Any, X: Any) -> Iterator[tuple[int, FeatureTable]]:
    """Yield new rows in order, in batches, each with the number of its first row."""
    if not is_streamable(X):
        yield 0, read_features(estimator, X, reset=False)
        return
    known = learned_names(estimator)
    tell_of_columns(estimator, column_names(X))
    names = IfPresent(known)
    first = 0
    for rows in row_tables(open_rows(X, names), names):
        yield first, FeatureTable(with_times_as_numbers(with_gaps(rows, known)))
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


def _views(array: Matrix, names: Sequence[Name]) -> Columns:
    """Columns of a numeric matrix, each made on first use: the matrix itself is never copied."""

    def column(position: int) -> Any:
        def read() -> Column:
            cells = np.ascontiguousarray(array[:, position])[:, None]
            refuse_infinite(cells, position)
            return read_columns(cells, columns=[names[position]])[names[position]]

        return read

    return Columns(names, [column(position) for position in range(array.shape[1])], len(array))


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


def taken_column(column: Column, rows: npt.NDArray[np.intp]) -> Column:
    """Return some rows of a column, without the states that none of them has."""
    if isinstance(column, NumberColumn):
        return NumberColumn(column.values[rows], column.integral, column.kind)
    if column.declared:
        return CodedColumn(column.codes[rows], column.labels, column.ordered, declared=True)
    return compressed(column.codes[rows], column)


def compressed(codes: CodeArray, column: CodedColumn) -> CodedColumn:
    """Return the column with these codes and only the labels that occur, as others would be smoothed too."""
    used = np.unique(codes[codes != column.missing_code])
    places = np.full(len(column.labels) + 1, missing_code(np.uint32), dtype=np.uint32)
    places[used] = np.arange(len(used))
    kind = code_type(len(used))
    moved = places[np.minimum(codes.astype(np.int64), len(column.labels))]
    fresh: CodeArray = np.where(is_missing_code(moved), missing_code(kind), moved).astype(kind)
    return CodedColumn(fresh, tuple(column.labels[k] for k in used), column.ordered, column.declared)
