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


@pytest.fixture
def kept_figures(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import kept_figures

    return kept_figures


@pytest.mark.skipif(shutil.which("wrk") is None, reason="this benchmark needs wrk")
def test_all_figures_are_measured_and_told(serving: Any) -> None:
    figures = serving.measure(1, 1 / 60)
    runs = [*figures["runs"], figures["beside"]]
    assert [run["connections"] for run in runs] == [1, 32, 256, 32, 256, 8]
    assert all(run["errors"] == 0 and run["requests"] > 10 for run in runs)
    watched = figures["over_minutes"]
    assert (watched["errors"], len(watched["memory"])) == (0, 2)
    assert all(10 < each < 1000 for each in (*watched["memory"], *figures["worker_memory"]))
    assert json.loads(json.dumps(figures)) == figures
    assert f"Over {1 / 60:g} minutes at 2,000 a second the server had" in serving.table(figures)


def test_figures_are_kept_in_their_file_and_between_the_marks_of_their_page(
    kept_figures: Any, tmp_path: Path
) -> None:
    file, page = tmp_path / "serving.json", tmp_path / "serving.md"
    page.write_text(f"before\n{kept_figures.BEGIN}\nold\n{kept_figures.END}\nafter\n")
    kept_figures.keep({"p50": 1.5}, "| a table |", file, page)
    assert json.loads(file.read_text()) == {"p50": 1.5}
    assert page.read_text() == f"before\n{kept_figures.BEGIN}\n| a table |\n{kept_figures.END}\nafter\n"
    assert kept_figures.shown(page) == "| a table |"


def test_the_page_shows_the_figures_that_were_kept(serving: Any, kept_figures: Any) -> None:
    figures = json.loads(serving.KEPT.read_text())
    assert kept_figures.shown(serving.PAGE) == serving.table(figures).strip()
