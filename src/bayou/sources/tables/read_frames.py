"""Columns from data frames: pandas, polars, and every other kind that narwhals understands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.codes import code_type
from bayou.errors import BadData
from bayou.schema import plain
from bayou.sources.tables.arrays import column_of_array
from bayou.sources.tables.arrow import stream_batches
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import CodedColumn, Column, Columns
from bayou.sources.tables.objects import Objects, columns_of_objects
from bayou.typing import Name, State


def is_from(data: Any, package: str, kind: str) -> bool:
    """Whether an object is of a package's class (or a subclass), without importing the package."""
    return any(
        each.__name__ == kind and each.__module__.partition(".")[0] == package for each in type(data).__mro__
    )


def is_spark(data: Any) -> bool:
    """Whether the data are a Spark DataFrame, classic or of Spark Connect.

    >>> is_spark({"a": [1]})
    False
    """
    return is_from(data, "pyspark", "DataFrame") and not is_from(data, "pyspark", "Frame")


def columns_of_pandas(frame: Any, names: Sequence[Name] | None) -> Columns:
    """Read a pandas DataFrame: typed columns directly, text through Arrow, objects through the encoder."""
    known = list(frame.columns)
    positions = wanted_positions(known, names)
    chosen = [known[position] for position in positions]
    # Iterating over all columns is five times faster than taking each by its position.
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
        # One stream for all of them, so that the columns are encoded in parallel.
        part = frame.iloc[:, [positions[index] for index in through_arrow]]
        for index, column in zip(through_arrow, _pandas_stream(part), strict=True):
            pending[index] = column
    ready = [column for column in pending if column is not None]
    return Columns(chosen, columns_of_objects(chosen, ready), rows=len(frame))


def _every_column(frame: Any) -> list[Any]:
    # pandas gives every Series its name; with Arrow strings as names that takes as long as all the rest.
    nameless = frame.copy(deep=False)
    nameless.columns = range(frame.shape[1])
    return [column for _, column in nameless.items()]


def column_of_series(series: Any, name: Name) -> Column | Objects:
    """Return a pandas Series as a column, or as objects that are still to be encoded."""
    column = _pandas_column(series, name, {})
    return _pandas_stream(series.to_frame())[0] if column is None else column


def _pandas_stream(part: Any) -> list[Column | Objects]:
    placeholders = [str(position) for position in range(part.shape[1])]
    try:
        plain = part.set_axis(placeholders, axis=1).reset_index(drop=True)
        plain.attrs = {}  # Arrow warns of notes that are not JSON, such as those of Spark
        (table,) = stream_batches(plain.__arrow_c_stream__())
    except (ImportError, BadData):
        # No pyarrow, or an Arrow type that bayou does not read: as Python objects, more slowly.
        return [part.iloc[:, position].to_numpy(dtype=object) for position in range(part.shape[1])]
    return [table[name] for name in placeholders]


def _pandas_column(series: Any, name: Name, labels: dict[int, tuple[State, ...]]) -> Column | Objects | None:
    """Return a column that numpy or the categories give directly; None for one to be read through Arrow."""
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
    """Read a pandas Categorical. Columns often share categories, so ``known`` keeps labels already made."""
    categories = values.categories
    labels = known.get(id(categories))
    if labels is None:
        labels = known[id(categories)] = tuple(map(plain, categories.tolist()))
    # The -1 that pandas has for a missing cell becomes the largest code of the unsigned type.
    codes, kind = np.ascontiguousarray(values.codes), code_type(len(labels))
    codes = codes.view(kind) if codes.dtype.itemsize == np.dtype(kind).itemsize else codes.astype(kind)
    return CodedColumn(codes, labels, ordered=bool(values.ordered), declared=True)


def columns_of_polars(frame: Any, names: Sequence[Name] | None) -> Columns:
    """Read a polars DataFrame or LazyFrame; of a LazyFrame only the needed columns are computed."""
    if is_from(frame, "polars", "LazyFrame"):
        known = frame.collect_schema().names()
        frame = frame.select([known[position] for position in wanted_positions(known, names)]).collect()
    kinds = {name: type(dtype).__name__ for name, dtype in frame.schema.items()}
    if "Object" in kinds.values() or any("\0" in name for name in kinds):
        # Python objects in polars have no Arrow form, and polars aborts on a name with a zero byte.
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
    """Read any other data frame that narwhals supports; None if the data are not a data frame."""
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
