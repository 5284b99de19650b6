"""How a feature is modelled: declarations of distributions, and the one path by which they are learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bayou.distributions import (
    NUMBERS,
    Declaration,
    Distribution,
    DistributionKind,
    Family,
    LinearGaussian,
    Prior,
    Table,
    Words,
)
from bayou.errors import BadVariable
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.schema import Variable
from bayou.statistics import Counts, GroupMoments, Request, Statistics
from bayou.typing import Name


@dataclass(frozen=True)
class Estimation:
    """What the estimation of one feature may use."""

    statistics: Statistics
    classes: Variable
    prior: Prior
    unknown: str
    floor: float
    choices: dict[Name, Any] | None = None
    """Where automatic choices are written down, if anywhere."""
    var_smoothing: float = 1e-9


class Settled(NamedTuple):
    """A feature of which all is known but the numbers: its kind, the statistic about it, and its states.

    Ranges are found in the data, and so is the best of several kinds.
    """

    kind: DistributionKind
    answer: Any
    family: Family


Settle = Callable[[Any, Family, Estimation], Settled]
"""How a kind that finds out about itself does so: its verb ``settled``."""


def needed(kind: DistributionKind, feature: Name, classes: Variable) -> Request:
    """What a kind has to know of the data about a feature given the class."""
    return kind.needs(Family(Variable(feature), (classes,)))


def learned(kind: DistributionKind, feature: Name, known: Estimation) -> FeatureDensity:
    """P(feature | class) from the statistics."""
    classes = known.classes
    family = Family(Variable(feature), (classes,))
    request = kind.needs(family)
    counted = known.statistics[request]
    for axis in counted.labels:
        if axis.name == feature:
            family = Family(axis, (classes,))
    answer = request.aligned(counted, {feature: family.child, classes.name: classes})
    settle: Settle | None = getattr(kind, "settled", None)
    return density_of(
        Settled(kind, answer, family) if settle is None else settle(answer, family, known), known
    )


def density_of(settled: Settled, known: Estimation) -> FeatureDensity:
    """The estimate; a number without any value has one shape in all classes, so that it tells nothing."""
    kind, answer, family = settled
    if kind.values_are == NUMBERS and answer.total <= 0:
        size = family.groups
        flat = LinearGaussian(np.zeros(size), np.zeros((size, 0)), np.ones(size))
        parts = np.zeros(size), np.zeros((size, 1)), np.zeros((size, 1, 1))
        nothing = GroupMoments((family.child.name,), family.parents, *parts)
        return FeatureDensity(family, flat, nothing, known.prior)
    distribution = kind.estimate(answer, family, known.prior)
    return FeatureDensity(family, distribution, answer, known.prior, known.unknown)


@dataclass(frozen=True)
class TableFeature(Declaration):
    """A table of states, smoothed by the prior: for text, truth values, codes and small whole numbers."""

    word: ClassVar[str] = "table"
    learned_as: ClassVar[type[Distribution]] = Table

    def estimate(self, answer: Counts, family: Family, prior: Prior) -> Table:
        """Count and smooth; a class without any record is uniform."""
        return Table.smoothed(answer, family, prior)


@dataclass(frozen=True)
class GaussianFeature(Declaration):
    """A normal distribution for each class; ``ddof=1`` divides by n − 1. ``floor`` is added to variances."""

    word: ClassVar[str] = "gaussian"
    learned_as: ClassVar[type[Distribution]] = LinearGaussian
    ddof: int = 0
    floor: float = field(default=0.0, repr=False)

    def declaration(self) -> dict[str, Any]:
        """A linear Gaussian, whose variances divide by n."""
        if self.ddof or self.floor:
            raise BadVariable("Gaussians of a network divide by n: leave ddof out.")
        return super().declaration()

    def settled(self, answer: GroupMoments, family: Family, known: Estimation) -> Settled:
        """A tiny share of the widest column's spread is the least variance."""
        return Settled(GaussianFeature(self.ddof, known.floor), answer, family)

    def estimate(self, answer: GroupMoments, family: Family, prior: Prior) -> LinearGaussian:
        """Mean and variance; without two records the spread of all classes together is the best guess."""
        n, whole = answer.n, answer.whole
        spread = float(whole.scatter[0, 0] / whole.n)
        too_few = n <= self.ddof
        scatter = answer.scatter[..., 0, 0]
        variance = np.where(too_few, spread, scatter / np.where(too_few, 1, n - self.ddof)) + self.floor
        variance = np.where(variance > 0, variance, np.finfo(float).tiny)
        mean = np.where(n > 0, answer.mean[..., 0], whole.mean[0])
        return LinearGaussian(mean, np.zeros((*mean.shape, 0)), variance)


@dataclass(frozen=True)
class WordsFeature(Declaration):
    """A column of texts: the words in them, unknown words skipped."""

    word: ClassVar[str] = "words"
    learned_as: ClassVar[type[Distribution]] = Words
