"""What goes wrong while a database is read: errors say where; connections and models stay as they were."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import psycopg2
import pytest
from tests.postgres_server import server

import bayou
from bayou.errors import BadData
from bayou.sources.databases import row_passes
from bayou.statistics import CountTable

PACKAGES: dict[str, Any] = {"psycopg": psycopg, "psycopg2": psycopg2}


@pytest.fixture(scope="module")
def table() -> str:
    name = server().make_table({"a": "int4", "b": "text"}, [(1, "x")])
    server().run(f"INSERT INTO {name} SELECT i % 5, chr(97 + i % 3) FROM generate_series(1, 40000) i")
    return name


@pytest.fixture(params=PACKAGES)
def connection(request: pytest.FixtureRequest) -> Iterator[Any]:
    opened = PACKAGES[request.param].connect(server().url())
    yield opened
    opened.close()


@pytest.fixture
def model() -> Iterator[Any]:
    """A fitted classifier that must be the same afterwards."""
    fitted = bayou.NaiveBayes("table").fit({"a": [0, 1, 2, 3, 4], "b": ["a", "b", "c", "a", "b"]}, "b")
    before = fitted.predict_proba([{"a": 1}]).tolist()
    yield fitted
    assert fitted.predict_proba([{"a": 1}]).tolist() == before


def backend(connection: Any) -> int:
    return int(connection.info.backend_pid)


def test_a_connection_lost_while_rows_travel(
    table: str, connection: Any, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first rows the server ends the connection."""
    monkeypatch.setattr(row_passes, "BATCH_ROWS", 500)
    source = bayou.from_sql(f"SELECT a, b FROM {table}, generate_series(1, 5)", connection, transport="rows")
    tables = source.tables()
    assert next(tables).rows
    server().run(f"SELECT pg_terminate_backend({backend(connection)})")
    with pytest.raises(BadData, match="The query could not be read"):
        list(tables)
    with pytest.raises(BadData):
        model.partial_fit(source, "b")


