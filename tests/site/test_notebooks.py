"""The lessons as notebooks: what they hold, and that every code cell gives what the page shows."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from docs.builder.notebooks import lessons, notebook, notebook_url
from docs.builder.page import DOCS
from docs.builder.shelves import shelves

LESSONS = lessons(shelves())
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run(source: str, names: dict[str, Any]) -> str:
    """What a notebook shows below a cell: what is printed, and the value of the last line."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            exec(compile(ast.Interactive([last]), "cell", "single"), names)
    return printed.getvalue()


def shown_on(page: Path) -> list[str]:
    examples = doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))
    return [example.want for example in examples if example.want]


def code_of(page: Path) -> list[str]:
    return [
        "".join(cell["source"]) for cell in notebook(page, LESSONS)["cells"] if cell["cell_type"] == "code"
    ]


def test_there_are_five_lessons() -> None:
    assert [page.stem for page in LESSONS] == [
        "bayes-rule",
        "counting",
        "classifiers",
        "numbers",
        "structure",
    ]


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_the_cells_of_a_notebook_show_what_the_page_shows(page: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [text for cell in code_of(page) if (text := run(cell, names))]
    wanted = shown_on(page)
    assert len(shown) == len(wanted)
    checker = doctest.OutputChecker()
    for want, got in zip(wanted, shown, strict=True):
        assert checker.check_output(want, got, FLAGS), (want, got)


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_a_notebook_stands_alone(page: Path) -> None:
    """Pictures are inside; links lead to other lessons only; nothing is left of the page's own marks."""
    cells = notebook(page, LESSONS)["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    pictures = re.findall(r"\]\(attachment:([^)]+)\)", text)
    assert sorted(pictures) == sorted(name for cell in cells for name in cell.get("attachments", {}))
    assert len(pictures) == page.read_text(encoding="utf-8").count(".svg)")
    links = set(re.findall(r"\]\(([^):]+)\)", text))
    assert links <= {f"{other.stem}.ipynb" for other in LESSONS}
    assert text.count("<details>") == text.count("</details>")
    assert not re.search(r"<!--|```pycon|^>>>", text, re.MULTILINE)


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_solutions_are_closed_and_the_rest_is_open(page: Path) -> None:
    inside = page.read_text(encoding="utf-8").split("## Exercises")[1]
    folded = [cell for cell in notebook(page, LESSONS)["cells"] if cell["metadata"].get("collapsed")]
    solved = "\n".join("".join(cell["source"]) for cell in folded)
    examples = [example.source for example in doctest.DocTestParser().get_examples(inside)]
    assert solved == "".join(examples).rstrip("\n")
    assert 3 <= inside.count("<summary>") <= 5


def test_the_site_has_the_notebooks_and_each_lesson_its_link(site: Path) -> None:
    for page in LESSONS:
        made = json.loads((site / notebook_url(page)).read_text(encoding="utf-8"))
        assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
        html = (site / page.relative_to(DOCS)).with_suffix(".html").read_text(encoding="utf-8")
        assert f'href="../{notebook_url(page)}"' in html
