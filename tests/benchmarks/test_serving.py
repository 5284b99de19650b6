"""The benchmark of the server at a small size: it runs to its end, and its page shows what was kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import serving

    return serving


@pytest.mark.skipif(shutil.which("wrk") is None, reason="this benchmark needs wrk")
def test_all_figures_are_measured_and_kept(
    serving: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = serving.measure(1, 1 / 60)
    runs = [*figures["runs"], figures["beside"]]
    assert [run["connections"] for run in runs] == [1, 32, 256, 32, 256, 8]
    assert all(run["errors"] == 0 and run["requests"] > 10 for run in runs)
    watched = figures["over_minutes"]
    assert (watched["errors"], len(watched["memory"])) == (0, 2)
    assert all(10 < each < 1000 for each in (*watched["memory"], *figures["worker_memory"]))
    page = tmp_path / "serving.md"
    page.write_text(f"before\n{serving.MARKS[0]}\nold\n{serving.MARKS[1]}\nafter\n")
    monkeypatch.setattr(serving, "PAGE", page)
    monkeypatch.setattr(serving, "HERE", tmp_path)
    serving.keep(figures)
    assert json.loads((tmp_path / "serving.json").read_text()) == figures
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert f"Over {1 / 60:g} minutes at 2,000 a second the server had" in text


def test_the_page_shows_the_figures_that_were_kept(serving: Any) -> None:
    figures = json.loads((BENCHMARKS / "serving.json").read_text())
    text = serving.PAGE.read_text(encoding="utf-8")
    begin, end = serving.MARKS
    assert text.partition(begin)[2].partition(end)[0].strip() == serving.table(figures).strip()
