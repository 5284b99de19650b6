"""Figures that are kept: in a file beside the benchmarks, and between two marks in a page of the docs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


def keep(figures: dict[str, Any], table: str, file: Path, page: Path) -> None:
    """Write the file of figures, and the table between the marks of the page."""
    file.write_text(json.dumps(figures, indent=1) + "\n")
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def shown(page: Path) -> str:
    """The table that stands between the marks of a page."""
    return page.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()
