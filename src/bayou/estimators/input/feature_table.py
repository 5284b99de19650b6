"""The features of some rows: columns by name, and the matrix behind them where X was one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from bayou.codes import code_type, is_missing_code, missing_code
from bayou.errors import warn_user
from bayou.sources import CodedColumn, Columns, read_columns
from bayou.sources.matrix_source import float_matrix, refuse_infinite
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.statistics.batch import FloatMatrix
from bayou.typing import CodeArray, FloatArray, Name, State

Matrix = npt.NDArray[Any]


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


def _views(array: Matrix, names: Sequence[Name]) -> Columns:
    """Columns of a numeric matrix, each made on first use: the matrix itself is never copied."""

    def column(position: int) -> Any:
        def read() -> Column:
            cells = np.ascontiguousarray(array[:, position])[:, None]
            refuse_infinite(cells, position)
            return read_columns(cells, columns=[names[position]])[names[position]]

        return read

    return Columns(names, [column(position) for position in range(array.shape[1])], len(array))


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
