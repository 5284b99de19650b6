"""A continuous variable: Gaussian, its mean linear in continuous parents, all by discrete parents' states."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayou._native import sample_normal
from bayou.errors import BadData, BayouWarning
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Moments
from bayou.typing import CodeArray, FloatArray, IntArray

_LOG_TWO_PI = float(np.log(2 * np.pi))
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class LinearGaussian:
    """Normal(intercept + coefficients · x, variance), each chosen by the discrete parents' states.

    The arrays have the discrete parents' cardinalities as leading axes (none: plain Gaussian).

    >>> tall = LinearGaussian(np.array([178.0, 165.0]), np.zeros((2, 0)), np.array([49.0, 36.0]))
    >>> tall.free_parameters
    4
    """

    kind: ClassVar[str] = "gaussian"
    intercept: FloatArray
    coefficients: FloatArray
    variance: FloatArray

    @staticmethod
    def needs(child: Variable, parents: Sequence[Variable]) -> Moments:
        """The statistic that this distribution is estimated from."""
        continuous = tuple(parent.name for parent in parents if parent.is_continuous)
        discrete = tuple(parent.name for parent in parents if not parent.is_continuous)
        return Moments((*continuous, child.name), discrete)

    @classmethod
    def estimate(cls, moments: GroupMoments, child: Variable) -> LinearGaussian:
        """Least squares in each group; the variance divides by n (maximum likelihood).

        Groups with too few rows for their own line take the estimate over all groups, with a warning.
        """
        k = len(moments.variables) - 1
        enough = moments.n >= k + 2
        if not np.any(moments.n > 0):
            raise BadData(f"There is no row to learn {child.name!r} from: all its values are missing.")
        intercept, coefficients, variance = _regression(moments)
        if not np.all(enough):
            pooled = _regression(moments.marginal([]))
            intercept = np.where(enough, intercept, pooled[0])
            coefficients = np.where(enough[..., None], coefficients, pooled[1])
            variance = np.where(enough, variance, pooled[2])
            warnings.warn(
                f"{int((~enough).sum())} of {enough.size} parent combinations of {child.name!r} have fewer "
                f"than {k + 2} rows: they take the estimate over all combinations.",
                BayouWarning,
                stacklevel=2,
            )
        if np.any(variance <= 0):
            raise BadData(
                f"{child.name!r} does not vary in some group of its parents' states (variance 0), so it has "
                "no density there. Declare it discrete (states=…), or leave it out."
            )
        # numpy turns arrays without axes into plain numbers; without discrete parents they stay arrays.
        return cls(np.asarray(intercept), np.asarray(coefficients), np.asarray(variance))

    @property
    def free_parameters(self) -> int:
        """Intercepts, coefficients and variances."""
        return int(self.intercept.size + self.coefficients.size + self.variance.size)

    parameters = free_parameters

    def mean(self, groups: IntArray, inputs: FloatArray) -> FloatArray:
        """The mean of each row; ``inputs`` has a column a continuous parent."""
        k = self.coefficients.shape[-1]
        slopes = self.coefficients.reshape(self.intercept.size, k)[groups]
        centre: FloatArray = self.intercept.ravel()[groups] + (slopes * inputs).sum(axis=-1)
        return centre

    def log_density(self, groups: IntArray, inputs: FloatArray, values: FloatArray) -> FloatArray:
        """log of the density of each row's value."""
        variance = self.variance.ravel()[groups]
        gap = values - self.mean(groups, inputs)
        density: FloatArray = -0.5 * (_LOG_TWO_PI + np.log(variance) + gap * gap / variance)
        return density

    def sample(
        self, groups: CodeArray, inputs: FloatArray, n: int, seed: int, stream: int, first_row: int
    ) -> FloatArray:
        """Draw a value for each row."""
        noise = sample_normal(seed, stream, first_row, n)
        chosen = groups.astype(np.int64)
        drawn: FloatArray = self.mean(chosen, inputs) + np.sqrt(self.variance.ravel()[chosen]) * noise
        return drawn


def _regression(moments: GroupMoments) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Intercept, slopes and residual variance of the last variable on the others, group by group."""
    inputs, target = slice(0, -1), -1
    spread = moments.scatter[..., inputs, inputs]
    along = moments.scatter[..., inputs, target]
    # The pseudo-inverse gives the smallest slopes where a parent does not vary or repeats another.
    slopes = np.einsum("...ij,...j->...i", np.linalg.pinv(spread, hermitian=True), along)
    intercept = moments.mean[..., target] - (slopes * moments.mean[..., inputs]).sum(axis=-1)
    own = moments.scatter[..., target, target]
    residual = own - (slopes * along).sum(axis=-1)
    residual = np.where(residual <= _ROUNDING * own, 0.0, residual)
    return intercept, slopes, residual / np.where(moments.n > 0, moments.n, 1)
