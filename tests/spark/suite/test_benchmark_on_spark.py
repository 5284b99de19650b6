"""The benchmark beside MLlib, at a hundredth of its size: all systems learn the same shares of classes."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from tests.spark.java import session

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
SCALE = 0.01
"""Of its ten million rows."""


def test_all_systems_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session()  # the benchmark takes the session that there is
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    benchmark = importlib.import_module("cases.spark")
    monkeypatch.setattr(benchmark, "CACHE", tmp_path)
    checks = {}
    for name, prepare in benchmark.CASE.systems.items():
        work = prepare(SCALE)
        checks[name] = work.check(work.run())
    assert len(checks) == 5
    expected = pytest.approx(checks["bayou"], rel=benchmark.CASE.tolerance)
    assert checks == dict.fromkeys(checks, expected)
