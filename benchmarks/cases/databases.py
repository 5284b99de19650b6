"""Classifiers from a table in PostgreSQL, beside fetching it and beside statements written by hand."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from case import Case, Work
from cases.parquet_files import NAMES, check_of_counts, check_of_model, number_columns
from machine.postgres import database

ROWS = int(os.environ.get("BAYOU_POSTGRES_ROWS", 10_000_000))
"""The rows at full size: python benchmarks/run.py --only postgres-naive, or fewer by this variable."""
_CHUNK = 1_000_000


def _filled(rows: int) -> Callable[[Any], None]:
    """Makes the table: small whole numbers as in the cases of Parquet files."""

    def fill(connection: Any) -> None:
        import polars as pl

        declared = ", ".join(f"{name} int2" for name in (*NAMES, "y"))
        connection.execute(f"CREATE TABLE numbers ({declared})")
        chance = np.random.default_rng(15)
        with connection.cursor().copy("COPY numbers FROM STDIN (FORMAT csv)") as copy:
            for start in range(0, rows, _CHUNK):
                columns = number_columns(chance, min(_CHUNK, rows - start))
                copy.write(pl.DataFrame(columns).write_csv(include_header=False).encode())
        connection.execute("VACUUM ANALYZE numbers")

    return fill


def _work(scale: float, run: Callable[[str], Any], check: Callable[[Any], float]) -> Work:
    rows = int(ROWS * scale)
    url = database(f"numbers-{rows}", _filled(rows))
    return Work(lambda: run(url), check)


def _fit(kind: str, url: str) -> Any:
    import bayou

    model = bayou.NaiveBayes("table") if kind == "naive" else bayou.TAN()
    with bayou.from_sql("numbers", url) as rows:
        return model.fit(rows, "y")


def _fit_frame(kind: str, url: str) -> Any:
    import pandas as pd
    import sqlalchemy

    import bayou

    model = bayou.NaiveBayes("table") if kind == "naive" else bayou.TAN()
    engine = sqlalchemy.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    frame = pd.read_sql("SELECT * FROM numbers", engine)
    engine.dispose()
    return model.fit(frame, "y")


def _fit_copy(kind: str, url: str) -> Any:
    import polars as pl
    import psycopg

    import bayou

    model = bayou.NaiveBayes("table") if kind == "naive" else bayou.TAN()
    text = io.BytesIO()
    whole = "COPY numbers TO STDOUT (FORMAT csv)"
    with psycopg.connect(url) as connection, connection.cursor() as cursor, cursor.copy(whole) as copy:
        for row in copy:
            text.write(row)
    text.seek(0)
    return model.fit(pl.read_csv(text, has_header=False, new_columns=[*NAMES, "y"]), "y")


def _group_bys(kind: str, url: str) -> list[Any]:
    import psycopg

    pairs = [(name,) for name in NAMES] if kind == "naive" else list(combinations(NAMES, 2))
    with psycopg.connect(url) as connection:
        return [
            connection.execute(
                f"SELECT y, {', '.join(pair)}, count(*) FROM numbers GROUP BY y, {', '.join(pair)}"
            ).fetchall()
            for pair in pairs
        ]


def _check_of_groups(answers: list[Any]) -> float:
    return check_of_counts([row[0] for row in answers[0]], [row[-1] for row in answers[0]])


def _systems(kind: str) -> dict[str, Callable[[float], Work]]:
    def system(run: Callable[[str, str], Any], check: Callable[[Any], float]) -> Callable[[float], Work]:
        return lambda scale: _work(scale, lambda url: run(kind, url), check)

    return {
        "bayou": system(_fit, check_of_model),
        "SELECT * into pandas": system(_fit_frame, check_of_model),
        "COPY by hand": system(_fit_copy, check_of_model),
        "GROUP BYs by hand": system(_group_bys, _check_of_groups),
    }


_TEXT = f"PostgreSQL table of {ROWS:,} × 20 small whole numbers"
_NOTE = "GROUP BYs by hand: the counts alone. COPY by hand: CSV read by polars, then the same fit."


def _case(kind: str, model: str, faster: float) -> Case:
    return Case(
        f"postgres-{kind}",
        f'`{model}.fit(from_sql("numbers", url), "y")`, {_TEXT}',
        _systems(kind),
        {"SELECT * into pandas": faster, "COPY by hand": 1.0, "GROUP BYs by hand": 1.0},
        tolerance=1e-6,
        note=_NOTE,
    )


CASES = (_case("naive", 'NaiveBayes("table")', 10.0), _case("tan", "TAN()", 5.0))
