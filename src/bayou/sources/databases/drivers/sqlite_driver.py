"""sqlite3 connections. Columns have no fixed types there: the values of a column say what it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, ClassVar

from sqlglot import exp

from bayou.sources.databases.drivers.driver import Driver
from bayou.sources.databases.drivers.sql_columns import Kind, SqlColumn
from bayou.sources.databases.drivers.statements import Relation, Statement, column, selected
from bayou.sources.tables.columns import LARGEST_EXACT

_CLASSES = ("integer", "real", "text", "blob")


class SqliteDriver(Driver):
    """A connection of Python's own sqlite3."""

    dialect: ClassVar[str] = "sqlite"
    package: ClassVar[str] = "sqlite3"
    has_grouping_sets: ClassVar[bool] = False

    def placeholder(self, name: str) -> str:
        """A named parameter."""
        return f":{name}"

    def columns(self, relation: Relation) -> tuple[SqlColumn, ...]:
        """Each column's kind, from the storage classes of all its values, counted in one statement."""
        text, values = Statement(tree=selected([exp.Star()]).limit(0)).rendered(
            relation, self.dialect, self.placeholder
        )
        with self.telling(relation):
            with closing(self._execute(text, values)) as cursor:
                names = [str(each[0]) for each in cursor.description]
            declared = self._declared_types(relation)
            counted = [count for name in names for count in _counts(name)]
            found = self.run(Statement(tree=selected(counted)), relation)[0]
        width = len(_CLASSES) + 1
        by_name = [found[k : k + width] for k in range(0, len(found), width)]
        return tuple(
            SqlColumn(
                name, *_kind(dict(zip((*_CLASSES, "large"), counts, strict=True)), declared.get(name, ""))
            )
            for name, counts in zip(names, by_name, strict=True)
        )

    def value(self, of: SqlColumn) -> exp.Expression:
        """Texts in the binary collation, numbers as reals."""
        plain = column(of.name)
        if of.kind == "number":
            return exp.cast(plain, "double")
        if of.kind in ("text", "any"):
            return exp.Collate(this=plain, expression=exp.Var(this="BINARY"))
        return plain

    def rows(self, text: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """All rows."""
        with closing(self._execute(text, values)) as cursor:
            return list(cursor.fetchall())

    def row_blocks(self, text: str, values: dict[str, Any], size: int) -> Generator[list[tuple[Any, ...]]]:
        """Some rows at a time."""
        with closing(self._execute(text, values)) as cursor:
            while block := cursor.fetchmany(size):
                yield block

    def begin(self) -> Callable[[bool], None]:
        """A transaction that only reads sees the state of its first statement."""
        if self.connection.in_transaction:
            return lambda failed: None
        self.connection.execute("BEGIN")
        return lambda failed: _end(self.connection)

    def _execute(self, text: str, values: dict[str, Any]) -> Any:
        cursor = self.connection.cursor()
        cursor.row_factory = None  # the user's may give rows of another kind
        return cursor.execute(text, values)

    def _declared_types(self, relation: Relation) -> dict[str, str]:
        """The declared types of a table's columns; none for a query."""
        if relation.text.startswith("("):
            return {}
        *schema, table = [part.name for part in exp.to_table(relation.text, dialect="sqlite").parts]
        where = f'"{schema[0]}".' if schema else ""
        quoted = table.replace('"', '""')
        return {row[1]: str(row[2]).upper() for row in self.rows(f'PRAGMA {where}table_info("{quoted}")', {})}


def _counts(name: str) -> list[exp.Expression]:
    """How many values of each storage class a column has, and how many integers that floats do not hold."""
    kind = exp.Anonymous(this="typeof", expressions=[column(name)])
    tests = [exp.EQ(this=kind.copy(), expression=exp.Literal.string(each)) for each in _CLASSES]
    inside = exp.Between(
        this=column(name),
        low=exp.Literal.number(1 - LARGEST_EXACT),
        high=exp.Literal.number(LARGEST_EXACT - 1),
    )
    tests.append(exp.and_(tests[0].copy(), exp.Not(this=inside)))
    sums = [exp.Sum(this=exp.Paren(this=test)) for test in tests]
    return [exp.Coalesce(this=each, expressions=[exp.Literal.number(0)]) for each in sums]


def _kind(counts: dict[str, int], declared: str) -> tuple[Kind, str]:
    """What a column is, and how messages name its type."""
    if counts["blob"]:
        return "refused", "BLOB"
    if counts["text"]:
        return ("any", declared) if counts["integer"] or counts["real"] else ("text", declared)
    if declared.startswith("BOOL"):
        return "truth", declared
    if counts["real"] or (not counts["integer"] and declared in ("REAL", "DOUBLE", "FLOAT")):
        return "number", declared
    if counts["large"]:
        return "large integer", declared
    if counts["integer"] or "INT" in declared:
        return "integer", declared
    return "text", declared


def _end(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.rollback()
