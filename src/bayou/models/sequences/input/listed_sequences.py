"""Sequences in lists and arrays, as columns with names and places where sequences start."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownVariable, counted, listed
from bayou.models.sequences.input.array_likes import is_table, rows_of
from bayou.models.sequences.input.given_sequences import SequencesGiven
from bayou.statistics import Source
from bayou.typing import IntArray, Name

ONE_COLUMN = "x"
"""The name of the column of sequences that have none."""


def starts_of(lengths: Any) -> IntArray:
    """Where sequences of these lengths start, and where the last one ends.

    >>> starts_of([2, 3]).tolist()
    [0, 2, 5]
    """
    sizes = np.asarray(lengths)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise BadData(
            "lengths= needs a list of whole numbers, 0 or more: the number of rows of each sequence."
        )
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def is_list_of_sequences(data: Any) -> bool:
    """Whether data are several sequences, not one; raises BadData if they are neither."""
    if isinstance(data, np.ndarray):
        return data.ndim == 3 or (data.dtype == object and len(data) > 0 and _is_sequence(data[0]))
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise BadData(f"Sequences come as a list, an array or a table, not as a {type(data).__name__}.")
    if len(data) == 0:
        raise BadData("There is no sequence: give at least one, such as [1, 6, 6], or several in a list.")
    # Items of one type are all sequences, or none of them is.
    mixed = {_is_sequence(item) for item in {type(item): item for item in data}.values()}
    if len(mixed) > 1:
        raise BadData(
            "Some items of the list are sequences and others are single values: give one or the other."
        )
    return mixed.pop()


def _is_sequence(item: Any) -> bool:
    return not isinstance(item, str | bytes) and (isinstance(item, Sequence | np.ndarray) or is_table(item))


def list_given(
    data: Sequence[Any], columns: Sequence[Name] | None, states: Any, name: Name, weights: Any
) -> SequencesGiven:
    """Sequences in a list, one below the other."""
    tables = [_columns_of(item) if is_table(item) else named_columns(item, columns) for item in data]
    names = list(tables[0])
    for k, table in enumerate(tables):
        if list(table) != names:
            raise BadData(f"Sequence {k} has the columns {listed(table)}, the first one has {listed(names)}.")
    joined: dict[Name, Any] = {one: _joined([table[one] for table in tables]) for one in names}
    starts = starts_of([rows_of(table) for table in tables])
    if states is not None:
        joined[name] = _states_of_rows(states, np.diff(starts).tolist())
    return SequencesGiven(joined, starts, weights=weights, named=is_table(data[0]))


def _states_of_rows(states: Any, lengths: Sequence[int]) -> list[Any]:
    """The states of all rows; None stands for a sequence of which no state is known."""
    parts = list(states)
    if len(parts) != len(lengths):
        raise BadData(
            f"states= has the states of {counted(len(parts), 'sequence')}, but there are {len(lengths)}: "
            "give a list for each, or None where no state is known."
        )
    found: list[Any] = []
    for k, (part, length) in enumerate(zip(parts, lengths, strict=True)):
        own = [None] * length if part is None else list(part) if _is_sequence(part) else [part]
        if len(own) != length:
            raise BadData(
                f"states= has {counted(len(own), 'state')} for sequence {k} (counting from 0), which has "
                f"{counted(length, 'row')}: give one for each row, None where it is unknown."
            )
        found += own
    return found


def named_columns(data: Any, columns: Sequence[Name] | None) -> dict[Name, Any]:
    """An array or list of cells (or rows of cells) as a mapping of columns."""
    array = data if isinstance(data, np.ndarray) else None
    if array is None and len(data) and _is_sequence(data[0]):
        widths = [len(row) if _is_sequence(row) else 1 for row in data]
        wrong = [k for k, width in enumerate(widths) if width != widths[0]]
        if wrong:
            raise BadData(
                f"Step {wrong[0]} of a sequence has {widths[wrong[0]]} values, but the first one has "
                f"{widths[0]}: give a value for every column, None where it is missing."
            )
        array = np.asarray(data)
    if array is None or array.ndim == 1:
        cells = data if array is None else array
        return {column_names(columns, 1)[0]: cells}
    if array.ndim != 2:
        raise BadData(f"An array of sequences has one row for each step, not {array.ndim} dimensions.")
    names = column_names(columns, array.shape[1])
    return {one: array[:, k] for k, one in enumerate(names)}


def column_names(columns: Sequence[Name] | None, count: int) -> list[Name]:
    """The names of so many columns: those given, else ``x``, or ``x0, x1, …``."""
    if columns is None:
        return [ONE_COLUMN] if count == 1 else [f"{ONE_COLUMN}{k}" for k in range(count)]
    names: list[Name] = [columns] if isinstance(columns, str) else list(columns)
    if len(names) != count:
        raise UnknownVariable(
            f"The sequences have {counted(count, 'column')}, but there {'is' if len(names) == 1 else 'are'} "
            f"{counted(len(names), 'name')} (of the model, or in columns=): {listed(names)}."
        )
    return names


def _columns_of(table: Any) -> dict[Name, Any]:
    """A table as a mapping from names to lists of cells."""
    if isinstance(table, Mapping):
        return dict(table)
    return {one: list(table[one]) for one in table.columns}


def _joined(parts: Sequence[Any]) -> Any:
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [cell for part in parts for cell in part]


def with_states(data: Any, name: Name, states: Any) -> Any:
    """A table in memory with a column of known states."""
    if isinstance(data, str | os.PathLike | Source):
        raise BadData(f"states= is for data in memory: let the file have a column {name!r}.")
    return {**_columns_of(data), name: list(states)}
