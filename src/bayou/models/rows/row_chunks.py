"""The rows of any table in the codes of a network, some rows at a time, so that memory stays bounded."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData, TooWide, UnknownState, warn_user
from bayou.models.rows.row_coding import (
    CodedRows,
    check_policy,
    code_rows,
    never_seen_cells,
    texts_among_numbers,
)
from bayou.networks import FrozenNetwork
from bayou.schema import text_names
from bayou.sources import CodedColumn, Column, Columns, IfPresent, NumberColumn, open_source, weighted_tables
from bayou.sources.files.file_kinds import files_of
from bayou.sources.files.file_source import LARGEST_WHOLE, as_path
from bayou.sources.weights import Weights
from bayou.statistics import Source
from bayou.typing import Name

ROWS_AT_A_TIME = 1 << 16
"""The number of rows in a chunk."""


@dataclass(frozen=True)
class RowChunk:
    """Some rows: as columns of the data, in the network's codes, and masks of the cells with unseen values.

    ``first`` is the number of the first row. ``ahead`` rows are already in memory and follow this chunk. An
    unseen value is one that is not a state of the network. ``weights`` are those of a source (None: all 1).
    """

    first: int
    table: Columns
    coded: CodedRows
    never_seen: Mapping[Name, npt.NDArray[np.bool_]]
    ahead: int = 0
    weights: Weights | None = None


WeightedTables = Iterator[tuple[Columns, Weights | None]]
"""Tables of rows in order, each with the weights of its rows (None: all are 1)."""


def is_file(data: Any) -> bool:
    """Whether the data are the path of a file."""
    return isinstance(as_path(data), str | os.PathLike)


def is_source(data: Any) -> bool:
    """Whether the data are a file or a source, so that answers cannot take the type of the table."""
    return is_file(data) or isinstance(data, Source)


def refuse_large_file(data: Any) -> None:
    """Raise if a file is too large for its answers to be kept in memory."""
    if not is_file(data):
        return
    files = files_of(data)
    if files.bytes > LARGEST_WHOLE:
        raise TooWide(
            f"{files.shown} has {files.bytes / 2**30:,.1f} GiB; answers for files up to "
            f"{LARGEST_WHOLE / 2**30:g} GiB are kept in memory. Give out='answers.parquet' (or .csv): they "
            "are then written to that file, some rows at a time."
        )


def network_tables(
    network: FrozenNetwork, data: Any, columns: Sequence[Name] | None, also: Sequence[Name] = ()
) -> WeightedTables:
    """Yield the columns of the network's variables (and those of ``also``), some rows at a time, in order."""
    names = IfPresent([*network.schema.names, *(name for name in also if name not in network.schema)])
    source = open_source(data, names=names, columns=columns, as_text=text_names(network.schema))
    for table, weights in weighted_tables(source, names):
        if not any(name in network.schema for name in table.names):
            raise BadData.lacks(network.schema.names, table.names)
        yield table, weights


def row_chunks(
    network: FrozenNetwork, tables: WeightedTables, unknown: str, warn: bool = True
) -> Iterator[RowChunk]:
    """Yield chunks of coded rows; unseen values raise, or are counted in a warning at the end."""
    check_policy(unknown)
    first, step = 0, ROWS_AT_A_TIME
    unseen: Counter[Name] = Counter()
    for table, row_weights in tables:
        for start in range(0, max(table.rows, 1), step):
            part = _rows(table, start, min(table.rows, start + step))
            weights = None if row_weights is None else row_weights[start : start + step]
            never_seen = never_seen_cells(network, part)
            if never_seen and unknown == "error":
                raise _never_seen(network, part, never_seen, first)
            unseen.update({name: int(cells.sum()) for name, cells in never_seen.items()})
            unseen.update(texts_among_numbers(network, part, unknown))
            coded = code_rows(network, part, "missing", warn=False)
            yield RowChunk(first, part, coded, never_seen, table.rows - start - part.rows, weights)
            first += part.rows
    if unseen and warn:
        counts = ", ".join(f"{count} in {name!r}" for name, count in unseen.items())
        warn_user(
            f"Values that the network has never seen count as missing: {counts}. "
            "unknown='error' refuses them."
        )


def _rows(table: Columns, start: int, stop: int) -> Columns:
    """Return some rows of a table, as views."""
    if start == 0 and stop == table.rows:
        return table
    return Columns(table.names, [_part(table[name], start, stop) for name in table.names], stop - start)


def _part(column: Column, start: int, stop: int) -> Column:
    if isinstance(column, NumberColumn):
        return NumberColumn(column.values[start:stop], column.integral, column.kind)
    return CodedColumn(column.codes[start:stop], column.labels, column.ordered, column.declared)


def _never_seen(
    network: FrozenNetwork, part: Columns, never_seen: Mapping[Name, npt.NDArray[np.bool_]], first: int
) -> UnknownState:
    """The error that names the first cell with an unseen value."""
    name, cells = next(iter(never_seen.items()))
    row = int(np.flatnonzero(cells)[0])
    column = part.coded(name)
    value = column.labels[int(column.codes[row])]
    return UnknownState.of(
        name, value, network.schema[name].states, f"in row {first + row} (counting from 0)"
    )
