"""A large table of PostgreSQL is read over two connections, which see one state of the data."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from tests.postgres_server import server

import bayou
from bayou.errors import BadData
from bayou.sources.databases.drivers import psycopg_driver
from bayou.sources.databases.drivers.same_state import same_state

ROWS = 40_000


@pytest.fixture(scope="module")
def table() -> str:
    name = server().make_table({"a": "int4", "b": "text", "x": "float8"}, [(1, "x", 0.5)])
    values = "i % 5, CASE i % 7 WHEN 0 THEN NULL ELSE chr(97 + i % 3) END, i"
    server().run(f"INSERT INTO {name} SELECT {values} FROM generate_series(1, {ROWS - 1}) i")
    return name


@pytest.fixture(autouse=True)
def many_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psycopg_driver, "_PAGES_AT_ONCE", 3)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The second connections that were opened."""
    made: list[Any] = []

    def counted(driver: Any) -> Any:
        connect = driver.connect_again

        def connecting() -> Any:
            made.append(connect())
            return made[-1]

        driver.connect_again = connect and connecting
        return same_state(driver)

    monkeypatch.setattr(psycopg_driver, "same_state", counted)
    return made


def test_rows_keep_their_order(table: str, opened: list[Any]) -> None:
    with (
        bayou.from_sql(table, server().url(), transport="rows") as rows,
        psycopg.connect(server().url()) as other,
    ):
        found = [x for part in rows.tables() for x in part.columns["x"].values.tolist()]
        alone = bayou.from_sql(table, other, transport="rows")
        expected = [x for part in alone.tables() for x in part.columns["x"].values.tolist()]
    assert found == expected == [0.5, *map(float, range(1, ROWS))]
    assert len(opened) == 1
    assert opened[0].closed


def test_both_connections_see_one_state(table: str, opened: list[Any]) -> None:
    """Rows that others add or delete while the table is read are not seen."""
    with bayou.from_sql(table, server().url(), transport="rows") as source:
        parts = source.tables()
        total = next(parts).rows
        server().run(f"DELETE FROM {table} WHERE x > 30000", f"INSERT INTO {table} VALUES (9, 'new', -1)")
        try:
            total += sum(part.rows for part in parts)
        finally:
            server().run(f"DELETE FROM {table} WHERE a = 9")
            values = "i % 5, CASE i % 7 WHEN 0 THEN NULL ELSE chr(97 + i % 3) END, i"
            server().run(f"INSERT INTO {table} SELECT {values} FROM generate_series(30001, {ROWS - 1}) i")
    assert total == ROWS
    assert len(opened) == 1


def test_models_are_the_same(table: str, opened: list[Any]) -> None:
    with bayou.from_sql(f"{table}", server().url(), transport="rows") as rows:
        two = bayou.Network("a -> b; a -> x").fit(rows, method="count")
    assert opened
    with bayou.threads(1), bayou.from_sql(table, server().url(), transport="rows") as rows:
        one = bayou.Network("a -> b; a -> x").fit(rows, method="count")
    assert len(opened) == 1
    assert one.same_as(two)


def test_a_server_without_another_connection_is_read_over_one(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(driver: Any) -> Any:
        def connecting() -> Any:
            raise psycopg.OperationalError("FATAL: too many connections for role")

        driver.connect_again = connecting
        return same_state(driver)

    monkeypatch.setattr(psycopg_driver, "same_state", refused)
    with bayou.from_sql(table, server().url(), transport="rows") as rows:
        assert sum(part.rows for part in rows.tables()) == ROWS


def test_a_second_connection_that_is_lost_is_an_error(table: str, opened: list[Any]) -> None:
    with bayou.from_sql(table, server().url(), transport="rows") as source:
        parts = source.tables()
        next(parts)
        next(parts)
        server().run(f"SELECT pg_terminate_backend({opened[0].info.backend_pid})")
        with pytest.raises(BadData, match=f"The table {table} could not be read"):
            list(parts)
