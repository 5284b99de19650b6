"""What worker processes do with uploaded tables: unpack and describe them, give rows."""

from __future__ import annotations

import gzip
import os
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadFile
from bayou.files.first_bytes import packed_kind
from bayou.server.messages import Message, Value, encoded, plain
from bayou.server.operations.operation import Operation
from bayou.server.problems import Problem
from bayou.server.tables.forms import (
    ColumnKind,
    DoctorsReport,
    TableColumn,
    TableFinding,
    TableRowsAnswer,
    TableRowsRequest,
    UploadedTable,
    ValueCount,
)
from bayou.server.tables.table_file import TableFile
from bayou.sources.files.case_text import MARK

if TYPE_CHECKING:
    from bayou.data_checks.report import Finding
    from bayou.sources.tables.columns import Column

MOST_VALUES = 50
_BLOCK = 1 << 20
_STREAM_MARK = b"\xff\xff\xff\xff"
_ENDINGS = {
    "text": ".csv",
    "JSON lines": ".jsonl",
    "Parquet": ".parquet",
    "Arrow": ".arrow",
    "case file": ".cas",
}
_REFUSED = {
    "zip": "It is a zip archive: unpack it first.",
    "bzip2": "It is packed by bzip2: unpack it first, or pack it by gzip.",
    "xz": "It is packed by xz: unpack it first, or pack it by gzip.",
    "zstd": "It is packed by zstd: unpack it first, or pack it by gzip.",
    "Excel": "It is a sheet of Excel: save it as CSV (UTF-8).",
}


class ReadTable(Message):
    """What a worker is told about bytes that have arrived: the id of the table, and what it may take."""

    table: str
    most_bytes: int


class ReadTableAnswer(Message):
    """The ending of the file that the bytes were put into, and what is in it."""

    ending: str
    answer: UploadedTable


class DescribeTable(Message):
    """The id of the table, and the column that is to be predicted, if there is one."""

    table: str
    target: Value | None = None


def read_table(received: str, request: ReadTable) -> ReadTableAnswer:
    """Unpack the bytes beside themselves, under a name that tells their format, and describe the table."""
    place = unpacked_table(Path(received), request.most_bytes)
    try:
        return ReadTableAnswer(place.suffix, described(TableFile(str(place)), request.table, None))
    except Exception:
        place.unlink(missing_ok=True)
        raise


def unpacked_table(source: Path, most_bytes: int) -> Path:
    """Unpack bytes that have arrived, under a name that tells their format; return the new file."""
    unpacked = source.with_suffix(".unpacked")
    with source.open("rb") as file:
        packed = packed_kind(file.read(8))
    if packed in _REFUSED:
        raise BadFile(f"The table cannot be read. {_REFUSED[packed]}")
    if packed == "gzip":
        _unpack(source, unpacked, most_bytes)
    else:
        os.replace(source, unpacked)
    with unpacked.open("rb") as file:
        ending = _ENDINGS[format_of(file.read(4096))]
    place = unpacked.with_suffix(ending)
    os.replace(unpacked, place)
    return place


def _unpack(source: Path, target: Path, most: int) -> None:
    """Unpack a file, up to so many bytes: a small file can stand for a very large one."""
    size = 0
    try:
        with gzip.open(source, "rb") as packed, target.open("wb") as file:
            while block := packed.read(_BLOCK):
                size += len(block)
                if size > most:
                    raise Problem(
                        413, "too-large", f"Unpacked, the table has more than {most // 2**20} MB: send less."
                    )
                file.write(block)
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile(f"The packed table is damaged: {error}.") from None
    finally:
        source.unlink(missing_ok=True)


def format_of(start: bytes) -> Any:
    """The format of a table by its first bytes; what is no other format is text.

    >>> format_of(b'{"a": 1}'), format_of(b"a,b"), format_of(b"PAR1")
    ('JSON lines', 'text', 'Parquet')
    """
    if start.startswith(_STREAM_MARK) or packed_kind(start) == "Arrow":
        return "Arrow"
    if packed_kind(start) == "Parquet":
        return "Parquet"
    if start.startswith(MARK):
        return "case file"
    return "JSON lines" if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "text"


def describe(table: TableFile, request: DescribeTable) -> UploadedTable:
    """The columns of a table, and the doctor's report, with what concerns the target."""
    return described(table, request.table, request.target)


def described(table: TableFile, name: str, target: Value | None) -> UploadedTable:
    """The table as an answer."""
    from bayou.data_checks import check

    try:
        columns = table.columns
        aim = None if target is None else table.known_name(target)
        report = check(columns, aim)
    except BadFile as error:
        raise BadFile(table.without_path(str(error))) from None
    path = Path(table.path)
    with path.open("rb") as file:
        shown = format_of(file.read(4096))
    found = [_column(each, columns[each]) for each in columns.names]
    doctor = DoctorsReport(
        report.ok,
        report.heading,
        report.gaps,
        plain(report.target),
        report.rows,
        [_finding(each) for each in report],
    )
    return UploadedTable(name, shown, path.stat().st_size, columns.rows, found, doctor)


def _finding(found: Finding) -> TableFinding:
    column = None if found.column is None else encoded(found.column)
    return TableFinding(found.severity, found.check, column, str(found), list(found.rows), found.fix)


def _column(name: Any, column: Column) -> TableColumn:
    from bayou.sources.tables.columns import NumberColumn

    coded = column.coded() if isinstance(column, NumberColumn) else column
    used = coded.codes[coded.codes != coded.missing_code]
    counts = Counter(dict(enumerate(np.bincount(used, minlength=len(coded.labels)).tolist())))
    values = [
        ValueCount(encoded(coded.labels[code]), rows)
        for code, rows in counts.most_common(MOST_VALUES)
        if rows
    ]
    distinct, gaps = sum(rows > 0 for rows in counts.values()), len(coded) - len(used)
    if not isinstance(column, NumberColumn):
        return TableColumn(encoded(name), "states", gaps, distinct, values)
    kind: ColumnKind = "whole numbers" if column.kind == "int" else "numbers"
    finite = column.values[np.isfinite(column.values)]
    ends = (float(finite.min()), float(finite.max())) if len(finite) else (None, None)
    return TableColumn(encoded(name), kind, gaps, distinct, values, *ends)


def table_rows(table: TableFile, request: TableRowsRequest) -> TableRowsAnswer:
    """Some rows of a table."""
    columns = table.columns
    names = (
        list(columns.names)
        if request.columns is None
        else [table.known_name(value) for value in request.columns]
    )
    last = min(request.first + request.count, columns.rows)
    cells = [table.cells(name, request.first, last) for name in names]
    rows = [list(row) for row in zip(*cells, strict=True)]
    return TableRowsAnswer(request.first, columns.rows, [encoded(name) for name in names], rows)


READ_TABLE = Operation(
    "read-table", "Read an uploaded table", ReadTable, ReadTableAnswer, read_table, opens=str
)
DESCRIBE_TABLE = Operation(
    "describe-table",
    "A table and the doctor's report",
    DescribeTable,
    UploadedTable,
    describe,
    opens=TableFile,
)
TABLE_ROWS = Operation(
    "table-rows", "Some rows of a table", TableRowsRequest, TableRowsAnswer, table_rows, opens=TableFile
)
"""Operations for worker processes: the addresses are those of ``table_routes``."""
