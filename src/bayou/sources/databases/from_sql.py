"""``bayou.from_sql``: a table, view or query of a database as data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bayou.arguments import names_given, weights_named
from bayou.errors import BadData
from bayou.sources.databases.database_columns import Transport
from bayou.sources.databases.database_source import DatabaseSource
from bayou.sources.databases.drivers.connections import driver_for
from bayou.sources.databases.drivers.driver import Driver
from bayou.sources.databases.drivers.statements import Relation
from bayou.typing import Name

_QUERY = re.compile(r"\s*(\(|(select|with|from|values|table)\b)", re.IGNORECASE)
_NAME = re.compile(r'\s*(?:"(?:[^"]|"")+"|[^\W\d][\w$]*)(?:\s*\.\s*(?:"(?:[^"]|"")+"|[^\W\d][\w$]*)){0,2}\s*')


@weights_named("weights")
def from_sql(
    table_or_query: Any,
    connection: Any = None,
    *,
    weights: Name | None = None,
    transport: Transport = "auto",
    ignore: Sequence[Name] = (),
) -> DatabaseSource:
    """Return a table, view or query of a database as data for every function of bayou.

    ``table_or_query``: what you would write after FROM, a SELECT, a SQLAlchemy selectable, or an ibis table
    (which knows its connection). ``connection``: a connection of duckdb, sqlite3, psycopg or psycopg2, a
    SQLAlchemy engine or connection, a URL (``postgresql://…``, ``sqlite:///…``, ``duckdb:///…``) or the path
    of a database file. What a model needs is counted in the database or computed from its rows, which are
    read some at a time, whichever is faster; ``transport="cells"`` lets only counts, sums and the values
    that occur leave the database, ``transport="rows"`` reads rows. ``weights`` names the column of the rows'
    weights, ``ignore`` lists columns that are no data, such as an identifier. Everything runs in a
    transaction that only reads; a query has to give the same rows each time.

    Raises ``BadData`` if the database is not there, or refuses the statement.

    >>> import sqlite3
    >>> import bayou
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE days (wind TEXT, play TEXT)")
    >>> _ = connection.executemany("INSERT INTO days VALUES (?, ?)", [("weak", "yes"), ("strong", "no")] * 5)
    >>> days = bayou.from_sql("days", connection)
    >>> bayou.NaiveBayes().fit(days, "play").predict([{"wind": "weak"}]).tolist()
    ['yes']
    """
    ignored = names_given("ignore", ignore)
    if not isinstance(table_or_query, str):
        from bayou.sources.databases.drivers.query_objects import query_of_object

        driver, relation = query_of_object(table_or_query, connection)
        return DatabaseSource(driver, relation, transport=transport, weights=weights, ignored=ignored)
    if connection is None:
        raise BadData(
            "from_sql needs a connection: from_sql(table_or_query, connection), with a connection, engine, "
            "a URL or the path of a database file."
        )
    driver = driver_for(connection)
    relation = relation_of(table_or_query, driver)
    return DatabaseSource(driver, relation, transport=transport, weights=weights, ignored=ignored)


def relation_of(table_or_query: str, driver: Driver) -> Relation:
    """Return the text of a table's name or of a query as what stands behind FROM.

    >>> import sqlite3
    >>> driver = driver_for(sqlite3.connect(":memory:"))
    >>> relation_of('SELECT a FROM t -- all', driver).text
    '(SELECT a FROM t -- all\\n)'
    >>> relation_of('main."my table"', driver).text
    'main."my table"'
    """
    text = table_or_query.strip().rstrip(";").rstrip()
    if _QUERY.match(text):
        # A comment at the end must not swallow the bracket.
        return Relation(driver.escaped(f"({text}\n)"), "The query")
    if _NAME.fullmatch(text):
        return Relation(driver.escaped(text), f"The table {text}")
    raise BadData(
        f"{table_or_query!r} is neither the name of a table nor a query. Put a name with blanks or signs in "
        "double quotes, as after FROM: '\"my table\"'."
    )
