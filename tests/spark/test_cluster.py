"""A real cluster on this machine: a standalone master and two workers, one of which is killed in mid-job."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.patience import until
from tests.spark.java import CLASSIC, environment, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "Spark is here")
JOB = """
import os, signal, sys, time
import numpy as np
from pyspark.sql import SparkSession
from bayou.sources import open_source
from bayou.statistics import CountTable, Moments

master, victim, marks = sys.argv[1:]
spark = (SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    .config("spark.cores.max", "2").config("spark.executor.memory", "512m")
    .config("spark.driver.host", "127.0.0.1").getOrCreate())
rows = spark.range(0, 40000, 1, 8).selectExpr("id", "id % 7 as a", "sin(id) * exp(id % 11) as x")

def slowly(batches):
    for batch in batches:
        open(os.path.join(marks, str(os.getpid())), "a").close()
        time.sleep(0.5 if os.path.exists(os.path.join(marks, "slow")) else 0)
        yield batch

requests = [Moments(("x",), ("a",)), CountTable(("a",))]
def answers(frame):
    found = open_source(frame.mapInArrow(slowly, frame.schema), names=["a", "x"]).collect(requests)
    return found[requests[0]], found[requests[1]]

quiet, counts = answers(rows)
assert counts.values.sum() == 40000
open(os.path.join(marks, "slow"), "w").close()
for name in os.listdir(marks):
    if name.isdigit():
        os.unlink(os.path.join(marks, name))
import threading
def kill():
    while not any(name.isdigit() for name in os.listdir(marks)):
        time.sleep(0.05)
    time.sleep(0.7)
    os.killpg(int(victim), signal.SIGKILL)
threading.Thread(target=kill, daemon=True).start()
stormy, again = answers(rows)
assert counts == again
assert np.array_equal(quiet.mean, stormy.mean) and np.array_equal(quiet.scatter, stormy.scatter)
print("the same to the last bit")
spark.stop()
"""


@contextmanager
def _daemon(log: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A master or a worker in a process group of its own, which ends with the test."""
    from pyspark.find_spark_home import _find_spark_home

    variables = environment(CLASSIC)
    java = str(Path(variables["JAVA_HOME"]) / "bin" / "java")
    jars = str(Path(_find_spark_home()) / "jars" / "*")
    command = [java, "-Xmx256m", "-cp", jars, *arguments]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            env={**variables, "SPARK_HOME": _find_spark_home(), "SPARK_SCALA_VERSION": "2.13"},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=log.parent,
        )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _said(log: Path, pattern: str) -> str:
    """Wait until a process has written this."""

    def found() -> re.Match[str] | None:
        return re.search(pattern, log.read_text(errors="replace"))

    until(found, f"{log.name} does not say {pattern}")
    said = found()
    assert said is not None
    return said[0]


def test_a_killed_worker_changes_no_bit(tmp_path: Path) -> None:
    deploy = "org.apache.spark.deploy"
    logs = [tmp_path / name for name in ("master.log", "one.log", "other.log")]
    marks = tmp_path / "marks"
    marks.mkdir()
    here = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    with _daemon(logs[0], f"{deploy}.master.Master", *here):
        master = _said(logs[0], r"spark://127\.0\.0\.1:\d+")
        worker = (
            f"{deploy}.worker.Worker",
            *here,
            "--cores",
            "1",
            "--memory",
            "1g",
            "--work-dir",
            str(tmp_path),
            master,
        )
        with _daemon(logs[1], *worker) as one, _daemon(logs[2], *worker):
            for log in logs[1:]:
                _said(log, "Successfully registered with master")
            done = subprocess.run(
                [sys.executable, "-c", JOB, master, str(one.pid), str(marks)],
                env=environment(CLASSIC),
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
    assert "the same to the last bit" in done.stdout, done.stdout[-2000:] + done.stderr[-4000:]
