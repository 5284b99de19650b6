"""Rows of any table in the network's codes, a stretch at a time, so that memory does not grow with rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData, TooWide, UnknownState, warn_user
from bayou.models.rows.row_coding import CodedRows, check_policy, code_rows, never_seen_cells
from bayou.networks import FrozenNetwork
from bayou.schema import text_names
from bayou.sources import CodedColumn, Column, Columns, IfPresent, NumberColumn, open_source, weighted_tables
from bayou.sources.files.file_source import LARGEST_WHOLE
from bayou.sources.weights import Weights
from bayou.statistics import Source
from bayou.typing import Name

ROWS_AT_A_TIME = 1 << 16
"""Rows that are worked on at a time."""


@dataclass(frozen=True)
class RowChunk:
    """Some rows: as the data had them, in the network's codes, and where values were never seen.

    ``ahead`` rows are in memory already and come next. ``weights`` are those of a source (None: all are 1).
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
    return isinstance(data, str | os.PathLike)


def is_source(data: Any) -> bool:
    """Whether the data are a file or a source: no table that answers could look like."""
    return is_file(data) or isinstance(data, Source)


def refuse_large_file(data: Any) -> None:
    """A file whose answers are to stay in memory must be small enough."""
    if is_file(data) and os.path.isfile(data) and os.path.getsize(data) > LARGEST_WHOLE:
        raise TooWide(
            f"{os.fspath(data)} has {os.path.getsize(data) / 2**30:,.1f} GiB; answers for files up to "
            f"{LARGEST_WHOLE / 2**30:g} GiB are kept in memory. Give out='answers.parquet' (or .csv): they "
            "are then written to that file, some rows at a time."
        )


def network_tables(
    network: FrozenNetwork, data: Any, columns: Sequence[Name] | None, also: Sequence[Name] = ()
) -> WeightedTables:
    """The network's columns (and those in ``also``) of any data, in row order, some rows at a time."""
    wanted = IfPresent([*network.schema.names, *(name for name in also if name not in network.schema)])
    source = open_source(data, names=wanted, columns=columns, as_text=text_names(network.schema))
    for table, weights in weighted_tables(source, wanted):
        if not any(name in network.schema for name in table.names):
            raise BadData.lacks(network.schema.names, table.names)
        yield table, weights


def row_chunks(
    network: FrozenNetwork, tables: WeightedTables, unknown: str, warn: bool = True
) -> Iterator[RowChunk]:
    """Stretches of rows in codes; values never seen are refused, or counted and warned about at the end."""
    check_policy(unknown)
    first, step = 0, ROWS_AT_A_TIME
    lost: Counter[Name] = Counter()
    for table, row_weights in tables:
        for start in range(0, max(table.rows, 1), step):
            part = _stretch(table, start, min(table.rows, start + step))
            weights = None if row_weights is None else row_weights[start : start + step]
            never_seen = never_seen_cells(network, part)
            if never_seen and unknown == "error":
                raise _never_seen(network, part, never_seen, first)
            lost.update({name: int(cells.sum()) for name, cells in never_seen.items()})
            coded = code_rows(network, part, "missing", warn=False)
            yield RowChunk(first, part, coded, never_seen, table.rows - start - part.rows, weights)
            first += part.rows
    if lost and warn:
        told = ", ".join(f"{count} in {name!r}" for name, count in lost.items())
        warn_user(
            f"Values that the network has never seen count as missing: {told}. unknown='error' refuses them."
        )


def _stretch(table: Columns, start: int, stop: int) -> Columns:
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
    name, cells = next(iter(never_seen.items()))
    row = int(np.flatnonzero(cells)[0])
    column = part.coded(name)
    value = column.labels[int(column.codes[row])]
    return UnknownState.of(
        name, value, network.schema[name].states, f"in row {first + row} (counting from 0)"
    )
