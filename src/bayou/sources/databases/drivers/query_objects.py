"""Queries as objects: ibis tables, duckdb relations, selectables of SQLAlchemy."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadData
from bayou.sources.databases.drivers.connections import driver_for
from bayou.sources.databases.drivers.driver import Driver
from bayou.sources.databases.drivers.statements import Relation
from bayou.sources.tables.read_frames import is_from


def query_of_object(query: Any, connection: Any) -> tuple[Driver, Relation]:
    """Return the driver of a query that is an object, and the query as what stands behind FROM."""
    if is_from(query, "ibis", "Table"):
        return _of_ibis(query)
    if is_from(query, "duckdb", "DuckDBPyRelation"):
        return _of_duckdb(query, connection)
    if is_from(query, "sqlalchemy", "Selectable") or hasattr(query, "__clause_element__"):
        return _of_selectable(query, connection)
    raise BadData(
        "from_sql reads the name of a table or a query, a selectable of SQLAlchemy, a duckdb relation or an "
        f"ibis table; this is a {type(query).__name__}."
    )


def _of_ibis(table: Any) -> tuple[Driver, Relation]:
    """ibis tells its connection, dialect and query; it runs nothing."""
    import ibis

    backend = table.get_backend()
    if backend.name not in ("duckdb", "postgres", "sqlite"):
        raise BadData(
            f"This ibis table is on {backend.name}; bayou reads those on duckdb, PostgreSQL and SQLite. "
            "Write it into a Parquet file (table.to_parquet(…)), which is read in bounded memory."
        )
    driver = driver_for(backend.con)
    text = str(ibis.to_sql(table, dialect=backend.name, pretty=False))
    return driver, Relation(driver.escaped(f"({text}\n)"), "The ibis table")


def _of_duckdb(relation: Any, connection: Any) -> tuple[Driver, Relation]:
    """A relation tells its query, but not its connection."""
    if connection is None:
        raise BadData(
            "A duckdb relation does not tell its connection: from_sql(relation, connection) counts it there. "
            "Without from_sql, as data, its rows are read some at a time."
        )
    driver = driver_for(connection)
    return driver, Relation(driver.escaped(f"({relation.sql_query()}\n)"), "The duckdb relation")


def _of_selectable(query: Any, connection: Any) -> tuple[Driver, Relation]:
    """SQLAlchemy writes the query in the form of its dialect, with named parameters."""
    engine = connection
    if isinstance(connection, str):
        import sqlalchemy

        engine = sqlalchemy.create_engine(connection)
    if not hasattr(engine, "dialect"):
        raise BadData("A selectable of SQLAlchemy needs its engine: from_sql(selectable, engine).")
    driver = driver_for(engine)
    element = query.__clause_element__() if hasattr(query, "__clause_element__") else query
    import sqlalchemy

    select = element if is_from(element, "sqlalchemy", "SelectBase") else sqlalchemy.select(element)
    dialect = _with_named_parameters(engine.dialect, driver)
    compiled = select.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
    return driver, Relation(f"({compiled})", "The selectable", dict(compiled.params))


def _with_named_parameters(dialect: Any, driver: Driver) -> Any:
    """The dialect with parameters as the driver writes them."""
    style = {"postgres": "pyformat", "sqlite": "named"}.get(driver.dialect)
    if style is None:
        raise BadData(
            "Selectables of SQLAlchemy are read on PostgreSQL and SQLite; give duckdb the query as text."
        )
    return type(dialect)(paramstyle=style)
