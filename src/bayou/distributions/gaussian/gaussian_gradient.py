"""The parameters of linear Gaussians as unbounded numbers of comparable size, and their gradient.

For a group with the start Normal(a + b · x, v), inputs of mean c and standard deviation d, and unit u = √v,
the free numbers (t, s, l), all 0 at the start, stand for

    mean at c = a + b · c + t u,      slopes = b + s u / d,      variance = v exp(l).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayou.distributions.gaussian.gaussian_regression import has_own_line, residual_squares
from bayou.errors import NoConvergence
from bayou.statistics import GroupMoments
from bayou.typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from bayou.distributions.gaussian.linear_gaussian import LinearGaussian

_LEAST_VARIANCE = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class GaussianCoordinates:
    """A Gaussian in units of its start: mean at the inputs' centre, slopes, log variance.

    Groups with too few rows for a line of their own (``kept``) are not changed: their variance would go to 0.
    """

    node: LinearGaussian
    centre: FloatArray
    unit: FloatArray
    spread: FloatArray
    kept: BoolArray

    @classmethod
    def around(cls, node: LinearGaussian, moments: GroupMoments) -> GaussianCoordinates:
        """Coordinates in which the lines of ``node`` are 0."""
        n = np.where(moments.n > 0, moments.n, 1)[..., None]
        spread = np.sqrt(np.einsum("...ii->...i", moments.scatter) / n)[..., :-1]
        wide = np.where(spread > 0, spread, 1.0)
        return cls(node, moments.mean[..., :-1], np.sqrt(node.variance), wide, ~has_own_line(moments))

    @property
    def start(self) -> FloatArray:
        """The coordinates of the start: all 0."""
        return np.zeros(self.node.intercept.size * 2 + self.node.coefficients.size)

    def parameters(self, free: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Intercept, coefficients and variance at these coordinates."""
        groups, inputs = self.node.intercept.size, self.node.coefficients.size
        level, steep, log_variance = np.split(free, [groups, groups + inputs])
        slopes = self.node.coefficients + (
            steep.reshape(self.node.coefficients.shape) * self.unit[..., None] / self.spread
        )
        middle = self.node.intercept + (self.node.coefficients * self.centre).sum(axis=-1)
        middle = middle + level.reshape(self.unit.shape) * self.unit
        with np.errstate(over="ignore", under="ignore"):
            variance = self.node.variance * np.exp(log_variance.reshape(self.unit.shape))
        if not np.all((variance > _LEAST_VARIANCE) & np.isfinite(variance)):
            raise NoConvergence("A step of gradient ascent led to a variance that is 0 or infinite.")
        return middle - (slopes * self.centre).sum(axis=-1), slopes, variance

    def gradient(self, node: LinearGaussian, moments: GroupMoments) -> FloatArray:
        """The gradient of the expected log density with respect to the coordinates, at ``node``."""
        mean, scatter = moments.mean, moments.scatter
        left = mean[..., -1] - node.intercept - (node.coefficients * mean[..., :-1]).sum(axis=-1)
        total = moments.n * left
        along = scatter[..., :-1, -1] - np.einsum(
            "...ij,...j->...i", scatter[..., :-1, :-1], node.coefficients
        )
        off_centre = along + (mean[..., :-1] - self.centre) * total[..., None]
        level = total / node.variance * self.unit
        steep = off_centre / node.variance[..., None] * self.unit[..., None] / self.spread
        spread = 0.5 * (
            residual_squares(moments, node.intercept, node.coefficients) / node.variance - moments.n
        )
        free = ~self.kept
        parts = (level * free, steep * free[..., None], spread * free)
        return np.concatenate([part.ravel() for part in parts])
