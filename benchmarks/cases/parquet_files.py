"""Classifiers from a Parquet file by its path: time and peak memory, beside counting by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from case import Case, Work
from data import CACHE

ROWS, COLUMNS, STATES, CLASSES = 20_000_000, 20, 10, 2
NAMES = [f"x{k}" for k in range(COLUMNS)]


def _file(scale: float) -> Path:
    """Small whole numbers: the first columns depend on the class, each other column on one before it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = int(ROWS * scale)
    path = CACHE / f"numbers-{rows}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(exist_ok=True)
    chance = np.random.default_rng(15)
    schema = pa.schema([(name, pa.int64()) for name in (*NAMES, "y")])
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, schema) as writer:
        for start in range(0, rows, 1_000_000):
            n = min(1_000_000, rows - start)
            writer.write_table(pa.table(number_columns(chance, n)).cast(schema))
    part.rename(path)
    return path


def number_columns(chance: np.random.Generator, rows: int) -> dict[str, Any]:
    """Some rows of the table, drawn."""
    y = chance.integers(0, CLASSES, rows)
    columns = [np.minimum(chance.poisson(1 + y), STATES - 1) for _ in range(3)]
    for k in range(3, COLUMNS):
        kept = chance.random(rows) < 0.4
        columns.append(np.where(kept, columns[k - 3], chance.integers(0, STATES, rows)))
    return {**dict(zip(NAMES, columns, strict=True)), "y": y}


def _work(scale: float, run: Callable[[str], Any], check: Callable[[Any], float]) -> Work:
    path = _file(scale)
    return Work(lambda: run(str(path)), check, path.stat().st_size)


def bayou_naive(scale: float) -> Work:
    """``NaiveBayes("table").fit(path, "y")``."""
    import bayou

    kind = bayou.NaiveBayes
    return _work(scale, lambda path: kind("table").fit(path, "y"), check_of_model)


def bayou_auto(scale: float) -> Work:
    """``NaiveBayes().fit(path, "y")``, which chooses the kinds of the columns itself."""
    import bayou

    kind = bayou.NaiveBayes
    return _work(scale, lambda path: kind().fit(path, "y"), check_of_model)


def check_of_model(model: Any) -> float:
    """The sum of the squares of P(class), which a row without any value gets."""
    return float(np.square(model.predict_proba({name: [None] for name in NAMES})).sum())


def check_of_counts(classes: Any, counts: Any) -> float:
    per_class = np.bincount(np.asarray(classes), np.asarray(counts, dtype=np.float64))
    return float(np.square(per_class / per_class.sum()).sum())


def polars_counts(scale: float) -> Work:
    """By hand: lazy group-bys of each column with the class, streamed."""
    import polars as pl

    def run(path: str) -> list[Any]:
        scan = pl.scan_parquet(path)
        asked = [scan.group_by("y", name).len() for name in NAMES]
        return pl.collect_all(asked, engine="streaming")

    return _work(scale, run, lambda tables: check_of_counts(tables[0]["y"], tables[0]["len"]))


def duckdb_counts(scale: float) -> Work:
    """By hand: one grouping-set query for all columns with the class."""
    import duckdb

    def run(path: str) -> Any:
        sets = ", ".join(f"(y, {name})" for name in NAMES)
        text = f"select y, {', '.join(NAMES)}, count(*) from '{path}' group by grouping sets ({sets})"
        return duckdb.sql(text).fetchnumpy()

    return _work(scale, run, lambda answer: check_of_counts(answer["y"], answer["count_star()"]))


def bayou_tan(scale: float) -> Work:
    """``TAN().fit(path, "y")``."""
    import bayou

    kind = bayou.TAN
    return _work(scale, lambda path: kind().fit(path, "y"), check_of_model)


def duckdb_pairs(scale: float) -> Work:
    """By hand: the counts that TAN needs, each pair of columns with the class."""
    import duckdb

    def run(path: str) -> list[Any]:
        return [
            duckdb.sql(f"select y, {a}, {b}, count(*) from '{path}' group by all").fetchnumpy()
            for a, b in combinations(NAMES, 2)
        ]

    return _work(scale, run, lambda answers: check_of_counts(answers[0]["y"], answers[0]["count_star()"]))


def polars_pairs(scale: float) -> Work:
    """By hand: the same counts as lazy group-bys, streamed."""
    import polars as pl

    def run(path: str) -> list[Any]:
        scan = pl.scan_parquet(path)
        return [scan.group_by("y", a, b).len().collect(engine="streaming") for a, b in combinations(NAMES, 2)]

    return _work(scale, run, lambda tables: check_of_counts(tables[0]["y"], tables[0]["len"]))


_ROWS_TEXT = "Parquet of 20,000,000 × 20 small whole numbers, by path"
CASES = (
    Case(
        "parquet-naive",
        f'`NaiveBayes().fit(path, "y")`, {_ROWS_TEXT}',
        {
            "bayou": bayou_auto,
            "bayou, tables": bayou_naive,
            "polars by hand": polars_counts,
            "duckdb by hand": duckdb_counts,
        },
        {"polars by hand": 1.0, "duckdb by hand": 1.0},
        memory=2.1,
        tolerance=1e-6,
        note="By hand: the counts of each column with the class, nothing else. The check: P(class)².",
    ),
    Case(
        "parquet-tan",
        f'`TAN().fit(path, "y")`, {_ROWS_TEXT}',
        {"bayou": bayou_tan, "duckdb by hand": duckdb_pairs},
        {"duckdb by hand": 4.0},
        memory=2.1,
        tolerance=1e-6,
        note="By hand: the counts of each pair of columns with the class, nothing else.",
    ),
)
