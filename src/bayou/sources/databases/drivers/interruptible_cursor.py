"""Cursors of psycopg2 whose statements Ctrl-C cancels on the server: psycopg2 itself waits until they end."""

from __future__ import annotations

from typing import Any

from psycopg2.extensions import cursor

from bayou.sources.databases.drivers.interruptible import interruptible


class InterruptibleCursor(cursor):  # type: ignore[misc]  # psycopg2 has no types
    """Runs each statement so that an interruption cancels it."""

    def execute(self, query: Any, values: Any = None) -> None:
        """Run a statement; an interruption cancels it, and goes on when the server has ended it."""
        interruptible(lambda: super(InterruptibleCursor, self).execute(query, values), self.connection.cancel)
