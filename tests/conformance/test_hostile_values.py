"""Values that databases and files hold, easily misread: each has one meaning, or an error names it.

A kind of source is a function that makes a source of one column "x" from a case, or returns None where it
cannot hold such values; it is entered in KINDS, and every case runs on it.
"""

from __future__ import annotations

import datetime
import json
import math
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from tests.postgres_server import server

import bayou
from bayou.errors import BadData, BayouError
from bayou.sources import open_source
from bayou.sources.files import file_source
from bayou.statistics import CountTable, MissingCounts, Moments, ValueHistogram

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
ROWS_AT_ONCE = 1
"""Files and streams are read a row at a time, so that later rows decide what earlier ones mean."""


def _duckdb(transport: str, case: Case) -> Any:
    if "duckdb" not in case.types:
        return None
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE hostile (x {case.types['duckdb']})")
    values = [{"a": 1}] if case.types["duckdb"].startswith("STRUCT") else case.values
    connection.executemany("INSERT INTO hostile VALUES (?)", [[value] for value in values])
    return bayou.from_sql("hostile", connection, transport=transport)


def _sqlite(transport: str, case: Case) -> Any:
    if "sqlite" not in case.types:
        return None
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE hostile (x {case.types['sqlite']})")
    connection.executemany("INSERT INTO hostile VALUES (?)", [[value] for value in case.values])
    connection.commit()
    return bayou.from_sql("hostile", connection, transport=transport)


def _postgres(transport: str, case: Case) -> Any:
    if "postgres" not in case.types:
        return None
    collation = "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    server().run(f'CREATE COLLATION IF NOT EXISTS "no case" {collation}')
    name = server().make_table({"x": case.types["postgres"]}, [[value] for value in case.values])
    return bayou.from_sql(name, server().url(), transport=transport)


def _typed(arrow: Any, values: list[Any]) -> pa.Table:
    return pa.table({"x": pa.array(values, arrow)})


def _file(ending: str, case: Case) -> Any:
    """The values in a file with types, which is read some rows at a time."""
    if case.arrow is None:
        return None
    path = Path(tempfile.mkdtemp()) / f"hostile.{ending}"
    table = _typed(case.arrow, case.values)
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, path, compression="uncompressed", chunksize=ROWS_AT_ONCE)
    return open_source(path)


def _json_lines(case: Case) -> Any:
    plain = (str, bool, int, list, type(None))
    if case.arrow is None or not all(type(value) in plain for value in case.values):
        return None
    path = Path(tempfile.mkdtemp()) / "hostile.jsonl"
    path.write_text("".join(json.dumps({"x": value, "y": 1}) + "\n" for value in case.values))
    return open_source(path)


def _relation(case: Case) -> Any:
    if case.arrow is None:
        return None
    table = _typed(case.arrow, case.values)
    return open_source(duckdb.connect().from_arrow(table))


def _batches(case: Case) -> Any:
    """Batches that say the types of their columns, as Arrow's do; what texts spell is seen in each alone."""
    if case.arrow is None or pa.types.is_string(case.arrow):
        return None
    return open_source(bayou.from_batches([_typed(case.arrow, [value]) for value in case.values]))


def _frame(made: Callable[[Any], Any], case: Case) -> Any:
    if case.arrow is None:
        return None
    return open_source(made(pa.table({"x": pa.array(case.values, case.arrow)})))


KINDS: dict[str, Callable[[Case], Any]] = {
    **{
        f"{name}, {transport}": (lambda case, make=make, transport=transport: make(transport, case))
        for name, make in (("duckdb", _duckdb), ("sqlite", _sqlite), ("postgres", _postgres))
        for transport in ("cells", "rows")
    },
    "arrow": lambda case: _frame(lambda table: table, case),
    "polars": lambda case: _frame(pl.from_arrow, case),
    "pandas": lambda case: _frame(lambda table: table.to_pandas(types_mapper=pd.ArrowDtype), case),
    "Parquet": lambda case: _file("parquet", case),
    "Parquet, streamed": lambda case: _file("parquet", case),
    "Arrow file, streamed": lambda case: _file("arrow", case),
    "JSON lines": _json_lines,
    "JSON lines, streamed": _json_lines,
    "duckdb relation": _relation,
    "batches": _batches,
}


@pytest.fixture(autouse=True)
def _few_rows_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.callspec.params["kind"].endswith("streamed"):
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
        monkeypatch.setattr(file_source, "BATCH_ROWS", ROWS_AT_ONCE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_each_value_has_one_meaning(name: str, kind: str) -> None:
    case, source = CASES[name], KINDS[kind](CASES[name]) if not CASES[name].error else None
    if case.error:
        with pytest.raises(BayouError, match=case.error):
            _refused(kind, case)
        return
    if source is None:  # this kind of source has no such values
        return
    asked = ValueHistogram("x") if case.numbers else CountTable(("x",))
    found = source.collect([MissingCounts(("x",)), asked])
    gaps = found[MissingCounts(("x",))]
    assert (gaps.rows, gaps.gaps) == (len(case.values), (case.gaps,))
    if case.numbers:
        values = found[ValueHistogram("x")]
        assert dict(zip(values.values.tolist(), values.weights.tolist(), strict=True)) == case.numbers
        assert source.is_continuous("x")
    else:
        counts = found[CountTable(("x",))]
        states = dict(zip(counts.axes[0].states, counts.values.tolist(), strict=True))
        assert states == case.states
        assert {type(state) for state in states} == {type(state) for state in case.states}


def _refused(kind: str, case: Case) -> None:
    """Read a column that cannot be read."""
    source = KINDS[kind](case)
    if source is None:
        raise BadData("'x' is neither states nor numbers: this kind of source has no such values")
    source.collect([CountTable(("x",))])


@pytest.mark.parametrize("kind", KINDS)
def test_infinite_numbers_have_no_mean(kind: str) -> None:
    source = KINDS[kind](CASES["infinite"])
    if source is None:  # JSON has no infinite numbers
        return
    with pytest.raises(BadData, match=r"'x'.*infinite"):
        source.collect([Moments(("x",))])
