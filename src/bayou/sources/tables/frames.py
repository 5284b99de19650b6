"""Columns from data frames: pandas, polars, and whatever narwhals understands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.schema import plain
from bayou.sources.tables.arrays import column_of_array
from bayou.sources.tables.arrow import stream_batches
from bayou.sources.tables.columns import CodedColumn, Column, Columns, code_type, wanted_positions
from bayou.sources.tables.objects import Objects, columns_of_objects
from bayou.typing import Name, State


def is_from(data: Any, package: str, kind: str) -> bool:
    """Whether an object is a package's class (or derives from it), without importing the package."""
    return any(
        each.__name__ == kind and each.__module__.partition(".")[0] == package for each in type(data).__mro__
    )


def columns_of_pandas(frame: Any, names: Sequence[Name] | None) -> Columns:
    """A pandas DataFrame: typed columns as they are, text through Arrow, objects through the encoder."""
    known = list(frame.columns)
    positions = wanted_positions(known, names)
    chosen = [known[position] for position in positions]
    # Columns one after the other come five times faster than by position.
    series = _every_column(frame) if len(positions) == len(known) else None
    labels: dict[int, tuple[State, ...]] = {}
    pending: list[Column | Objects | None] = [
        _pandas_column(
            frame.iloc[:, position] if series is None else series[position], known[position], labels
        )
        for position in positions
    ]
    through_arrow = [index for index, column in enumerate(pending) if column is None]
    if through_arrow:
        # One stream for all of them, so that the columns are shared out among the cores.
        part = frame.iloc[:, [positions[index] for index in through_arrow]]
        for index, column in zip(through_arrow, _pandas_stream(part), strict=True):
            pending[index] = column
    filled = [column for column in pending if column is not None]
    return Columns(chosen, columns_of_objects(chosen, filled), rows=len(frame))


def _every_column(frame: Any) -> list[Any]:
    # pandas gives every column its name, which takes as long as the rest where names are Arrow's.
    nameless = frame.copy(deep=False)
    nameless.columns = range(frame.shape[1])
    return [column for _, column in nameless.items()]


def column_of_series(series: Any, name: Name) -> Column | Objects:
    """A pandas Series as a column, or as objects that are still to be encoded."""
    column = _pandas_column(series, name, {})
    return _pandas_stream(series.to_frame())[0] if column is None else column


def _pandas_stream(part: Any) -> list[Column | Objects]:
    stand_ins = [str(position) for position in range(part.shape[1])]
    try:
        stream = part.set_axis(stand_ins, axis=1).reset_index(drop=True).__arrow_c_stream__()
        (table,) = stream_batches(stream)
    except (ImportError, BadData):
        # No pyarrow, or a type that Arrow has but we do not read: as Python objects, more slowly.
        return [part.iloc[:, position].to_numpy(dtype=object) for position in range(part.shape[1])]
    return [table[name] for name in stand_ins]


def _pandas_column(series: Any, name: Name, labels: dict[int, tuple[State, ...]]) -> Column | Objects | None:
    """A column that numpy or the categories give directly; None for one that Arrow gives best."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return column_of_array(series.to_numpy(), name)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return _categorical(series.array, labels)
    if kind == "SparseDtype":
        return column_of_array(np.asarray(series.array), name)
    python_text = kind == "StringDtype" and getattr(dtype, "storage", "") == "python"
    if not python_text and kind not in ("PeriodDtype", "IntervalDtype"):
        return None
    objects: Objects = series.to_numpy(dtype=object)
    return objects


def _categorical(values: Any, known: dict[int, tuple[State, ...]]) -> CodedColumn:
    """A pandas Categorical. Columns often share their categories: these are turned into labels once."""
    categories = values.categories
    labels = known.get(id(categories))
    if labels is None:
        labels = known[id(categories)] = tuple(map(plain, categories.tolist()))
    # pandas' -1 becomes the largest code of the type, which is what a gap is here.
    codes, kind = np.ascontiguousarray(values.codes), code_type(len(labels))
    codes = codes.view(kind) if codes.dtype.itemsize == np.dtype(kind).itemsize else codes.astype(kind)
    return CodedColumn(codes, labels, ordered=bool(values.ordered), declared=True)


def columns_of_polars(frame: Any, names: Sequence[Name] | None) -> Columns:
    """A polars DataFrame or LazyFrame; of a LazyFrame only the wanted columns are computed."""
    if is_from(frame, "polars", "LazyFrame"):
        known = frame.collect_schema().names()
        frame = frame.select([known[position] for position in wanted_positions(known, names)]).collect()
    kinds = {name: type(dtype).__name__ for name, dtype in frame.schema.items()}
    if "Object" in kinds.values() or any("\0" in name for name in kinds):
        # Python objects in polars have no Arrow form; a zero in a name ends the process when it is asked for.
        chosen = [frame.columns[position] for position in wanted_positions(frame.columns, names)]
        return Columns(chosen, columns_of_objects(chosen, [frame[n].to_list() for n in chosen]), frame.height)
    opened = [name for name, kind in kinds.items() if kind == "Categorical"]
    (table,) = stream_batches(frame, names, open_labels=opened)
    ordered = {name for name, kind in kinds.items() if kind == "Enum"}
    if not ordered.intersection(table.names):
        return table
    columns = [_as_ordered(table[name]) if name in ordered else table[name] for name in table.names]
    return Columns(table.names, columns, table.rows)


def _as_ordered(column: Column) -> Column:
    if not isinstance(column, CodedColumn):
        return column
    return CodedColumn(column.codes, column.labels, ordered=True, declared=True)


def columns_of_narwhals(data: Any, names: Sequence[Name] | None) -> Columns | None:
    """Any other frame that narwhals can hold; None where it is no frame at all."""
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        known = frame.collect_schema().names()
        frame = frame.select([known[position] for position in wanted_positions(known, names)]).collect()
    if not isinstance(frame, nw.DataFrame):
        return None
    chosen = [frame.columns[position] for position in wanted_positions(frame.columns, names)]
    values: list[Column | Objects] = [frame[name].to_list() for name in chosen]
    return Columns(chosen, columns_of_objects(chosen, values), rows=len(frame))
