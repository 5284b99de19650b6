"""Files whose columns have types, read by duckdb: Parquet, JSON lines, Arrow."""

from __future__ import annotations
