"""Models of a numeric feature that are made from its values by class: ranges, presence, candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.distributions import Declaration, Distribution, Family, KernelFeature, PoissonFeature, Table
from bayou.errors import BadVariable
from bayou.estimators.naive_bayes.feature_kinds import (
    EstimationInput,
    GaussianFeature,
    PreparedFeature,
    TableFeature,
)
from bayou.estimators.naive_bayes.pooled_variances import PooledVariances, drawn_to_pooled
from bayou.schema import Variable
from bayou.statistics import Counts, GroupMoments, ValueCounts, ValueHistogram
from bayou.typing import FloatArray, Name


class RangesOfValues(Declaration):
    """A table of ranges of a numeric feature; the ranges are learned from its values by class, or given."""

    word: ClassVar[str]
    learned_as: ClassVar[type[Distribution]] = Table

    def declaration(self) -> dict[str, Any]:
        """Raise an error: only classifiers cut numbers into ranges while they learn, networks do not."""
        raise BadVariable(
            f"A variable of a network cannot be {self.word!r}: give its ranges (states=bayou.Cuts(…)), or "
            "discretise the data."
        )

    def needs(self, family: Family) -> ValueHistogram:
        """The counts of the values by class."""
        return ValueHistogram(family.child.name, tuple(parent.name for parent in family.discrete))


@dataclass(frozen=True)
class DiscretisedFeature(RangesOfValues):
    """A table of ranges that separate the classes, cut by the MDL rule (Fayyad and Irani 1993).

    Raises ``BadData`` for a column that holds no numbers.

    >>> import bayou
    >>> heights = {"height": [1.2, 1.3, 1.8, 1.9] * 5}
    >>> grown = ["child", "child", "adult", "adult"] * 5
    >>> model = bayou.NaiveBayes(features="discretised").fit(heights, grown)
    >>> model.predict({"height": [1.85]}).tolist()
    ['adult']
    """

    word: ClassVar[str] = "discretised"

    def settled(self, answer: ValueCounts, family: Family, known: EstimationInput) -> PreparedFeature:
        """Find the ranges and count their values."""
        return discretised_of(answer, known)


@dataclass(frozen=True)
class BernoulliFeature(RangesOfValues):
    """A table of two states: whether a number is above ``threshold``.

    Truth values are taken, too: True counts as 1 and False as 0. Raises ``BadData`` for a column of texts.

    >>> import bayou
    >>> bits = {"bit": [0, 1, 1, 0]}
    >>> bayou.NaiveBayes(features="bernoulli").fit(bits, ["a", "b", "b", "a"]).predict({"bit": [1]}).tolist()
    ['b']
    """

    word: ClassVar[str] = "bernoulli"
    threshold: float = 0.0

    def settled(self, answer: ValueCounts, family: Family, known: EstimationInput) -> PreparedFeature:
        """Count the values up to the threshold and above it."""
        return range_table(answer, np.array([self.threshold]))


def feature_values(feature: Name, known: EstimationInput) -> ValueCounts:
    """Return the counts of a feature's distinct values by class, in the model's order of classes."""
    counted = known.statistics[ValueHistogram(feature, (known.classes.name,))]
    return counted.aligned([known.classes])


def range_table(counted: ValueCounts, cuts: FloatArray) -> PreparedFeature:
    """Return a table of the ranges between the cuts; a range includes its upper cut."""
    variable = Variable(counted.variable, cuts=cuts.tolist())
    return state_table(counted, variable, np.searchsorted(cuts, counted.values, side="left"))


def value_table(counted: ValueCounts, known: EstimationInput) -> PreparedFeature:
    """Return a table whose states are the values themselves."""
    distinct, places = np.unique(counted.values, return_inverse=True)
    states = [int(value) if value.is_integer() else value for value in distinct.tolist()]
    return state_table(counted, Variable(counted.variable, states, ordered=True), places.ravel())


def state_table(counted: ValueCounts, variable: Variable, places: np.typing.NDArray[Any]) -> PreparedFeature:
    """Return a table of counts, class × state; ``places`` holds the state of each value."""
    shape = (counted.groups[0].cardinality, variable.cardinality)
    cells = np.bincount(counted.codes * shape[1] + places, counted.weights, shape[0] * shape[1])
    counts = Counts((counted.groups[0], variable), cells.reshape(shape))
    return PreparedFeature(TableFeature(), counts, Family(variable, counted.groups))


def moments_of(counted: ValueCounts) -> GroupMoments:
    """Return the number, mean and scatter (sum of squared deviations) of each class."""
    size = counted.groups[0].cardinality

    def sums(terms: FloatArray) -> FloatArray:
        result: FloatArray = np.bincount(counted.codes, weights=terms, minlength=size).astype(np.float64)
        return result

    n = sums(counted.weights)
    mean = sums(counted.weights * counted.values) / np.where(n > 0, n, 1)
    # A second pass around the mean: large numbers that lie close together keep their precision.
    mean += sums(counted.weights * (counted.values - mean[counted.codes])) / np.where(n > 0, n, 1)
    scatter = sums(counted.weights * (counted.values - mean[counted.codes]) ** 2)
    return GroupMoments((counted.variable,), counted.groups, n, mean[:, None], scatter[:, None, None])


def _family(counted: ValueCounts) -> Family:
    return Family(Variable(counted.variable), counted.groups)


POOLED_RECORDS = 2.0
"""How many virtual records draw the variances of automatic Gaussians to the pooled one (kernel: the same)."""
Maker = Callable[[ValueCounts, EstimationInput], PreparedFeature]


def gaussian_of(counted: ValueCounts, known: EstimationInput) -> PreparedFeature:
    """Return a normal distribution for each class; variances of small classes are drawn to the pooled one."""
    moments = moments_of(counted)
    whole = moments.whole
    floor = known.var_smoothing * float(whole.scatter[0, 0] / max(float(whole.n), 1e-300))
    drawn = drawn_to_pooled(moments, POOLED_RECORDS)
    variances = PooledVariances(moments, POOLED_RECORDS, floor)
    return PreparedFeature(GaussianFeature(floor=floor), drawn, _family(counted), variances)


def poisson_of(counted: ValueCounts, known: EstimationInput) -> PreparedFeature:
    """Return a Poisson distribution for each class."""
    return PreparedFeature(PoissonFeature(), moments_of(counted), _family(counted))


def discretised_of(counted: ValueCounts, known: EstimationInput) -> PreparedFeature:
    """Return a table of ranges that are cut by the MDL rule."""
    return range_table(counted, counted.cuts())


def kernel_of(counted: ValueCounts, known: EstimationInput) -> PreparedFeature:
    """Return a kernel density for each class, with Silverman's bandwidth."""
    return PreparedFeature(KernelFeature(), counted, _family(counted))
