"""The benchmarks of large files at a hundredth of their size: all run and agree, within their memory.

They take some seconds because every fit is a process of its own, whose peak memory is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SHARE = 100


@pytest.fixture
def benchmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files; the modules of the benchmarks can be imported."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from cases import parquet_files

    monkeypatch.setattr(parquet_files, "CACHE", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["large-file-naive", "large-file-tan"])
def test_all_systems_find_the_same(name: str, benchmarks: Path) -> None:
    from cases import large_files

    (case,) = (case for case in large_files.CASES if case.name == name)
    checks = {}
    for system, prepare in case.systems.items():
        work = prepare(1 / SHARE)
        checks[system] = work.check(work.run())
    assert list(checks.values()) == pytest.approx([checks["bayou"]] * len(checks), rel=1e-4)


def test_growth_is_measured_and_drawn(benchmarks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import growth

    monkeypatch.setattr(growth, "CACHE", benchmarks)
    monkeypatch.setattr(growth, "ROWS", (10**5, 10**7))
    monkeypatch.setattr(growth, "COLUMNS", (10, 1000))
    found: list[dict[str, Any]] = growth.curves(SHARE)
    assert len(found) == 2 * len(growth.ROWS) + len(growth.COLUMNS)
    assert max(one["MB"] for one in found) < 1000
    growth.draw(found, benchmarks / "growth.svg", growth.WIDE_ROWS // SHARE)
    assert (benchmarks / "growth.svg").read_text(encoding="utf-8").count("<path") > 10


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are Linux's")
def test_limits_that_the_system_enforces(benchmarks: Path) -> None:
    import memory_limit
    from cases import parquet_files

    found = memory_limit.measured(parquet_files._file(1 / SHARE))
    assert not [one for one in found if "error" in one]
    spaces = [one["address space MB"] for one in found if one["limit"] == "address space"]
    assert len(spaces) == 2
