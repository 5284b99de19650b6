"""Predictions as one SELECT, for databases that bayou need not reach: a text with the model's numbers in it.

From the inside out: the code of each feature's state; the score log P(class, row) of each class, a sum of
numbers that CASE looks up; the largest score; e^(score − largest); shares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from sqlglot import exp

from bayou.errors import BadQuestion
from bayou.schema import Variable
from bayou.sources.databases.drivers.statements import column, named
from bayou.sources.databases.predictions.cells_in_sql import CellsInSql, Mark, state_literals
from bayou.sources.databases.predictions.expressions import number_literal
from bayou.sources.databases.predictions.nested_queries import outer, unnested
from bayou.sources.databases.predictions.score_terms import IMPOSSIBLE, Component
from bayou.sources.databases.predictions.term_levels import with_levels
from bayou.typing import FloatArray, Name

_PART = re.compile(r'"(?:[^"]|"")+"|[^."][^.]*')
_TABLE = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern})){{0,2}}")


@dataclass(frozen=True)
class PredictionQuery:
    """A classifier as a query: classes, log P(class), and the models whose P(class, row) are added.

    An impossible row gets P(class); without ``log_prior`` it has no answer (NULL). ``times`` are the features
    that have dates or times, of which the models know the days. ``weight`` is the power of
    P(row | class), the sum of the models divided by P(class).
    """

    classes: Variable
    log_prior: FloatArray | None
    components: Sequence[Component]
    dialect: str
    times: Mapping[Name, str] = field(default_factory=dict)
    weight: float = 1.0
    marks: Mapping[Name, Mark] = field(default_factory=dict)

    @cached_property
    def _cells(self) -> CellsInSql:
        return CellsInSql(self.dialect, self.times, self.marks)

    def text(self, table: str, keep: Sequence[str]) -> str:
        """SELECT the columns to keep, the prediction and the probability of each class FROM a table."""
        answers = self._answers(self._scores(from_table(table), keep), keep)
        return str(unnested(answers, self.dialect).sql(dialect=self.dialect, copy=False))

    def shared_out(self, scores: exp.Select, keep: Sequence[str]) -> str:
        """The same FROM a query that has the columns to keep (k0, k1, …) and a score for each class."""
        return str(self._answers(scores, keep).sql(dialect=self.dialect, copy=False))

    def _answers(self, scores: exp.Select, keep: Sequence[str]) -> exp.Select:
        kept = [f"k{place}" for place in range(len(keep))]
        largest = outer(scores, [*kept, *self._score_names], self.dialect)
        inner = [column(name, "t") for name in self._score_names]
        top = exp.Greatest(this=inner[0], expressions=inner[1:]) if len(inner) > 1 else inner[0]
        largest = largest.select(named(top, "m"), copy=False)
        shares = outer(largest, [*kept, "m", *self._score_names], self.dialect)
        for place in range(self.classes.cardinality):
            shares = shares.select(named(self._exponential(place), f"e{place}"), copy=False)
        return self._shares(shares, keep)

    def _each(self, letter: str) -> list[str]:
        return [f"{letter}{place}" for place in range(self.classes.cardinality)]

    @property
    def _score_names(self) -> list[str]:
        """The score of each class, by component where there are several."""
        if len(self.components) <= 1:
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
            codes = codes.select(named(self._cells.code(feature), places[name]), copy=False)
        for name in numbers:
            codes = codes.select(named(self._cells.value(str(name)), places[name]), copy=False)
        codes = codes.from_(table) if places or keep else exp.select("1").from_(table)
        kept = [f"k{place}" for place in range(len(keep))]
        codes = with_levels(codes, terms, places, [*kept, *places.values()], self.dialect)
        result = outer(codes, kept, self.dialect)
        classes = range(self.classes.cardinality)
        each_class = [part.score(k, places) for k in classes for part in self.components]
        for name, score in zip(self._score_names, each_class, strict=True):
            result = result.select(named(score, name, copy=False), copy=False)
        return result

    def _exponential(self, place: int) -> exp.Expression:
        """Σ e^(score − largest) over the components; of a row that is impossible in every class, P(class)."""
        largest, n = column("m", "t"), max(1, len(self.components))
        total: exp.Expression | None = None
        for name in self._score_names[place * n : (place + 1) * n]:
            below = exp.Sub(this=column(name, "t"), expression=largest.copy())
            # PostgreSQL refuses an exponential that underflows, and its GREATEST would pass over NULL.
            least = number_literal(-700.0)
            small = exp.LT(this=exp.Paren(this=below.copy()), expression=least)
            usual = exp.Exp(this=exp.Case().when(small, least.copy()).else_(below))
            total = usual if total is None else exp.Add(this=total, expression=usual)
        lost = exp.LT(this=largest, expression=number_literal(IMPOSSIBLE / 2))
        logs = self.log_prior
        prior = exp.null() if logs is None else number_literal(float(np.exp(logs[place])))
        return exp.Case().when(lost, prior).else_(self._powered(total, place))

    def _powered(self, total: exp.Expression | None, place: int) -> exp.Expression | None:
        """P(class)^(1 − w) · total^w; the total is kept so large that its power does not underflow."""
        if self.weight == 1.0 or total is None or self.log_prior is None:
            return total
        least = number_literal(10.0 ** (-300 / max(self.weight, 1.0)))
        base = exp.Greatest(this=exp.Paren(this=total), expressions=[least])
        power = exp.Pow(this=base, expression=number_literal(self.weight))
        share = max(float(np.exp(self.log_prior[place])), 1e-100) ** (1 - self.weight)
        return exp.Mul(this=number_literal(share), expression=power)

    def _shares(self, shares: exp.Select, keep: Sequence[str]) -> exp.Select:
        terms = [column(name, "t") for name in self._each("e")]
        total: exp.Expression = terms[0].copy()
        for term in terms[1:]:
            total = exp.Add(this=total, expression=term.copy())
        best = exp.Case()
        for place, literal in enumerate(state_literals(self.classes, self.dialect)):
            others = [
                exp.GTE(this=terms[place].copy(), expression=other.copy())
                for k, other in enumerate(terms)
                if k != place
            ]
            largest = exp.and_(*others) if others else exp.true()
            best = best.when(largest, literal)
        result = outer(shares, [], self.dialect)
        for place, name in enumerate(keep):
            result = result.select(named(column(f"k{place}", "t"), name), copy=False)
        result = result.select(named(best.else_(exp.null()), "prediction"), copy=False)
        for term, state in zip(terms, self.classes.states, strict=True):
            share = exp.Div(this=term, expression=exp.Paren(this=total.copy()), typed=True, safe=False)
            result = result.select(named(share, f"probability_{state}"), copy=False)
        return result


def from_table(table: str) -> exp.Expression:
    """The table by its exact name; dots part schema and table, except inside double quotes.

    >>> from_table('shop."my.days"').sql("postgres")
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
