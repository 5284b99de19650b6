"""Imputed pandas, polars and Arrow tables; a column keeps its type as far as the imputed values allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.schema import plain, state_key
from bayou.sources.output.imputed_cells import ImputedCells, as_objects, packed
from bayou.sources.output.table_kinds import (
    arrow_array,
    no_arrow_type,
    pandas_series,
    plain_kind,
    polars_series,
    require_pyarrow,
)
from bayou.typing import Name


def _places(known: Sequence[Any], imputed: Mapping[Name, ImputedCells]) -> list[tuple[int, ImputedCells]]:
    index = {state_key(plain(name)): position for position, name in enumerate(known)}
    return [(index[state_key(name)], cells) for name, cells in imputed.items()]


def imputed_pandas(frame: Any, imputed: Mapping[Name, ImputedCells]) -> Any:
    """Return a pandas DataFrame with imputed cells; columns without imputed cells share their memory."""
    result = frame.copy(deep=False)
    for position, cells in _places(list(frame.columns), imputed):
        if len(cells.rows):
            result.isetitem(position, imputed_pandas_series(frame.iloc[:, position], cells))
    return result


def imputed_pandas_series(series: Any, cells: ImputedCells) -> Any:
    """Return a pandas column with imputed cells; floats that are whole numbers again become integers."""
    kind = type(series.dtype).__name__
    if kind == "SparseDtype":
        series = series.sparse.to_dense()
    if kind == "CategoricalDtype":
        known = {state_key(plain(value)) for value in series.cat.categories}
        fresh = [v for v in _distinct(cells) if state_key(v) not in known]
        return _with_values(series.cat.add_categories(fresh) if fresh else series, cells, cells.values)
    if bool(series.isna().all()) and kind in ("Float64DType", "ObjectDType"):
        return _imputed_empty(series, cells)
    new = packed(cells.values)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind == "f" and new.dtype.kind in "if":
        imputed = _with_values(series, cells, new.astype(series.dtype))
        return imputed.astype("int64") if cells.makes_whole(imputed.to_numpy()) else imputed
    if cells.continuous and series.dtype.kind in "iu":
        series = series.astype("double[pyarrow]" if kind == "ArrowDtype" else "Float64")
    imputed = _with_values(series, cells, new)
    truth = series.dtype == object and plain_kind(cells.states) == "truth"
    return imputed.infer_objects() if truth else imputed


def _imputed_empty(series: Any, cells: ImputedCells) -> Any:
    """Impute a column without any value; its type becomes that of the imputed values."""
    values = np.full(len(series), None, dtype=object)
    values[cells.rows] = cells.values
    kind = "mixed" if cells.continuous and series.dtype == object else plain_kind(cells.states)
    return pandas_series(values, kind, series.index, series.name)


def _with_values(series: Any, cells: ImputedCells, values: Any) -> Any:
    fits = _fits(series.dtype, values)
    imputed = series.copy() if fits else series.astype(object)
    try:
        imputed.iloc[cells.rows] = values
    except (TypeError, ValueError):
        imputed = series.astype(object)
        imputed.iloc[cells.rows] = values
    return imputed


def _fits(dtype: Any, values: Any) -> bool:
    """Whether a numpy column can hold the values without changing its type."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf":
        return True
    return bool(dtype.kind == "f" and values.dtype.kind in "if")


def _distinct(cells: ImputedCells) -> list[Any]:
    used = {state_key(value) for value in cells.values.tolist()}
    return [state for state in cells.states if state_key(state) in used]


def imputed_polars(frame: Any, imputed: Mapping[Name, ImputedCells]) -> Any:
    """Return a polars DataFrame with imputed cells."""
    changed = [
        imputed_polars_series(frame[frame.columns[position]], cells)
        for position, cells in _places(frame.columns, imputed)
        if len(cells.rows)
    ]
    return frame.with_columns(changed)


def imputed_polars_series(series: Any, cells: ImputedCells) -> Any:
    """Return a polars column with imputed cells; its type changes only where it cannot hold the values."""
    import polars

    kind = series.dtype
    if cells.continuous and kind.is_integer():
        kind = polars.Float64
    elif isinstance(kind, polars.Enum):
        known = kind.categories.to_list()
        kind = polars.Enum([*known, *(str(v) for v in _distinct(cells) if str(v) not in known)])
    places = cells.spread(len(series))
    if kind == polars.Object or not _polars_preserves(kind, cells):
        values = series.to_list()
        for row, value in zip(cells.rows.tolist(), cells.values.tolist(), strict=True):
            values[row] = value
        return polars.Series(series.name, values, dtype=polars.Object)
    chosen = polars_series("", cells.values, plain_kind(cells.states)).gather(polars.Series(places.clip(0)))
    if kind == polars.Null:
        return (
            polars.select(polars.when(polars.Series(places >= 0)).then(chosen).otherwise(None))
            .to_series()
            .alias(series.name)
        )
    imputed = chosen.cast(kind).zip_with(polars.Series(places >= 0), series.cast(kind))
    return imputed.alias(series.name)


def _polars_preserves(kind: Any, cells: ImputedCells) -> bool:
    """Whether a column of this type returns the same states that are stored in it."""
    import polars

    states = _distinct(cells)
    try:
        new = polars_series("", as_objects(states), plain_kind(states))
        return _same_values((new if kind == polars.Null else new.cast(kind)).to_list(), states)
    except polars.exceptions.PolarsError:
        return False


def _same_values(values: Sequence[Any], states: Sequence[Any]) -> bool:
    try:
        return [state_key(plain(value)) for value in values] == [state_key(state) for state in states]
    except TypeError:
        return False


def imputed_arrow(table: Any, imputed: Mapping[Name, ImputedCells]) -> Any:
    """Return a pyarrow Table with imputed cells; ``table`` may be any Arrow stream."""
    arrow = require_pyarrow("Filling an Arrow table")
    if not isinstance(table, arrow.Table):
        try:
            table = arrow.table(table)
        except arrow.ArrowException as problem:
            raise BadData(f"The table could not be read: {problem}") from None
    for position, cells in _places(table.column_names, imputed):
        if len(cells.rows):
            column = _imputed_arrow_column(table.column(position), cells, table.column_names[position])
            field = table.schema.field(position).with_type(column.type)
            table = table.set_column(position, field, column)
    return table


def _imputed_arrow_column(column: Any, cells: ImputedCells, name: str) -> Any:
    import pyarrow
    from pyarrow import compute

    kind = column.type
    coded = pyarrow.types.is_dictionary(kind)
    inner = kind.value_type if coded else kind
    new = arrow_array(cells.values, plain_kind(cells.states), name)
    if pyarrow.types.is_null(inner) or (cells.continuous and pyarrow.types.is_integer(inner)):
        inner = new.type
    states = _distinct(cells)
    kept = arrow_array(as_objects(states), plain_kind(states), name)
    if not cells.continuous and not _same_values(_cast_arrow(kept, inner, name).to_pylist(), states):
        raise no_arrow_type(name, states)
    places = cells.spread(len(column))
    chosen = _cast_arrow(new, inner, name).take(pyarrow.array(places.clip(0)))
    old = column.cast(inner)
    imputed = compute.if_else(pyarrow.array(places >= 0), chosen, old)
    return imputed.cast(kind) if coded else imputed


def _cast_arrow(values: Any, kind: Any, name: str) -> Any:
    import pyarrow

    try:
        return values.cast(kind)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        raise no_arrow_type(name, values.to_pylist()) from None
