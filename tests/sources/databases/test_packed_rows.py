"""PostgreSQL's packed rows: ranges guessed from the first rows are noticed where they do not hold."""

from __future__ import annotations

from typing import Any

import pytest
from tests.postgres_server import server

import bayou
from bayou.errors import BadData
from bayou.sources.databases.drivers import packing, psycopg_driver
from bayou.sources.databases.drivers.packed_columns import WholeRange
from bayou.sources.databases.drivers.packing import Packing

FIRST: list[Any] = [k % 4 for k in range(2000)]
LATER: dict[str, tuple[str, list[Any]]] = {
    "the same": ("int2", [3, 0, 1]),
    "larger": ("int2", [32767, 5, 4]),
    "far below": ("int2", [-32768, -1, 2]),
    "missing": ("int4", [None, 1, None]),
    "missing and larger": ("int4", [None, 70_000, 9]),
    "extremes of int4": ("int4", [-(2**31), 2**31 - 1, None]),
    "int8": ("int8", [2**40, None, -(2**40)]),
    "numeric": ("numeric(12, 0)", [10**11, 17, None]),
}


@pytest.mark.parametrize("sources", ["table", "query"])
def test_numbers_beyond_the_range_of_the_first_rows_are_read(
    monkeypatch: pytest.MonkeyPatch, sources: str
) -> None:
    monkeypatch.setattr(packing, "_TRIAL", 50)
    monkeypatch.setattr(psycopg_driver, "_PAGES_AT_ONCE", 4)
    data = {name: FIRST + later + FIRST for name, (_, later) in LATER.items()}
    kinds = {name: kind for name, (kind, _) in LATER.items()}
    name = server().make_table(kinds, list(zip(*data.values(), strict=True)))
    query = name if sources == "table" else f"SELECT * FROM {name}"
    with bayou.from_sql(query, server().url(), transport="rows") as source:
        tables = list(source.tables())
    assert sources == "query" or len(tables) > 3
    for column, expected in data.items():
        got = [value for table in tables for value in table.columns.numbers(column).tolist()]
        assert [None if value != value else int(value) for value in got] == expected, column


def test_a_row_that_is_wrong_in_one_column_and_missing_in_another_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The check of a row must not become NULL where one of its columns is."""
    monkeypatch.setattr(packing, "_TRIAL", 50)
    rows: list[tuple[Any, ...]] = [(k % 2, None if k == 5 else k % 2) for k in range(100)]
    name = server().make_table({"a": "int2", "b": "int2"}, [*rows, (9, None), (None, 9)])
    with bayou.from_sql(name, server().url(), transport="rows") as source:
        (table,) = source.tables()
    assert table.columns.numbers("a").tolist()[:-1] == [*(row[0] for row in rows), 9]
    assert table.columns.numbers("b").tolist()[-1] == 9


def test_a_table_that_changes_between_statements_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it may in a READ COMMITTED transaction of the user: here each look at the ranges comes too early."""
    monkeypatch.setattr(packing, "_TRIAL", 50)
    name = server().make_table({"a": "int2"}, [(k % 2,) for k in range(100)] + [(9,)])
    monkeypatch.setattr(Packing, "ranges", lambda self, columns: {c.name: WholeRange(0, 1) for c in columns})
    with (
        bayou.from_sql(name, server().url(), transport="rows") as source,
        pytest.raises(BadData, match="changed while it is read"),
    ):
        list(source.tables())
