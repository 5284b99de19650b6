"""The meaning of each type of Spark: as if its rows were an Arrow table in memory, or a named error."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from tests.spark.java import frame_of, session

from bayou.errors import BadData, UnknownVariable
from bayou.sources import open_source, read_columns
from bayou.statistics import CountTable, MissingCounts, NumberSummary, ValueHistogram

MOMENT = datetime.datetime(2024, 2, 29, 12, 30)
COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "truth": ("boolean", [True, False, None, True, True]),
    "only true": ("boolean", [True, True, None, True, True]),
    "byte": ("tinyint", [1, -1, None, 1, 2]),
    "long beyond floats": ("bigint", [2**53 + 1, 2**53 + 3, None, 2**53 + 1, 0]),
    "float": ("float", [1.5, -0.0, None, float("inf"), 0.0]),
    "double": ("double", [1.25, float("nan"), None, 2.5, 1.25]),
    "whole doubles with gaps": ("double", [1.0, None, 3.0, 1.0, 1.0]),
    "whole doubles": ("double", [1.0, 2.0, 3.0, 1.0, 1.0]),
    "decimal": ("decimal(9,2)", [Decimal("1.25"), None, Decimal("2.50"), Decimal("1.25"), Decimal("0.00")]),
    "whole decimal": ("decimal(9,0)", [Decimal(1), None, Decimal(2), Decimal(1), Decimal(7)]),
    "text": ("string", ["x", "", None, "ä, 'b'", "x"]),
    "dates as text": ("string", ["2024-02-29", None, "2023-01-01", "2024-02-29", "2022-01-01"]),
    "money": ("string", ["$5", "$6.50", None, "$5", "$7"]),
    "dates at first": ("string", ["2024-02-29", None, "2023-01-01", "2024-02-29", "none of these"]),
    "date": ("date", [datetime.date(2024, 2, 29), None, datetime.date(1969, 1, 1), None, None]),
    "local time": ("timestamp_ntz", [MOMENT, None, MOMENT, None, MOMENT + datetime.timedelta(1)]),
    "zoned time": ("timestamp", [MOMENT, None, MOMENT, None, MOMENT + datetime.timedelta(1)]),
    "empty": ("string", [None] * 5),
}


@pytest.fixture(scope="module")
def frame() -> Any:
    table = {name: values for name, (_, values) in COLUMNS.items()}
    return frame_of(table, ", ".join(kind for kind, _ in COLUMNS.values()))


@pytest.mark.parametrize("by_sql", [False, True])
def test_each_type_means_what_it_means_in_memory(by_sql: bool, frame: Any) -> None:
    source, in_memory = open_source(frame), open_source(frame.toArrow())
    source.counts_by_sql = by_sql
    names = [name for name in COLUMNS if name != "empty"]
    expected = {name: in_memory.variable(name) for name in names}
    requests: list[Any] = [MissingCounts((name,)) for name in names]
    for name in names:
        requests.append(ValueHistogram(name) if expected[name].is_continuous else CountTable((name,)))
    requests += [NumberSummary(name) for name in names if in_memory.has_numbers(name)]
    found, wanted = source.collect(requests), in_memory.collect(requests)
    assert found.rows == wanted.rows == 5
    for request in requests:
        assert found[request] == wanted[request]
    for name in names:
        assert source.variable(name) == expected[name]
        assert source.is_continuous(name) == in_memory.is_continuous(name)
        assert source.has_numbers(name) == in_memory.has_numbers(name)
    with pytest.raises(BadData, match="has no value at all"):
        source.variable("empty")
    (batch,), (own,) = source.batches(list(expected.values())), in_memory.batches(list(expected.values()))
    for column, theirs in ((batch.codes, own.codes), (batch.numbers, own.numbers)):
        ours = {name: repr(values.tolist()) for name, values in column.items()}
        assert ours == {name: repr(values.tolist()) for name, values in theirs.items()}


def test_all_rows_in_memory(frame: Any) -> None:
    table, expected = read_columns(frame), read_columns(frame.toArrow())
    assert table.names == expected.names
    for name in table.names:
        assert table.coded(name).values() == expected.coded(name).values(), name


@pytest.mark.parametrize("kind", ["array<int>", "map<string, int>", "struct<a: int>", "binary"])
def test_other_types_are_refused_by_name_and_can_be_left_out(kind: str) -> None:
    frame = session().sql(f"select 1 as a, cast(null as {kind}) as odd")
    with pytest.raises(BadData, match="odd"):
        open_source(frame).variable("odd")
    assert open_source(frame, names=["a"]).variable("a").states == (1,)


def test_names_that_spark_would_misread() -> None:
    columns = {"a.b": ["x", "y"], "A": ["u", "v"], "a": ["p", "q"], "`c` d": [1, 2], "": [3, 4]}
    frame = frame_of(columns, "string, string, string, int, int", 1)
    source = open_source(frame)
    for name, values in columns.items():
        assert list(source.variable(name).states) == values
    with pytest.raises(UnknownVariable, match="Did you mean 'a'"):
        open_source(frame, names=["aa"])
    twice = frame_of({"a": [1]}, "int", 1)
    with pytest.raises(BadData, match="Two columns are called 'a'"):
        open_source(twice.join(twice.withColumnRenamed("a", "b"), how="cross").withColumnRenamed("b", "a"))


def test_no_rows() -> None:
    frame = frame_of({"a": [], "x": []}, "string, double")
    source = open_source(frame)
    assert source.collect([CountTable(("a",)), CountTable(())]).rows == 0
    assert source.is_continuous("x")
    with pytest.raises(BadData, match="the table has no rows"):
        source.variable("a")


def test_weights_are_a_column() -> None:
    table = {"a": ["x", "y", "x", "x"], "w": [1.5, 2.0, 0.25, 0.0]}
    frame = frame_of(table, "string, double")
    expected = open_source(table, weights="w").collect([CountTable(("a",))])
    for by_sql in (False, True):
        source = open_source(frame, weights="w")
        source.counts_by_sql = by_sql
        found = source.collect([CountTable(("a",))])
        assert found.rows == expected.rows
        assert found[CountTable(("a",))] == expected[CountTable(("a",))]
    with pytest.raises(BadData, match="must be the name of one of its columns"):
        open_source(frame, weights=[1, 2, 3, 4])
    with pytest.raises(UnknownVariable):
        open_source(frame, weights="ww")
