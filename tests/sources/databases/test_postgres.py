"""PostgreSQL: the user's session and transaction are left as they were, and one fit sees one state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import psycopg2
import pytest
from tests.postgres_server import server

import bayou
from bayou.errors import BadData
from bayou.sources.databases.drivers import packing
from bayou.statistics import CountTable, MissingCounts, Moments, PairCounts

ROWS = [(k % 3, "xyz"[k % 2], k * 0.5 if k % 7 else None, k % 5 == 0) for k in range(400)]
COLUMNS = {"a": "int4", "b": "text", "c": "float8", "d": "boolean"}
TABLE = {name: [row[k] for row in ROWS] for k, name in enumerate(COLUMNS)}
REQUESTS = [
    CountTable(("a", "b")),
    PairCounts(("a", "b", "d")),
    Moments(("c",), ("b",)),
    MissingCounts(("c",)),
]


@pytest.fixture(scope="module")
def table() -> str:
    return server().make_table(COLUMNS, ROWS)


@pytest.fixture(params=["psycopg", "psycopg, autocommit", "psycopg2", "psycopg2, autocommit"])
def connection(request: pytest.FixtureRequest) -> Iterator[Any]:
    package = psycopg2 if request.param.startswith("psycopg2") else psycopg
    opened = package.connect(server().url())
    opened.autocommit = request.param.endswith("autocommit")
    yield opened
    opened.close()


def settings(connection: Any) -> list[tuple[Any, ...]]:
    cursor = connection.cursor()
    cursor.execute("SELECT name, setting FROM pg_catalog.pg_settings WHERE name NOT LIKE 'transaction%%'")
    return sorted(cursor.fetchall())


def status(connection: Any) -> int:
    return int(connection.info.transaction_status)


@pytest.mark.parametrize("transport", ["auto", "cells", "rows"])
def test_a_connection_is_left_as_it_was(table: str, connection: Any, transport: Any) -> None:
    before = settings(connection)
    connection.rollback()
    found = bayou.from_sql(table, connection, transport=transport).collect(REQUESTS)
    assert status(connection) == 0
    expected = bayou.sources.open_source(TABLE).collect(REQUESTS)
    assert all(
        found[request] == expected[request] for request in REQUESTS if not isinstance(request, Moments)
    )
    assert np.allclose(found[REQUESTS[2]].scatter, expected[REQUESTS[2]].scatter, rtol=1e-10)
    assert settings(connection) == before


@pytest.mark.parametrize("transport", ["auto", "cells", "rows"])
def test_an_open_transaction_stays_open_and_usable(table: str, connection: Any, transport: Any) -> None:
    connection.autocommit = False
    cursor = connection.cursor()
    cursor.execute("DECLARE mine CURSOR FOR SELECT a FROM " + table)
    cursor.execute("FETCH 1 FROM mine")
    first = cursor.fetchone()
    source = bayou.from_sql(table, connection, transport=transport)
    assert source.collect(REQUESTS).rows == len(ROWS)
    with pytest.raises(BadData, match="The query could not be read"):
        bayou.from_sql("SELECT nothing FROM " + table, connection).names  # noqa: B018
    assert status(connection) == 2
    cursor.execute("FETCH 1 FROM mine")
    assert (first, cursor.fetchone()) == ((0,), (1,))
    connection.rollback()


def test_a_failed_transaction_is_told() -> None:
    with psycopg.connect(server().url()) as connection:
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT nothing")
        with pytest.raises(BadData, match="transaction has failed before"):
            bayou.from_sql("pg_class", connection).names  # noqa: B018


def test_one_fit_sees_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is added between two passes is not seen; without a fit around them it is."""
    name = server().make_table({"a": "int4", "b": "int4"}, [(1, 2), (2, 1)] * 20)
    source = bayou.from_sql(name, server().url(), transport="cells")
    request = CountTable(("a",))
    with source.one_state():
        before = source.collect([request]).rows
        server().run(f"INSERT INTO {name} VALUES (1, 1)")
        assert source.collect([request]).rows == before == 40
    assert source.collect([request]).rows == 41


def test_a_fit_holds_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    name = server().make_table({"a": "int4", "b": "text"}, [(k % 3, "xy"[k % 2]) for k in range(60)])
    source = bayou.from_sql(name, server().url())
    depths = []
    collect = type(source).collect

    def watched(self: Any, requests: Any) -> Any:
        depths.append(self.driver._depth)
        return collect(self, requests)

    monkeypatch.setattr(type(source), "collect", watched)
    bayou.TAN().fit(source, "b")
    bayou.learn_structure(source, method="hill-climbing")
    bayou.Network("b -> a").fit(source)
    assert len(depths) > 3
    assert all(depth == 1 for depth in depths)
    assert source.driver._depth == 0


def test_the_role_of_the_tests_may_only_read(table: str) -> None:
    with psycopg.connect(server().url(), autocommit=True) as connection:
        for statement in (
            "CREATE TEMPORARY TABLE t (a int)",
            f"DELETE FROM {table}",
            "CREATE TABLE t (a int)",
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(statement)
        assert connection.execute("SHOW default_transaction_read_only").fetchone() == ("on",)


def test_transactions_of_our_own_only_read(table: str) -> None:
    """Also for a role that may write: a query with side effects is refused by the database."""
    server().run(
        f"CREATE FUNCTION spoil() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM {table}; RETURN 1; END'"
    )
    with psycopg.connect(server().url(server().user)) as connection:
        with pytest.raises(BadData, match="read-only transaction"):
            bayou.from_sql("SELECT spoil() AS a", connection).collect([MissingCounts(("a",))])
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (len(ROWS),)


def test_columns_with_many_texts_are_read_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"text {k % 40}" for k in range(120)]
    name = server().make_table({"a": "text", "b": "int4"}, [(text, k % 2) for k, text in enumerate(texts)])
    request = CountTable(("a", "b"))
    expected = bayou.sources.open_source({"a": texts, "b": [k % 2 for k in range(120)]}).collect([request])
    for most in (1000, 10):
        monkeypatch.setattr(packing, "MOST_VALUES", most)
        source = bayou.from_sql(name, server().url(), transport="rows")
        assert source.collect([request])[request] == expected[request]


def test_a_lost_connection_is_told_and_changes_no_model(table: str) -> None:
    model = bayou.NaiveBayes().fit({"b": TABLE["b"], "d": TABLE["d"]}, "d")
    before = model.predict_proba([{"b": "x"}]).tolist()
    with psycopg.connect(server().url()) as connection:
        source = bayou.from_sql(f"SELECT b, d FROM {table}", connection)
        tables = source.tables()
        number = connection.info.backend_pid
        server().run(f"SELECT pg_terminate_backend({number})")
        with pytest.raises(BadData, match="The query could not be read"):
            list(tables)
        with pytest.raises(BadData):
            model.partial_fit(source, "d")
    assert model.predict_proba([{"b": "x"}]).tolist() == before
