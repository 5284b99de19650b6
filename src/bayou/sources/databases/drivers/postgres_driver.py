"""PostgreSQL through psycopg 3 or psycopg2."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import count, zip_longest
from typing import Any, ClassVar

from sqlglot import exp

from bayou.errors import BadData
from bayou.sources.ctrl_c import closed_after
from bayou.sources.databases.drivers.driver import Condition, Driver
from bayou.sources.databases.drivers.packed_rows import PackedRows, stretches
from bayou.sources.databases.drivers.packing import Packing
from bayou.sources.databases.drivers.same_state import same_state
from bayou.sources.databases.drivers.sql_columns import Kind, SqlColumn, as_text
from bayou.sources.databases.drivers.statements import Relation, Statement, column, selected
from bayou.sources.files.reading_ahead import reading_ahead
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
_PAGES_AT_ONCE = 1024
_PARTS_FOR_TWO = 8
"""From so many parts on it pays to open a second connection."""
_MOST_TRIES = 4
"""How often ranges are widened for one part of a table: once, unless others change it meanwhile."""
_PAGES = """
SELECT relkind::text, relhassubclass, pg_relation_size(oid) / current_setting('block_size')::int
FROM pg_catalog.pg_class WHERE oid = to_regclass(%(name)s)
"""
_numbers = count(1)


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
        return plain

    def rows(self, text: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """All rows."""
        with closing(self.cursor()) as cursor:
            cursor.execute(text, values)
            return list(cursor.fetchall())

    def row_blocks(self, text: str, values: dict[str, Any], size: int) -> Generator[list[tuple[Any, ...]]]:
        """Rows of a cursor that the server keeps, some at a time."""
        with closing(self.cursor(f"bayou {next(_numbers)}")) as cursor:
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
            mark = f'"bayou {next(_numbers)}"'
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


class PsycopgDriver(PostgresDriver):
    """A connection of psycopg 3."""

    package: ClassVar[str] = "psycopg"

    def cursor(self, name: str = "") -> Any:
        """Results travel in binary form, which the session's settings do not change."""
        from psycopg.rows import tuple_row

        if name:
            return self.connection.cursor(name, binary=True, row_factory=tuple_row)
        return self.connection.cursor(binary=True, row_factory=tuple_row)

    def tables(
        self,
        relation: Relation,
        columns: Sequence[SqlColumn],
        conditions: Sequence[Condition] = (),
        *,
        batch_rows: int,
        slice_rows: int | None = None,
    ) -> Generator[Columns]:
        """Rows packed; as Python values where a column has too many different texts."""
        with self.reading(relation), self.telling(relation):
            pages = self._pages(relation)
            packing = Packing(self, relation, tuple(columns), tuple(conditions), slice_rows)
            # Codes are those of values that another statement has listed.
            packs = columns and not self.sees_changes
            packed = packing.packed_rows(guess=pages is not None) if packs else None
            if packed is None:
                yield from super().tables(
                    relation, columns, conditions, batch_rows=batch_rows, slice_rows=slice_rows
                )
                return
            made: Iterator[Columns]
            if pages is None:
                made = self._copied(packing, packed, batch_rows)
            elif slice_rows is not None:  # the way of all rows, so that a trial shows what it takes
                made = self._joined([packing], packed)
            else:
                made = self._read_ahead(packing, packed, pages)
            empty = True
            with closed_after(made):  # an open COPY would keep the connection from ending the transaction
                for table in made:
                    yield table
                    empty = False
            if empty:
                yield packed.table(b"")

    def _copied(self, packing: Packing, packed: PackedRows, batch_rows: int) -> Generator[Columns]:
        """All rows by one COPY in binary form."""
        statement = packed.statement(packing.conditions, packing.slice_rows)
        relation = packing.relation
        text, values = statement.rendered(relation, self.dialect, self.placeholder, self.escaped)
        copy = f"COPY ({text}) TO STDOUT (FORMAT BINARY)"
        # With empty values psycopg would leave doubled per cent signs as they are.
        with (
            self.busy_with(relation),
            self.cursor() as cursor,
            cursor.copy(copy, values or {"": None}) as rows,
        ):
            for data in stretches(iter(rows), packed.copied_row.itemsize, batch_rows):
                yield packed.table(data, copied=True)

    def _read_ahead(self, packing: Packing, packed: PackedRows, pages: int) -> Generator[Columns]:
        """All rows part by part; the server makes the next parts while one is counted.

        Over two connections where there are many parts, as each has one process of the server.
        """
        parts = list(_by_pages(packing, pages))
        with ExitStack() as stack:
            twin = stack.enter_context(same_state(self)) if len(parts) >= _PARTS_FOR_TWO else None
            readers = [self] if twin is None else [self, twin]
            streams = [
                reading_ahead(
                    reader._joined(
                        [replace(part, driver=reader) for part in parts[k :: len(readers)]], packed
                    )
                )
                for k, reader in enumerate(readers)
            ]
            for stream in streams:
                stack.enter_context(closed_after(stream))
            for tables in zip_longest(*streams):
                yield from (table for table in tables if table is not None and table.rows)

    def _joined(self, parts: Iterable[Packing], packed: PackedRows) -> Generator[Columns]:
        """The rows of each part as one long value.

        Nothing is done row by row between the server and the kernels, as it is with COPY.
        """
        for part in parts:
            for _ in range(_MOST_TRIES):
                statement = packed.joined_statement(part.conditions, part.slice_rows)
                data = packed.checked(self.run(statement, part.relation)[0])
                if data is not None:
                    break
                packed = part.widened(packed)
            else:
                raise BadData(
                    f"{part.relation.label} is being changed while it is read. Read it in a transaction "
                    "that sees one state: REPEATABLE READ, or none of your own."
                )
            yield packed.table(data)

    def _pages(self, relation: Relation) -> int | None:
        """The number of pages of a plain table; None for anything else, and for servers before 14.

        Older servers would read the whole table to find some of its pages.
        """
        if relation.text.startswith("(") or self.connection.info.server_version < 140000:
            return None
        found = self.rows(_PAGES, {"name": relation.text.replace("%%", "%")})
        if not found or as_text(found[0][0]) not in ("r", "m") or found[0][1]:
            return None
        return int(found[0][2])


