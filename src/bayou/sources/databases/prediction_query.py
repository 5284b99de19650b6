"""Predictions as one SELECT, for databases that bayou need not reach: a text with the model's numbers in it.

From the inside out: the code of each feature's state; the score log P(class, row) of each class, a sum of
numbers that CASE looks up; the largest score; e^(score − largest); shares.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from bayou.errors import BadQuestion
from bayou.schema import Variable
from bayou.sources.databases.drivers.statements import column, named
from bayou.sources.databases.score_terms import IMPOSSIBLE, Component, number_literal
from bayou.typing import FloatArray, Name, State

_DIALECTS = ("postgres", "duckdb", "sqlite", "mysql", "snowflake", "bigquery")
_HAVE_NAN = ("postgres", "duckdb", "snowflake")
_PART = re.compile(r'"(?:[^"]|"")+"|[^."][^.]*')
_TABLE = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern})){{0,2}}")


@dataclass(frozen=True)
class PredictionQuery:
    """A classifier as a query: classes, log P(class), and the models whose P(class, row) are added."""

    classes: Variable
    log_prior: FloatArray
    components: Sequence[Component]
    dialect: str

    def __post_init__(self) -> None:
        if self.dialect not in _DIALECTS:
            raise BadQuestion.choice("dialect", self.dialect, _DIALECTS)

    def text(self, table: str, keep: Sequence[str]) -> str:
        """SELECT the columns to keep, the prediction and the probability of each class FROM a table."""
        kept = [f"k{place}" for place in range(len(keep))]
        scores = self._scores(_from_table(table), keep)
        largest = _outer(scores, [*kept, *self._score_names], self.dialect)
        inner = [column(name, "t") for name in self._score_names]
        top = exp.Greatest(this=inner[0], expressions=inner[1:]) if len(inner) > 1 else inner[0]
        largest = largest.select(named(top, "m"), copy=False)
        shares = _outer(largest, [*kept, "m", *self._score_names], self.dialect)
        for place in range(len(self.log_prior)):
            shares = shares.select(named(self._exponential(place), f"e{place}"), copy=False)
        return str(self._shares(shares, keep).sql(dialect=self.dialect))

    def _each(self, letter: str) -> list[str]:
        return [f"{letter}{place}" for place in range(len(self.log_prior))]

    @property
    def _score_names(self) -> list[str]:
        """The score of each class, by component where there are several."""
        if len(self.components) == 1:
            return self._each("s")
        return [f"{name}_{k}" for name in self._each("s") for k in range(len(self.components))]

    def _scores(self, table: exp.Expression, keep: Sequence[str]) -> exp.Select:
        """The scores of all components, from the codes and numbers of the features."""
        terms = [term for each in self.components for term in each.terms]
        features = {feature.name: feature for term in terms for feature in term.features}
        features.update({feature.name: feature for each in self.components for feature, _ in each.only})
        numbers = list(dict.fromkeys(name for term in terms for name in term.numbers))
        places: dict[Name, str] = {name: f"c{place}" for place, name in enumerate(features)}
        places.update({name: f"x{place}" for place, name in enumerate(numbers)})
        codes = exp.select(*(named(column(name), f"k{place}") for place, name in enumerate(keep)))
        for name, feature in features.items():
            codes = codes.select(named(self._code(feature), places[name]), copy=False)
        for name in numbers:
            codes = codes.select(named(self._value(str(name)), places[name]), copy=False)
        codes = codes.from_(table) if places or keep else exp.select("1").from_(table)
        result = _outer(codes, [f"k{place}" for place in range(len(keep))], self.dialect)
        each_class = [part.score(k, places) for k in range(len(self.log_prior)) for part in self.components]
        for name, score in zip(self._score_names, each_class, strict=True):
            result = result.select(named(score, name), copy=False)
        return result

    def _value(self, name: str) -> exp.Expression:
        """A number; NaN is missing."""
        value = exp.cast(self._number(name), "double")
        if self.dialect not in _HAVE_NAN:
            return value
        return exp.Nullif(this=value, expression=exp.cast(exp.Literal.string("NaN"), "double"))

    def _number(self, name: str) -> exp.Expression:
        """A column of numbers. SQLite would take the first digits of a text, such as those of a date."""
        value = column(name)
        if self.dialect != "sqlite":
            return value
        kinds = [exp.Literal.string(kind) for kind in ("integer", "real")]
        kind = exp.Anonymous(this="TYPEOF", expressions=[value.copy()])
        return exp.Case().when(exp.In(this=kind, expressions=kinds), value)

    def _code(self, feature: Variable) -> exp.Expression:
        """The position of a feature's state; NULL for a gap and for a value that is no state."""
        value = column(str(feature.name))
        case = exp.Case()
        if feature.cuts is not None:
            value = self._number(str(feature.name))
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
        for place, state in enumerate(feature.states):
            same = exp.EQ(this=self._comparable(value, state), expression=_literal(feature, state))
            case = case.when(same, exp.Literal.number(place))
        return case.else_(exp.null())

    def _comparable(self, value: exp.Expression, state: State) -> exp.Expression:
        """A column as it is compared with a state: texts byte by byte, whatever the collation."""
        collation = {"postgres": "C", "duckdb": "binary"}.get(self.dialect)
        if not isinstance(state, str):
            return value.copy()
        if collation is not None:
            text = exp.cast(value.copy(), "text")
            return exp.Collate(this=text, expression=exp.to_identifier(collation, quoted=True))
        if self.dialect == "sqlite":
            return exp.Collate(this=value.copy(), expression=exp.Var(this="BINARY"))
        return value.copy()

    def _exponential(self, place: int) -> exp.Expression:
        """Σ e^(score − largest) over the components; of a row that is impossible in every class, P(class)."""
        largest, n = column("m", "t"), len(self.components)
        total: exp.Expression | None = None
        for name in self._score_names[place * n : (place + 1) * n]:
            below = exp.Sub(this=column(name, "t"), expression=largest.copy())
            # PostgreSQL refuses an exponential that underflows, and its GREATEST would pass over NULL.
            least = number_literal(-700.0)
            small = exp.LT(this=exp.Paren(this=below.copy()), expression=least)
            usual = exp.Exp(this=exp.Case().when(small, least.copy()).else_(below))
            total = usual if total is None else exp.Add(this=total, expression=usual)
        lost = exp.LT(this=largest, expression=number_literal(IMPOSSIBLE / 2))
        prior = number_literal(float(np.exp(self.log_prior[place])))
        return exp.Case().when(lost, prior).else_(total)

    def _shares(self, shares: exp.Select, keep: Sequence[str]) -> exp.Select:
        terms = [column(name, "t") for name in self._each("e")]
        total: exp.Expression = terms[0].copy()
        for term in terms[1:]:
            total = exp.Add(this=total, expression=term.copy())
        best = exp.Case()
        for place, state in enumerate(self.classes.states):
            others = [
                exp.GTE(this=terms[place].copy(), expression=other.copy())
                for k, other in enumerate(terms)
                if k != place
            ]
            largest = exp.and_(*others) if others else exp.true()
            best = best.when(largest, _literal(self.classes, state))
        result = _outer(shares, [], self.dialect)
        for place, name in enumerate(keep):
            result = result.select(named(column(f"k{place}", "t"), name), copy=False)
        result = result.select(named(best.else_(exp.null()), "prediction"), copy=False)
        for term, state in zip(terms, self.classes.states, strict=True):
            share = exp.Div(this=term, expression=exp.Paren(this=total.copy()), typed=True, safe=False)
            result = result.select(named(share, f"probability_{state}"), copy=False)
        return result


