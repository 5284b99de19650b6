"""Columns from numpy arrays of every type, and from sparse matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bayou._native._core import encode_fixed_width
from bayou.errors import BadData
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import LARGEST_EXACT, CodedColumn, Column, Columns, NumberColumn
from bayou.sources.tables.objects import Objects, columns_of_objects, is_integral, replaced_codes
from bayou.sources.tables.times import moments, spans
from bayou.sources.tables.whole_numbers import WholeColumn, WholeMatrix, is_exact
from bayou.typing import FloatArray, Name


def column_of_array(values: np.ndarray[Any, Any], name: Name) -> Column | Objects:
    """Return a one-dimensional array as a column, or as objects that are still to be encoded."""
    if values.ndim != 1:
        raise BadData(f"The column {name!r} must have one dimension, but it has the shape {values.shape}.")
    if isinstance(values, np.ma.MaskedArray):
        return _masked(values, name)
    kind = values.dtype.kind
    if kind == "f":
        return number_column(values.astype(np.float64, copy=False))
    if kind in "iu":
        return _integers(values)
    if kind == "b":
        return CodedColumn(values.astype(np.uint8), (False, True))
    if kind in "US":
        return _fixed(values)
    if kind in "mM":
        return _times(values)
    objects: Objects = values.astype(object, copy=False)
    return objects


def number_column(values: FloatArray) -> NumberColumn:
    """Return floats as a column of numbers."""
    return NumberColumn.of_floats(values, is_integral(values[~np.isnan(values)]))


def columns_of_matrix(
    data: np.ndarray[Any, Any], names: Sequence[Name] | None, columns: Sequence[Name] | None
) -> Columns:
    """Read a two-dimensional array whose columns are named by ``columns``, or a structured array.

    ``names`` are the columns to read (None: all).
    """
    if data.dtype.names is not None and data.ndim == 1:
        known: list[Name] = list(data.dtype.names)
        values = [data[field] for field in data.dtype.names]
    else:
        known = matrix_names(data.shape, columns, "numpy array")
        values = list(data.T)
        if _are_whole(data) and names is None:
            whole = WholeMatrix(data)
            return Columns(known, [WholeColumn(whole, position) for position in range(len(known))], len(data))
    positions = wanted_positions(known, names)
    chosen = [known[position] for position in positions]
    pending = [column_of_array(values[position], known[position]) for position in positions]
    return Columns(chosen, columns_of_objects(chosen, pending), rows=len(data))


def matrix_names(shape: tuple[int, ...], columns: Sequence[Name] | None, what: str) -> list[Name]:
    """Return the names of a table without names, after a check that there is one per column."""
    if len(shape) != 2:
        raise BadData(f"A table must have two dimensions; this {what} has the shape {shape}.")
    if columns is None:
        raise BadData(f"This {what} has no column names. Give them: columns=[...] with {shape[1]} names.")
    if len(columns) != shape[1]:
        raise BadData(f"columns= gives {len(columns)} names, but this {what} has {shape[1]} columns.")
    return list(columns)


def columns_of_sparse(data: Any, names: Sequence[Name] | None, columns: Sequence[Name] | None) -> Columns:
    """Read a scipy sparse matrix; cells that are not stored are 0. A column is unpacked when it is needed."""
    known = matrix_names(data.shape, columns, "sparse matrix")
    chosen = wanted_positions(known, names)
    packed = data.tocsc()

    def unpacker(position: int) -> Callable[[], Column]:
        def unpack() -> Column:
            column = column_of_array(packed[:, [position]].toarray().ravel(), known[position])
            return columns_of_objects([known[position]], [column])[0]

        return unpack

    return Columns([known[p] for p in chosen], [unpacker(p) for p in chosen], rows=int(data.shape[0]))


def _integers(values: np.ndarray[Any, Any]) -> Column:
    if not is_exact(values, LARGEST_EXACT):
        return _fixed(values)
    if _are_whole(values):
        return WholeColumn(WholeMatrix(values[:, None]), 0)
    return NumberColumn(values.astype(np.float64), True, "int")


def _are_whole(values: np.ndarray[Any, Any]) -> bool:
    """Whether these are whole numbers that the compiled core can read without a copy."""
    plain = type(values) is np.ndarray and values.dtype.kind in "iu" and values.dtype.isnative
    return plain and values.dtype.itemsize <= 8 and is_exact(values, LARGEST_EXACT)


def _fixed(values: np.ndarray[Any, Any]) -> CodedColumn:
    """Code an array of fixed-width items (text, bytes or long integers) by its distinct values."""
    native = values.astype(values.dtype.newbyteorder("="), copy=False)
    codes, first_rows = encode_fixed_width(native)
    return CodedColumn(codes, tuple(native[first_rows].tolist()))


def _times(values: np.ndarray[Any, Any]) -> CodedColumn:
    native = values.astype(values.dtype.newbyteorder("="), copy=False)
    codes, first_rows = encode_fixed_width(native.view(np.int64))
    distinct = native[first_rows]
    present = ~np.isnat(distinct)
    meaning = np.where(present, np.cumsum(present) - 1, -1)
    labels = (moments if values.dtype.kind == "M" else spans)(distinct[present])
    return CodedColumn(replaced_codes(codes, meaning.tolist()), tuple(labels))


def _masked(values: np.ma.MaskedArray[Any, Any], name: Name) -> Column | Objects:
    gaps = np.ma.getmaskarray(values)
    if not gaps.any():
        return column_of_array(values.data, name)
    column = column_of_array(values.data, name) if values.dtype.kind in "fiu" else None
    if isinstance(column, NumberColumn):
        numbers = np.where(gaps, np.nan, column.values)
        integral = is_integral(numbers[~np.isnan(numbers)])
        if column.kind == "float":
            return NumberColumn.of_floats(numbers, integral)
        return NumberColumn(numbers, integral, "int")
    if values.dtype.kind in "mM":
        return _times(np.where(gaps, np.array("NaT", dtype=values.dtype), values.data))
    objects = values.data.astype(object)
    objects[gaps] = None
    return objects