@pytest.mark.parametrize(
    "counted", [(bayou.Network("a -> b"), None), (bayou.NaiveBayes("table", evidence_weight=1), "b")]
)
def test_a_count_goes_on_after_a_lost_connection(
    table: str, counted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statistics so far are kept in the checkpoint; over a new connection only the other rows are counted."""
    monkeypatch.setattr(row_passes, "BATCH_ROWS", 500)
    model, target = counted
    query, kept = f"SELECT a, b FROM {table} ORDER BY a, b", tmp_path / "so-far.stats"

    def count(connection: Any, checkpoint: Path | None = None) -> Any:
        rows = bayou.from_sql(query, connection, transport="rows")
        return bayou.count(rows, model, target=target, checkpoint=checkpoint)

    class LosesTheConnection:
        def __init__(self, connection: Any) -> None:
            self.connection, self.steps = connection, 0

        def advance(self, task: str, done: int) -> None:
            self.steps += 1
            if self.steps == 10:
                server().run(f"SELECT pg_terminate_backend({backend(self.connection)})")

        def finish(self, task: str) -> None: ...

    with psycopg.connect(server().url()) as first, bayou.show_progress(LosesTheConnection(first)):
        with pytest.raises(BadData, match="The query could not be read"):
            count(first, kept)
        first.close()
    before = bayou.load(kept)
    assert 0 < before.rows < 40001
    with psycopg.connect(server().url()) as second:
        whole = count(second, kept)
        assert not kept.exists()
        assert whole.rows == 40001
        once, resumed = count(second).model(), whole.model()
        if target is None:
            assert resumed.same_as(once)
        else:
            rows = [{"a": 1}, {"a": None}]
            assert resumed.predict_proba(rows).tolist() == once.predict_proba(rows).tolist()


def test_a_connection_lost_between_two_passes(table: str, connection: Any, model: Any) -> None:
    source = bayou.from_sql(table, connection, transport="cells")
    request = CountTable(("a",))
    with pytest.raises(BadData, match=f"The table {table} could not be read"), source.one_state():  # noqa: PT012
        source.collect([request])
        server().run(f"SELECT pg_terminate_backend({backend(connection)})")
        source.collect([request])
    with pytest.raises(BadData):
        model.partial_fit(source, "b")


def test_a_statement_that_takes_too_long(table: str, connection: Any, model: Any) -> None:
    """The user's limit ends the statement; the connection can be used, and the limit is as it was."""
    cursor = connection.cursor()
    cursor.execute("SET statement_timeout = '2s'")
    connection.commit()
    source = bayou.from_sql(f"SELECT a + length(pg_sleep(30)::text) AS a, b FROM {table} LIMIT 3", connection)
    with pytest.raises(
        BadData, match="The query could not be read: canceling statement due to statement timeout"
    ):
        model.partial_fit(source, "b")
    assert connection.info.transaction_status == 0
    cursor.execute("SHOW statement_timeout")
    assert cursor.fetchone() == ("2s",)


@pytest.mark.parametrize("in_transaction", [False, True])
def test_ctrl_c_cancels_the_statement(table: str, connection: Any, model: Any, in_transaction: bool) -> None:
    """Nothing runs on for this connection, which can be used, in the transaction that was open."""
    cursor = connection.cursor()
    if in_transaction:
        cursor.execute("SELECT 1")
    slow = f"SELECT a + length(pg_sleep(30)::text) AS a, b FROM {table} LIMIT 2"
    source = bayou.from_sql(slow, connection)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - a busy machine may take long to start it, too
            timer.start()
            model.partial_fit(source, "b")
    finally:
        timer.cancel()
    assert connection.info.transaction_status == (2 if in_transaction else 0)
    cursor.execute("SELECT 2")
    assert cursor.fetchone() == (2,)
    running = (
        f"SELECT count(*) FROM pg_stat_activity WHERE pid = {backend(connection)} AND query LIKE '%pg_sleep%'"
    )
    with psycopg.connect(server().url(server().user)) as other:
        assert other.execute(running).fetchone() == (0,)


@pytest.mark.parametrize("problem", [KeyboardInterrupt("stop"), ValueError("of the body")])
def test_the_error_of_the_body_stays_when_the_end_fails_too(
    table: str, connection: Any, problem: BaseException
) -> None:
    """The server has ended the connection, so that ROLLBACK fails."""
    source = bayou.from_sql(table, connection)
    with pytest.raises(type(problem), match=str(problem)), source.one_state():  # noqa: PT012
        source.collect([CountTable(("a",))])
        server().run(f"SELECT pg_terminate_backend({backend(connection)})")
        raise problem
    assert not source.driver.is_reading


def test_rows_that_are_being_read_must_be_closed_first(table: str, connection: Any) -> None:
    source = bayou.from_sql(f"SELECT a, b FROM {table}", connection, transport="rows")
    tables = source.tables()
    next(tables)
    with pytest.raises(BadData, match=r"The rows of The query are being read .* tables\.close\(\)"):
        source.variable("a")
    tables.close()
    assert source.variable("a").states == (0, 1, 2, 3, 4)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_table_that_may_not_be_read(package: str) -> None:
    server().run("CREATE TABLE IF NOT EXISTS hidden (a int4)")
    with PACKAGES[package].connect(server().url()) as connection:
        with pytest.raises(
            BadData, match="The table hidden could not be read: permission denied for table hidden"
        ):
            bayou.from_sql("hidden", connection).collect([CountTable(("a",))])
        assert connection.info.transaction_status == 0


def test_a_table_that_is_dropped_between_two_fits(connection: Any, model: Any) -> None:
    name = server().make_table({"a": "int4", "b": "text"}, [(1, "a"), (2, "b")] * 20)
    source = bayou.from_sql(name, connection)
    bayou.NaiveBayes("table").fit(source, "b")
    server().run(f"DROP TABLE {name}")
    with pytest.raises(
        BadData, match=f'The table {name} could not be read: relation "{name}" does not exist'
    ):
        model.partial_fit(source, "b")
    assert connection.info.transaction_status == 0


BAD_VALUES: dict[str, Callable[[], Any]] = {
    "division": lambda: "SELECT 1 / (a - 1) AS a, b FROM {table}",
    "conversion": lambda: "SELECT (b || 'x')::int AS a, b FROM {table}",
}


@pytest.mark.parametrize("fault", BAD_VALUES)
def test_a_query_that_fails_on_some_row(table: str, connection: Any, model: Any, fault: str) -> None:
    query = BAD_VALUES[fault]().format(table=table)
    with pytest.raises(
        BadData, match=r"The query could not be read: (division by zero|invalid input syntax)"
    ):
        model.partial_fit(bayou.from_sql(query, connection), "b")
    assert connection.info.transaction_status == 0
