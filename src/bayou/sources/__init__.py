"""Floor 3: where data comes from; any table becomes named columns."""

from __future__ import annotations

from bayou.sources.columns import CodedColumn, Column, Columns, IfPresent, NumberColumn, count_missing
from bayou.sources.discretising import discretised
from bayou.sources.file import FileSource
from bayou.sources.opening import open_source
from bayou.sources.reading import column_batches, read_columns
from bayou.sources.row_tables import row_tables
from bayou.sources.table import TableSource

__all__ = [
    "CodedColumn",
    "Column",
    "Columns",
    "FileSource",
    "IfPresent",
    "NumberColumn",
    "TableSource",
    "column_batches",
    "count_missing",
    "discretised",
    "open_source",
    "read_columns",
    "row_tables",
]
