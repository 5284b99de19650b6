"""Gaps filled in pandas, polars and Arrow tables; a column keeps its type as far as the values allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.schema import plain, state_key
from bayou.sources.output.imputed_cells import Fill, as_objects, packed
from bayou.sources.output.table_kinds import (
    arrow_array,
    no_arrow_type,
    pandas_series,
    plain_kind,
    polars_series,
    require_pyarrow,
)
from bayou.typing import Name


def _places(known: Sequence[Any], fills: Mapping[Name, Fill]) -> list[tuple[int, Fill]]:
    index = {state_key(plain(name)): position for position, name in enumerate(known)}
    return [(index[state_key(name)], fill) for name, fill in fills.items()]


def filled_pandas(frame: Any, fills: Mapping[Name, Fill]) -> Any:
    """A pandas DataFrame with its index, its columns in their order; those without gaps are shared."""
    result = frame.copy(deep=False)
    for position, fill in _places(list(frame.columns), fills):
        if len(fill.rows):
            result.isetitem(position, filled_pandas_series(frame.iloc[:, position], fill))
    return result


def filled_pandas_series(series: Any, fill: Fill) -> Any:
    """A pandas column; floats that stood for whole numbers with gaps become whole numbers."""
    kind = type(series.dtype).__name__
    if kind == "SparseDtype":
        series = series.sparse.to_dense()
    if kind == "CategoricalDtype":
        known = {state_key(plain(value)) for value in series.cat.categories}
        fresh = [v for v in _distinct(fill) if state_key(v) not in known]
        return _with_values(series.cat.add_categories(fresh) if fresh else series, fill, fill.values)
    if bool(series.isna().all()) and kind in ("Float64DType", "ObjectDType"):
        return _filled_empty(series, fill)
    new = packed(fill.values)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind == "f" and new.dtype.kind in "if":
        filled = _with_values(series, fill, new.astype(series.dtype))
        return filled.astype("int64") if fill.makes_whole(filled.to_numpy()) else filled
    if fill.continuous and series.dtype.kind in "iu":
        series = series.astype("double[pyarrow]" if kind == "ArrowDtype" else "Float64")
    filled = _with_values(series, fill, new)
    truth = series.dtype == object and plain_kind(fill.states) == "truth"
    return filled.infer_objects() if truth else filled


def _filled_empty(series: Any, fill: Fill) -> Any:
    """A column without any value has no type of its own: it gets that of what fills it."""
    values = np.full(len(series), None, dtype=object)
    values[fill.rows] = fill.values
    kind = "mixed" if fill.continuous and series.dtype == object else plain_kind(fill.states)
    return pandas_series(values, kind, series.index, series.name)


def _with_values(series: Any, fill: Fill, values: Any) -> Any:
    fits = _fits(series.dtype, values)
    filled = series.copy() if fits else series.astype(object)
    try:
        filled.iloc[fill.rows] = values
    except (TypeError, ValueError):
        filled = series.astype(object)
        filled.iloc[fill.rows] = values
    return filled


def _fits(dtype: Any, values: Any) -> bool:
    """Whether values go into a numpy column without changing its type."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf":
        return True
    return bool(dtype.kind == "f" and values.dtype.kind in "if")


def _distinct(fill: Fill) -> list[Any]:
    used = {state_key(value) for value in fill.values.tolist()}
    return [state for state in fill.states if state_key(state) in used]


def filled_polars(frame: Any, fills: Mapping[Name, Fill]) -> Any:
    """A polars DataFrame."""
    changed = [
        filled_polars_series(frame[frame.columns[position]], fill)
        for position, fill in _places(frame.columns, fills)
        if len(fill.rows)
    ]
    return frame.with_columns(changed)


def filled_polars_series(series: Any, fill: Fill) -> Any:
    """A polars column of the same type; wider only where a mean goes among whole numbers."""
    import polars

    kind = series.dtype
    if fill.continuous and kind.is_integer():
        kind = polars.Float64
    elif isinstance(kind, polars.Enum):
        known = kind.categories.to_list()
        kind = polars.Enum([*known, *(str(v) for v in _distinct(fill) if str(v) not in known)])
    places = fill.spread(len(series))
    if kind == polars.Object or not _held_by_polars(kind, fill):
        values = series.to_list()
        for row, value in zip(fill.rows.tolist(), fill.values.tolist(), strict=True):
            values[row] = value
        return polars.Series(series.name, values, dtype=polars.Object)
    chosen = polars_series("", fill.values, plain_kind(fill.states)).gather(polars.Series(places.clip(0)))
    if kind == polars.Null:
        return (
            polars.select(polars.when(polars.Series(places >= 0)).then(chosen).otherwise(None))
            .to_series()
            .alias(series.name)
        )
    filled = chosen.cast(kind).zip_with(polars.Series(places >= 0), series.cast(kind))
    return filled.alias(series.name)


def _held_by_polars(kind: Any, fill: Fill) -> bool:
    """Whether a column of this type gives the states back that are put into it."""
    import polars

    states = _distinct(fill)
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


def filled_arrow(table: Any, fills: Mapping[Name, Fill]) -> Any:
    """A pyarrow Table; from any Arrow stream one is made."""
    arrow = require_pyarrow("Filling an Arrow table")
    if not isinstance(table, arrow.Table):
        try:
            table = arrow.table(table)
        except arrow.ArrowException as problem:
            raise BadData(f"The table could not be read: {problem}") from None
    for position, fill in _places(table.column_names, fills):
        if len(fill.rows):
            column = _filled_arrow_column(table.column(position), fill, table.column_names[position])
            field = table.schema.field(position).with_type(column.type)
            table = table.set_column(position, field, column)
    return table


def _filled_arrow_column(column: Any, fill: Fill, name: str) -> Any:
    import pyarrow
    from pyarrow import compute

    kind = column.type
    coded = pyarrow.types.is_dictionary(kind)
    inner = kind.value_type if coded else kind
    new = arrow_array(fill.values, plain_kind(fill.states), name)
    if pyarrow.types.is_null(inner) or (fill.continuous and pyarrow.types.is_integer(inner)):
        inner = new.type
    states = _distinct(fill)
    kept = arrow_array(as_objects(states), plain_kind(states), name)
    if not fill.continuous and not _same_values(_cast_arrow(kept, inner, name).to_pylist(), states):
        raise no_arrow_type(name, states)
    places = fill.spread(len(column))
    chosen = _cast_arrow(new, inner, name).take(pyarrow.array(places.clip(0)))
    old = column.cast(inner)
    filled = compute.if_else(pyarrow.array(places >= 0), chosen, old)
    return filled.cast(kind) if coded else filled


def _cast_arrow(values: Any, kind: Any, name: str) -> Any:
    import pyarrow

    try:
        return values.cast(kind)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        raise no_arrow_type(name, values.to_pylist()) from None
