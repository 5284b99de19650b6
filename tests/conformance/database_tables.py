"""The tables of the conformance suites in databases: duckdb, SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
from tests.postgres_server import server

import bayou
from bayou.sources.databases.database_source import DatabaseSource

Table = Mapping[str, Sequence[Any]]
_TYPES = {
    "duckdb": {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"},
    "sqlite": {str: "TEXT", int: "INTEGER", float: "REAL", bool: "BOOLEAN"},
    "postgres": {str: "text", int: "int4", float: "float8", bool: "boolean"},
}


def types_of(table: Table, dialect: str) -> dict[str, str]:
    """The SQL type of each column, by its first value."""
    known = _TYPES[dialect]
    return {
        name: known[type(next(value for value in column if value is not None))]
        for name, column in table.items()
    }


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    """The rows of a table of columns."""
    return list(zip(*table.values(), strict=True))


def duckdb_source(table: Table, folder: Path, **options: Any) -> DatabaseSource:
    """A table in a duckdb database in memory; the same one for the same table."""
    made = _kept.get(("duckdb", id(table)))
    if made is None:
        connection = duckdb.connect()
        made = _kept["duckdb", id(table)] = table, connection
        _create(connection, table, "duckdb")
    return bayou.from_sql("rows", made[1], **options)


def sqlite_source(table: Table, folder: Path, **options: Any) -> DatabaseSource:
    """A table in a SQLite file."""
    path = folder / "table.sqlite"
    if not path.exists():
        connection = sqlite3.connect(path)
        _create(connection, table, "sqlite")
        connection.commit()
        connection.close()
    return bayou.from_sql("rows", path, **options)


def postgres_source(table: Table, folder: Path, **options: Any) -> DatabaseSource:
    """A table in PostgreSQL, read by a role that may do nothing else; the same one for the same table."""
    made = _kept.get(("postgres", id(table)))
    if made is None:
        name = server().make_table(types_of(table, "postgres"), rows_of(table))
        made = _kept["postgres", id(table)] = table, name
    return bayou.from_sql(made[1], server().url(), **options)


_kept: dict[tuple[str, int], tuple[Table, Any]] = {}


def _create(connection: Any, table: Table, dialect: str) -> None:
    declared = ", ".join(f'"{name}" {kind}' for name, kind in types_of(table, dialect).items())
    connection.execute(f"CREATE TABLE rows ({declared})")
    insert_rows(connection, list(table.values()), dialect)


def insert_rows(connection: Any, columns: Sequence[Sequence[Any]], dialect: str) -> None:
    """Fill the table rows; duckdb takes a millisecond for each row, unless all come as one list a column."""
    if dialect == "duckdb" and columns[0]:
        values = ", ".join(["unnest(?)"] * len(columns))
        connection.execute(f"INSERT INTO rows SELECT {values}", [list(column) for column in columns])
        return
    places = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO rows VALUES ({places})", list(zip(*columns, strict=True)))
