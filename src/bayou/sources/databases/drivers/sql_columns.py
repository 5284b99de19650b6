"""What a column of a database means: one kind for each SQL type, and columns made from the values read."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from bayou.codes import code_type, missing_code
from bayou.errors import BadData
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn
from bayou.sources.tables.objects import columns_of_objects, is_integral
from bayou.typing import Name

Kind: TypeAlias = Literal[
    "truth", "integer", "large integer", "number", "text", "time", "zoned time", "any", "refused"
]
"""What the values of a column are: False and True; whole numbers, which are states; those of which some are
beyond 2⁵³, so that they are no numbers; real numbers; texts; dates, times of day and time stamps; time stamps
with a zone, which are told in UTC; any of these, in a column without a type; values that are neither."""


@dataclass(frozen=True)
class SqlColumn:
    """A column of a table or query: its name, what its values are, and the type that the database states."""

    name: str
    kind: Kind
    sql_type: str = ""
    categories: bool = False
    """Whether its texts are those of a type that lists them, or has a meaning of its own: they stay texts."""

    @property
    def may_spell(self) -> bool:
        """Whether its texts may spell something else, such as dates."""
        return self.kind == "text" and not self.categories

    def require_usable(self) -> None:
        """Raise BadData for a column whose values are neither states nor numbers."""
        if self.kind == "refused":
            raise BadData(
                f"Column {self.name!r} has the SQL type {self.sql_type}, whose values are neither states nor "
                "numbers. Leave the column out, or cast it in the query (CAST(… AS TEXT))."
            )


def column_of_values(column: SqlColumn, values: Sequence[Any]) -> Column:
    """Return values as a driver gives them (None: missing) as a column of their kind.

    >>> column_of_values(SqlColumn("x", "number"), [1, None, 2.5]).values.tolist()
    [1.0, nan, 2.5]
    >>> column_of_values(SqlColumn("ill", "truth"), [1, None, 0]).values()
    [True, None, False]
    """
    if column.kind == "number":
        numbers = np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
        return number_column(numbers)
    if column.kind == "truth":
        missing = missing_code(np.uint8)
        codes = [missing if value is None else int(bool(value)) for value in values]
        return CodedColumn(np.array(codes, dtype=np.uint8), (False, True))
    if column.kind == "integer":
        whole = [None if value is None else int(value) for value in values]
        if not any(value is not None for value in whole):
            return NumberColumn(np.full(len(whole), np.nan), integral=True, kind="int")
        return columns_of_objects([column.name], [whole])[0]
    if column.kind == "large integer":
        labels = sorted({int(value) for value in values if value is not None})
        places = {label: place for place, label in enumerate(labels)}
        kind = code_type(len(labels))
        codes = [missing_code(kind) if value is None else places[int(value)] for value in values]
        return CodedColumn(np.array(codes, dtype=kind), tuple(labels))
    if column.kind == "text":
        values = [None if value is None else as_text(value) for value in values]
    if column.kind == "zoned time":
        values = [None if value is None else value.astimezone(datetime.timezone.utc) for value in values]
    return columns_of_objects([column.name], [list(values)])[0]


def as_text(value: Any) -> str:
    """Return a text as text: a database without an encoding (SQL_ASCII) gives its bytes.

    >>> as_text("é".encode())
    'é'
    """
    if not isinstance(value, bytes):
        return str(value)
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadData(f"The text {value!r} is not UTF-8: convert it in the query.") from None


def number_column(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> NumberColumn:
    """Return real numbers as a column: the type of the column says so, even if all of them are whole."""
    return NumberColumn(numbers, is_integral(numbers[~np.isnan(numbers)]), "float")


def table_of_rows(columns: Sequence[SqlColumn], rows: Sequence[Sequence[Any]]) -> Columns:
    """Return rows as a driver gives them as a table."""
    by_column: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    made = [column_of_values(column, values) for column, values in zip(columns, by_column, strict=True)]
    return Columns(names_of(columns), made, len(rows))


def names_of(columns: Sequence[SqlColumn]) -> list[Name]:
    """Return the names of some columns."""
    return [column.name for column in columns]


def require_distinct(columns: Sequence[SqlColumn], label: str) -> None:
    """Refuse a query of which two columns have the same name."""
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise BadData(f"{label} has two columns named {column.name!r}. Name them apart (AS …).")
        seen.add(column.name)
