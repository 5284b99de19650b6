"""PostgreSQL through psycopg2."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any, ClassVar

from bayou.sources.databases.drivers.postgres_driver import PostgresDriver, cursor_numbers


class Psycopg2Driver(PostgresDriver):
    """A connection of psycopg2."""

    package: ClassVar[str] = "psycopg2"

    def cursor(self, name: str = "") -> Any:
        """A plain cursor, whose statements can be interrupted."""
        from bayou.sources.databases.drivers.interruptible_cursor import InterruptibleCursor

        return self.connection.cursor(cursor_factory=InterruptibleCursor)

    def row_blocks(self, text: str, values: dict[str, Any], size: int) -> Generator[list[tuple[Any, ...]]]:
        """Rows of a cursor that the server keeps; psycopg2 has none of its own with autocommit."""
        name = f'"bayou {next(cursor_numbers)}"'
        with closing(self.cursor()) as cursor:
            cursor.execute(f"DECLARE {name} NO SCROLL CURSOR FOR {text}", values)
            while True:
                cursor.execute(f"FETCH {size} FROM {name}")
                block = list(cursor.fetchall())
                if not block:
                    break
                yield block
            cursor.execute(f"CLOSE {name}")
