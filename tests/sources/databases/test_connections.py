"""What from_sql takes for a connection and for a query, and what it says to everything else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import ibis
import psycopg
import pytest
import sqlalchemy
from tests.postgres_server import server

import bayou
from bayou.errors import BadData, BadQuestion, UnknownVariable
from bayou.sources.streams import relation_rows
from bayou.sources.table_source import TableSource
from bayou.statistics import CountTable

ROWS = [("sunny", 1, 2.5), ("rain", 2, None), ("rain", 1, 0.5)]
REQUEST = CountTable(("sky", "day"))
EXPECTED = {("rain", 1): 1, ("rain", 2): 1, ("sunny", 1): 1}


def cells(source: Any) -> dict[Any, int]:
    counts = source.collect([REQUEST])[REQUEST]
    places = [(sky, day) for sky in counts.axes[0].states for day in counts.axes[1].states]
    return {key: count for key, count in zip(places, counts.values.ravel().tolist(), strict=True) if count}


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    path = tmp_path / "my days.db"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "my days" (sky TEXT, day INTEGER, mm REAL)')
    connection.executemany('INSERT INTO "my days" VALUES (?, ?, ?)', ROWS)
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def duckdb_file(tmp_path: Path) -> Path:
    path = tmp_path / "days.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE "my days" (sky VARCHAR, day INTEGER, mm DOUBLE)')
        connection.executemany('INSERT INTO "my days" VALUES (?, ?, ?)', ROWS)
    return path


@pytest.fixture(scope="module")
def days() -> str:
    return server().make_table({"sky": "text", "day": "int4", "mm": "float8"}, ROWS)


@pytest.fixture
def engine() -> Iterator[Any]:
    made = sqlalchemy.create_engine(server().url().replace("postgresql:", "postgresql+psycopg:"))
    yield made
    made.dispose()


def test_files_and_their_urls(sqlite_file: Path, duckdb_file: Path) -> None:
    for place in (
        sqlite_file,
        str(sqlite_file),
        f"sqlite:///{sqlite_file}",
        duckdb_file,
        f"duckdb:///{duckdb_file}",
    ):
        with bayou.from_sql('"my days"', place) as source:
            assert cells(source) == EXPECTED


def test_a_query_and_a_table_of_a_server(days: str) -> None:
    for query in (days, f"public.{days}", f'"public"."{days}"', f"SELECT * FROM {days};", f"(TABLE {days})"):
        assert cells(bayou.from_sql(query, server().url())) == EXPECTED
    query = f"WITH w AS (SELECT * FROM {days} WHERE sky LIKE 'r%') SELECT sky, day FROM w -- only rain"
    assert cells(bayou.from_sql(query, server().url())) == {("rain", 1): 1, ("rain", 2): 1}


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
def test_engines_and_connections_of_sqlalchemy(days: str, driver: str) -> None:
    engine = sqlalchemy.create_engine(server().url().replace("postgresql:", f"postgresql+{driver}:"))
    assert cells(bayou.from_sql(days, engine)) == EXPECTED
    with engine.connect() as connection:
        assert cells(bayou.from_sql(days, connection)) == EXPECTED
    engine.dispose()


def test_engines_of_sqlite(sqlite_file: Path) -> None:
    engine = sqlalchemy.create_engine(f"sqlite:///{sqlite_file}")
    assert cells(bayou.from_sql('"my days"', engine)) == EXPECTED
    table = sqlalchemy.Table("my days", sqlalchemy.MetaData(), autoload_with=engine)
    chosen = sqlalchemy.select(table).where(table.c.sky == "rain", table.c.day.in_([1, 2]))
    assert cells(bayou.from_sql(chosen, engine)) == {("rain", 1): 1, ("rain", 2): 1}
    engine.dispose()


def test_selectables_keep_their_parameters(days: str, engine: Any) -> None:
    table = sqlalchemy.Table(days, sqlalchemy.MetaData(), autoload_with=engine)
    chosen = sqlalchemy.select(table).where(table.c.sky == "rain", table.c.sky.like("%a%"))
    for transport in ("cells", "rows"):
        source = bayou.from_sql(chosen, engine, transport=transport)
        assert cells(source) == {("rain", 1): 1, ("rain", 2): 1}
        source.close()
    assert cells(bayou.from_sql(table, engine)) == EXPECTED


@pytest.mark.parametrize("name", ["v0", "bayou_0", "bayou__0"])
def test_parameters_of_the_user_keep_their_values(
    name: str, days: str, engine: Any, sqlite_file: Path
) -> None:
    """Cuts and conditions bind values of our own beside those of the user, whatever their names are."""
    file_engine = sqlalchemy.create_engine(f"sqlite:///{sqlite_file}")
    for each, label in ((engine, days), (file_engine, "my days")):
        table = sqlalchemy.Table(label, sqlalchemy.MetaData(), autoload_with=each)
        chosen = sqlalchemy.select(table).where(table.c.sky == sqlalchemy.bindparam(name, "rain"))
        for transport in ("cells", "rows"):
            with bayou.from_sql(chosen, each, transport=transport) as source:
                first = source.restricted([], ("day", 1))
                assert cells(first) == {("rain", 1): 1}
    file_engine.dispose()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis, about duckdb
def test_tables_of_ibis(duckdb_file: Path, sqlite_file: Path) -> None:
    for backend in (ibis.duckdb.connect(duckdb_file), ibis.sqlite.connect(sqlite_file)):
        table = backend.table("my days")
        assert cells(bayou.from_sql(table)) == EXPECTED
        rain = table.filter(table.sky == "rain")
        assert cells(bayou.from_sql(rain)) == {("rain", 1): 1, ("rain", 2): 1}
        assert (
            bayou.Network("sky -> day")
            .fit(rain)
            .same_as(bayou.Network("sky -> day").fit({"sky": ["rain", "rain"], "day": [1, 2]}))
        )
        backend.disconnect()


def test_a_duckdb_session_and_its_transaction_are_left_as_they_were() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE days (sky VARCHAR, day INTEGER, mm DOUBLE)")
    connection.executemany("INSERT INTO days VALUES (?, ?, ?)", ROWS)
    settings = "SELECT name, value FROM duckdb_settings() ORDER BY name"
    before = connection.execute(settings).fetchall()
    assert cells(bayou.from_sql("days", connection)) == EXPECTED
    connection.execute("BEGIN")
    connection.execute("INSERT INTO days VALUES ('rain', 2, 1.0)")
    assert cells(bayou.from_sql("days", connection, transport="cells"))["rain", 2] == 2
    connection.execute("ROLLBACK")
    assert cells(bayou.from_sql("days", connection, transport="rows")) == EXPECTED
    assert connection.execute(settings).fetchall() == before


def test_a_sqlite_transaction_stays_open(sqlite_file: Path) -> None:
    connection = sqlite3.connect(sqlite_file)
    connection.row_factory = sqlite3.Row
    connection.execute("INSERT INTO \"my days\" VALUES ('rain', 2, 1.0)")
    assert cells(bayou.from_sql('"my days"', connection))["rain", 2] == 2
    assert connection.in_transaction
    connection.rollback()
    assert cells(bayou.from_sql('"my days"', connection)) == EXPECTED
    assert not connection.in_transaction
    connection.close()


def test_refusals_name_the_remedy(tmp_path: Path, days: str) -> None:
    url = server().url()
    for query, place, message in (
        ("days", None, "needs a connection"),
        ("days", 3, "A int is not a connection"),
        ("days", "mysql://host/shop", "no driver for MySQL"),
        ("days", "sqlite:///", "name the file"),
        ("days", tmp_path / "none.db", "no such database file"),
        ("my days", url, "double quotes"),
        ("DROP TABLE days", url, "neither the name of a table nor a query"),
        (3, url, "from_sql reads"),
    ):
        with pytest.raises(BadData, match=message):
            bayou.from_sql(query, place)
    with pytest.raises(BadData, match="No connection to PostgreSQL"):
        bayou.from_sql("days", "postgresql://nobody@/none?host=/nowhere")
    with pytest.raises(
        BadData, match='The table nothing could not be read: relation "nothing" does not exist'
    ):
        bayou.from_sql("nothing", url).names  # noqa: B018
    with pytest.raises(BadData, match="two columns named 'a'"):
        bayou.from_sql("SELECT 1 AS a, 2 AS a", url).names  # noqa: B018
    source = bayou.from_sql(days, url)
    with pytest.raises(UnknownVariable, match="'skyy'"):
        source.collect([CountTable(("skyy",))])
    with pytest.raises(BadData, match='transport="cells" forbids'):
        bayou.from_sql(days, url, transport="cells").tables()
    with pytest.raises(BadQuestion, match="transport='post' is unknown"):
        bayou.from_sql(days, url, transport="post")  # type: ignore[arg-type]


def test_a_database_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("not a database at all")
    with pytest.raises(BadData, match="neither a SQLite nor a duckdb database"):
        bayou.from_sql("days", path)


def test_an_engine_without_a_driver_of_bayou() -> None:
    class Dialect:
        name, driver = "postgresql", "asyncpg"

    class Engine:
        dialect = Dialect()

    Engine.__module__ = "sqlalchemy.engine"
    with pytest.raises(BadData, match=r"postgresql\+asyncpg.*pip install 'bayou\[postgres\]'"):
        bayou.from_sql("days", Engine())


def test_hostile_names_of_columns() -> None:
    names = ['a"; DROP TABLE t; --', "50%", "select", "a.b", "ü'", "%(v0)s", "$v0", ":v0"]
    rows = [[k % 2] * len(names) for k in range(6)]
    for make in (_in_duckdb, _in_sqlite, _in_postgres):
        for transport in ("cells", "rows"):
            source = make(names, rows, transport)
            assert source.names == tuple(names)
            found = source.collect([request := CountTable(tuple(names[:2]))])[request]
            assert found.values.tolist() == [[3, 0], [0, 3]]


def _in_duckdb(names: list[str], rows: Any, transport: Any) -> Any:
    return _filled(duckdb.connect(), names, rows, transport)


def _in_sqlite(names: list[str], rows: Any, transport: Any) -> Any:
    return _filled(sqlite3.connect(":memory:"), names, rows, transport)


def _filled(connection: Any, names: list[str], rows: Any, transport: Any) -> Any:
    declared = ", ".join('"' + name.replace('"', '""') + '" INTEGER' for name in names)
    connection.execute(f"CREATE TABLE t ({declared})")
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
    connection.commit()
    return bayou.from_sql("t", connection, transport=transport)


def _in_postgres(names: list[str], rows: Any, transport: Any) -> Any:
    declared = ", ".join('"' + name.replace('"', '""') + '" int4' for name in names)
    with psycopg.connect(server().url(server().user), autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS hostile")
        connection.execute(f"CREATE TABLE hostile ({declared})".encode())
        for row in rows:
            connection.execute(f"INSERT INTO hostile VALUES ({', '.join(map(str, row))})".encode())
        connection.execute("GRANT SELECT ON hostile TO reader")
    return bayou.from_sql("hostile", server().url(), transport=transport)


def test_relations_of_duckdb_are_streamed_or_counted_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As data its rows are read some at a time, again for every pass; with its connection it is counted."""
    monkeypatch.setattr(relation_rows, "_ROWS_AT_ONCE", 4096)
    connection = duckdb.connect()
    relation = connection.sql("SELECT i % 3 AS a, (i % 2)::VARCHAR AS b FROM range(30000) t(i)")
    table = {"a": [i % 3 for i in range(30000)], "b": [str(i % 2) for i in range(30000)]}
    largest = []
    made = TableSource.__init__

    def watched(self: Any, columns: Any, *more: Any, **options: Any) -> None:
        largest.append(columns.rows)
        made(self, columns, *more, **options)

    monkeypatch.setattr(TableSource, "__init__", watched)
    expected = bayou.TAN().fit(table, "b").predict_proba(table)
    largest.clear()
    model = bayou.TAN().fit(relation, "b")
    assert (model.predict_proba(relation)[:100] == expected[:100]).all()
    assert bayou.Network("a -> b").fit(relation).query("a")[0] == pytest.approx(1 / 3)
    assert max(largest) < 10_000
    pushed = bayou.from_sql(relation, connection, transport="cells")
    assert (bayou.TAN().fit(pushed, "b").predict_proba(table) == expected).all()
    with pytest.raises(BadData, match="does not tell its connection"):
        bayou.from_sql(relation)
