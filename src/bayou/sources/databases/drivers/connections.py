"""Connections as users hand them in: those of drivers, of SQLAlchemy, URLs and files."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from bayou.errors import BadData, MissingPackage
from bayou.registry import Registry
from bayou.sources.databases.drivers.driver import Driver
from bayou.sources.tables.read_frames import is_from

DRIVERS = Registry[type[Driver]](
    "driver",
    {
        "duckdb": "bayou.sources.databases.drivers.duckdb_driver:DuckdbDriver",
        "sqlite3": "bayou.sources.databases.drivers.sqlite_driver:SqliteDriver",
        "psycopg": "bayou.sources.databases.drivers.psycopg_driver:PsycopgDriver",
        "psycopg2": "bayou.sources.databases.drivers.psycopg2_driver:Psycopg2Driver",
    },
    BadData,
)
"""The driver for the connections of each package; a class for a further database is entered with ``add``."""
_OTHERS = {
    "mysql": "MySQL",
    "mariadb": "MariaDB",
    "oracle": "Oracle",
    "mssql": "SQL Server",
    "snowflake": "Snowflake",
    "bigquery": "BigQuery",
}
_KNOWN = (
    "a connection of duckdb, sqlite3, psycopg or psycopg2, a SQLAlchemy engine or connection on these, "
    "a URL (postgresql://…, sqlite:///…, duckdb:///…), or the path of a database file"
)


def driver_for(connection: Any) -> Driver:
    """Return the driver for a connection, an engine, a URL or a database file.

    >>> type(driver_for(sqlite3.connect(":memory:"))).__name__
    'SqliteDriver'
    >>> driver_for("mysql://db/shop")
    Traceback (most recent call last):
    ...
    bayou.errors.BadData: bayou has no driver for MySQL. It reads a connection of duckdb, sqlite3, psycopg ...
    """
    if isinstance(connection, Driver):
        return connection
    if isinstance(connection, str | os.PathLike):
        return _opened(os.fspath(connection))
    if is_from(connection, "sqlalchemy", "Engine") or is_from(connection, "sqlalchemy", "Connection"):
        return _of_sqlalchemy(connection)
    package = type(connection).__module__.partition(".")[0].lstrip("_")
    if package in DRIVERS and hasattr(connection, "cursor"):
        return DRIVERS.find(package)(connection)
    raise BadData(f"A {type(connection).__name__} is not a connection that bayou knows. It reads {_KNOWN}.")


def _of_sqlalchemy(engine: Any) -> Driver:
    """The driver's own connection behind an engine or a connection of SQLAlchemy."""
    name, package = engine.dialect.name, engine.dialect.driver
    package = {"pysqlite": "sqlite3", "duckdb_engine": "duckdb"}.get(package, package)
    if package not in DRIVERS:
        if name in ("postgresql", "sqlite", "duckdb"):
            needed = {"postgresql": "psycopg", "sqlite": "pysqlite"}.get(name, "duckdb_engine")
            install = " (pip install 'bayou[postgres]')" if needed == "psycopg" else ""
            raise BadData(
                f"bayou has no driver for {name}+{package}. Make the engine with {name}+{needed}://… "
                f"instead{install}."
            )
        raise BadData(f"bayou has no driver for {_OTHERS.get(name, name)}. It reads {_KNOWN}.")
    owned = is_from(engine, "sqlalchemy", "Engine")
    pooled = engine.raw_connection() if owned else engine.connection
    driver = DRIVERS.find(package)(_driver_connection(pooled))
    if owned:
        driver.on_close(pooled.close)
    return driver


def _driver_connection(pooled: Any) -> Any:
    connection = pooled.driver_connection
    # duckdb_engine wraps the connection once more.
    return getattr(connection, "_ConnectionWrapper__c", connection)


def _opened(place: str) -> Driver:
    """Open a URL or a database file, for reading only."""
    scheme, marks, _ = place.partition("://")
    if not marks:
        return _opened_file(Path(place))
    kind = scheme.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return _opened_postgres("postgresql" + place[len(scheme) :])
    if kind in ("sqlite", "duckdb"):
        path = unquote(urlsplit(place).path)[1:]
        if not path:
            raise BadData(f"{place}: name the file: {kind}:///folder/file, or {kind}:////folder/file from /.")
        return _opened_sqlite(Path(path)) if kind == "sqlite" else _opened_duckdb(Path(path))
    raise BadData(f"bayou has no driver for {_OTHERS.get(kind, kind)}. It reads {_KNOWN}.")


def _opened_postgres(url: str) -> Driver:
    try:
        import psycopg
    except ImportError:
        raise MissingPackage.needed("psycopg", "Reading from PostgreSQL") from None
    try:
        connection = psycopg.connect(url)
    except psycopg.Error as problem:
        where = urlsplit(url).hostname or "the local server"
        raise BadData(f"No connection to PostgreSQL on {where}: {problem}") from None
    driver = _owned("psycopg", connection)
    driver.connect_again = partial(psycopg.connect, url)
    return driver


def _opened_file(path: Path) -> Driver:
    if not path.is_file():
        raise BadData(f"{path}: there is no such database file.")
    with path.open("rb") as file:
        first = file.read(16)
    if first.startswith(b"SQLite format 3\0"):
        return _opened_sqlite(path)
    if first[8:12] == b"DUCK":
        return _opened_duckdb(path)
    raise BadData(f"{path}: the file is neither a SQLite nor a duckdb database.")


def _opened_sqlite(path: Path) -> Driver:
    if not path.is_file():
        raise BadData(f"{path}: there is no such database file.")
    # Our own connection may be closed by whichever thread drops its source last.
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, check_same_thread=False
    )
    return _owned("sqlite3", connection)


def _opened_duckdb(path: Path) -> Driver:
    if not path.is_file():
        raise BadData(f"{path}: there is no such database file.")
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "Reading a duckdb database") from None
    try:
        return _owned("duckdb", duckdb.connect(str(path), read_only=True))
    except duckdb.Error as problem:
        raise BadData(f"{path}: the database could not be opened: {problem}") from None


def _owned(package: str, connection: Any) -> Driver:
    driver = DRIVERS.find(package)(connection)
    driver.on_close(connection.close)
    return driver
