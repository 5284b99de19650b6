"""Where the Java and the pyspark are that the tests of Spark need, and how a session of them is made."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

CLASSIC, CONNECT, BARE = "classic", "connect", "bare"
"""A session in this process; Spark Connect; a session whose workers have no packages at all."""
MODE = "BAYOU_SPARK"
"""The environment variable that says which of them the tests use."""
ALL = "BAYOU_SPARK_ALL"
"""The variable that makes Spark Connect run all that a classic session runs; `make spark` sets it."""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",  # tables are small: there is nothing to adapt to
    "spark.default.parallelism": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.log.level": "ERROR",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # tables are small: compiling takes longer than running
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def java_home() -> Path | None:
    """The folder of Java 17: Debian's, or the one that the environment names; None without Java."""
    debian = sorted(Path("/usr/lib/jvm").glob("java-17-openjdk-*/bin/java"))
    given = [Path(os.environ["JAVA_HOME"]) / "bin" / "java"] if os.environ.get("JAVA_HOME") else []
    on_path = [Path(os.path.realpath(found))] if (found := shutil.which("java")) else []
    return next((java.parent.parent for java in [*debian, *given, *on_path] if java.exists()), None)


def missing() -> str:
    """What is missing for the tests of Spark; empty if nothing is."""
    if importlib.util.find_spec("pyspark") is None or importlib.util.find_spec("grpc") is None:
        return "Spark is tested with pyspark: pip install 'pyspark[connect]'"
    if java_home() is None:
        return "Spark is tested with Java 17: apt-get install openjdk-17-jre-headless"
    return ""


def environment(mode: str) -> dict[str, str]:
    """The environment of a process that tests Spark."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        **os.environ,
        MODE: mode,
        # Workers have a folder of their own, where relative paths would lead elsewhere.
        "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in paths if path),
        "JAVA_HOME": str(java_home()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Spark's own way to a free port: else two sessions of Spark Connect on one machine clash on 15002.
        **({"SPARK_TESTING": "yes"} if mode == CONNECT else {}),
    }


def frame_of(columns: dict[Any, list[Any]], kinds: str, partitions: int = 3) -> Any:
    """Columns of plain values as a cached Spark DataFrame, in this order; ``kinds``: their SQL types."""
    from pyspark.sql.types import IntegerType, StructField, StructType

    session()  # types need one
    types = [field.dataType for field in StructType.fromDDL(_columns(kinds.split(", "))).fields]
    fields = [StructField(str(name), kind) for name, kind in zip(columns, types, strict=True)]
    fields.append(StructField("number of the row", IntegerType()))
    rows = [(*row, number) for number, row in enumerate(zip(*columns.values(), strict=True))]
    frame = (
        session().createDataFrame(rows, StructType(fields)).repartitionByRange(partitions, fields[-1].name)
    )
    return frame.sortWithinPartitions(fields[-1].name).drop(fields[-1].name).cache()


def _columns(kinds: list[str]) -> str:
    return ", ".join(f"c{place} {kind}" for place, kind in enumerate(kinds))


@cache
def session() -> Any:
    """The session of this process."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    connect = os.environ[MODE] == CONNECT
    builder = builder.remote("local[2]") if connect else builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the server of Spark Connect has these settings already
        return builder.getOrCreate()
