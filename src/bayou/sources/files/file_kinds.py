"""CSV, TSV and Parquet files; the ending of the name decides the kind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from bayou.errors import BadData, BadFile
from bayou.sources.files.parquet_file import ParquetFile
from bayou.sources.files.text_file import TextFile
from bayou.typing import Name

BATCH_ROWS = 1 << 18
"""Number of rows in memory at a time while a file is streamed."""
_TEXT_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


OpenFile: TypeAlias = TextFile | ParquetFile


def open_file(path: str | os.PathLike[str], columns: Sequence[Name] | None = None) -> OpenFile:
    """Open a CSV, TSV or Parquet file; its ``batches`` can be read any number of times.

    ``columns`` names the columns of a text file without a header.
    """
    file = Path(path)
    if not file.exists():
        raise BadFile.at(file, "there is no such file.")
    if file.is_dir():
        raise BadFile.at(file, "this is a folder; a .csv, .tsv or .parquet file was expected.")
    if file.name.lower().endswith(_TEXT_ENDINGS):
        return TextFile(file, columns)
    if not file.name.lower().endswith(".parquet"):
        raise BadFile.at(file, "unknown kind of file; expected .csv, .tsv (also .gz) or .parquet.")
    if columns is not None:
        raise BadData(f"{file}: columns= is for data without names; a Parquet file has its own names.")
    return ParquetFile(file)
