"""Random draws of the lines and variances of a linear Gaussian, from their posterior given the moments.

With the reference prior p(line, σ²) ∝ 1/σ² (Gelman et al., Bayesian Data Analysis, 3rd ed., section 14.2), n
rows, k slopes and the sum of squared residuals Q, the posterior is normal–inverse-gamma:

    σ² ~ Q / χ²(n − k − 1),      slopes | σ² ~ Normal(b, σ² S_xx⁻¹),      line at x̄ | σ² ~ Normal(ȳ, σ² / n).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayou.distributions.gaussian.gaussian_regression import centred_covariance_root, regression
from bayou.errors import BadQuestion, counted
from bayou.statistics import GroupMoments
from bayou.typing import FloatArray


class DrawnLines(NamedTuple):
    """Intercept, slopes and variance of each group; the last axis are the draws, before it that of slopes."""

    intercept: FloatArray
    slopes: FloatArray
    variance: FloatArray

    def log_density(self, value: float | FloatArray, inputs: FloatArray) -> FloatArray:
        """log N(value; intercept + slopes · inputs, variance) of each group and draw, without −½ log 2π."""
        mean = self.intercept + np.einsum("...kd,k->...d", self.slopes, inputs)
        density: FloatArray = -0.5 * (np.log(self.variance) + (value - mean) ** 2 / self.variance)
        return density


def require_line_posterior(moments: GroupMoments) -> None:
    """Raise BadQuestion if a group has too few rows for its line to have a posterior."""
    few = int((_freedom(moments) <= 0).sum())
    if few:
        need = len(moments.variables) + 1
        groups = f"{counted(few, 'combination')} of its parents' states" if moments.groups else "its line"
        raise BadQuestion(
            f"The uncertainty of the Gaussian {moments.variables[-1]!r} is unknown: {groups} was learned "
            f"from fewer than {need} rows. Fit it on more rows, or ask without an interval."
        )


def drawn_lines(moments: GroupMoments, draws: int, random: np.random.Generator) -> DrawnLines:
    """Return draws of the parameters of every group.

    >>> one = GroupMoments(("x",), (), np.array(1e8), np.array([5.0]), np.array([[4e8]]))
    >>> drawn = drawn_lines(one, 3, np.random.default_rng(1))
    >>> drawn.intercept.round(2).tolist(), drawn.variance.round(2).tolist()
    ([5.0, 5.0, 5.0], [4.0, 4.0, 4.0])
    """
    _, slopes, variance = regression(moments)
    n, inputs = moments.n, moments.mean[..., :-1]
    squares = random.chisquare(np.broadcast_to(_freedom(moments)[..., None], (*n.shape, draws)))
    drawn = (variance * n)[..., None] / squares
    noise = random.standard_normal((*inputs.shape, draws)) * np.sqrt(drawn)[..., None, :]
    sloped = slopes[..., None] + np.einsum("...ij,...jd->...id", centred_covariance_root(moments), noise)
    level = moments.mean[..., -1][..., None] + random.standard_normal(drawn.shape) * np.sqrt(
        drawn / n[..., None]
    )
    return DrawnLines(level - (sloped * inputs[..., None]).sum(axis=-2), sloped, drawn)


def _freedom(moments: GroupMoments) -> FloatArray:
    """The degrees of freedom of the residuals: n − k − 1."""
    freedom: FloatArray = np.asarray(moments.n - len(moments.variables), dtype=np.float64)
    return freedom
