"""duckdb connections: results come through Arrow, straight into the kernels."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, ClassVar

from sqlglot import exp

from bayou.sources.databases.drivers.driver import Condition, Driver, retyped
from bayou.sources.databases.drivers.interruptible import interruptible
from bayou.sources.databases.drivers.sql_columns import Kind, SqlColumn
from bayou.sources.databases.drivers.statements import Relation, Statement, column, selected
from bayou.sources.tables.arrow import ALL_ROWS, stream_batches
from bayou.sources.tables.columns import Columns

_KINDS: dict[str, Kind] = {
    "BOOLEAN": "truth",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "number"),
    **dict.fromkeys(("VARCHAR", "UUID"), "text"),
    **dict.fromkeys(("DATE", "TIME", "TIMESTAMP"), "time"),
    **dict.fromkeys(("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "time"),
    "TIMESTAMP WITH TIME ZONE": "zoned time",
}


class DuckdbDriver(Driver):
    """A duckdb connection."""

    dialect: ClassVar[str] = "duckdb"
    package: ClassVar[str] = "duckdb"

    def placeholder(self, name: str) -> str:
        """A named parameter."""
        return f"${name}"

    def columns(self, relation: Relation) -> tuple[SqlColumn, ...]:
        """Names and types of the result, which duckdb knows without running the query."""
        text, values = Statement(tree=selected([exp.Star()]).limit(0)).rendered(
            relation, self.dialect, self.placeholder
        )
        with self.telling(relation):
            found = self._result(text, values)
        kinds = zip(found.columns, map(str, found.types), strict=True)
        return tuple(
            SqlColumn(name, _kind(sql_type), sql_type, categories=sql_type != "VARCHAR")
            for name, sql_type in kinds
        )

    def value(self, of: SqlColumn) -> exp.Expression:
        """Texts in the binary collation; NaN is missing; wide integers as 64-bit ones, or an error."""
        plain = column(of.name)
        if of.kind == "text":
            text = plain if of.sql_type == "VARCHAR" else exp.cast(plain, "text")
            return exp.Collate(this=text, expression=exp.to_identifier("binary", quoted=True))
        if of.sql_type in ("FLOAT", "DOUBLE"):
            number = plain if of.sql_type == "DOUBLE" else exp.cast(plain, "double")
            missing = exp.Anonymous(this="isnan", expressions=[number])
            return exp.Case().when(missing, exp.null()).else_(number.copy())
        if of.kind == "integer" and _is_wide(of.sql_type):
            return exp.cast(plain, "bigint")
        return exp.cast(plain, "double") if of.kind == "number" else plain

    def rows(self, text: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """All rows as Python values."""
        return interruptible(lambda: list(self._result(text, values).fetchall()), self.connection.interrupt)

    def row_blocks(self, text: str, values: dict[str, Any], size: int) -> Generator[list[tuple[Any, ...]]]:
        """Rows as Python values, through Arrow: a relation keeps no result of which some could be fetched."""
        for table in stream_batches(self._result(text, values), batch_rows=size):
            yield list(zip(*(table.coded(name).values() for name in table.names), strict=True))

    def read(self, statement: Statement, relation: Relation, columns: Sequence[SqlColumn]) -> Columns:
        """A result through Arrow."""
        text, values = statement.rendered(relation, self.dialect, self.placeholder)
        with self.telling(relation):
            (table,) = interruptible(
                lambda: list(stream_batches(self._result(text, values), batch_rows=ALL_ROWS)),
                self.connection.interrupt,
            )
        return retyped(table, columns)

    def tables(
        self,
        relation: Relation,
        columns: Sequence[SqlColumn],
        conditions: Sequence[Condition] = (),
        *,
        batch_rows: int,
        slice_rows: int | None = None,
    ) -> Generator[Columns]:
        """Rows through Arrow, some at a time."""
        statement = self.select_rows(columns, conditions, slice_rows)
        text, values = statement.rendered(relation, self.dialect, self.placeholder)
        with self.reading(relation), self.telling(relation), self.busy_with(relation):
            for table in stream_batches(self._result(text, values), batch_rows=batch_rows):
                yield retyped(table, columns)

    def begin(self) -> Callable[[bool], None]:
        """A transaction sees one state of the data; a transaction of the user keeps its number."""
        numbers = {self.connection.execute("SELECT txid_current()").fetchall()[0] for _ in range(2)}
        if len(numbers) == 1:
            return lambda failed: None
        self.connection.execute("BEGIN TRANSACTION READ ONLY")
        return lambda failed: self.connection.execute("ROLLBACK")

    def _result(self, text: str, values: dict[str, Any]) -> Any:
        return self.connection.sql(text, params=values) if values else self.connection.sql(text)


def _kind(sql_type: str) -> Kind:
    if sql_type.startswith("DECIMAL("):
        return "integer" if sql_type.endswith(",0)") else "number"
    if sql_type.startswith("ENUM("):
        return "text"
    return _KINDS.get(sql_type, "refused")


def _is_wide(sql_type: str) -> bool:
    """Whether a type of whole numbers travels as decimals of which floats do not hold all.

    >>> [_is_wide(kind) for kind in ("HUGEINT", "DECIMAL(38,0)", "DECIMAL(9,0)", "BIGINT")]
    [True, True, False, False]
    """
    if sql_type.startswith("DECIMAL("):
        return int(sql_type[len("DECIMAL(") : sql_type.index(",")]) > 15
    return sql_type in ("HUGEINT", "UHUGEINT")
