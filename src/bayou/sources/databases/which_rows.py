"""Which rows count, and how much: conditions, weights, and the refusal where no row may be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from bayou.errors import BadData
from bayou.sources.databases.drivers.driver import Driver
from bayou.sources.databases.drivers.sql_columns import SqlColumn
from bayou.sources.databases.drivers.statements import Relation, Statement, count_rows, count_values, selected
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Columns
from bayou.sources.weights import Weights, weights_from, whole_weights
from bayou.typing import Name, State


@dataclass(frozen=True)
class OnlyRows:
    """The condition that a column has this state; None: any value. Conditions can be compared."""

    driver: Driver
    column: SqlColumn
    state: State

    def __call__(self, statement: Statement) -> exp.Expression:
        """The condition in a statement."""
        value = self.driver.value(self.column)
        if self.state is None:
            return exp.Not(this=exp.Is(this=value, expression=exp.null()))
        return exp.EQ(this=value, expression=statement.bound(self.state))


def weight_column(columns: Mapping[Name, SqlColumn], name: Name, label: str) -> SqlColumn:
    """The column of this name, which must hold numbers."""
    wanted_positions(tuple(columns), [name])
    column = columns[name]
    if column.kind not in ("number", "integer"):
        raise BadData(
            f"weights={name!r}: the column of {label} must hold numbers, but its SQL type is "
            f"{column.sql_type or column.kind}."
        )
    return column


def check_weights(driver: Driver, relation: Relation, column: SqlColumn) -> None:
    """Refuse weights that are missing, negative or infinite, in one statement."""
    value = exp.cast(driver.value(column), "double")
    below = exp.Case().when(
        exp.LT(this=value.copy(), expression=exp.Literal.number(0)), exp.Literal.number(1)
    )
    outputs = [count_rows(), count_values(value.copy()), count_values(below), exp.Max(this=value.copy())]
    rows, known, negative, largest = driver.run(Statement(tree=selected(outputs)), relation)[0]
    if known < rows:
        raise BadData(_bad_weights(column, relation, rows - known, "no weight (NULL or NaN)"))
    if negative:
        raise BadData(_bad_weights(column, relation, negative, "a negative weight"))
    if largest is not None and float(largest) == float("inf"):
        raise BadData(
            f"weights={column.name!r}: {relation.label} has an infinite weight. Weights must be finite."
        )


def _bad_weights(column: SqlColumn, relation: Relation, rows: int, what: str) -> str:
    many = f"{rows:,} rows have" if rows != 1 else "one row has"
    return (
        f"weights={column.name!r}: {many} {what} in {relation.label}. Weights must be finite and ≥ 0: leave "
        "such rows out (WHERE …) or give them a weight (COALESCE(…, 0))."
    )


def parted(table: Columns, weights: Name | None) -> tuple[Columns, Weights | None]:
    """The columns of the data, and the weights of the rows."""
    if weights is None:
        return table, None
    names = [name for name in table.names if name != weights]
    kept = Columns(names, [table[name] for name in names], table.rows)
    try:
        return kept, weights_from(whole_weights(table.numbers(weights)), table.rows)
    except BadData as problem:
        raise BadData(f"The column {weights!r}: {problem}") from None


def rows_refused(what: str, relation: Relation, dialect: str) -> str:
    """Why rows are not read, and what to do instead.

    >>> print(rows_refused("Reading rows", Relation("days", "The table days"), "sqlite")[:78])
    Reading rows needs the rows of The table days, which transport="cells" forbids
    """
    table = "a view of these rows" if relation.text.startswith("(") else relation.text
    return (
        f'{what} needs the rows of {relation.label}, which transport="cells" forbids. Predictions are made '
        f"in the database by the query that model.to_sql({table!r}, dialect={dialect!r}) returns. For "
        "anything else leave transport= out, or choose a model that needs only counts and means."
    )
