"""Reading of the CSV files that are part of the package."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any


def bundled_table(name: str) -> dict[str, list[Any]]:
    """Return the columns of a CSV file in the folder of this module, as lists of text."""
    text = (files("bayou.examples") / name).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return {title: list(column) for title, column in zip(header, zip(*rows, strict=True), strict=True)}
