"""Progress of long reading tells the rows so far, the pace and what is left; Ctrl-C stops it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayou
from bayou.sources.files import file_source


class Reporter:
    def __init__(self) -> None:
        self.told: list[str] = []

    def advance(self, task: str, done: int) -> None:
        self.told.append(task)

    def finish(self, task: str) -> None:
        pass


def test_a_reporter_is_told_rows_pace_and_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 100)
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": ["x", "y"] * 500}).write_parquet(path)
    reporter = Reporter()
    with bayou.show_progress(reporter):
        bayou.Network("a").fit(path)
    counting = [
        task for task in reporter.told if task.startswith(f"Counting {path}: 400 of about 1,000 rows")
    ]
    assert counting
    assert "rows/s" in counting[0]
    assert counting[0].endswith(" s left")


def test_the_pace_of_unknown_and_long_work() -> None:
    from bayou.progress import RowPace

    clock: Any = iter([0.0, 1.0, 0.0, 1.0])
    pace = RowPace("Reading", None, lambda: next(clock))
    pace.rows = 10
    assert pace() == "Reading: 10 rows, 10 rows/s"
    pace = RowPace("Reading", 6010, lambda: next(clock))
    pace.rows = 10
    assert pace().endswith("10 rows/s, 10 min left")
