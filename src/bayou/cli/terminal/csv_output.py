"""Columns written as CSV, to standard output or to a file, or as Parquet."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from bayou.cli.terminal.paths import replacing
from bayou.cli.terminal.streams import strict_output

TABLE_ENDINGS = (".csv", ".csv.gz", ".parquet")


def write_columns(columns: Mapping[str, Sequence[Any]], output: str | None) -> None:
    """Write columns of equal length, to standard output if ``output`` is None; None is an empty field."""
    if output is None:
        strict_output()
        _write(columns, sys.stdout)
        sys.stdout.flush()
        return
    if output.lower().endswith(".parquet"):
        _write_parquet(columns, output)
        return
    with replacing(output) as temporary:
        opened = gzip.open if output.lower().endswith(".gz") else open
        with opened(temporary, "wt", encoding="utf-8", newline="") as file:
            _write(columns, file)


def _write_parquet(columns: Mapping[str, Sequence[Any]], output: str) -> None:
    """Write columns with the types of their cells; None is missing, and a mixture of types is text."""
    import numpy as np

    from bayou.sources.output.result_file import result_file

    types = [_sql_type(cells) for cells in columns.values()]
    with result_file(output, list(columns), types) as file:
        cells = zip(types, columns.values(), strict=True)
        file.add([np.array(_plain(kind, column), dtype=object) for kind, column in cells])
        file.finish([f"c{k}" for k in range(len(columns))])


def _plain(kind: str, cells: Sequence[Any]) -> list[Any]:
    return [str(cell) if kind == "VARCHAR" and cell is not None else cell for cell in cells]


def _sql_type(cells: Sequence[Any]) -> str:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"


def _write(columns: Mapping[str, Sequence[Any]], file: TextIO) -> None:
    from bayou.documents.csv_rows import csv_field, csv_header

    file.write(csv_header(columns))
    for row in zip(*columns.values(), strict=True):
        file.write(",".join("" if cell is None else csv_field(cell) for cell in row) + "\n")
