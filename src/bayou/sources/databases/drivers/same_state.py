"""A second connection to PostgreSQL that sees the same state of the data as the first one.

A connection has one process of the server; two of them read a table on two processors. The first transaction
exports its snapshot, the second one imports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from bayou.sources.databases.drivers.sql_columns import as_text
from bayou.thread_count import threads

if TYPE_CHECKING:
    from bayou.sources.databases.drivers.psycopg_driver import PsycopgDriver

_EXPORT = """
SELECT CASE WHEN NOT pg_is_in_recovery() AND has_function_privilege('pg_export_snapshot()', 'EXECUTE')
THEN pg_export_snapshot() END
"""


@contextmanager
def same_state(driver: PsycopgDriver) -> Iterator[PsycopgDriver | None]:
    """A driver on a connection of its own, for as long as the ``with`` block.

    None where the connection is the user's, whose number is not ours to raise; where the server gives us no
    other one; and where one thread only is to be used.
    """
    import psycopg
    from psycopg import sql

    if driver.connect_again is None or threads.count() < 2:
        yield None
        return
    (snapshot,) = driver.rows(_EXPORT, {})[0]
    if snapshot is None:
        yield None
        return
    try:
        connection = driver.connect_again()
    except psycopg.OperationalError:  # as many connections as the server allows are in use
        yield None
        return
    with closing(connection):
        twin = type(driver)(connection)
        try:
            twin.begin()
            name = sql.Literal(as_text(snapshot)).as_string(connection)
            twin.execute(f"SET TRANSACTION SNAPSHOT {name}")
            is_same = True
        except psycopg.Error:  # the address led to another server, which does not know this state
            is_same = False
        yield twin if is_same else None
