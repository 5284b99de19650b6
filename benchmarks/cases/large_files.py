"""Classifiers from a Parquet file of 100,000,000 rows, within 1 GB: beside counting by hand."""

from __future__ import annotations

from collections.abc import Callable

from case import Case, Work
from cases import parquet_files

TIMES = 5.0
"""How many times more rows than the file of the other cases."""


def _larger(prepare: Callable[[float], Work]) -> Callable[[float], Work]:
    return lambda scale: prepare(scale * TIMES)


_ROWS_TEXT = "Parquet of 100,000,000 × 20 small whole numbers, by path"
CASES = (
    Case(
        "large-file-naive",
        f'`NaiveBayes().fit(path, "y")`, {_ROWS_TEXT}',
        {
            "bayou": _larger(parquet_files.bayou_auto),
            "polars by hand": _larger(parquet_files.polars_counts),
            "duckdb by hand": _larger(parquet_files.duckdb_counts),
        },
        {"polars by hand": 1.0, "duckdb by hand": 1.0},
        memory=0.9,
        tolerance=1e-6,
        note="By hand: the counts of each column with the class, nothing else. The check: P(class)².",
    ),
    Case(
        "large-file-tan",
        f'`TAN().fit(path, "y")`, {_ROWS_TEXT}',
        {
            "bayou": _larger(parquet_files.bayou_tan),
            "polars by hand": _larger(parquet_files.polars_pairs),
            "duckdb by hand": _larger(parquet_files.duckdb_pairs),
        },
        {"polars by hand": 5.0, "duckdb by hand": 5.0},
        memory=0.9,
        tolerance=1e-6,
        note="By hand: the counts of each pair of columns with the class, nothing else.",
    ),
)
