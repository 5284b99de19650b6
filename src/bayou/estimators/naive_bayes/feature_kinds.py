"""Kinds of features: declarations of distributions, and how P(feature | class) is estimated from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    checked_records,
)
from bayou.errors import BadData, BadVariable
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.pooled_variances import PooledVariances, drawn_to_pooled
from bayou.schema import Variable
from bayou.statistics import Counts, GroupMoments, Request, Statistics
from bayou.typing import Name

_LEAST_APART = 1e-145
"""The squares of smaller differences may underflow."""
_ROUNDING = 1e-9
"""Differences of a smaller share of the numbers themselves are rounding: the column is constant."""


@dataclass(frozen=True)
class EstimationInput:
    """What the estimation of one feature uses: statistics, classes, prior and settings."""

    statistics: Statistics
    classes: Variable
    prior: Prior
    unknown: str
    floor: float = 0.0
    """What is added to the variances of Gaussians."""
    choices: dict[Name, Any] | None = None
    """Automatic choices are stored here by feature; None: they are not stored."""
    var_smoothing: float = 1e-9
    decided: Mapping[Name, Any] | None = None
    """Automatic choices that are already made, by feature."""


class PreparedFeature(NamedTuple):
    """A feature before its parameters are estimated: its final kind, its statistic and its states.

    Kinds that learn their ranges, or choose among several kinds, do so before this.
    """

    kind: DistributionKind
    answer: Any
    family: Family
    variances: PooledVariances | None = None
    """How the variances of a Gaussian were drawn to the pooled one, where they were."""


Settle = Callable[[Any, Family, EstimationInput], PreparedFeature]
"""The method ``settled`` of kinds that learn their ranges or choose among several kinds."""


def needed(kind: DistributionKind, feature: Name, classes: Variable) -> Request:
    """Return the request for the statistic that a kind of feature is estimated from."""
    return kind.needs(Family(Variable(feature), (classes,)))


def learned(kind: DistributionKind, feature: Name, known: EstimationInput) -> FeatureDensity:
    """Return P(feature | class), estimated from the statistics."""
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
        PreparedFeature(kind, answer, family) if settle is None else settle(answer, family, known), known
    )


def density_of(settled: PreparedFeature, known: EstimationInput) -> FeatureDensity:
    """Return the estimate; a numeric feature without any value gets the same density in all classes."""
    kind, answer, family, variances = settled
    if kind.values_are == NUMBERS and answer.total <= 0:
        size = family.groups
        flat = LinearGaussian(np.zeros(size), np.zeros((size, 0)), np.ones(size))
        parts = np.zeros(size), np.zeros((size, 1)), np.zeros((size, 1, 1))
        nothing = GroupMoments((family.child.name,), family.parents, *parts)
        return FeatureDensity(family, flat, nothing, known.prior)
    distribution = kind.estimate(answer, family, known.prior)
    return FeatureDensity(family, distribution, answer, known.prior, known.unknown, variances)


@dataclass(frozen=True)
class TableFeature(Declaration):
    """A table of states, smoothed by the prior: for text, truth values, codes and small whole numbers.

    >>> import bayou
    >>> colours = {"colour": ["red", "green", "red"]}
    >>> model = bayou.NaiveBayes(features="table").fit(colours, ["stop", "go", "stop"])
    >>> model.predict({"colour": ["red"]}).tolist()
    ['stop']
    """

    word: ClassVar[str] = "table"
    learned_as: ClassVar[type[Distribution]] = Table

    def estimate(self, answer: Counts, family: Family, prior: Prior) -> Table:
        """Smooth the counts; a class without any record is uniform."""
        return Table.smoothed(answer, family, prior)


@dataclass(frozen=True)
class GaussianFeature(Declaration):
    """A normal distribution for each class; ``ddof=1`` divides by n − 1; ``floor`` is added to variances.

    ``virtual_records`` draw the variance of each class to the pooled one (see :func:`drawn_to_pooled`); 0,
    the default, is scikit-learn's GaussianNB, where the variance of a class of one row is nearly 0.

    Raises ``BadData`` for a column that holds no numbers.

    >>> GaussianFeature(virtual_records=2)
    GaussianFeature(ddof=0, virtual_records=2)
    """

    word: ClassVar[str] = "gaussian"
    learned_as: ClassVar[type[Distribution]] = LinearGaussian
    ddof: int = 0
    floor: float = field(default=0.0, repr=False)
    virtual_records: float = 0.0

    def declaration(self) -> dict[str, Any]:
        """The declaration of a linear Gaussian; its variances divide by n, so ``ddof`` is an error."""
        if self.ddof or self.floor or self.virtual_records:
            raise BadVariable(
                "The variances of a network's Gaussians divide by n: omit ddof= and virtual_records=."
            )
        return super().declaration()

    def settled(self, answer: GroupMoments, family: Family, known: EstimationInput) -> PreparedFeature:
        """Set the floor of the variances, a small share of the largest variance of any column."""
        records = checked_records(self.virtual_records)
        if records:
            drawn = drawn_to_pooled(answer, records)
            variances = PooledVariances(answer, records, known.floor)
            return PreparedFeature(GaussianFeature(floor=known.floor), drawn, family, variances)
        return PreparedFeature(GaussianFeature(self.ddof, known.floor), answer, family)

    def estimate(self, answer: GroupMoments, family: Family, prior: Prior) -> LinearGaussian:
        """Estimate mean and variance; a class with at most ``ddof`` records gets the variance of all rows.

        A column that is the same in all rows tells nothing about the class. It gets one wide Gaussian for all
        classes: a narrow one would make terms so large that the other columns were lost in rounding.
        """
        n, whole = answer.n, answer.whole
        spread = float(whole.scatter[0, 0] / whole.n)
        _require_squares(answer, spread, family.child.name)
        too_few = n <= self.ddof
        scatter = answer.scatter[..., 0, 0]
        variance = np.where(too_few, spread, scatter / np.where(too_few, 1, n - self.ddof)) + self.floor
        if spread == 0:
            variance = np.full_like(variance, max(1.0, float(whole.mean[0]) ** 2))
        elif not np.all(np.isfinite(variance)):
            raise BadData(
                f"The variance of {family.child.name!r} is not finite: its numbers are too large for a "
                "Gaussian. Use another unit, or look for numbers that stand for a missing value."
            )
        variance = np.where(variance > 0, variance, np.finfo(float).tiny)
        mean = np.where(n > 0, answer.mean[..., 0], whole.mean[0])
        return LinearGaussian(mean, np.zeros((*mean.shape, 0)), variance)


def _require_squares(moments: GroupMoments, spread: float, name: Name) -> None:
    """Refuse numbers that differ, but so little that their squares underflow to 0."""
    means = moments.mean[moments.n > 0]
    size = float(np.abs(means).max(initial=0.0))
    apart = max(spread**0.5, float(np.ptp(means)) if len(means) else 0.0)
    if _ROUNDING * size < apart < _LEAST_APART:
        raise BadData(
            f"The variance of {name!r} is too small for floats: its numbers differ by less than "
            f"{_LEAST_APART:g}. Use another unit."
        )


@dataclass(frozen=True)
class WordsFeature(Declaration):
    """A column of texts: the counts of their words; words that were not in training are ignored.

    Raises ``BadData`` for a column that holds no texts.

    >>> import bayou
    >>> texts = {"text": ["cheap pills", "see you at noon"]}
    >>> bayou.NaiveBayes(features="words").fit(texts, ["spam", "mail"]).predict({"text": ["pills"]}).tolist()
    ['spam']
    """

    word: ClassVar[str] = "words"
    learned_as: ClassVar[type[Distribution]] = Words
