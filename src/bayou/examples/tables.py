"""Tables that come with the package as CSV files, read as plain columns."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any


def bundled_table(name: str) -> dict[str, list[Any]]:
    """The columns of a CSV file that lies beside this module, as lists of text."""
    text = (files("bayou.examples") / name).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return {title: list(column) for title, column in zip(header, zip(*rows, strict=True), strict=True)}
