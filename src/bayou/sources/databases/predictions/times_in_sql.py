"""Dates and times in queries that are handed out as text: as literals, and as the days that models count.

Columns of dates may be typed or be ISO texts: each is cast to a point in time, in UTC where it has a zone.
SQLite has no such types; there they are ISO texts.
"""

from __future__ import annotations

import datetime
from typing import Any

from sqlglot import exp

from bayou.errors import BadQuestion
from bayou.sources.tables.times import kind_of_times
from bayou.typing import Name

_SQL_TYPES = {
    "date": "TIMESTAMP",
    "timestamp": "TIMESTAMP",
    "zoned timestamp": "TIMESTAMPTZ",
    "time": "TIME",
    "interval": "INTERVAL",
}
_WRITTEN = ("postgres", "duckdb", "sqlite")
_DAY = "86400.0"
_ISO = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"
_CLOCK = "[0-9][0-9]:[0-9][0-9]*"


def days_in_sql(value: exp.Expression, kind: str, dialect: str, name: Name) -> exp.Expression:
    """The days that a column of times stands for: since 1970, of a day, or of a time span.

    ``kind`` is one of the words of :func:`bayou.sources.tables.times.kind_of_times`. A text that is no date
    is missing in duckdb and SQLite; PostgreSQL refuses it when the query is run.

    >>> days_in_sql(exp.column("day"), "date", "postgres", "day").sql("postgres")
    'CAST(EXTRACT(EPOCH FROM CAST(day AS TIMESTAMP)) AS DOUBLE PRECISION) / 86400.0'
    """
    if dialect not in _WRITTEN:
        raise BadQuestion(
            f"The column {name!r} has dates or times, which to_sql writes for {', '.join(_WRITTEN)} only, "
            f"not for {dialect}: learn from a column of numbers instead (days since 1970)."
        )
    if dialect == "sqlite":
        return _days_in_sqlite(value, kind)
    if dialect == "duckdb":
        seconds: exp.Expression = exp.Anonymous(this="EPOCH", expressions=[_moment(value, kind, dialect)])
    else:
        seconds = exp.Extract(this=exp.Var(this="EPOCH"), expression=_moment(value, kind, dialect))
    return exp.Div(this=exp.cast(seconds, "double"), expression=exp.Literal.number(_DAY), typed=True)


def time_literal(state: datetime.date | datetime.time, dialect: str) -> exp.Expression:
    """A date, a point in time or a time of day as a literal; in SQLite it is a text.

    >>> time_literal(datetime.date(2024, 2, 29), "postgres").sql("postgres")
    "CAST('2024-02-29' AS DATE)"
    """
    text = state.isoformat(sep=" ") if isinstance(state, datetime.datetime) else state.isoformat()
    literal = exp.Literal.string(text)
    if dialect == "sqlite":
        return literal
    if isinstance(state, datetime.datetime):
        return exp.cast(literal, "TIMESTAMP" if state.tzinfo is None else "TIMESTAMPTZ")
    return exp.cast(literal, "DATE" if isinstance(state, datetime.date) else "TIME")


def comparable_time(
    value: exp.Expression, state: datetime.date | datetime.time, dialect: str
) -> exp.Expression:
    """A column as it is compared with the literal of a state: a point in time, whether typed or a text."""
    if dialect not in ("postgres", "duckdb"):
        return value.copy()
    return _moment(value, kind_of_times([state]), dialect)


def _moment(value: exp.Expression, kind: str, dialect: str) -> exp.Expression:
    made = exp.TryCast if dialect == "duckdb" else exp.Cast
    return made(this=value.copy(), to=exp.DataType.build(_SQL_TYPES[kind]))


def _days_in_sqlite(value: exp.Expression, kind: str) -> exp.Expression:
    """A number as it is; a text by SQLite's functions, which know milliseconds. Other texts are missing."""
    numbers = exp.In(this=_function("TYPEOF", value), expressions=_texts("integer", "real"))
    case = exp.Case().when(numbers, value.copy())
    if kind == "interval":
        return case
    text: exp.Expression = _function("TRIM", value)
    pattern = _ISO
    if kind == "time":
        text = exp.DPipe(this=exp.Literal.string("1970-01-01 "), expression=text)
        pattern = _CLOCK
    fits = exp.Glob(this=_function("TRIM", value), expression=exp.Literal.string(pattern))
    second, exact = (exp.cast(_clock(part, text), "double") for part in ("%S", "%f"))
    fraction = exp.Paren(this=exp.Sub(this=exact, expression=second))
    seconds = exp.Paren(this=exp.Add(this=exp.cast(_clock("%s", text), "double"), expression=fraction))
    return case.when(fits, exp.Div(this=seconds, expression=exp.Literal.number(_DAY)))


def _clock(part: str, text: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(part), text.copy()])


def _function(name: str, value: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=[value.copy()])


def _texts(*values: Any) -> list[exp.Expression]:
    return [exp.Literal.string(value) for value in values]
