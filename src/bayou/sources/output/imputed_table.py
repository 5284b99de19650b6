"""A caller's table with its gaps filled: a new table of the same kind, everything else as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.schema import state_key
from bayou.sources.output.frames_out import pandas_frame
from bayou.sources.output.imputed_cells import Fill, as_objects, packed
from bayou.sources.output.imputed_frames import (
    filled_arrow,
    filled_pandas,
    filled_pandas_series,
    filled_polars,
    filled_polars_series,
)
from bayou.sources.output.table_kinds import kind_of
from bayou.sources.tables.columns import CodedColumn, Columns, NumberColumn, wanted_positions
from bayou.sources.tables.frames import is_from
from bayou.typing import Name

Fills = Mapping[Name, Fill]


def filled_table(data: Any, fills: Fills, columns: Sequence[Name] | None = None) -> Any:
    """The table with these cells filled; ``columns`` names the columns of data that have no names.

    >>> fill = Fill(np.array([1]), np.array(["no"], dtype=object), ("no", "yes"))
    >>> filled_table({"rain": ["yes", None], "id": [7, 8]}, {"rain": fill})
    {'rain': ['yes', 'no'], 'id': [7, 8]}
    """
    if is_from(data, "narwhals", "DataFrame") or is_from(data, "narwhals", "LazyFrame"):
        import narwhals

        return narwhals.from_native(filled_table(data.to_native(), fills))
    kind = kind_of(data)
    if kind.package == "pandas":
        return filled_pandas(data, fills)
    if kind.package == "polars":
        return filled_polars(data.collect() if is_from(data, "polars", "LazyFrame") else data, fills)
    if kind.package == "pyarrow":
        return filled_arrow(data, fills)
    if kind.package == "narwhals":
        import narwhals

        arrow = filled_arrow(narwhals.from_native(data, eager_only=True).to_arrow(), fills)
        return narwhals.from_arrow(arrow, backend=kind.backend).to_native()
    if isinstance(data, Mapping):
        return _filled_mapping(data, fills)
    if isinstance(data, np.ndarray):
        return _filled_array(data, fills, columns)
    if hasattr(data, "tocsc"):
        return _filled_sparse(data, fills, columns)
    return _filled_rows(data, fills, columns)


def filled_columns(table: Columns, fills: Fills) -> Any:
    """What was read from a file, filled, as a pandas DataFrame."""
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
    return filled_pandas(frame, fills)


def _numbers(column: NumberColumn) -> Any:
    if column.kind == "int" and not np.isnan(column.values).any():
        return column.values.astype(np.int64)
    return column.values


def _filled_mapping(data: Mapping[Any, Any], fills: Fills) -> dict[Any, Any]:
    wanted = {state_key(name): fill for name, fill in fills.items()}
    return {
        name: _filled_column(column, wanted[state_key(name)]) if state_key(name) in wanted else column
        for name, column in data.items()
    }


def _filled_column(column: Any, fill: Fill) -> Any:
    """A column of a mapping, as the kind of sequence that it was (a list where that can not be made)."""
    if is_from(column, "pandas", "Series"):
        return filled_pandas_series(column, fill)
    if is_from(column, "polars", "Series"):
        return filled_polars_series(column, fill)
    if isinstance(column, np.ndarray):
        return _filled_vector(column, fill)
    values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    for row, value in zip(fill.rows.tolist(), fill.values.tolist(), strict=True):
        values[row] = value
    return tuple(values) if type(column) is tuple else values


def _filled_vector(column: npt.NDArray[Any], fill: Fill) -> npt.NDArray[Any]:
    new = packed(fill.values)
    if isinstance(column, np.ma.MaskedArray):
        column = column.copy()
        if column.dtype.kind in "iu" and new.dtype.kind == "f":
            column = column.astype(np.float64)
        column[fill.rows] = new
        return column if np.ma.getmaskarray(column).any() else np.asarray(column.data)
    if column.dtype.kind == "f" and new.dtype.kind in "if":
        result = column.copy()
        result[fill.rows] = new
        return result.astype(np.int64) if fill.makes_whole(result) else result
    if column.dtype.kind in "mM":
        result = column.copy()
        result[fill.rows] = np.array(fill.values.tolist(), dtype=column.dtype)
        return result
    result = column.astype(object)
    result[fill.rows] = fill.values
    return result


def _filled_array(data: npt.NDArray[Any], fills: Fills, columns: Sequence[Name] | None) -> npt.NDArray[Any]:
    if data.dtype.names is not None and data.ndim == 1:
        result = data.copy()
        for name, fill in fills.items():
            result[str(name)][fill.rows] = fill.values
        return result
    places = wanted_positions(list(columns or ()), list(fills))
    whole = all(packed(fill.values).dtype.kind in "if" for fill in fills.values())
    result = data.copy() if data.dtype.kind == "f" and whole else data.astype(object)
    for place, fill in zip(places, fills.values(), strict=True):
        result[fill.rows, place] = fill.values
    return result


def _filled_sparse(data: Any, fills: Fills, columns: Sequence[Name] | None) -> Any:
    places = wanted_positions(list(columns or ()), list(fills))
    result = data.tolil(copy=True)
    for place, fill in zip(places, fills.values(), strict=True):
        result[fill.rows, place] = packed(fill.values)
    return result.asformat(data.format)


def _filled_rows(data: Sequence[Any], fills: Fills, columns: Sequence[Name] | None) -> Any:
    """A list of dicts, tuples or lists; each row the kind that it was."""
    rows: list[Any] = [dict(row) if isinstance(row, Mapping) else list(row) for row in data]
    by_name = bool(rows) and isinstance(rows[0], dict)
    places = list(fills) if by_name else wanted_positions(list(columns or ()), list(fills)) if rows else []
    for place, fill in zip(places, fills.values(), strict=bool(rows)):
        for row, value in zip(fill.rows.tolist(), fill.values.tolist(), strict=True):
            rows[row][place] = value
    if by_name:
        return rows
    made = [_like_row(old, new) for old, new in zip(data, rows, strict=True)]
    return tuple(made) if isinstance(data, tuple) else made


def _like_row(old: Any, new: list[Any]) -> Any:
    if hasattr(old, "_make"):
        return old._make(new)
    return tuple(new) if isinstance(old, tuple) else new


def held(data: Any) -> Any:
    """A table that can be read twice: a lazy frame is computed, an Arrow stream becomes a pyarrow Table."""
    if is_from(data, "polars", "LazyFrame") or is_from(data, "narwhals", "LazyFrame"):
        return data.collect()
    is_series = is_from(data, "pandas", "Series") or is_from(data, "polars", "Series")
    if is_series or is_from(data, "narwhals", "DataFrame") or kind_of(data).package != "pyarrow":
        return data
    return filled_arrow(data, {})
