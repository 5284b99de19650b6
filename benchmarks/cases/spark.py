"""Naive Bayes from a cached Spark DataFrame, beside MLlib's and beside reading the rows in Python at all."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from case import Case, Work
from cases.parquet_files import NAMES, check_of_model, number_columns
from data import CACHE

ROWS = 10_000_000
_CHUNK = 1_000_000
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "6g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    "spark.log.level": "ERROR",
}


def _session() -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    java = sorted(Path("/usr/lib/jvm").glob("java-17-openjdk-*"))
    if java:
        os.environ["JAVA_HOME"] = str(java[0])
    builder = SparkSession.builder.master("local[2]")
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    atexit.register(_stop, session)
    return session


def _stop(session: Any) -> None:
    """End Spark and wait for its Java, whose time then counts as ours and not as that of a neighbour."""
    java = session.sparkContext._gateway.proc
    session.stop()
    java.stdin.close()
    java.wait(timeout=60)


def _frame(scale: float) -> Any:
    """Twenty columns of categories and the class, as text; cached by Spark."""
    import polars as pl

    rows = int(ROWS * scale)
    folder = CACHE / f"categories-{rows}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        part.mkdir(parents=True, exist_ok=True)
        chance = np.random.default_rng(15)
        for start in range(0, rows, _CHUNK):
            columns = number_columns(chance, min(_CHUNK, rows - start))
            texts = pl.DataFrame(columns).select(pl.format("s{}", pl.all()).name.keep())
            texts.write_parquet(part / f"{start // _CHUNK:03}.parquet")
        part.rename(folder)
    frame = _session().read.parquet(str(folder)).cache()
    frame.count()
    return frame


def _bayou(scale: float) -> Work:
    import bayou

    frame = _frame(scale)
    return Work(lambda: bayou.NaiveBayes().fit(frame, "y"), check_of_model)


def _encoders() -> list[Any]:
    from pyspark.ml.feature import OneHotEncoder, StringIndexer, VectorAssembler

    places, vectors = [f"{name}_place" for name in NAMES], [f"{name}_vector" for name in NAMES]
    return [
        StringIndexer(inputCols=[*NAMES, "y"], outputCols=[*places, "label"]),
        OneHotEncoder(inputCols=places, outputCols=vectors, dropLast=False),
        VectorAssembler(inputCols=vectors, outputCol="features"),
    ]


def _mllib_with_encoding(scale: float) -> Work:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes

    frame = _frame(scale)
    return Work(lambda: Pipeline(stages=[*_encoders(), NaiveBayes()]).fit(frame).stages[-1], _check_of_mllib)


def _mllib(scale: float) -> Work:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes

    frame = _frame(scale)
    ready = Pipeline(stages=_encoders()).fit(frame).transform(frame).select("features", "label").cache()
    ready.count()
    return Work(lambda: NaiveBayes().fit(ready), _check_of_mllib)


def _bayou_on_places(scale: float) -> Work:
    """The categories as the integers that StringIndexer gives them, which is what MLlib's vectors hold."""
    import bayou

    frame = _frame(scale)
    indexer = _encoders()[0]  # needs the session that the frame has begun
    places = indexer.fit(frame).transform(frame)
    columns = [f"cast({name}_place as int) as {name}" for name in NAMES]
    ready = places.selectExpr(*columns, "cast(label as int) as y").cache()
    ready.count()
    return Work(lambda: bayou.NaiveBayes("table").fit(ready, "y"), check_of_model)


def _check_of_mllib(model: Any) -> float:
    return float(np.square(np.exp(model.pi.toArray())).sum())


def _rows_in_python(scale: float) -> Work:
    frame = _frame(scale)

    def sizes(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            yield pyarrow.RecordBatch.from_pydict({"n": [batch.num_rows]})

    def run() -> float:
        return float(frame.mapInArrow(sizes, "n bigint").groupBy().sum("n").collect()[0][0])

    from pyspark.sql import functions

    counts = frame.groupBy("y").agg(functions.count("*")).collect()
    shares = np.array([row[1] for row in counts]) / sum(row[1] for row in counts)
    return Work(run, lambda rows: float(np.square(shares * rows / frame.count()).sum()))


_SYSTEMS: dict[str, Callable[[float], Work]] = {
    "bayou": _bayou,
    "MLlib with encoding": _mllib_with_encoding,
    "MLlib": _mllib,
    "bayou on encoded categories": _bayou_on_places,
    "rows counted in Python": _rows_in_python,
}
CASE = Case(
    "spark-naive",
    '`NaiveBayes().fit(frame, "y")`, cached Spark DataFrame of 10,000,000 × 20 categories, `local[2]`',
    _SYSTEMS,
    {"MLlib with encoding": 3.0, "rows counted in Python": 1 / 1.3},
    {("bayou on encoded categories", "MLlib"): 1.0},
    tolerance=1e-3,  # MLlib smooths the shares of classes, too
    note="MLlib with encoding: StringIndexer, OneHotEncoder, VectorAssembler and NaiveBayes; without: "
    "NaiveBayes on vectors that Spark keeps, beside bayou on the same encoded categories (whole numbers that "
    'Spark keeps, `NaiveBayes("table")`); bayou itself reads the texts. Rows counted in Python: a '
    "`mapInArrow` that only counts rows.",
)
