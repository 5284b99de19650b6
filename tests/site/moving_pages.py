"""The tables of the pages "Move from …": the lines of their columns, and the lines that the pages run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "do" / "moving"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))


def text_of(page: str) -> str:
    """The page as it is written."""
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


def column(page: str, place: int) -> list[str]:
    """The code of a column of the page's first table; -1 is "here", 1 the first "there"."""
    rows = [line for line in text_of(page).splitlines() if line.startswith("| ")][1:]
    cells = [re.split(r"(?<!\\)\|", row.strip("|"))[place] for row in rows]
    return [code.replace("\\|", "|") for cell in cells for code in re.findall(r"`([^`]+)`", cell)]


def lines_run(page: str) -> set[str]:
    """Every example of the page's blocks, as it is written."""
    return {example.source.strip() for example in doctest.DocTestParser().get_examples(text_of(page))}
