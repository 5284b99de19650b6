"""The base class of drivers: how statements are run on a connection. A new database is one class more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, ClassVar
from weakref import finalize

from sqlglot import exp

from bayou.errors import BadData
from bayou.sources.databases.drivers.sql_columns import SqlColumn, names_of, number_column, table_of_rows
from bayou.sources.databases.drivers.statements import Relation, Statement, column, named, selected
from bayou.sources.tables.columns import Columns, NumberColumn

Condition = Callable[[Statement], exp.Expression]
"""A condition on the rows, for a statement in which its values are bound."""


class Driver(ABC):
    """Runs statements on one connection, in a transaction that only reads and sees one state of the data.

    What the user has set on the connection stays as it is. A transaction that the user has begun is used and
    left open; otherwise one is begun for as long as something is read, and then ended.
    """

    dialect: ClassVar[str]
    """The name of the database's SQL among sqlglot's dialects."""
    has_grouping_sets: ClassVar[bool] = True

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.connect_again: Callable[[], Any] | None = None
        """Opens one more connection like this one; None where that is not ours to do."""
        self._close: Callable[[], None] | None = None
        self._depth = 0
        self._streaming = ""
        self.remembered: dict[Any, Any] = {}
        """What was read of the state that is shown now."""

    @abstractmethod
    def columns(self, relation: Relation) -> tuple[SqlColumn, ...]:
        """The columns of a table or query, with the meaning of their types."""

    @abstractmethod
    def rows(self, text: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Run a statement and return all its rows."""

    @abstractmethod
    def row_blocks(self, text: str, values: dict[str, Any], size: int) -> Generator[list[tuple[Any, ...]]]:
        """Run a statement and yield its rows, some at a time."""

    @abstractmethod
    def placeholder(self, name: str) -> str:
        """How a parameter is written."""

    @abstractmethod
    def begin(self) -> Callable[[bool], None]:
        """Start to read: begin a transaction, or use that of the user; return what ends it.

        The function that is returned takes whether reading has failed.
        """

    def escaped(self, text: str) -> str:
        """The text of a statement without marks that the driver would take for parameters."""
        return text

    def value(self, of: SqlColumn) -> exp.Expression:
        """The expression for a column's values: texts are compared byte by byte, NaN is missing."""
        return column(of.name)

    @property
    def is_reading(self) -> bool:
        """Whether one state of the data is shown now."""
        return self._depth > 0

    @contextmanager
    def reading(self, relation: Relation) -> Iterator[None]:
        """One state of the data for all that is read inside; may be nested."""
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        with self.telling(relation):
            end = self.begin()
        self._depth = 1
        try:
            yield
        except BaseException:
            self._show_no_state()
            with suppress(Exception):  # that the end failed too must not hide why
                end(True)
            raise
        self._show_no_state()
        with self.telling(relation):
            end(False)

    def _show_no_state(self) -> None:
        self._depth = 0
        self.remembered.clear()

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` returns, made once while one state of the data is shown."""
        if not self.is_reading:
            return make()
        if key not in self.remembered:
            self.remembered[key] = make()
        return self.remembered[key]

    def run(self, statement: Statement, relation: Relation, *, stream: int | None = None) -> Any:
        """Run a statement; return its rows, or yield them in blocks of ``stream`` rows."""
        if self._streaming:
            raise BadData(
                f"The rows of {self._streaming} are being read on this connection, which runs one statement "
                "at a time. Read them to their end, or close the iterator that gives them "
                "(tables = source.tables(); …; tables.close()), or give the other data a connection of their "
                "own."
            )
        text, values = statement.rendered(relation, self.dialect, self.placeholder, self.escaped)
        with self.telling(relation):
            return self.rows(text, values) if stream is None else self.row_blocks(text, values, stream)

    def read(self, statement: Statement, relation: Relation, columns: Sequence[SqlColumn]) -> Columns:
        """Run a statement whose result is small, and return it as a table with these columns."""
        return table_of_rows(columns, self.run(statement, relation))

    def tables(
        self,
        relation: Relation,
        columns: Sequence[SqlColumn],
        conditions: Sequence[Condition] = (),
        *,
        batch_rows: int,
        slice_rows: int | None = None,
    ) -> Generator[Columns]:
        """Yield all rows of these columns, some at a time; at least one table, perhaps without rows."""
        statement = self.select_rows(columns, conditions, slice_rows)
        empty = True
        with self.reading(relation), self.telling(relation):
            blocks = self.run(statement, relation, stream=batch_rows)
            with self.busy_with(relation), closing(blocks):
                for block in blocks:
                    yield table_of_rows(columns, block)
                    empty = False
        if empty:
            yield table_of_rows(columns, [])

    def select_rows(
        self, columns: Sequence[SqlColumn], conditions: Sequence[Condition], slice_rows: int | None
    ) -> Statement:
        """The statement that reads rows."""
        statement = Statement()
        where = [condition(statement) for condition in conditions]
        values = [named(self.value(each), f"c{k}") for k, each in enumerate(columns)]
        statement.tree = selected(values or [exp.Literal.number(1)], where=where, slice_rows=slice_rows)
        return statement

    def size(self, relation: Relation) -> int:
        """About how many rows there are."""
        statement = Statement(tree=selected([exp.Count(this=exp.Star())]))
        return int(self.run(statement, relation)[0][0])

    def workers(self, statement: Statement, relation: Relation) -> int:
        """How many processes would work on a statement."""
        return 1

    @contextmanager
    def busy_with(self, relation: Relation) -> Iterator[None]:
        """While rows are read, no other statement can be run on the connection."""
        self._streaming = relation.label
        try:
            yield
        finally:
            self._streaming = ""

    @contextmanager
    def telling(self, relation: Relation) -> Iterator[None]:
        """Errors of the driver become errors that name the table."""
        try:
            yield
        except Exception as problem:
            if not self.is_own_error(problem):
                raise
            reason = str(problem).strip().partition("\n")[0]
            raise BadData(f"{relation.label} could not be read: {reason}") from problem

    def is_own_error(self, problem: Exception) -> bool:
        """Whether an error comes from the driver."""
        package = type(problem).__module__.partition(".")[0]
        return package in (self.package, f"_{self.package}")

    package: ClassVar[str]
    """The package of the driver's errors and connections."""

    def on_close(self, close: Callable[[], None]) -> None:
        """Take over a connection that was opened for a URL, a file or an engine: what gives it back."""
        self._close = finalize(self, close)

    def close(self) -> None:
        """Close a connection that was opened for a URL, a file or an engine; one of the user stays open."""
        if self._close is not None:
            self._close()


def retyped(table: Columns, columns: Sequence[SqlColumn]) -> Columns:
    """The columns of a typed result as their kinds say: real numbers stay real numbers, even whole ones."""
    made = []
    for position, column_ in enumerate(columns):
        found = table[table.names[position]]
        if column_.kind == "number" and isinstance(found, NumberColumn):
            found = number_column(found.values)
        made.append(found)
    return Columns(names_of(columns), made, table.rows)
