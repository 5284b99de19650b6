"""Cells of a table in a database as the codes of states and numbers that a model reads."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlglot import exp

from bayou.errors import BadQuestion
from bayou.schema import Variable
from bayou.sources.databases.drivers.statements import column
from bayou.sources.databases.predictions.expressions import number_literal, whole_number
from bayou.sources.databases.predictions.times_in_sql import comparable_time, days_in_sql, time_literal
from bayou.typing import Name, State

DIALECTS = ("postgres", "duckdb", "sqlite", "mysql", "snowflake", "bigquery")
_TYPES: dict[str, Any] = {
    "truth value": bool,
    "text": str,
    "number": (int, float),
    "date": datetime.date,
    "time of day": datetime.time,
}
_HAVE_NAN = ("postgres", "duckdb", "snowflake")


@dataclass(frozen=True)
class Mark:
    """A state of a column: a number may be 1 where the column has it, and 0 for its other states."""

    column: Variable
    place: int


@dataclass(frozen=True)
class CellsInSql:
    """Reads cells in a dialect; ``times`` are the features that have dates or times, and of which kind.

    ``marks`` are numbers that are no columns of their own.
    """

    dialect: str
    times: Mapping[Name, str] = field(default_factory=dict)
    marks: Mapping[Name, Mark] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.dialect not in DIALECTS:
            raise BadQuestion.choice("dialect", self.dialect, DIALECTS)

    def value(self, name: str) -> exp.Expression:
        """A number; NaN is missing."""
        if name in self.marks:
            mark = self.marks[name]
            codes = range(mark.column.cardinality)
            ifs = [exp.If(this=whole_number(k), true=number_literal(k == mark.place)) for k in codes]
            return exp.Case(this=self.code(mark.column), ifs=ifs, default=exp.null())
        value = exp.cast(self._number(name), "double")
        if self.dialect not in _HAVE_NAN:
            return value
        return exp.Nullif(this=value, expression=exp.cast(exp.Literal.string("NaN"), "double"))

    def _number(self, name: str) -> exp.Expression:
        """A column of numbers. SQLite would take the first digits of a text, such as those of a date."""
        value = column(name)
        if name in self.times:
            return days_in_sql(value, self.times[name], self.dialect, name)
        if self.dialect != "sqlite":
            return value
        kinds = [exp.Literal.string(kind) for kind in ("integer", "real")]
        kind = exp.Anonymous(this="TYPEOF", expressions=[value.copy()])
        return exp.Case().when(exp.In(this=kind, expressions=kinds), value)

    def code(self, feature: Variable) -> exp.Expression:
        """The position of a feature's state; NULL for a gap and for a value that is no state."""
        name = str(feature.name)
        value = self._number(name) if name in self.times else column(name)
        case = exp.Case()
        if feature.cuts is not None:
            value = self._number(name)
            if self.dialect in _HAVE_NAN:
                nan = exp.cast(exp.Literal.string("NaN"), "double")
                case = case.when(exp.EQ(this=value.copy(), expression=nan), exp.null())
            for beyond, bound in ((exp.LT, feature.cuts.low), (exp.GT, feature.cuts.high)):
                if np.isfinite(bound):
                    case = case.when(beyond(this=value.copy(), expression=number_literal(bound)), exp.null())
            for place, point in enumerate(feature.cuts.points):
                limit = exp.LTE(this=value.copy(), expression=number_literal(point))
                case = case.when(limit, exp.Literal.number(place))
            last = exp.Not(this=exp.Is(this=value.copy(), expression=exp.null()))
            return case.when(last, exp.Literal.number(len(feature.cuts.points))).else_(exp.null())
        literals = state_literals(feature, self.dialect)
        days = value if name in self.times else None  # looked at once, not for every state
        same: list[exp.Expression] = literals
        if days is None:
            as_text = self.dialect != "sqlite" and _are_mixed(feature.states)
            compared = [self._comparable(value, "" if as_text else state) for state in feature.states]
            same = [
                exp.EQ(this=own, expression=literal) for own, literal in zip(compared, literals, strict=True)
            ]
        ifs = [exp.If(this=each, true=exp.Literal.number(place)) for place, each in enumerate(same)]
        return exp.Case(this=days, ifs=ifs, default=exp.null())

    def _comparable(self, value: exp.Expression, state: State) -> exp.Expression:
        """A column as it is compared with a state: texts byte by byte, whatever the collation."""
        collation = {"postgres": "C", "duckdb": "binary"}.get(self.dialect)
        if isinstance(state, datetime.date | datetime.time):
            return comparable_time(value, state, self.dialect)
        if not isinstance(state, str):
            return value.copy()
        if collation is not None:
            text = exp.cast(value.copy(), "text")
            return exp.Collate(this=text, expression=exp.to_identifier(collation, quoted=True))
        if self.dialect == "sqlite":
            return exp.Collate(this=value.copy(), expression=exp.Var(this="BINARY"))
        return value.copy()


def state_literals(variable: Variable, dialect: str) -> list[exp.Expression]:
    """The states as literals of one type, since a column, and what CASE gives, has one.

    States of several types, such as 1 and "many", are texts (in SQLite they stay what they are).

    >>> [literal.sql() for literal in state_literals(Variable("rooms", [1, 2.5, "many"]), "postgres")]
    ["'1'", "'2.5'", "'many'"]
    """
    states = variable.states
    if dialect == "sqlite" or not _are_mixed(states):
        return [state_literal(variable, state, dialect) for state in states]
    seen: dict[str, State] = {}
    for state in states:
        state_literal(variable, state, dialect)  # refuses what has none
        text = _text_of(state)
        if text in seen:
            raise BadQuestion(
                f"{variable.name!r} has the states {seen[text]!r} and {state!r}, which are one text, and SQL "
                "has states of several types as texts. Rename one of them before the export."
            )
        seen[text] = state
    return [exp.Literal.string(text) for text in seen]


def _are_mixed(states: Sequence[State]) -> bool:
    """Whether states are of several types that no column of a database holds together."""
    return len(set(map(_type_of, states))) > 1


def _type_of(state: State) -> str:
    for kind, types in _TYPES.items():
        if isinstance(state, types):
            return kind
    return "other"


def _text_of(state: State) -> str:
    """A state as databases cast it to text."""
    if isinstance(state, bool):
        return str(state).lower()
    if isinstance(state, datetime.datetime):
        return state.isoformat(sep=" ")
    return state.isoformat() if isinstance(state, datetime.date | datetime.time) else str(state)


def state_literal(variable: Variable, state: State, dialect: str) -> exp.Expression:
    """A state as a literal; texts, truth values, numbers, dates and times of day have one."""
    if isinstance(state, bool):
        return exp.true() if state else exp.false()
    if isinstance(state, str):
        return exp.Literal.string(state)
    if isinstance(state, int):
        return exp.Neg(this=exp.Literal.number(-state)) if state < 0 else exp.Literal.number(state)
    if isinstance(state, float):
        return number_literal(state)
    if isinstance(state, datetime.date | datetime.time):
        return time_literal(state, dialect)
    raise BadQuestion(
        f"The state {state!r} of {variable.name!r} cannot be written in SQL; texts, numbers, truth values "
        "and dates can."
    )
