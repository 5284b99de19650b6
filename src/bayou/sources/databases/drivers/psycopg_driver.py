"""PostgreSQL through psycopg 3: rows packed by the server, joined to long values or read ahead."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import zip_longest
from typing import Any, ClassVar

from sqlglot import exp

from bayou.errors import BadData
from bayou.sources.ctrl_c import closed_after
from bayou.sources.databases.drivers.driver import Condition
from bayou.sources.databases.drivers.packed_rows import PackedRows, stretches
from bayou.sources.databases.drivers.packing import Packing
from bayou.sources.databases.drivers.postgres_driver import PostgresDriver
from bayou.sources.databases.drivers.same_state import same_state
from bayou.sources.databases.drivers.sql_columns import SqlColumn, as_text
from bayou.sources.databases.drivers.statements import Relation, Statement
from bayou.sources.files.reading_ahead import reading_ahead
from bayou.sources.tables.columns import Columns

_PAGES_AT_ONCE = 1024


_PARTS_FOR_TWO = 8
"""From so many parts on it pays to open a second connection."""


_MOST_TRIES = 4
"""How often ranges are widened for one part of a table: once, unless others change it meanwhile."""


_PAGES = """
SELECT relkind::text, relhassubclass, pg_relation_size(oid) / current_setting('block_size')::int
FROM pg_catalog.pg_class WHERE oid = to_regclass(%(name)s)
"""


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
