"""The builder: Markdown as Git hosts read it, checked links, figures that are those of the last run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from docs.builder import figures, losses
from docs.builder.build import _broken
from docs.builder.markdown import render, slug
from docs.builder.page import DOCS, ROOT, Page, url_of
from docs.builder.shelves import not_listed, shelves


def rendered(text: str, source: str = "do/ask/asking.md") -> Page:
    page = Page(DOCS / source, url_of(DOCS / source))
    render(page, text)
    return page


def test_a_broken_link_a_missing_picture_and_a_file_of_the_code_are_problems() -> None:
    links = "[one](nope.md) ![two](nope.svg) [three](../../../src/bayou/version.py)"
    page = rendered(f'{links} <a href="no.md">four</a>')
    assert page.problems == [
        "docs/do/ask/asking.md: there is no nope.md",
        "docs/do/ask/asking.md: there is no nope.svg",
        "docs/do/ask/asking.md: ../../../src/bayou/version.py is not part of the site",
        "docs/do/ask/asking.md: there is no no.md",
    ]


def test_a_place_that_is_not_on_its_page_is_a_problem() -> None:
    page = rendered("# Top\n\n## A place\n\n[right](#a-place) [wrong](#another) [elsewhere](batches.md)")
    assert _broken([page]) == [
        "docs/do/ask/asking.md: there is no #another on do/ask/asking.html",
        "docs/do/ask/asking.md: do/ask/batches.html is not built",
    ]


def test_the_command_fails_and_says_where(tmp_path: Path) -> None:
    """The whole build on a copy of the tree, in which one link is broken."""
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / "benchmarks").mkdir()
    for name in ("results.json", "accuracy.json"):
        shutil.copyfile(ROOT / "benchmarks" / name, tmp_path / "benchmarks" / name)
    with (tmp_path / "docs" / "do" / "ask" / "asking.md").open("a", encoding="utf-8") as file:
        file.write("\n[lost](lost.md)\n")
    (tmp_path / "docs" / "do" / "forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "docs.builder", "site"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "docs/do/ask/asking.md: there is no lost.md",
        "docs/do/forgotten.md: no shelf lists this page",
    ]
    assert (tmp_path / "site" / "index.html").exists()


def test_markdown_is_that_of_git_hosts() -> None:
    fold = "<details>\n<summary>S</summary>\n\n*in*\n\n</details>\n"
    page = rendered(f"- a\n  - b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n{fold}")
    assert "<li>a\n<ul>\n<li>b</li>" in page.html
    assert '<div class="wide"><table>' in page.html
    assert "<summary>S</summary>\n<p><em>in</em></p>" in page.html


def test_formulas_become_mathml_and_prices_stay_prices() -> None:
    page = rendered("Inline $a_{1}$, $$\\frac{a}{b}$$ and $5 or 6$7.\n\n```math\nx^2\n```\n")
    assert page.html.count("<math") == 3
    assert page.html.count('display="block"') == 2
    assert "<mfrac>" in page.html
    assert "$5 or 6$7" in page.html


def test_anchors_are_those_of_github() -> None:
    taken: set[str] = set()
    told = ["What `fit` does", "A & B, or C?", "A & B, or C?", "snake_case"]
    assert [slug(text, taken) for text in told] == ["what-fit-does", "a--b-or-c", "a--b-or-c-1", "snake_case"]


def test_code_is_escaped_and_coloured() -> None:
    page = rendered("```pycon\n>>> 1 < 2\nTrue\n\n```\n\n```unknown\n<b>\n```\n")
    assert '<span class="o">&lt;</span>' in page.html
    assert "&lt;b&gt;" in page.html


def test_keywords_are_searched_and_not_shown() -> None:
    page = rendered("<!-- keywords: CPT, table -->\n\n# Title\n\ntext\n")
    assert (page.sections[0].heading, page.sections[0].keywords) == ("Title", " CPT, table")
    assert "CPT" not in page.html


def test_every_page_stands_on_a_shelf_once() -> None:
    listed = shelves()
    assert [shelf.title for shelf in listed] == ["Learn", "Do", "Understand", "Look up"]
    assert not_listed(listed) == []
    sources = [entry.source for shelf in listed for entry in shelf.entries]
    assert len(sources) == len({*sources})
    assert all(entry.about for shelf in listed for entry in shelf.entries)


def test_figures_are_those_of_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    made["cases"] = {
        case: {"bayou": {"best": 0.5}, **{peer: {"best": 2.0} for peer in systems if peer != "bayou"}}
        for case, systems in made["cases"].items()
    }
    made["cases"]["pairs"] = {"bayou": {"best": 3.0}, "rival": {"best": 1.5}}
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "results.json").write_text(json.dumps(made), encoding="utf-8")
    for module in (figures, losses):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    lines = figures.speed_table().splitlines()
    assert lines[2] == "| naive Bayes, 1,000,000 × 50: fit | 500 ms | scikit-learn 2 s | 4.0× |"
    assert losses.slower_table().splitlines()[2:] == ["| pairs | 3 s | rival 1.5 s | 2× |"]


def test_losses_of_accuracy_are_found_in_both_measures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models = {
        "nb": {"log_loss": 0.4, "accuracy": 0.8},
        "tan": {"log_loss": 0.3, "accuracy": 0.7},
        "forest": {"log_loss": 0.35, "accuracy": 0.9},
    }
    tables = {"won": {"rows": 200, "models": models}, "toy": {"rows": 14, "models": models}}
    (tmp_path / "benchmarks").mkdir()
    file = tmp_path / "benchmarks" / "accuracy.json"
    file.write_text(json.dumps({"tables": tables}), encoding="utf-8")
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    expected = "| won | accuracy | 0.8 (NaiveBayes) | 0.9 (random forest) |"
    assert losses.less_accurate_table().splitlines()[2:] == [expected]


def test_no_page_loads_from_another_host(site: Path) -> None:
    """Links may lead anywhere; pictures, frames, scripts and styles may not."""
    loaded = re.compile(
        r'(?:src|srcset|data|poster)="(?:https?:)?//|<link[^>]+href="(?:https?:)?//|url\((?:https?:)?//|@import'
    )
    for file in site.rglob("*"):
        if file.suffix in (".html", ".css", ".js") and file.name not in ("live.html", "search-index.js"):
            assert not loaded.search(file.read_text(encoding="utf-8")), file


def test_the_first_page_shows_what_it_should(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert page.count("<table>") == 2
    assert "random forest" in page  # peers by the names that people have for them
    assert page.count('<pre class="pycon">') == 3
    assert '<iframe src="live.html"' in page
    assert 'src="pictures/explorer.png"' in page
    assert "<!-- insert" not in page


def test_cells_of_tables_may_break_and_stay_what_they_are() -> None:
    page = rendered(
        '# T\n\n| a | b |\n|---|---|\n| `net.query("Rain -> Wet", 0.25)` | HistGradientBoosting |\n'
    )
    assert "net.<wbr>query(<wbr>&quot;Rain" in page.html
    assert "0.25)" in page.html
    assert '<span class="whole">-&gt;</span>' in page.html
    assert "Hist<wbr>Gradient<wbr>Boosting" in page.html
    assert page.sections[-1].text[-1] == "HistGradientBoosting"  # what is searched has no breaks
    assert "<wbr>" not in rendered("# T\n\nHistGradientBoosting and `bayou.NaiveBayes`\n").html
