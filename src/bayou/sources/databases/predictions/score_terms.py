"""What features add to the score log P(class, row), as expressions over the codes and numbers of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from sqlglot import exp

from bayou.schema import Variable
from bayou.sources.databases.drivers.statements import column
from bayou.sources.databases.predictions.expressions import (
    case,
    number_literal,
    whole_number,
)
from bayou.typing import BoolArray, FloatArray, Name

IMPOSSIBLE = -1e250
"""Stands for log 0: below the logarithm of any density of a number that is not wholly out of range."""
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
        if not self.features:
            return number_literal(max(float(self.logs[place].item()), IMPOSSIBLE))
        first, *others = self.features
        code: exp.Expression = column(places[first.name], "t")
        for feature in others:
            wide = exp.Mul(this=exp.Paren(this=code), expression=exp.Literal.number(feature.cardinality))
            code = exp.Add(this=wide, expression=column(places[feature.name], "t"))
        logs = self.logs[place].ravel().tolist()
        found = [
            exp.If(this=whole_number(number), true=number_literal(max(log, IMPOSSIBLE)))
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
        return case([(missing, number_literal(0.0))], exp.Add(this=level, expression=square))


@dataclass(frozen=True)
class PoissonTable:
    """weight · log P(count) of a Poisson distribution, but for log x!, which all classes share.

    A gap adds nothing.
    """

    name: Name
    rates: FloatArray
    weight: float = 1.0
    features: tuple[Variable, ...] = ()

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The number."""
        return (self.name,)

    def expression(self, place: int, places: Places) -> exp.Expression:
        """w · (x log λ − λ); no class has a number below 0."""
        value, rate = column(places[self.name], "t"), float(self.rates[place])
        slope = exp.Mul(this=value.copy(), expression=number_literal(self.weight * float(np.log(rate))))
        found = exp.Add(this=slope, expression=number_literal(-self.weight * rate))
        below = exp.LT(this=value.copy(), expression=number_literal(0.0))
        missing = exp.Is(this=value, expression=exp.null())
        return case([(missing, number_literal(0.0)), (below, number_literal(IMPOSSIBLE))], found)


@dataclass(frozen=True)
class BumpTable:
    """weight · log of a sum of normal densities of one number, by class; a gap adds nothing.

    ``bumps`` has one array for each class, whose rows are (log share, mean, deviation).
    """

    name: Name
    bumps: tuple[FloatArray, ...]
    weight: float = 1.0
    features: tuple[Variable, ...] = ()

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The number."""
        return (self.name,)

    def sum_name(self, place: int, places: Places) -> str:
        """The name of the column with the log of a class's sum, which ``bump_levels`` makes."""
        return f"{places[self.name]}b{place}"

    def expression(self, place: int, places: Places) -> exp.Expression:
        """The weight times that column."""
        value, log = column(places[self.name], "t"), column(self.sum_name(place, places), "t")
        found = exp.Mul(this=number_literal(self.weight), expression=log)
        return case([(exp.Is(this=value, expression=exp.null()), number_literal(0.0))], found)


@dataclass(frozen=True)
class NormalMatrix:
    """log of a normal density of several numbers, by class, times a weight.

    ``whiteners`` are matrices W with Σ⁻¹ = W Wᵀ (times the root of the weight), ``levels`` what is added;
    both have one entry that all classes share, or one for each. Unless ``gaps`` are integrated out, all
    numbers are needed. With a ``centre`` one covariance is shared, and what adds the same to all classes is
    left out: scores are linear in x − centre, so that large squares do not cancel.
    """

    numbers: tuple[Name, ...]
    means: FloatArray
    whiteners: FloatArray
    levels: FloatArray
    covariances: tuple[FloatArray, ...]
    weight: float = 1.0
    gaps: bool = False
    centre: FloatArray | None = None
    features: tuple[Variable, ...] = ()

    def expression(self, place: int, places: Places) -> exp.Expression:
        """Level − ½ Σ ((x − μ)ᵀ W)²."""
        if self.gaps:
            return self._of_levels(place, places)
        if self.centre is not None:
            return self._linear(place, places, self.centre)
        own = place % len(self.levels)
        total: exp.Expression = number_literal(self.levels[own])
        for weights in self.whiteners[own].T:
            if not weights.any():
                continue
            white = exp.Paren(this=self._sum(self.means[place], weights, places))
            square = exp.Mul(this=exp.Mul(this=white, expression=white.copy()), expression=_half(1.0))
            total = exp.Add(this=total, expression=square)
        return exp.Paren(this=total)

    def _of_levels(self, place: int, places: Places) -> exp.Expression:
        """−w/2 · Σ (2 log l + z²), from the columns of ``gap_levels``; what all classes share is left out."""
        own, first = place % len(self.covariances), places[self.numbers[0]]
        if self.centre is not None:
            return self._of_linear_levels(place, first)
        total: exp.Expression = number_literal(0.0)
        for k in range(len(self.numbers)):
            root, white = column(f"{first}l{own}_{k}_{k}", "t"), column(f"{first}z{place}_{k}", "t")
            log = exp.Mul(this=number_literal(-self.weight), expression=exp.Ln(this=root))
            square = exp.Mul(this=exp.Mul(this=white, expression=white.copy()), expression=_half(self.weight))
            total = exp.Add(this=exp.Add(this=total, expression=log), expression=square)
        return exp.Paren(this=total)

    def _linear(self, place: int, places: Places, centre: FloatArray) -> exp.Expression:
        """uᵀ Wᵀ (x − centre) − ½ uᵀ u, where u = Wᵀ (μ − centre)."""
        white = (self.means[place] - centre) @ self.whiteners[0]
        slopes = self._sum(centre, white @ self.whiteners[0].T, places)
        return exp.Paren(this=exp.Add(this=slopes, expression=number_literal(-0.5 * float(white @ white))))

    def _of_linear_levels(self, place: int, first: str) -> exp.Expression:
        """w · Σ u (z − u / 2), from the columns of ``gap_levels``: u of the class, z of the row."""
        total: exp.Expression = number_literal(0.0)
        for k in range(len(self.numbers)):
            own, row = column(f"{first}z{place}_{k}", "t"), column(f"{first}z{len(self.means)}_{k}", "t")
            half = exp.Mul(this=number_literal(0.5), expression=own)
            away = exp.Paren(this=exp.Sub(this=row, expression=half))
            product = exp.Mul(
                this=exp.Mul(this=own.copy(), expression=away), expression=_half(-2 * self.weight)
            )
            total = exp.Add(this=total, expression=product)
        return exp.Paren(this=total)

    def _sum(self, means: FloatArray, weights: FloatArray, places: Places) -> exp.Expression:
        terms = []
        for name, mean, weight in zip(self.numbers, means, weights, strict=True):
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
        return case([(here, first)], second)


def _half(weight: float) -> exp.Expression:
    return number_literal(-0.5 * weight)
