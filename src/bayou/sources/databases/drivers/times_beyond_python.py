"""Times that PostgreSQL has and Python has not: infinity, years before Christ and after 9999."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from bayou.errors import listed
from bayou.sources.databases.drivers.sql_columns import SqlColumn
from bayou.sources.databases.drivers.statements import Statement, column, selected

_TOLD = re.compile(
    r"(timestamp|date).* too (large|small)|after year|before year|infinity|year .*out of range", re.I
)
_FIRST, _LAST = "0001-01-01", "9999-12-31"


def tells_of_them(problem: Exception) -> bool:
    """Whether a driver's error is about such a time.

    >>> tells_of_them(ValueError("timestamp too large (after year 10K)")), tells_of_them(ValueError("no"))
    (True, False)
    """
    return _TOLD.search(str(problem)) is not None


def times_of(columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """The columns that may have such times."""
    return [each for each in columns if each.sql_type in ("date", "timestamp", "timestamptz")]


def any_beyond(of: SqlColumn) -> Statement:
    """The statement that has a row if a column has such a time; a day at either end counts as one."""
    low, high = (exp.cast(exp.Literal.string(day), of.sql_type) for day in (_FIRST, _LAST))
    inside = exp.Between(this=column(of.name), low=low, high=high)
    return Statement(tree=selected([exp.Literal.number(1)], where=[exp.Not(this=inside)]).limit(1))


def told(label: str, names: Sequence[str]) -> str:
    """The message about columns with such times."""
    columns, have = ("column", "has") if len(names) == 1 else ("columns", "have")
    return (
        f"{label} could not be read: the {columns} {listed(names)} {have} times that Python has not "
        "(infinity, years before Christ, or years after 9999). Make them NULL in the query "
        "(NULLIF(…, 'infinity')), or read the column as text (CAST(… AS TEXT))."
    )
