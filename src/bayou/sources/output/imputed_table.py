"""A copy of the caller's table with imputed cells: a table of the same kind, all else unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.frames import pandas_frame
from bayou.schema import state_key
from bayou.sources.output.imputed_cells import ImputedCells, as_objects, packed
from bayou.sources.output.imputed_frames import (
    imputed_arrow,
    imputed_pandas,
    imputed_pandas_series,
    imputed_polars,
    imputed_polars_series,
)
from bayou.sources.output.table_kinds import kind_of
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import CodedColumn, Columns, NumberColumn
from bayou.sources.tables.read_frames import is_from
from bayou.typing import Name

CellsByColumn = Mapping[Name, ImputedCells]


def imputed_table(data: Any, imputed: CellsByColumn, columns: Sequence[Name] | None = None) -> Any:
    """Return a copy of the table with imputed cells; ``columns`` names the columns of data without names.

    >>> cells = ImputedCells(np.array([1]), np.array(["no"], dtype=object), ("no", "yes"))
    >>> imputed_table({"rain": ["yes", None], "id": [7, 8]}, {"rain": cells})
    {'rain': ['yes', 'no'], 'id': [7, 8]}
    """
    if is_from(data, "narwhals", "DataFrame") or is_from(data, "narwhals", "LazyFrame"):
        import narwhals

        return narwhals.from_native(imputed_table(data.to_native(), imputed))
    kind = kind_of(data)
    if kind.package == "pandas":
        return imputed_pandas(data, imputed)
    if kind.package == "polars":
        return imputed_polars(data.collect() if is_from(data, "polars", "LazyFrame") else data, imputed)
    if kind.package == "pyarrow":
        return imputed_arrow(data, imputed)
    if kind.package == "narwhals":
        import narwhals

        arrow = imputed_arrow(narwhals.from_native(data, eager_only=True).to_arrow(), imputed)
        return narwhals.from_arrow(arrow, backend=kind.backend).to_native()
    if isinstance(data, Mapping):
        return _imputed_mapping(data, imputed)
    if isinstance(data, np.ndarray):
        return _imputed_array(data, imputed, columns)
    if hasattr(data, "tocsc"):
        return _imputed_sparse(data, imputed, columns)
    return _imputed_rows(data, imputed, columns)


def imputed_columns(table: Columns, imputed: CellsByColumn) -> Any:
    """Return columns that were read from a file, with imputed cells, as a pandas DataFrame."""
    ready: dict[Any, Any] = {}
    for name in table.names:
        column = table[name]
        if isinstance(column, CodedColumn):
            texts = bool(column.labels) and all(isinstance(state, str) for state in column.labels)
            objects = as_objects(column.values())
            ready[name] = objects.tolist() if texts else objects
        else:
            ready[name] = _numbers(column)
    frame = pandas_frame(ready, "Imputing a file without out=")
    return imputed_pandas(frame, imputed)


def _numbers(column: NumberColumn) -> Any:
    if column.kind == "int" and not np.isnan(column.values).any():
        return column.values.astype(np.int64)
    return column.values


def _imputed_mapping(data: Mapping[Any, Any], imputed: CellsByColumn) -> dict[Any, Any]:
    wanted = {state_key(name): cells for name, cells in imputed.items()}
    return {
        name: _imputed_column(column, wanted[state_key(name)]) if state_key(name) in wanted else column
        for name, column in data.items()
    }


def _imputed_column(column: Any, cells: ImputedCells) -> Any:
    """A column of a mapping with imputed cells, as the same kind of sequence; a list where it has no kind."""
    if is_from(column, "pandas", "Series"):
        return imputed_pandas_series(column, cells)
    if is_from(column, "polars", "Series"):
        return imputed_polars_series(column, cells)
    if isinstance(column, np.ndarray):
        return _imputed_vector(column, cells)
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    for row, value in zip(cells.rows.tolist(), cells.values.tolist(), strict=True):
        values[row] = value
    return tuple(values) if type(column) is tuple else values


def _imputed_vector(column: npt.NDArray[Any], cells: ImputedCells) -> npt.NDArray[Any]:
    new = packed(cells.values)
    if isinstance(column, np.ma.MaskedArray):
        column = column.copy()
        if column.dtype.kind in "iu" and new.dtype.kind == "f":
            column = column.astype(np.float64)
        column[cells.rows] = new
        return column if np.ma.getmaskarray(column).any() else np.asarray(column.data)
    if column.dtype.kind == "f" and new.dtype.kind in "if":
        result = column.copy()
        result[cells.rows] = new
        return result.astype(np.int64) if cells.makes_whole(result) else result
    if column.dtype.kind in "mM":
        result = column.copy()
        result[cells.rows] = np.array(cells.values.tolist(), dtype=column.dtype)
        return result
    result = column.astype(object)
    result[cells.rows] = cells.values
    return result


def _imputed_array(
    data: npt.NDArray[Any], imputed: CellsByColumn, columns: Sequence[Name] | None
) -> npt.NDArray[Any]:
    if data.dtype.names is not None and data.ndim == 1:
        result = data.copy()
        for name, cells in imputed.items():
            result[str(name)][cells.rows] = cells.values
        return result
    places = wanted_positions(list(columns or ()), list(imputed))
    whole = all(packed(cells.values).dtype.kind in "if" for cells in imputed.values())
    result = data.copy() if data.dtype.kind == "f" and whole else data.astype(object)
    for place, cells in zip(places, imputed.values(), strict=True):
        result[cells.rows, place] = cells.values
    return result


def _imputed_sparse(data: Any, imputed: CellsByColumn, columns: Sequence[Name] | None) -> Any:
    places = wanted_positions(list(columns or ()), list(imputed))
    result = data.tolil(copy=True)
    for place, cells in zip(places, imputed.values(), strict=True):
        result[cells.rows, place] = packed(cells.values)
    return result.asformat(data.format)


def _imputed_rows(data: Sequence[Any], imputed: CellsByColumn, columns: Sequence[Name] | None) -> Any:
    """A list of dicts, tuples or lists with imputed cells; each row keeps its type."""
    rows: list[Any] = [dict(row) if isinstance(row, Mapping) else list(row) for row in data]
    by_name = bool(rows) and isinstance(rows[0], dict)
    places = (
        list(imputed) if by_name else wanted_positions(list(columns or ()), list(imputed)) if rows else []
    )
    for place, cells in zip(places, imputed.values(), strict=bool(rows)):
        for row, value in zip(cells.rows.tolist(), cells.values.tolist(), strict=True):
            rows[row][place] = value
    if by_name:
        return rows
    made = [_like_row(old, new) for old, new in zip(data, rows, strict=True)]
    return tuple(made) if isinstance(data, tuple) else made


def _like_row(old: Any, new: list[Any]) -> Any:
    if hasattr(old, "_make"):
        return old._make(new)
    return tuple(new) if isinstance(old, tuple) else new


def rereadable(data: Any) -> Any:
    """Return the data in a form that can be read twice: lazy frames collected, Arrow streams as a Table."""
    if is_from(data, "polars", "LazyFrame") or is_from(data, "narwhals", "LazyFrame"):
        return data.collect()
    is_series = is_from(data, "pandas", "Series") or is_from(data, "polars", "Series")
    if is_series or is_from(data, "narwhals", "DataFrame") or kind_of(data).package != "pyarrow":
        return data
    return imputed_arrow(data, {})
