"""Floor 3: where data comes from; any table becomes named columns."""

from __future__ import annotations

from bayou.sources.columns import CodedColumn, Column, Columns, NumberColumn
from bayou.sources.reading import column_batches, read_columns

__all__ = ["CodedColumn", "Column", "Columns", "NumberColumn", "column_batches", "read_columns"]