def _by_pages(packing: Packing, pages: int) -> Iterator[Packing]:
    """The same rows, some pages at a time."""
    for first in range(0, pages, _PAGES_AT_ONCE):
        inside = _on_pages(first, first + _PAGES_AT_ONCE)
        yield replace(packing, conditions=(*packing.conditions, inside))


def _on_pages(first: int, end: int) -> Condition:
    def condition(statement: Statement) -> exp.Expression:
        place = exp.column("ctid", table="t")
        tid = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="tid")
        low, high = (exp.Cast(this=statement.bound(f"({page},0)"), to=tid.copy()) for page in (first, end))
        return exp.and_(exp.GTE(this=place, expression=low), exp.LT(this=place.copy(), expression=high))

    return condition


class Psycopg2Driver(PostgresDriver):
    """A connection of psycopg2."""

    package: ClassVar[str] = "psycopg2"

    def cursor(self, name: str = "") -> Any:
        """A plain cursor, whose statements can be interrupted."""
        from bayou.sources.databases.drivers.interruptible_cursor import InterruptibleCursor

        return self.connection.cursor(cursor_factory=InterruptibleCursor)

    def row_blocks(self, text: str, values: dict[str, Any], size: int) -> Generator[list[tuple[Any, ...]]]:
        """Rows of a cursor that the server keeps; psycopg2 has none of its own with autocommit."""
        name = f'"bayou {next(_numbers)}"'
        with closing(self.cursor()) as cursor:
            cursor.execute(f"DECLARE {name} NO SCROLL CURSOR FOR {text}", values)
            while True:
                cursor.execute(f"FETCH {size} FROM {name}")
                block = list(cursor.fetchall())
                if not block:
                    break
                yield block
            cursor.execute(f"CLOSE {name}")


def _kind(of: tuple[str, str], scale: int | None) -> tuple[Kind, str, bool]:
    """What the values of a type are, its name, and whether it lists its texts, as an enumeration does."""
    name, group = of
    if group == "e":
        return "text", name, True
    if name == "numeric":
        return ("integer" if scale == 0 else "number"), name, False
    return _KINDS.get(name, "refused"), name, name == "uuid"
