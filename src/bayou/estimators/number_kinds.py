"""Ways of modelling a number, all from its values by class: bumps, ranges, presence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.distributions import Family, KernelDensity, Laplace, bandwidth_from
from bayou.estimators.densities import Density, GaussianDensity, KernelShape, PoissonDensity, TableDensity
from bayou.estimators.feature_kinds import Estimation
from bayou.schema import Variable
from bayou.statistics import Counts, GroupMoments, Request, ValueCounts, ValueHistogram
from bayou.typing import FloatArray, Name

_WIDER = 3.0
"""The virtual records of a kernel density are spread so many times wider than the data."""


def counted_values(feature: Name, known: Estimation) -> ValueCounts:
    """The feature's distinct values by class, classes in their final order."""
    counted = known.statistics[ValueHistogram(feature, (known.classes.name,))]
    return counted.aligned([known.classes])


@dataclass(frozen=True)
class KernelFeature:
    """A bump on every value: for numbers of any shape. ``bandwidth`` is a rule, its name, or a number."""

    word: ClassVar[str] = "kernel"
    bandwidth: Any = "silverman"
    relative_error: float = 1e-9

    def needs(self, feature: Name, target: Name) -> Request:
        """The values by class."""
        return ValueHistogram(feature, (target,))

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """Bandwidths by class."""
        return kernel_shape(
            counted_values(feature, known), self.bandwidth, self.relative_error, known.strength
        )


@dataclass(frozen=True)
class DiscretisedFeature:
    """Ranges that tell the classes apart, found by the minimum description length rule; then a table."""

    word: ClassVar[str] = "discretised"

    def needs(self, feature: Name, target: Name) -> Request:
        """The values by class."""
        return ValueHistogram(feature, (target,))

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """Cut, count and smooth."""
        counted = counted_values(feature, known)
        return range_table(counted, counted.cuts(), known)


@dataclass(frozen=True)
class BernoulliFeature:
    """Present or absent: whether a number is above ``threshold``."""

    word: ClassVar[str] = "bernoulli"
    threshold: float = 0.0

    def needs(self, feature: Name, target: Name) -> Request:
        """The values by class."""
        return ValueHistogram(feature, (target,))

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """Two ranges."""
        return range_table(counted_values(feature, known), np.array([self.threshold]), known)


def kernel_shape(counted: ValueCounts, bandwidth: Any, relative_error: float, strength: float) -> KernelShape:
    """Bumps on the values of each class; a class without values takes those of all."""
    variable = Variable(counted.variable)
    if not len(counted.values):
        size = counted.groups[0].cardinality
        flat = KernelDensity((np.zeros(1),) * size, (np.ones(1),) * size, np.ones(size))
        return KernelShape(variable, flat, strength, 0.0, 1.0)
    density = KernelDensity.estimate(
        _without_empty_classes(counted),
        Family(variable, counted.groups),
        Laplace(0),
        bandwidth_from(bandwidth),
        relative_error,
    )
    mean = float(counted.weights @ counted.values / counted.total)
    spread = float(np.sqrt(counted.weights @ (counted.values - mean) ** 2 / counted.total))
    return KernelShape(variable, density, strength, mean, _WIDER * spread if spread > 0 else 1.0)


def _without_empty_classes(counted: ValueCounts) -> ValueCounts:
    """A class that never showed a value gets all values, so that it neither gains nor loses by one."""
    classes = counted.groups[0]
    empty = [code for code in range(classes.cardinality) if not np.any(counted.codes == code)]
    if not empty:
        return counted
    everything = counted.ungrouped()
    times = 1 + len(empty)
    codes = np.concatenate([counted.codes, *(np.full(len(everything.values), code) for code in empty)])
    values = np.concatenate([counted.values, *[everything.values] * (times - 1)])
    weights = np.concatenate([counted.weights, *[everything.weights] * (times - 1)])
    return ValueCounts.of(counted.variable, counted.groups, values, codes, weights, counted.bin_width)


def range_table(counted: ValueCounts, cuts: FloatArray, known: Estimation) -> TableDensity:
    """A table of the ranges between the cuts."""
    variable = Variable(counted.variable, cuts=cuts.tolist())
    return _table(counted, variable, np.searchsorted(cuts, counted.values, side="left"), known)


def value_table(counted: ValueCounts, known: Estimation) -> TableDensity:
    """A table of the values themselves."""
    distinct, places = np.unique(counted.values, return_inverse=True)
    states = [int(value) if value.is_integer() else value for value in distinct.tolist()]
    return _table(counted, Variable(counted.variable, states, ordered=True), places.ravel(), known)


def _table(
    counted: ValueCounts, variable: Variable, places: np.typing.NDArray[Any], known: Estimation
) -> TableDensity:
    shape = (counted.groups[0].cardinality, variable.cardinality)
    cells = np.bincount(counted.codes * shape[1] + places, counted.weights, shape[0] * shape[1])
    counts = Counts((counted.groups[0], variable), cells.reshape(shape))
    return TableDensity.estimate(counts, known.prior, known.unknown)


def moments_of(counted: ValueCounts) -> GroupMoments:
    """Number, mean and scatter of each class."""
    size = counted.groups[0].cardinality

    def sums(terms: FloatArray) -> FloatArray:
        result: FloatArray = np.bincount(counted.codes, weights=terms, minlength=size).astype(np.float64)
        return result

    n = sums(counted.weights)
    mean = sums(counted.weights * counted.values) / np.where(n > 0, n, 1)
    # Once more about the mean: large numbers that lie close together keep their digits.
    mean += sums(counted.weights * (counted.values - mean[counted.codes])) / np.where(n > 0, n, 1)
    scatter = sums(counted.weights * (counted.values - mean[counted.codes]) ** 2)
    return GroupMoments((counted.variable,), counted.groups, n, mean[:, None], scatter[:, None, None])


Maker = Callable[[ValueCounts, Estimation], Density]


def gaussian_of(counted: ValueCounts, known: Estimation) -> Density:
    """A normal distribution for each class."""
    moments = moments_of(counted)
    whole = moments.marginal([])
    floor = known.var_smoothing * float(whole.scatter[0, 0] / max(float(whole.n), 1e-300))
    return GaussianDensity.estimate(moments, counted.variable, 0, floor)


def poisson_of(counted: ValueCounts, known: Estimation) -> Density:
    """A rate for each class."""
    return PoissonDensity.estimate(moments_of(counted), counted.variable, known.strength)


def discretised_of(counted: ValueCounts, known: Estimation) -> Density:
    """Ranges by the minimum description length rule."""
    return range_table(counted, counted.cuts(), known)


def kernel_of(counted: ValueCounts, known: Estimation) -> Density:
    """Bumps of Silverman's width."""
    return kernel_shape(counted, "silverman", 1e-9, known.strength)
