"""Values that are easily misread, and what each kind of data has them mean."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa

UTC = datetime.timezone.utc


NOON = datetime.datetime(2024, 3, 31, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Case:
    """Values of a column, its SQL types, and what they mean: states and numbers with their counts, gaps."""

    values: list[Any]
    types: Mapping[str, str]
    states: Mapping[Any, int] = field(default_factory=dict)
    numbers: Mapping[float, int] = field(default_factory=dict)
    gaps: int = 0
    error: str = ""
    arrow: Any = None
    """The Arrow type, for frames."""


def types(duckdb: str = "", sqlite: str = "", postgres: str = "") -> dict[str, str]:
    found = {"duckdb": duckdb, "sqlite": sqlite, "postgres": postgres}
    return {name: kind for name, kind in found.items() if kind}


CASES = {
    "NULL": Case(["a", None, "a"], types("VARCHAR", "TEXT", "text"), {"a": 2}, gaps=1, arrow=pa.string()),
    "empty text": Case(
        ["", None, " "], types("VARCHAR", "TEXT", "text"), {"": 1, " ": 1}, gaps=1, arrow=pa.string()
    ),
    "NaN is missing": Case(
        [1.5, math.nan, None], types("DOUBLE", "REAL", "float8"), numbers={1.5: 1}, gaps=2, arrow=pa.float64()
    ),
    "NaN of single precision": Case(
        [1.5, math.nan], types("FLOAT", "", "float4"), numbers={1.5: 1}, gaps=1, arrow=pa.float32()
    ),
    "NaN of NUMERIC": Case(
        [Decimal("1.5"), Decimal("NaN")], types("", "", "numeric"), numbers={1.5: 1}, gaps=1
    ),
    "NaN of whole NUMERIC": Case(
        [Decimal(7), Decimal("NaN"), Decimal(7), None], types("", "", "numeric(10,0)"), {7: 2}, gaps=2
    ),
    "NaN of whole NUMERIC beyond 2^53": Case(
        [Decimal(2**53 + 1), Decimal("NaN")], types("", "", "numeric(38,0)"), {2**53 + 1: 1}, gaps=1
    ),
    "negative zero": Case(
        [0.0, -0.0, 1.0], types("DOUBLE", "REAL", "float8"), numbers={0.0: 2, 1.0: 1}, arrow=pa.float64()
    ),
    "infinite": Case(
        [math.inf, -math.inf, 1.0],
        types("DOUBLE", "REAL", "float8"),
        numbers={-math.inf: 1, 1.0: 1, math.inf: 1},
        arrow=pa.float64(),
    ),
    "NUMERIC with digits": Case(
        [Decimal("1.10"), Decimal("2.25")],
        types("DECIMAL(10,2)", "", "numeric(10,2)"),
        numbers={1.1: 1, 2.25: 1},
        arrow=pa.decimal128(10, 2),
    ),
    "whole NUMERIC": Case(
        [Decimal(7), Decimal(7), Decimal(-1)],
        types("DECIMAL(9,0)", "", "numeric(9,0)"),
        {7: 2, -1: 1},
        arrow=pa.decimal128(9, 0),
    ),
    "integers beyond 2^53": Case(
        [2**53, 2**53 + 1, -(2**62), None],
        types("BIGINT", "INTEGER", "int8"),
        {2**53: 1, 2**53 + 1: 1, -(2**62): 1},
        gaps=1,
        arrow=pa.int64(),
    ),
    "the largest integers": Case(
        [2**63 - 1, -(2**63)],
        types("BIGINT", "INTEGER", "int8"),
        {2**63 - 1: 1, -(2**63): 1},
        arrow=pa.int64(),
    ),
    "wide whole NUMERIC beyond 2^53": Case(
        [Decimal(2**53), Decimal(2**53 + 1), Decimal(2**53 + 1), None],
        types("DECIMAL(38,0)", "", "numeric(38,0)"),
        {2**53: 1, 2**53 + 1: 2},
        gaps=1,
    ),
    "few integers far beyond 2^53": Case(
        [2**60, 2**60 + 1, 2**60 + 1, None],
        types("HUGEINT", "INTEGER", "int8"),
        {2**60: 1, 2**60 + 1: 2},
        gaps=1,
        arrow=pa.int64(),
    ),
    "truth values": Case(
        [True, False, True, None],
        types("BOOLEAN", "BOOLEAN", "boolean"),
        {True: 2, False: 1},
        gaps=1,
        arrow=pa.bool_(),
    ),
    "padded CHAR": Case(["ab", "ab   ", "c"], types("", "", "char(5)"), {"ab": 2, "c": 1}),
    "blanks of VARCHAR": Case(
        ["ab", "ab   "], types("VARCHAR", "TEXT", "varchar(9)"), {"ab": 1, "ab   ": 1}, arrow=pa.string()
    ),
    "collations without case": Case(
        ["a", "A", "ä"],
        types("VARCHAR COLLATE NOCASE", "TEXT COLLATE NOCASE", 'text COLLATE "no case"'),
        {"a": 1, "A": 1, "ä": 1},
    ),
    "two spellings of a letter": Case(
        ["\u00e9", "e\u0301"],
        types("VARCHAR", "TEXT", "text"),
        {"\u00e9": 1, "e\u0301": 1},
        arrow=pa.string(),
    ),
    "text that looks like SQL": Case(
        ["'; DROP TABLE x; --", '"', "\\", "%s", "$1", ":v0"],
        types("VARCHAR", "TEXT", "text"),
        {"'; DROP TABLE x; --": 1, '"': 1, "\\": 1, "%s": 1, "$1": 1, ":v0": 1},
        arrow=pa.string(),
    ),
    "zoned timestamps": Case(
        [NOON, NOON.astimezone(datetime.timezone(datetime.timedelta(hours=5))), None],
        types("TIMESTAMPTZ", "", "timestamptz"),
        {NOON: 2},
        gaps=1,
        arrow=pa.timestamp("us", "UTC"),
    ),
    "timestamps and dates": Case(
        [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)],
        types("TIMESTAMP", "", "timestamp"),
        {datetime.datetime(1969, 12, 31, 23, 59, 59, 999999): 1},
        arrow=pa.timestamp("us"),
    ),
    "dates": Case(
        [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)],
        types("DATE", "", "date"),
        {datetime.date(1, 1, 1): 1, datetime.date(9999, 12, 31): 1},
        arrow=pa.date32(),
    ),
    "lists": Case(
        [[1, 2], [3]],
        types("INTEGER[]", "", "int4[]"),
        error="'x'.*(neither|cannot be a state)",
        arrow=pa.list_(pa.int64()),
    ),
    "JSON": Case(
        ['{"a": 1}'], types("STRUCT(a INTEGER)", "", "jsonb"), error="'x'.*neither states nor numbers"
    ),
    "bytes": Case([b"\0\1"], types("BLOB", "BLOB", "bytea"), error="'x'.*neither"),
    "durations of months": Case(
        [datetime.timedelta(days=1)],
        types("INTERVAL", "", "interval"),
        error="'x'.*neither states nor numbers",
    ),
    "dates as text": Case(
        ["2024-02-29", "NA", None, " 2024-02-29 ", "2024-03-01"],
        types("VARCHAR", "TEXT", "text"),
        {datetime.date(2024, 2, 29): 2, datetime.date(2024, 3, 1): 1},
        gaps=2,
        arrow=pa.string(),
    ),
    "dates as text, some with a time": Case(
        ["2024-02-29", "2024-02-29 12:30"],
        types("VARCHAR", "TEXT", "varchar(40)"),
        {datetime.datetime(2024, 2, 29): 1, datetime.datetime(2024, 2, 29, 12, 30): 1},
        arrow=pa.string(),
    ),
    "points in time with zones of every spelling": Case(
        ["2024-03-31 14:00:00+02", "2024-03-31T12:00Z", "2024-03-31 17:00:00.000000000+0500", "NA"],
        types("VARCHAR", "TEXT", "text"),
        {NOON: 3},
        gaps=1,
        arrow=pa.string(),
    ),
    "nanoseconds that are none": Case(
        ["2024-02-29T12:30:00.000000000", "2024-02-29 12:30:00.25", "2024-02-29 12:30"],
        types("VARCHAR", "TEXT", "text"),
        {
            datetime.datetime(2024, 2, 29, 12, 30): 2,
            datetime.datetime(2024, 2, 29, 12, 30, 0, 250_000): 1,
        },
        arrow=pa.string(),
    ),
    "nanoseconds stay text": Case(
        ["2024-02-29T12:30:00.000000001", "2024-02-29T12:30:00.000000002"],
        types("VARCHAR", "TEXT", "text"),
        {"2024-02-29T12:30:00.000000001": 1, "2024-02-29T12:30:00.000000002": 1},
        arrow=pa.string(),
    ),
    "a text among dates": Case(
        ["2024-02-29", "2024-02-30", None],
        types("VARCHAR", "TEXT", "text"),
        {"2024-02-29": 1, "2024-02-30": 1},
        gaps=1,
        arrow=pa.string(),
    ),
    "amounts as text": Case(
        ["$5.50", "12k", "$5.50", "", None, "7"],
        types("VARCHAR", "TEXT", "text"),
        numbers={5.5: 2, 7.0: 1, 12000.0: 1},
        gaps=2,
        arrow=pa.string(),
    ),
    "plain numbers as text": Case(
        ["1", "2.5", "-3"], types("VARCHAR", "TEXT", "text"), {"1": 1, "2.5": 1, "-3": 1}, arrow=pa.string()
    ),
    "mixed types": Case([1, "a", 2.5, 1], types("", "BLOB", ""), {1: 2, "a": 1, 2.5: 1}),
}
