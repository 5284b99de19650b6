"""PostgreSQL: what connections of psycopg 3 and of psycopg2 have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

from sqlglot import exp

from bayou.errors import BadData
from bayou.sources.databases.drivers.driver import Condition, Driver
from bayou.sources.databases.drivers.packing import Packing
from bayou.sources.databases.drivers.sql_columns import Kind, SqlColumn, as_text
from bayou.sources.databases.drivers.statements import Relation, Statement, column, selected
from bayou.sources.databases.drivers.times_beyond_python import (
    any_beyond,
    tells_of_them,
    times_of,
    told,
)
from bayou.sources.tables.columns import LARGEST_EXACT, Columns

_KINDS: dict[str, Kind] = {
    "bool": "truth",
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "integer"),
    **dict.fromkeys(("float4", "float8"), "number"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "char", "uuid", "citext"), "text"),
    **dict.fromkeys(("date", "time", "timestamp"), "time"),
    "timestamptz": "zoned time",
}
_IDLE, _INTRANS, _INERROR = 0, 2, 3
_ONLY_READS = "ISOLATION LEVEL REPEATABLE READ, READ ONLY"
cursor_numbers = count(1)
"""Cursors that the server keeps have names of their own."""


class PostgresDriver(Driver):
    """What the two drivers of PostgreSQL share."""

    dialect: ClassVar[str] = "postgres"
    sees_changes = False
    """Whether each statement sees what others change: in a READ COMMITTED transaction of the user."""

    def placeholder(self, name: str) -> str:
        """A named parameter."""
        return f"%({name})s"

    def escaped(self, text: str) -> str:
        """A per cent sign is doubled."""
        return text.replace("%", "%%")

    def columns(self, relation: Relation) -> tuple[SqlColumn, ...]:
        """Names and types of the result of a query for no row, and the names of these types."""
        text, values = Statement(tree=selected([exp.Star()]).limit(0)).rendered(
            relation, self.dialect, self.placeholder, self.escaped
        )
        with self.telling(relation):
            with closing(self.cursor()) as cursor:
                cursor.execute(text, values)
                found = [(str(each.name), int(each.type_code), each.scale) for each in cursor.description]
            types = self._types({code for _, code, _ in found})
        return tuple(SqlColumn(name, *_kind(types[code], scale)) for name, code, scale in found)

    def _types(self, codes: set[int]) -> dict[int, tuple[str, str]]:
        """The name and the class of each type ('e': an enumeration)."""
        text = "SELECT oid, typname, typtype FROM pg_catalog.pg_type WHERE oid = ANY(%(codes)s)"
        found = self.rows(text, {"codes": [*codes]})
        return {int(code): (as_text(name), as_text(kind)) for code, name, kind in found}

    def value(self, of: SqlColumn) -> exp.Expression:
        """Texts byte by byte and without padding, numbers as double precision; NaN is missing."""
        plain = column(of.name)
        if of.kind == "text":
            text = plain if of.sql_type in ("text", "varchar") else exp.cast(plain, "text")
            return exp.Collate(this=text, expression=exp.to_identifier("C", quoted=True))
        if of.kind == "number":
            double = plain if of.sql_type == "float8" else exp.cast(plain, "double")
            nan = exp.cast(exp.Literal.string("NaN"), "double")
            return exp.Nullif(this=double, expression=nan)
        if of.sql_type == "numeric":
            return exp.Nullif(this=plain, expression=exp.cast(exp.Literal.string("NaN"), "numeric"))
        return plain

    @contextmanager
    def telling(self, relation: Relation) -> Iterator[None]:
        """Errors name the table; those about times that Python has not name the columns, too."""
        try:
            with super().telling(relation):
                yield
        except BadData as problem:
            cause = problem.__cause__
            if not isinstance(cause, Exception) or not tells_of_them(cause):
                raise
            names = self._beyond_python(relation)
            if not names:
                raise
            raise BadData(told(relation.label, names)) from None

    def _beyond_python(self, relation: Relation) -> list[str]:
        """The columns with times that Python has not; all columns of times where that cannot be asked."""
        times: list[SqlColumn] = []
        try:
            times = times_of(self.columns(relation))
            found = []
            for each in times:
                text, values = any_beyond(each).rendered(
                    relation, self.dialect, self.placeholder, self.escaped
                )
                if self.rows(text, values):
                    found.append(each.name)
        except Exception:
            found = []
        return found or [each.name for each in times]

    def rows(self, text: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """All rows."""
        with closing(self.cursor()) as cursor:
            cursor.execute(text, values)
            return list(cursor.fetchall())

    def row_blocks(self, text: str, values: dict[str, Any], size: int) -> Generator[list[tuple[Any, ...]]]:
        """Rows of a cursor that the server keeps, some at a time."""
        with closing(self.cursor(f"bayou {next(cursor_numbers)}")) as cursor:
            cursor.execute(text, values)
            while block := cursor.fetchmany(size):
                yield block

    def cursor(self, name: str = "") -> Any:
        """A cursor whose rows are tuples; one with a name is kept by the server."""
        raise NotImplementedError

    def begin(self) -> Callable[[bool], None]:
        """A transaction of our own is REPEATABLE READ and READ ONLY; in one of the user a savepoint is set.

        The savepoint keeps the user's transaction usable if a statement fails.
        """
        status = int(self.connection.info.transaction_status)
        if status == _INERROR:
            raise BadData("The connection's transaction has failed before: end it (rollback) first.")
        self.sees_changes = False
        if status == _INTRANS:
            found = self.rows("SELECT current_setting('transaction_isolation')", {})[0][0]
            self.sees_changes = as_text(found) in ("read committed", "read uncommitted")
            mark = f'"bayou {next(cursor_numbers)}"'
            self.execute(f"SAVEPOINT {mark}")
            return lambda failed: self._release(mark, failed)
        if self.connection.autocommit:
            self.execute(f"BEGIN TRANSACTION {_ONLY_READS}")
        else:
            self.execute(f"SET TRANSACTION {_ONLY_READS}")  # the driver begins the transaction by itself
        return lambda failed: self._end()

    def _release(self, mark: str, failed: bool) -> None:
        if self.connection.closed:
            return
        if failed:
            self.execute(f"ROLLBACK TO SAVEPOINT {mark}")
        self.execute(f"RELEASE SAVEPOINT {mark}")

    def _end(self) -> None:
        if self.connection.closed:
            return
        if self.connection.autocommit:
            self.execute("ROLLBACK")
        else:
            self.connection.rollback()

    def execute(self, text: str) -> None:
        """Run a statement that has no rows."""
        with closing(self.cursor()) as cursor:
            cursor.execute(text)

    def size(self, relation: Relation) -> int:
        """The number of rows that the planner expects: no row is read for it."""
        return int(self._plan(Statement(tree=selected([exp.Literal.number(1)])), relation)["Plan Rows"])

    def workers(self, statement: Statement, relation: Relation) -> int:
        """One process, and those that the planner would start beside it."""
        plans, most = [self._plan(statement, relation)], 0
        while plans:
            plan = plans.pop()
            most = max(most, int(plan.get("Workers Planned", 0)))
            plans.extend(plan.get("Plans", ()))
        return 1 + most

    def _plan(self, statement: Statement, relation: Relation) -> dict[str, Any]:
        text, values = statement.rendered(relation, self.dialect, self.placeholder, self.escaped)
        with self.telling(relation):
            found = self.rows(f"EXPLAIN (FORMAT JSON) {text}", values)[0][0]
        plan: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
        return plan

    def tables(
        self,
        relation: Relation,
        columns: Sequence[SqlColumn],
        conditions: Sequence[Condition] = (),
        *,
        batch_rows: int,
        slice_rows: int | None = None,
    ) -> Generator[Columns]:
        """Rows as Python values; columns with integers that floats do not hold are known before."""
        with self.reading(relation), self.telling(relation):
            wide = [
                each for each in columns if each.kind == "integer" and each.sql_type in ("int8", "numeric")
            ]
            ranges = Packing(self, relation, (), tuple(conditions), slice_rows).ranges(wide)
            large = {name for name, r in ranges.items() if max(abs(r.low), abs(r.high)) >= LARGEST_EXACT}
            known = [replace(each, kind="large integer") if each.name in large else each for each in columns]
            yield from super().tables(
                relation, known, conditions, batch_rows=batch_rows, slice_rows=slice_rows
            )


def _kind(of: tuple[str, str], scale: int | None) -> tuple[Kind, str, bool]:
    """What the values of a type are, its name, and whether it lists its texts, as an enumeration does."""
    name, group = of
    if group == "e":
        return "text", name, True
    if name == "numeric":
        return ("integer" if scale == 0 else "number"), name, False
    return _KINDS.get(name, "refused"), name, name == "uuid"