def _outer(inner: exp.Select, names: Sequence[str], dialect: str) -> exp.Select:
    """SELECT these columns FROM an inner query.

    PostgreSQL and SQLite would put inner expressions in the place of outer columns, each as often as it is
    used, unless the inner query has an OFFSET.
    """
    if dialect == "sqlite":
        inner = inner.limit(-1, copy=False)
    if dialect in ("postgres", "sqlite"):
        inner = inner.offset(0, copy=False)
    rows = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("t")))
    return exp.select(*(column(name, "t") for name in names)).from_(rows)


def _from_table(table: str) -> exp.Expression:
    """The table by its exact name; dots part schema and table, except inside double quotes.

    >>> _from_table('shop."my.days"').sql("postgres")
    '"shop"."my.days" AS t'
    """
    if not _TABLE.fullmatch(table):
        raise BadQuestion(
            f"{table!r} is not the name of a table: a name, or a schema and a name with a dot between them, "
            "and at most a catalog before. Put a part that has a dot in double quotes: 'shop.\"my.days\"'."
        )
    found = [part.group() for part in _PART.finditer(table)]
    plain = [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in found]
    parts = [exp.to_identifier(part, quoted=True) for part in plain]
    places = dict(zip(("this", "db", "catalog"), reversed(parts), strict=False))
    return exp.Table(**places, alias=exp.TableAlias(this=exp.to_identifier("t")))


def _literal(variable: Variable, state: State) -> exp.Expression:
    """A state as a literal; only texts, truth values and numbers have one that all databases read alike."""
    if isinstance(state, bool):
        return exp.true() if state else exp.false()
    if isinstance(state, str):
        return exp.Literal.string(state)
    if isinstance(state, int):
        return exp.Neg(this=exp.Literal.number(-state)) if state < 0 else exp.Literal.number(state)
    if isinstance(state, float):
        return number_literal(state)
    raise BadQuestion(
        f"The state {state!r} of {variable.name!r} cannot be written in SQL; texts, numbers and truth values "
        "can."
    )
