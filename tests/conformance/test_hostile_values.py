"""Values that databases and files hold, easily misread: each has one meaning, or an error names it.

A kind of source is a function that makes a source of one column "x" from a case, or returns None where it
cannot hold such values; it is entered in KINDS, and every case runs on it.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from tests.conformance.hostile_values import CASES, Case
from tests.postgres_server import server

import bayou
from bayou.errors import BadData, BayouError
from bayou.sources import open_source
from bayou.sources.files import file_source
from bayou.statistics import CountTable, MissingCounts, Moments, ValueHistogram

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
