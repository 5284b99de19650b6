"""Floor 3: reading data; any table becomes named columns of codes or numbers."""

from __future__ import annotations

from bayou.sources.discretising import discretised
from bayou.sources.files.file_source import FileSource
from bayou.sources.open_source import open_source
from bayou.sources.row_tables import read_source, row_tables, weighted_tables
from bayou.sources.table_source import TableSource
from bayou.sources.tables.column_names import IfPresent
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn, count_missing
from bayou.sources.tables.read_columns import column_batches, read_columns, read_unweighted

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
    "read_source",
    "read_unweighted",
    "row_tables",
    "weighted_tables",
]
