"""Every kind of data that users hold: the same table in memory, in files, in databases."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.conformance.database_tables import duckdb_source, postgres_source, sqlite_source
from tests.conformance.jobs import Table
from tests.conformance.strangers.list_source import ListSource
from tests.spark.java import ALL, CONNECT, MODE, frame_of

import bayou
from bayou.sources.databases import row_passes
from bayou.sources.files import file_source

SPARK = "Spark"
OVER_CONNECT = ("naive Bayes", "Gaussian classes", "text", "EM", "structure", "HMM", "predict", "posteriors")
"""The jobs that Spark Connect always runs: one for each way in which statistics and answers travel."""
BATCH_ROWS = 37
"""Rows at a time where data is streamed: few, so that a table has several batches."""


@dataclass(frozen=True)
class Kind:
    """A kind of data: ``make`` turns a table into it; ``is_streamed``: files are never kept in memory."""

    make: Callable[[Table, Path], Any]
    is_streamed: bool = False


def _csv(table: Table, folder: Path) -> Path:
    pd.DataFrame(table).to_csv(path := folder / "table.csv", index=False)
    return path


def _gzipped(table: Table, folder: Path) -> Path:
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress(pd.DataFrame(table).to_csv(index=False).encode()))
    return path


def _parquet(table: Table, folder: Path) -> Path:
    pl.DataFrame(table).write_parquet(path := folder / "table.parquet")
    return path


def _tabs_under_a_wrong_name(table: Table, folder: Path) -> Path:
    """A TSV file packed with gzip, whose name does not say so."""
    path = folder / "table.tsv"
    path.write_bytes(gzip.compress(pd.DataFrame(table).to_csv(index=False, sep="\t").encode()))
    return path


def _zstandard(table: Table, folder: Path) -> Path:
    path = folder / "table.csv.zst"
    pl.DataFrame(table).write_csv(path, compression="zstd")
    return path


def _json_lines(table: Table, folder: Path) -> Path:
    pl.DataFrame(table).write_ndjson(path := folder / "table.jsonl")
    return path


def _arrow_file(table: Table, folder: Path) -> Path:
    pl.DataFrame(table).write_ipc(path := folder / "table.arrow")
    return path


def _arrow_stream(table: Table, folder: Path) -> Path:
    pl.DataFrame(table).write_ipc_stream(path := folder / "table.arrows")
    return path


def _folder(table: Table, folder: Path) -> Path:
    """Three Parquet files in a folder."""
    (files := folder / "files").mkdir()
    frame = pl.DataFrame(table)
    size = -(-len(frame) // 3)
    for part in range(3):
        frame.slice(part * size, size).write_parquet(files / f"{part}.parquet")
    return files


def _pattern(table: Table, folder: Path) -> str:
    return str(_folder(table, folder) / "*.parquet")


def _list(table: Table, folder: Path) -> Any:
    return bayou.from_file(sorted(_folder(table, folder).iterdir()))


KINDS: dict[str, Kind] = {
    "pandas": Kind(lambda table, _: pd.DataFrame(table)),
    "polars": Kind(lambda table, _: pl.DataFrame(table)),
    "Arrow": Kind(lambda table, _: pa.table(table)),
    "own source": Kind(lambda table, _: ListSource(table, BATCH_ROWS)),
    "CSV": Kind(_csv),
    "CSV, streamed": Kind(_csv, is_streamed=True),
    "CSV, gzip": Kind(_gzipped, is_streamed=True),
    "Parquet": Kind(_parquet),
    "Parquet, streamed": Kind(_parquet, is_streamed=True),
    "TSV, gzip under a wrong name": Kind(_tabs_under_a_wrong_name, is_streamed=True),
    "CSV, zstd": Kind(_zstandard, is_streamed=True),
    "JSON lines": Kind(_json_lines, is_streamed=True),
    "Arrow file": Kind(_arrow_file, is_streamed=True),
    "Arrow stream": Kind(_arrow_stream, is_streamed=True),
    "folder": Kind(_folder, is_streamed=True),
    "pattern": Kind(_pattern, is_streamed=True),
    "list of files": Kind(_list, is_streamed=True),
    "duckdb": Kind(duckdb_source, is_streamed=True),
    "SQLite": Kind(sqlite_source, is_streamed=True),
    "PostgreSQL": Kind(postgres_source, is_streamed=True),
    "PostgreSQL, only cells": Kind(partial(postgres_source, transport="cells"), is_streamed=True),
}
if MODE in os.environ:  # run by tests/spark, which has Java and a session
    KINDS[SPARK] = Kind(lambda table, _: frame_of(table, ", ".join(map(_sql_type, table.values()))))


def is_run(job: str, kind: str) -> bool:
    """Whether a job is run here: a classic session runs all, Spark Connect all only if that is asked for."""
    return kind != SPARK or os.environ[MODE] != CONNECT or ALL in os.environ or job in OVER_CONNECT


def _sql_type(column: list[Any]) -> str:
    kinds = {type(value) for value in column if value is not None}
    return "string" if str in kinds else "double" if float in kinds else "bigint"


@pytest.fixture
def data_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Table], Any]:
    """A function of the name of a kind and a table that gives the table as data of this kind."""

    def make(name: str, table: Table) -> Any:
        kind = KINDS[name]
        if kind.is_streamed:
            monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
            monkeypatch.setattr(file_source, "BATCH_ROWS", BATCH_ROWS)
            monkeypatch.setattr(row_passes, "BATCH_ROWS", BATCH_ROWS)
        return kind.make(table, tmp_path)

    return make
