"""Mixtures of Gaussians: the exact posteriors of real variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.typing import FloatArray, IntArray, Name


@dataclass(frozen=True)
class Mixture:
    """A weighted sum of Gaussians: the exact posterior of a continuous variable.

    >>> Mixture(np.array([0.5, 0.5]), np.array([-1.0, 1.0]), np.array([1.0, 1.0])).variance
    2.0
    """

    weights: FloatArray
    means: FloatArray
    variances: FloatArray

    @property
    def mean(self) -> float:
        """The mean of the mixture."""
        return float(self.weights @ self.means)

    @property
    def variance(self) -> float:
        """The variance of the mixture: within the components and between them."""
        return float(self.weights @ (self.variances + (self.means - self.mean) ** 2))


@dataclass(frozen=True)
class JointMixture:
    """The exact joint posterior of several continuous variables.

    ``weights`` (components), ``means`` (components, variables), ``covariances`` (components, variables,
    variables).

    >>> both = JointMixture(("x", "y"), np.ones(1), np.zeros((1, 2)), np.array([[[2.0, 1.0], [1.0, 3.0]]]))
    >>> both.covariance.tolist(), both.single("y").variance
    ([[2.0, 1.0], [1.0, 3.0]], 3.0)
    """

    names: tuple[Name, ...]
    weights: FloatArray
    means: FloatArray
    covariances: FloatArray

    @property
    def mean(self) -> FloatArray:
        """The mean of each variable."""
        return np.asarray(self.weights @ self.means)

    @property
    def covariance(self) -> FloatArray:
        """The covariances of the mixture: within the components and between them."""
        gaps = self.means - self.mean
        between = (self.weights[:, None] * gaps).T @ gaps
        return np.asarray(np.tensordot(self.weights, self.covariances, 1) + between)

    def single(self, name: Name) -> Mixture:
        """The posterior of one of the variables."""
        k = self.names.index(name)
        means, variances = self.means[:, k], self.covariances[:, k, k]
        kept, weights = merged(self.weights, np.stack([means, variances], axis=-1))
        return Mixture(weights, means[kept], variances[kept])

    def merged(self) -> JointMixture:
        """The same mixture with components of equal parameters merged into one."""
        flat = np.concatenate([self.means, self.covariances.reshape(len(self.weights), -1)], axis=-1)
        kept, weights = merged(self.weights, flat)
        return JointMixture(self.names, weights, self.means[kept], self.covariances[kept])


def merged(weights: FloatArray, parameters: FloatArray) -> tuple[IntArray, FloatArray]:
    """Merge components with exactly the same parameters (one row of ``parameters`` per component).

    Returns the index of the first component of each set of equal ones, and the summed weights of each set.

    >>> merged(np.array([0.25, 0.5, 0.25]), np.array([[1.0], [0.0], [1.0]]))[1].tolist()
    [0.5, 0.5]
    """
    from bayou.statistics.rows.distinct_rows import distinct_rows

    # -0.0 and 0.0 are equal but differ in their bits; adding 0.0 makes both 0.0.
    bits = np.ascontiguousarray(parameters + 0.0).view(np.uint64)
    first, which = distinct_rows(list(bits.T), len(bits))
    summed = np.zeros(len(first))
    np.add.at(summed, which, weights)
    return first, summed
