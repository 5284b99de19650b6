"""Columns written as CSV, to standard output or to a file."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from bayou.cli.terminal.paths import replacing
from bayou.cli.terminal.streams import strict_output

CSV_ENDINGS = (".csv", ".csv.gz")


def write_columns(columns: Mapping[str, Sequence[Any]], output: str | None) -> None:
    """Write columns of equal length, to standard output if ``output`` is None; None is an empty field."""
    if output is None:
        strict_output()
        _write(columns, sys.stdout)
        sys.stdout.flush()
        return
    with replacing(output) as temporary:
        opened = gzip.open if output.lower().endswith(".gz") else open
        with opened(temporary, "wt", encoding="utf-8", newline="") as file:
            _write(columns, file)


def _write(columns: Mapping[str, Sequence[Any]], file: TextIO) -> None:
    from bayou.documents.csv_rows import csv_field, csv_header

    file.write(csv_header(columns))
    for row in zip(*columns.values(), strict=True):
        file.write(",".join("" if cell is None else csv_field(cell) for cell in row) + "\n")
