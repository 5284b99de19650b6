"""Tables that come with the package as CSV files, read as plain columns."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any


def bundled_table(name: str) -> dict[str, list[Any]]:
    """The columns of a CSV file that lies beside this module, as lists of text."""
    with (files("bayou.examples") / name).open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    return {title: list(column) for title, column in zip(header, zip(*rows, strict=True), strict=True)}
