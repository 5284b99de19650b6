"""Reading of any table as named columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.sources.files.file_kinds import BATCH_ROWS, open_file
from bayou.sources.files.file_source import as_path
from bayou.sources.row_tables import read_source, row_tables
from bayou.sources.tables.arrays import columns_of_matrix, columns_of_sparse
from bayou.sources.tables.arrow import ALL_ROWS, stream_batches
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.read_frames import (
    columns_of_narwhals,
    columns_of_pandas,
    columns_of_polars,
    is_from,
    is_spark,
)
from bayou.sources.tables.row_dicts import columns_of_mapping, columns_of_rows
from bayou.sources.tables.spelled_columns import with_spelled_columns
from bayou.statistics import Source
from bayou.typing import Name

_ACCEPTED = (
    "a dict of columns, a list of dicts, a numpy array (with columns=), a pandas, polars or Arrow table, "
    "a scipy sparse matrix (with columns=), or the path of a data file (.csv, .parquet, …)"
)


def read_columns(
    data: Any,
    *,
    names: Sequence[Name] | None = None,
    columns: Sequence[Name] | None = None,
    as_text: Collection[Name] = (),
) -> Columns:
    """Read any table into memory as columns of codes or numbers.

    ``names``: only these columns (others are not decoded); of :class:`IfPresent` names some may be absent.
    ``columns``: names for data without names. ``as_text``: columns of a CSV or TSV file whose values stay
    text even if they look like numbers (typed data keep their types). None, NaN, NA, NaT, masked values,
    absent keys and empty fields of a file are missing values; an empty string in Python is a value.
    The weights of a source's rows are left out: see :func:`read_unweighted` and :func:`read_source`.

    >>> table = read_columns({"smoke": ["yes", "no", None], 1: [3, 4, 5]})
    >>> table.names, table["smoke"].values(), table[1].kind
    (('smoke', 1), ['yes', 'no', None], 'int')
    """
    data = _opened(as_path(data))
    if isinstance(data, Columns):
        _refuse_columns(data, columns)
        chosen = [data.names[position] for position in wanted_positions(data.names, names)]
        return data if names is None else Columns(chosen, [data[name] for name in chosen], data.rows)
    if isinstance(data, Source):
        _refuse_columns(data, columns)
        return read_source(data, names)[0]
    if isinstance(data, str | os.PathLike):
        (table,) = open_file(data, columns).batches(names, as_text, ALL_ROWS)
        return table
    return with_spelled_columns(_in_memory(data, names, columns), as_text)


def read_unweighted(
    data: Any,
    purpose: str,
    *,
    names: Sequence[Name] | None = None,
    columns: Sequence[Name] | None = None,
    as_text: Collection[Name] = (),
) -> Columns:
    """Read any table like :func:`read_columns`, but refuse a source whose rows have weights other than 1.

    ``purpose`` is what the error says cannot use the weights.

    >>> from bayou.sources import open_source
    >>> read_unweighted(open_source({"A": ["y", "n"]}, weights=[2, 3]), "This example")
    Traceback (most recent call last):
    ...
    bayou.errors.BadData: This example counts every row once, but the rows of this TableSource have weights. \
Give it a source without weights.
    """
    data = _opened(as_path(data))
    if not isinstance(data, Source):
        return read_columns(data, names=names, columns=columns, as_text=as_text)
    _refuse_columns(data, columns)
    table, weights = read_source(data, names)
    if weights is not None and (weights != 1).any():
        raise BadData(
            f"{purpose} counts every row once, but the rows of this {type(data).__name__} have weights. "
            "Give it a source without weights."
        )
    return table


def column_batches(
    data: Any,
    *,
    names: Sequence[Name] | None = None,
    columns: Sequence[Name] | None = None,
    as_text: Collection[Name] = (),
    batch_rows: int = BATCH_ROWS,
) -> Iterator[Columns]:
    """Read a table batch by batch: files and Arrow streams with bounded memory, other data as one batch.

    There is at least one batch, perhaps without rows. A column's kind and its codes stay the same from
    batch to batch; labels may be added at the end.

    >>> [batch.rows for batch in column_batches({"a": [1, 2, 3]})]
    [3]
    """
    if batch_rows < 1:
        raise BadData(f"batch_rows={batch_rows}: give a positive number.")
    data = _opened(as_path(data))
    if isinstance(data, str | os.PathLike):
        yield from open_file(data, columns).batches(names, as_text, batch_rows)
    elif isinstance(data, Source):
        _refuse_columns(data, columns)
        yield from row_tables(data, names)
    elif _is_stream(data):
        _refuse_columns(data, columns)
        for batch in stream_batches(data, names, batch_rows=batch_rows):
            yield with_spelled_columns(batch, as_text)
    else:
        yield read_columns(data, names=names, columns=columns, as_text=as_text)


def _opened(data: Any) -> Any:
    """A Spark DataFrame as a source; anything else as it is."""
    if not is_spark(data):
        return data
    from bayou.sources.spark.spark_source import SparkSource

    return SparkSource(data)


def _is_stream(data: Any) -> bool:
    known_frame = is_from(data, "pandas", "DataFrame") or is_from(data, "polars", "DataFrame")
    return hasattr(data, "__arrow_c_stream__") and not known_frame


def _refuse_columns(data: Any, columns: Sequence[Name] | None) -> None:
    if columns is not None:
        raise BadData(
            f"columns= is for data without names; this {type(data).__name__} has its own names. Rename its "
            "columns instead."
        )


def _in_memory(data: Any, names: Sequence[Name] | None, columns: Sequence[Name] | None) -> Columns:
    if isinstance(data, np.ndarray):
        if data.dtype.names is not None:
            _refuse_columns(data, columns)
        return columns_of_matrix(data, names, columns)
    if isinstance(data, list | tuple):
        if data and isinstance(data[0], Mapping):
            _refuse_columns(data[0], columns)
        return columns_of_rows(data, names, columns)
    # The columns of a pandas frame are attributes, too: one of them may be called "tocsc".
    if hasattr(data, "tocsc") and hasattr(data, "shape") and not is_from(data, "pandas", "DataFrame"):
        return columns_of_sparse(data, names, columns)
    table = _with_names(data, names)
    _refuse_columns(data, columns)
    return table


def _with_names(data: Any, names: Sequence[Name] | None) -> Columns:
    if is_from(data, "pandas", "DataFrame"):
        return columns_of_pandas(data, names)
    if is_from(data, "polars", "DataFrame") or is_from(data, "polars", "LazyFrame"):
        return columns_of_polars(data, names)
    if hasattr(data, "__arrow_c_stream__") and not is_from(data, "pandas", "Series"):
        (table,) = stream_batches(data, names)
        return table
    if isinstance(data, Mapping):
        return columns_of_mapping(data, names)
    table_or_none = columns_of_narwhals(data, names)
    if table_or_none is None:
        batches = " Batches of rows: bayou.from_batches(…)." if hasattr(data, "__iter__") else ""
        raise BadData(f"A {type(data).__name__} cannot be read as a table. Give {_ACCEPTED}.{batches}")
    return table_or_none
