"""Any data as a source: models read all their data through ``open_source``."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any

from bayou.errors import BadData
from bayou.schema import Variable
from bayou.sources.declared_source import DeclaredSource
from bayou.sources.discretising import discretised
from bayou.sources.files.file_source import FileSource, as_path, weights_of_column
from bayou.sources.state_matching import with_matched_states
from bayou.sources.streams.batch_source import BatchSource, opened_reader
from bayou.sources.table_source import TableSource
from bayou.sources.table_stream import TableStream
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.read_columns import read_columns
from bayou.sources.tables.read_frames import is_from, is_spark
from bayou.sources.weights import weights_from
from bayou.statistics import Source
from bayou.typing import Name


def open_source(
    data: Any,
    *,
    names: Sequence[Name] | None = None,
    columns: Sequence[Name] | None = None,
    as_text: Collection[Name] = (),
    weights: Any = None,
    declared: Collection[Name] | None = None,
    variables: Collection[Variable] = (),
) -> Source:
    """Return any data as a source: a source as it is, a file streamed, a Spark DataFrame counted where it is,
    everything else coded in memory.

    ``names`` are the columns that are needed, ``columns`` gives names to data without names, ``as_text``
    lists columns whose values are text even if they look like numbers, ``weights`` is an array or the
    name of a column. With ``declared`` (the variables whose states or kind the user declared) the source
    refuses to count fractions in any other column. Columns of ``variables`` with cuts are coded as intervals,
    and a value that stands for a state of its variable (``1`` for ``"1"``) becomes that state; a source's
    columns of numbers are coded as the states of ``variables``.

    >>> open_source({"R": [4, 5, 5]}).variable("R")
    Variable('R', [4, 5])
    """
    data = opened_reader(data)
    if isinstance(data, BatchSource):
        return data.opened(names, columns, as_text, weights, declared, variables)
    if is_from(data, "ibis", "Table"):
        from bayou.sources.databases.from_sql import from_sql

        data = from_sql(data)
    data = as_path(data)
    if isinstance(data, Source):
        _check_source(data, names, columns, weights)
        if isinstance(data, TableStream):
            return data.declaring(variables, declared)
        here = [v for v in variables if (v.states or v.is_text) and v.name in data.names]
        changed = [v for v in here if v.cuts or v.is_text or data.is_continuous(v.name)]
        return DeclaredSource(data, changed) if changed else data
    by_column = weights is not None and isinstance(weights, str | int)
    if isinstance(data, str | os.PathLike) and (weights is None or by_column):
        return FileSource(data, names, as_text, weights, columns, declared, variables)
    if is_spark(data):
        _check_spark(columns, weights, by_column)
        from bayou.sources.spark.spark_source import SparkSource

        return SparkSource(data, names, as_text, weights, declared, variables)
    needed = [*names, weights] if by_column and names is not None else names
    read = read_columns(data, names=needed, columns=columns, as_text=as_text)
    table = with_matched_states(discretised(read, variables, strict=True), variables)
    if by_column:
        return TableSource(table, weights_of_column(table, weights), declared)
    return TableSource(table, None if weights is None else weights_from(weights, table.rows), declared)


def _check_spark(columns: Sequence[Name] | None, weights: Any, by_column: bool) -> None:
    """Refuse names for a Spark DataFrame, which has its own, and weights beside its unordered rows."""
    if columns is not None:
        raise BadData("columns= is for data without names; a Spark DataFrame has its own names.")
    if weights is not None and not by_column:
        raise BadData(
            "The rows of a Spark DataFrame have no order, so weights= must be the name of one of its columns."
        )


def _check_source(
    source: Source, names: Sequence[Name] | None, columns: Sequence[Name] | None, weights: Any
) -> None:
    """Refuse names and weights given for a source, which has its own, and needed columns that it lacks."""
    if columns is not None:
        raise BadData(f"columns= is for data without names; a {type(source).__name__} has its own names.")
    if weights is not None:
        raise BadData(
            f"weights= is for tables and files; a {type(source).__name__} has the weights in its batches."
        )
    wanted_positions(source.names, names)
