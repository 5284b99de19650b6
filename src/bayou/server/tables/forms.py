"""The requests and answers about uploaded tables."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from bayou.server.messages import Message, Value

MOST_ROWS_OF_A_PAGE = 1000

ColumnKind = Literal["states", "whole numbers", "numbers"]
"""Texts, truth values and dates are states; whole numbers may be states or quantities."""


class ValueCount(Message):
    """A value of a column, and how many rows have it."""

    value: Any
    rows: int


class TableColumn(Message, omit_defaults=True):
    """A column: its kind, its gaps, and its values, the most frequent first (at most 50 of them)."""

    name: Any
    kind: ColumnKind
    gaps: int
    distinct: int
    values: list[ValueCount]
    least: float | None = None
    greatest: float | None = None


class TableFinding(Message):
    """A problem that the doctor found; ``sentence`` says it whole, ``fix`` is a line of pandas."""

    severity: Literal["error", "warning", "note"]
    check: str
    column: Any
    sentence: str
    rows: list[int]
    fix: str


class DoctorsReport(Message):
    """What ``bayou check`` says: a heading, a line about gaps, and findings, the most severe first."""

    ok: bool
    heading: str
    gaps: str
    target: Any
    rows_checked: int
    findings: list[TableFinding]


class UploadedTable(Message):
    """An uploaded table: its id, its size, its columns and the doctor's report."""

    table: str
    format: Literal["text", "JSON lines", "Parquet", "Arrow", "case file"]
    bytes: int
    rows: int
    columns: list[TableColumn]
    report: DoctorsReport


class TableRowsRequest(Message):
    """Which rows of which columns (none: all)."""

    first: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=MOST_ROWS_OF_A_PAGE)] = 100
    columns: list[Value] | None = None


class TableRowsAnswer(Message):
    """Some rows, each with its values in the order of ``columns``; null is a gap."""

    first: int
    rows_in_all: int
    columns: list[Any]
    rows: list[list[Any]]
