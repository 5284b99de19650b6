"""Columns from plain Python tables: a dict of columns, or a list of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.schema import state_key
from bayou.sources.tables.arrays import column_of_array
from bayou.sources.tables.arrow import stream_batches
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Column, Columns
from bayou.sources.tables.objects import Objects, columns_of_objects
from bayou.sources.tables.read_frames import column_of_series, is_from
from bayou.typing import Name


def columns_of_mapping(data: Mapping[Any, Any], names: Sequence[Name] | None) -> Columns:
    """Read a dict of columns: lists, tuples, arrays or series of the same length."""
    known = list(data)
    positions = wanted_positions(known, names)
    chosen = [known[position] for position in positions]
    pending = [_column(data[name], name) for name in chosen]
    for name, column in zip(chosen, pending, strict=True):
        if len(column) != len(pending[0]):
            raise BadData(
                f"The columns differ in length: {chosen[0]!r} has {len(pending[0])} rows, "
                f"{name!r} has {len(column)}."
            )
    rows = len(pending[0]) if pending else 0
    return Columns(chosen, columns_of_objects(chosen, pending), rows)


def _column(values: Any, name: Name) -> Column | Objects:
    if isinstance(values, list | tuple):
        # A subclass (a namedtuple, a list with its own iteration) is read as what it iterates over.
        return values if type(values) in (list, tuple) else list(values)
    if isinstance(values, np.ndarray):
        return column_of_array(values, name)
    if is_from(values, "pandas", "Series"):
        return column_of_series(values, name)
    if hasattr(values, "__arrow_c_stream__"):
        (table,) = stream_batches(values, known=[name])
        return table[name]
    if hasattr(values, "to_pylist"):
        objects: Objects = values.to_pylist()
        return objects
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise BadData(
            f"The column {name!r} is {values!r} (a {type(values).__name__}); a list, an array or a series "
            "of values was expected. For a single row, give a list with one dict."
        )
    return list(values)


def columns_of_rows(
    data: Sequence[Any], names: Sequence[Name] | None, columns: Sequence[Name] | None
) -> Columns:
    """Read a list of dicts (an absent key is a missing value), or of tuples or lists named by ``columns``."""
    if all(isinstance(row, Mapping) for row in data) and (len(data) or columns is None):
        return _from_dicts(data, names)
    if columns is None:
        if isinstance(data[0], Mapping):
            _refuse_row(data, (Mapping,), "a dict, as the first row is")
        raise BadData(
            f"These rows (of type {type(data[0]).__name__}) have no column names. "
            "Give them: columns=[...], or make each row a dict."
        )
    _refuse_row(data, (list, tuple, np.ndarray, np.void), "a tuple or a list of values")
    for number, row in enumerate(data):
        if len(row) != len(columns):
            raise BadData(
                f"Row {number} (counting from 0) has {len(row)} values; {len(columns)} were expected."
            )
    positions = wanted_positions(columns, names)
    chosen = [columns[position] for position in positions]
    values: list[Column | Objects] = [[row[position] for row in data] for position in positions]
    return Columns(chosen, columns_of_objects(chosen, values), rows=len(data))


def _refuse_row(data: Sequence[Any], kinds: tuple[type, ...], expected: str) -> None:
    for number, row in enumerate(data):
        if not isinstance(row, kinds):
            raise BadData(
                f"Row {number} (counting from 0) is {row!r} (a {type(row).__name__}); expected {expected}."
            )


def _from_dicts(data: Sequence[Mapping[Any, Any]], names: Sequence[Name] | None) -> Columns:
    if not len(data):
        if names is None:
            raise BadData("The list has no rows, so the names of its columns are unknown.")
        return Columns(names, columns_of_objects(names, [[] for _ in names]), rows=0)
    found: dict[tuple[str, Name], Name] = {}
    for row in data:
        for key in row:
            found.setdefault(state_key(key), key)
    known = list(found.values())
    chosen = [known[position] for position in wanted_positions(known, names)]
    if all(isinstance(name, str) for name in known):
        values: list[Column | Objects] = [[row.get(name) for row in data] for name in chosen]
    else:
        # To a Python dict 1 and True are one key; as names of columns they are two.
        keyed = [{state_key(key): value for key, value in row.items()} for row in data]
        values = [[row.get(state_key(name)) for row in keyed] for name in chosen]
    return Columns(chosen, columns_of_objects(chosen, values), rows=len(data))
