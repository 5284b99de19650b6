"""The layout of a CSV or TSV file: its separator and the names in its first record."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bayou.errors import BadData, BadFile
from bayou.files.first_bytes import LONGEST_START, packed_kind
from bayou.sources.tables.column_names import name_index
from bayou.typing import Name

_SAMPLE = 1 << 20
"""Bytes of the file that are inspected."""
_RECORDS = 50
"""Records that decide the separator."""
_HEAD = 2_000
"""Records that are kept to judge the columns by."""
_SEPARATORS = (",", ";", "\t", "|")
_REMEDIES = {
    "gzip": "name it {name}.gz",
    "zip": "unpack it first",
    "bzip2": "unpack it first (bunzip2)",
    "xz": "unpack it first (unxz)",
    "zstd": "unpack it first (unzstd)",
    "Parquet": "name it {stem}.parquet",
    "Excel": "save the sheet as CSV (UTF-8)",
}
"""What to do with a file that is packed, though it has the name of a text file."""


@dataclass(frozen=True)
class TextLayout:
    """The separator, the column names, whether there is a header, and the first records of a text file."""

    separator: str
    names: tuple[Name, ...]
    has_header: bool
    blank_lines: int
    """Empty lines above the first record."""
    head: list[list[str]] = field(repr=False)

    def first_values(self, position: int) -> list[str]:
        """The distinct values of a column in the first records, without empty fields."""
        seen = dict.fromkeys(record[position] for record in self.head if position < len(record))
        return [value for value in seen if value]


def text_layout(path: Path, columns: Sequence[Name] | None = None) -> TextLayout:
    """Infer the layout from the start of a file; ``columns`` names the columns of a file without a header.

    The separator (comma, semicolon, tab or bar; tab in a .tsv file) is the one that splits the first record
    into the most fields; one that gives every one of the first records the same number of fields comes first.
    """
    separator, records, blank = _first_records(path)
    header = records[0]
    if columns is not None:
        if len(columns) != len(header):
            raise BadFile.at(
                path, f"columns= gives {len(columns)} names, but the file has {len(header)} columns.", 1
            )
        name_index(columns)
        return TextLayout(separator, tuple(columns), False, blank, records)
    try:
        name_index(header)
    except BadData as problem:
        raise BadFile.at(path, str(problem), 1) from None
    return TextLayout(separator, tuple(header), True, blank, records[1:])


def _first_records(path: Path) -> tuple[str, list[list[str]], int]:
    text, complete = _sample(path)
    if not text.strip():
        raise BadFile.at(path, "the file is empty; a first line with the column names was expected.")
    choices = ("\t",) if ".tsv" in path.suffixes else _SEPARATORS
    best: tuple[bool, int] = (False, 0)
    chosen = choices[0]
    for separator in choices:
        records = _split(path, text, separator, complete, _RECORDS)
        widths = {len(record) for record in records}
        rating = (len(widths) == 1 and len(records[0]) > 1, len(records[0]))
        if rating > best:
            best, chosen = rating, separator
    return chosen, _split(path, text, chosen, complete, _HEAD), _blank_lines(text)


def _blank_lines(text: str) -> int:
    blank = text[: len(text) - len(text.lstrip("\r\n"))]
    return len(blank.replace("\r\n", "\n"))


def _split(path: Path, text: str, separator: str, complete: bool, limit: int) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    records: list[list[str]] = []
    # The whole sample may be one field. The limit holds for the whole program, so it is set back.
    usual = csv.field_size_limit(_SAMPLE)
    try:
        for record in reader:
            if record:
                records.append(record)
            if len(records) == limit:
                return records
    except csv.Error as problem:
        raise BadFile.at(path, f"this is not a CSV file: {problem}.", reader.line_num) from None
    finally:
        csv.field_size_limit(usual)
    if len(records) == 1 and not complete:
        raise BadFile.at(
            path,
            f"the first line has more than {_SAMPLE:,} bytes. A line with the column names was expected, and "
            "then one line for each row.",
            1,
        )
    # The sample may end in the middle of a record.
    return records if complete else records[:-1]


def _sample(path: Path) -> tuple[str, bool]:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            raw = file.read(_SAMPLE)
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        with path.open("rb") as file:
            if packed_kind(file.read(LONGEST_START)) != "gzip":
                told = f"this is not a gzip file, as its name says: name it {path.stem}."
                raise BadFile.at(path, told) from None
        raise BadFile.at(path, f"the file is not a complete gzip file: {problem}.") from None
    except OSError as problem:
        raise BadFile.at(path, f"the file cannot be read: {problem.strerror}.") from None
    complete = len(raw) < _SAMPLE
    try:
        return raw.decode("utf-8-sig"), complete
    except UnicodeDecodeError as problem:
        if not complete and problem.start > len(raw) - 4:
            return raw[: problem.start].decode("utf-8-sig"), False
        _refuse_packed(path, raw)
        line = raw.count(b"\n", 0, problem.start) + 1
        raise BadFile.at(path, "the file is not UTF-8 text; save it as UTF-8.", line) from None


def _refuse_packed(path: Path, raw: bytes) -> None:
    """Tell what a file is that is not text, though it has the name of a text file."""
    kind = packed_kind(raw)
    if kind:
        article = "an" if kind in ("xz", "Excel") else "a"
        remedy = _REMEDIES[kind].format(name=path.name, stem=path.name.partition(".")[0])
        raise BadFile.at(path, f"this is {article} {kind} file: {remedy}.")
