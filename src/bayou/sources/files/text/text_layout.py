"""The layout of a CSV or TSV file: its separator and the names in its first record."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field

from bayou.errors import BadData, BadFile
from bayou.sources.files.file_options import FileOptions
from bayou.sources.files.text.text_sample import text_sample
from bayou.sources.tables.column_names import name_index
from bayou.typing import Name

_SAMPLE = 1 << 20
"""Bytes of the file that are inspected."""
_RECORDS = 50
"""Records that decide the separator."""
_HEAD = 2_000
"""Records that are kept to judge the columns by."""
_FIRST_LOOK = 1 << 16
"""Bytes in which the first record of further files is looked for."""
_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class TextLayout:
    """The separator, the column names, whether there is a header, and the first records of a text file."""

    separator: str
    names: tuple[Name, ...]
    has_header: bool
    blank_lines: int
    """Empty lines above the first record."""
    head: list[list[str]] = field(repr=False)
    bytes_per_row: float = 1.0
    """About how many bytes a record has in the file, unpacked."""

    def first_values(self, position: int) -> list[str]:
        """The distinct values of a column in the first records, without empty fields."""
        seen = dict.fromkeys(record[position] for record in self.head if position < len(record))
        return [value for value in seen if value]


def text_layout(
    path: str, compression: str, options: FileOptions, columns: Sequence[Name] | None = None
) -> TextLayout:
    """Infer the layout from the start of a file; ``columns`` names the columns of a file without a header.

    The separator (comma, semicolon, tab or bar; tab in a .tsv file) is the one that splits the first record
    into the most fields; one that gives every one of the first records the same number of fields comes first.
    """
    text, complete = text_sample(path, compression, _SAMPLE)
    if not text.strip():
        raise BadFile.at(path, "the file is empty; a first line with the column names was expected.")
    separator = options.sep or _separator(path, text, complete, options)
    records, size = _split(path, text, separator, complete, _HEAD)
    blank, header = _blank_lines(text), records[0]
    width = size / max(1, len(records))
    if columns is not None:
        if len(columns) != len(header):
            raise BadFile.at(
                path, f"columns= gives {len(columns)} names, but the file has {len(header)} columns.", 1
            )
        name_index(columns)
        return TextLayout(separator, tuple(columns), False, blank, records, width)
    try:
        name_index(header)
    except BadData as problem:
        raise BadFile.at(path, str(problem), 1) from None
    return TextLayout(separator, tuple(header), True, blank, records[1:], width)


def first_record(path: str, compression: str, separator: str) -> tuple[list[str], int]:
    """The fields of a file's first record, and the number of empty lines above it."""
    for size in (_FIRST_LOOK, _SAMPLE):
        text, complete = text_sample(path, compression, size)
        if not text.strip():
            raise BadFile.at(path, "the file is empty; a first line with the column names was expected.")
        if complete or "\n" in text.strip() or size == _SAMPLE:
            break
    return _split(path, text, separator, True, 1)[0][0], _blank_lines(text)


def _separator(path: str, text: str, complete: bool, options: FileOptions) -> str:
    is_tabbed = ".tsv" in path.lower().rpartition("/")[2]
    choices = ("\t",) if is_tabbed else tuple(each for each in _SEPARATORS if each != options.decimal)
    best: tuple[bool, int] = (False, 0)
    chosen = choices[0]
    for separator in choices:
        records, _ = _split(path, text, separator, complete, _RECORDS)
        widths = {len(record) for record in records}
        rating = (len(widths) == 1 and len(records[0]) > 1, len(records[0]))
        if rating > best:
            best, chosen = rating, separator
    return chosen


def _blank_lines(text: str) -> int:
    blank = text[: len(text) - len(text.lstrip("\r\n"))]
    return len(blank.replace("\r\n", "\n"))


def _split(path: str, text: str, separator: str, complete: bool, limit: int) -> tuple[list[list[str]], float]:
    """The first records, at most ``limit``, and how many characters of the text they take."""
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=separator)
    records: list[list[str]] = []
    # The whole sample may be one field. The limit holds for the whole program, so it is set back.
    usual = csv.field_size_limit(_SAMPLE)
    try:
        for record in reader:
            if record:
                records.append(record)
            if len(records) == limit:
                return records, stream.tell()
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
    return records if complete else records[:-1], len(text)
