"""What features add to the score log P(class, row), as expressions over the codes and numbers of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from sqlglot import exp

from bayou.schema import Variable
from bayou.sources.databases.drivers.statements import column
from bayou.typing import BoolArray, FloatArray, Name

IMPOSSIBLE = -1e9
"""Stands for log 0."""
NO_PART = 4 * IMPOSSIBLE
"""The score of a component that takes no part in a row."""
Places = Mapping[Name, str]
"""The names of the columns with the code (or the number) of each feature."""


class Term(Protocol):
    """What some features add to the scores."""

    @property
    def features(self) -> tuple[Variable, ...]:
        """The features with states that are looked up."""

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The features whose numbers are used."""

    def expression(self, place: int, places: Places) -> exp.Expression:
        """What is added to the score of a class."""


@dataclass(frozen=True)
class ScoreTable:
    """Numbers that are looked up: ``logs`` [class, state of the first feature, …].

    ``needed``: without a value of every feature there is no score; otherwise a gap adds nothing.
    """

    features: tuple[Variable, ...]
    logs: FloatArray
    needed: bool
    numbers: tuple[Name, ...] = ()

    def expression(self, place: int, places: Places) -> exp.Expression:
        """The number that the codes stand for; one number for several codes counts them in order."""
        first, *others = self.features
        code: exp.Expression = column(places[first.name], "t")
        for feature in others:
            wide = exp.Mul(this=exp.Paren(this=code), expression=exp.Literal.number(feature.cardinality))
            code = exp.Add(this=wide, expression=column(places[feature.name], "t"))
        logs = self.logs[place].ravel().tolist()
        # Built at once: Case.when would copy all that is there each time.
        found = [
            exp.If(this=exp.Literal.number(number), true=number_literal(max(log, IMPOSSIBLE)))
            for number, log in enumerate(logs)
        ]
        return exp.Case(
            this=exp.Paren(this=code), ifs=found, default=exp.null() if self.needed else number_literal(0.0)
        )


@dataclass(frozen=True)
class NormalTable:
    """weight · log of a normal density of one number, by class; a gap adds nothing."""

    name: Name
    means: FloatArray
    variances: FloatArray
    weight: float = 1.0
    features: tuple[Variable, ...] = ()

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The number."""
        return (self.name,)

    def expression(self, place: int, places: Places) -> exp.Expression:
        """−w/2 · (log 2πσ² + (x − μ)² / σ²)."""
        value, variance = column(places[self.name], "t"), float(self.variances[place])
        away = exp.Paren(this=exp.Sub(this=value.copy(), expression=number_literal(self.means[place])))
        square = exp.Mul(
            this=exp.Mul(this=away, expression=away.copy()), expression=_half(self.weight / variance)
        )
        level = number_literal(-0.5 * self.weight * float(np.log(2 * np.pi * variance)))
        missing = exp.Is(this=value, expression=exp.null())
        return exp.Case().when(missing, number_literal(0.0)).else_(exp.Add(this=level, expression=square))


@dataclass(frozen=True)
class NormalMatrix:
    """log of a normal density of several numbers, by class; all are needed.

    ``whiteners`` are matrices W with Σ⁻¹ = W Wᵀ.
    """

    numbers: tuple[Name, ...]
    means: FloatArray
    whiteners: FloatArray
    levels: FloatArray
    features: tuple[Variable, ...] = ()

    def expression(self, place: int, places: Places) -> exp.Expression:
        """Level − ½ Σ ((x − μ)ᵀ W)²."""
        total: exp.Expression = number_literal(self.levels[place])
        for weights in self.whiteners[place].T:
            if not weights.any():
                continue
            white = exp.Paren(this=self._sum(place, weights, places))
            square = exp.Mul(this=exp.Mul(this=white, expression=white.copy()), expression=_half(1.0))
            total = exp.Add(this=total, expression=square)
        return exp.Paren(this=total)

    def _sum(self, place: int, weights: FloatArray, places: Places) -> exp.Expression:
        terms = []
        for name, mean, weight in zip(self.numbers, self.means[place], weights, strict=True):
            away = exp.Sub(this=column(places[name], "t"), expression=number_literal(mean))
            terms.append(exp.Mul(this=exp.Paren(this=away), expression=number_literal(weight)))
        total: exp.Expression = terms[0]
        for term in terms[1:]:
            total = exp.Add(this=total, expression=term)
        return total


@dataclass(frozen=True)
class Component:
    """One of the models whose probabilities are added: what it starts with, by class, and its terms.

    It takes part in a row where the state of one of the features in ``only`` is marked (``unless``: is not).
    """

    start: FloatArray
    terms: Sequence[Term]
    only: tuple[tuple[Variable, BoolArray], ...] = ()
    unless: bool = False

    def score(self, place: int, places: Places) -> exp.Expression:
        """log P(class, row) of this component."""
        total: exp.Expression = number_literal(max(float(self.start[place]), IMPOSSIBLE))
        for term in self.terms:
            total = exp.Add(this=total, expression=term.expression(place, places))
        marked = [
            exp.In(
                this=column(places[feature.name], "t"),
                expressions=[exp.Literal.number(int(code)) for code in np.flatnonzero(frequent)],
            )
            for feature, frequent in self.only
            if frequent.any()
        ]
        if not self.only:
            return total
        none = number_literal(NO_PART)
        if not marked:
            return total if self.unless else none
        here = exp.or_(*marked)
        first, second = (none, total) if self.unless else (total, none)
        return exp.Case().when(here, first).else_(second)


def number_literal(value: float) -> exp.Expression:
    """A real number."""
    literal = exp.Literal.number(repr(abs(float(value))))
    signed = exp.Neg(this=literal) if value < 0 else literal
    return exp.Cast(this=signed, to=exp.DataType(this=exp.DataType.Type.DOUBLE))


def _half(weight: float) -> exp.Expression:
    return number_literal(-0.5 * weight)
