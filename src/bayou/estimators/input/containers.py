"""The containers that rows come in: which kind X is of, and which columns it has."""

from __future__ import annotations

import datetime
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.sources import Columns, open_source
from bayou.sources.files.file_kinds import open_file
from bayou.sources.streams.batch_source import opened_reader
from bayou.sources.tables.read_frames import is_from, is_spark
from bayou.statistics import Source
from bayou.typing import Name, State

_PLAIN = frozenset({str, int, float, bool, type(None)})


def collected(X: Any) -> Any:
    """Collect a lazy frame, open a Spark DataFrame as a source; anything else is returned unchanged."""
    if is_spark(X):
        return open_source(X)
    return X.collect() if is_from(X, "polars", "LazyFrame") or is_from(X, "narwhals", "LazyFrame") else X


def opened_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Open a Spark DataFrame, whose class and weights are columns by name; others are returned unchanged."""
    if not is_spark(X):
        return X, y, sample_weight
    if not is_column_name(y):
        raise BadData("The rows of a Spark DataFrame have no order: let y be the name of one of its columns.")
    return open_source(X, weights=sample_weight), y, None


def is_named(X: Any) -> bool:
    """Return whether X is a table with names of a kind that scikit-learn does not read (mapping, file, …)."""
    if isinstance(X, str | os.PathLike | Columns | Source | Mapping):
        return True
    return isinstance(X, list | tuple) and bool(X) and isinstance(X[0], Mapping)


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame of any library."""
    # A pandas Series has its labels as attributes, so one of them may be called "columns".
    known = is_from(X, "pandas", "DataFrame") or is_from(X, "polars", "DataFrame")
    return known or (
        (hasattr(X, "columns") or hasattr(X, "__dataframe__")) and not is_from(X, "pandas", "Series")
    )


def has_columns(X: Any) -> bool:
    """Return whether X has named columns, so that y may be the name of one of them."""
    return isinstance(X, str | os.PathLike | Mapping | list | Columns | Source) or is_frame(X)


def is_column_name(y: Any, X: Any = None) -> bool:
    """Return whether y can only be the name of a column: a single value (text, a number, a date), not labels.

    A tuple is a name if a column of ``X`` has it.

    >>> is_column_name("play"), is_column_name(3), is_column_name(["yes", "no"])
    (True, True, False)
    """
    if isinstance(y, tuple):
        return is_frame(X) and y in frame_names(X)
    return isinstance(y, str | numbers.Number | datetime.date | np.generic)


def is_streamable(X: Any) -> bool:
    """Return whether the rows can be read in batches: files, and sources of any kind."""
    return isinstance(X, str | os.PathLike | Source)


def stream_of(X: Any, y: Any, sample_weight: Any) -> Source | None:
    """Return the source of rows that are read in batches: y names a column, and weights are in the batches.

    Rows in memory are None here.
    """
    X = opened_reader(X)
    if not is_streamable(X) or not is_column_name(y) or sample_weight is not None:
        return None
    return X if isinstance(X, Source) else open_source(X)


def frame_names(X: Any) -> list[Name]:
    """Return the names of a data frame's columns.

    >>> import pandas
    >>> frame_names(pandas.DataFrame({"column_names": [1], "size": [2]}))
    ['column_names', 'size']
    """
    if is_from(X, "pandas", "DataFrame") or is_from(X, "polars", "DataFrame"):
        return list(X.columns)  # pandas has columns as attributes, too: `X.column_names` may be one of them
    names = getattr(X, "column_names", None)
    return list(getattr(X, "columns", ()) if names is None or callable(names) else names)


def column_names(X: Any) -> list[Name]:
    """Return the names of the columns of a container that has names.

    >>> column_names([{"a": 1}, {"b": 2, "a": 3}])
    ['a', 'b']
    """
    if isinstance(X, str | os.PathLike):
        return list(open_file(X).names)
    if isinstance(X, Columns | Source):
        return list(X.names)
    if isinstance(X, Mapping):
        return list(X)
    if isinstance(X, list | tuple):
        return list(dict.fromkeys(name for row in X for name in row))
    return frame_names(X)


def chosen_columns(X: Any, names: Sequence[Name]) -> Any:
    """Return these columns of a data frame, in this order, as a frame of the same kind."""
    if hasattr(X, "select") and not is_from(X, "pandas", "DataFrame"):
        return X.select(list(names))  # polars, Arrow, narwhals
    return X[list(names)]


def plain_frame_row(X: Any, names: Sequence[Name]) -> dict[Name, State] | None:
    """The only row of a pandas or polars frame, if all its values are plain ones; None otherwise."""
    if is_from(X, "pandas", "DataFrame") and len(X) == 1:
        row = next(X.itertuples(index=False, name=None))
    elif is_from(X, "polars", "DataFrame") and len(X) == 1:
        row = X.row(0)
    else:
        return None
    return dict(zip(names, row, strict=True)) if all(map(_is_plain, row)) else None


def plain_row(X: Any) -> dict[Name, State] | None:
    """A single row that is given as a mapping, if all its values are plain ones; None otherwise."""
    if type(X) is list and len(X) == 1 and type(X[0]) is dict:
        cells = X[0]
    elif type(X) is dict and all(type(column) is list and len(column) == 1 for column in X.values()):
        cells = {name: column[0] for name, column in X.items()}
    else:
        return None
    return cells if cells and all(map(_is_plain, cells.values())) else None


def _is_plain(value: Any) -> bool:
    """Whether a value needs no reading: text, a truth value, a finite number or NaN, None."""
    return type(value) in _PLAIN and not (type(value) is float and abs(value) == np.inf)


def with_types(X: Any) -> Any:
    """Return rows of mixed values as an array of objects, so that every column keeps its own type.

    numpy would make the numbers of ``[("rain", 1), ("sun", 2)]`` text, and the truth values of rows with
    numbers numbers; a list of dicts and :meth:`BayesClassifier.explain` keep them.

    >>> with_types([("rain", 1), ("sun", 2)]).tolist()
    [['rain', 1], ['sun', 2]]
    """
    if not isinstance(X, list | tuple) or not X or not all(isinstance(row, list | tuple) for row in X):
        return X
    try:
        array = np.asarray(X)
    except ValueError:  # rows of different lengths, which scikit-learn's check refuses
        return X
    if array.ndim != 2:
        return X
    if array.dtype.kind == "U":
        mixed = not all(isinstance(cell, str) for row in X for cell in row)
    else:
        mixed = array.dtype.kind in "iuf" and any(type(cell) is bool for cell in X[0])
    return np.array(X, dtype=object) if mixed else array
