"""The suite of Spark, run in processes of their own: one has a classic session, the other Spark Connect.

Each also runs the conformance suite on a Spark DataFrame; Spark Connect only some of it, except by
`make spark`.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.spark.java import ALL, BARE, CLASSIC, CONNECT, environment, missing

TESTS = Path(__file__).resolve().parents[1]
SUITE = str(TESTS / "spark" / "suite")
CONFORMANCE = [
    str(TESTS / "conformance" / "test_every_source.py"),
    str(TESTS / "conformance" / "test_what_runs_where.py"),
]
BARE_PYTHON = """#!/bin/sh
PYTHONPATH=$(echo "$PYTHONPATH" | tr ':' '\\n' | grep -E 'pyspark|py4j' | paste -sd:) exec {} -S "$@"
"""
"""A Python that finds Spark's own modules, and no packages."""
SOME = (
    "spark and not (asked_alone or by_hand or spark_models or spark_page or cross_validation or grid"
    " or half_a_gigabyte)"
)
"""The tests that Spark Connect always runs; the others differ from these in what is counted."""
_SECONDS = 2700
"""A whole suite runs in each of these tests: on a busy machine it takes many minutes."""
pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing() or "Spark is here"),
    pytest.mark.timeout(_SECONDS),
]


def _run(mode: str, which: str, *arguments: str, **variables: str) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-k",
        which,
        *arguments,
    ]
    done = subprocess.run(
        command,
        env={**environment(mode), **variables},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def test_a_classic_session() -> None:
    _run(CLASSIC, "spark", SUITE, *CONFORMANCE)


def test_spark_connect() -> None:
    # What differs from a classic session is how requests and results travel, not what is counted.
    _run(CONNECT, "spark" if ALL in os.environ else SOME, SUITE, *CONFORMANCE)


def test_workers_without_any_package(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(BARE_PYTHON.format(sys.executable))
    bare.chmod(bare.stat().st_mode | stat.S_IXUSR)
    _run(BARE, "spark", str(TESTS / "spark" / "suite" / "test_bare_workers.py"), PYSPARK_PYTHON=str(bare))
