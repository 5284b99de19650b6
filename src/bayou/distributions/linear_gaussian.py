"""A continuous variable: Gaussian, its mean linear in continuous parents, all by discrete parents' states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou._native import sample_normal
from bayou.distributions.table import read_only
from bayou.errors import BadData, BadFile, listed, warn_user
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Moments
from bayou.typing import BoolArray, CodeArray, FloatArray, IntArray

_LOG_TWO_PI = float(np.log(2 * np.pi))
_ROUNDING = 1e-14
_RANK = 1e-12
"""Eigenvalues of a correlation matrix below this are rounding."""
_EPSILON = float(np.finfo(np.float64).eps)


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

    def __post_init__(self) -> None:
        for part in ("intercept", "coefficients", "variance"):
            object.__setattr__(self, part, read_only(getattr(self, part)))

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
        Multiplying all weights by a number changes nothing.
        """
        if not np.any(moments.n > 0):
            raise BadData(f"There is no row to learn {child.name!r} from: all its values are missing.")
        if not (np.all(np.isfinite(moments.mean)) and np.all(np.isfinite(moments.scatter))):
            raise BadData(
                f"{child.name!r} or one of its parents has values too large to square, so their variance is "
                "not a number. Give them in a larger unit, or clean the data."
            )
        intercept, coefficients, variance, enough = _lines(moments)
        if not np.all(enough):
            warn_user(
                f"{int((~enough).sum())} of {enough.size} parent combinations of {child.name!r} have fewer "
                f"than {len(moments.variables) + 1} rows: they take the estimate over all combinations."
            )
        _require_density(child, variance, moments)
        return cls(intercept, coefficients, variance)

    @staticmethod
    def evidence(moments: GroupMoments) -> tuple[float, int, float]:
        """The maximal log-likelihood, the number of parameters, and the rows: what scores are made of.

        A variable that its parents determine has no density, hence the log-likelihood -inf.

        >>> data = GroupMoments(("x",), (), np.array(4.0), np.array([0.0]), np.array([[4.0]]))
        >>> LinearGaussian.evidence(data)
        (-5.675754132818691, 2, 4.0)
        """
        intercept, coefficients, variance, _ = _lines(moments)
        parameters = int(intercept.size + coefficients.size + variance.size)
        if not np.all(np.isfinite(variance)):
            return -np.inf, parameters, moments.total
        logs = _group_logs(moments, intercept, coefficients, variance)
        return float(logs.sum()), parameters, moments.total

    @staticmethod
    def evidence_of_groups(groups: GroupMoments, pooled: GroupMoments, owner: IntArray) -> FloatArray:
        """The log-likelihoods of groups of many families side by side, all arrays with one axis for them.

        ``owner`` says which of the families in ``pooled`` a group belongs to, where all its groups are one:
        groups with too few rows take the line from there, as in :meth:`evidence`.
        """
        enough = has_own_line(groups)
        logs = np.zeros(len(enough))
        own = _some(groups, enough)
        logs[enough] = _group_logs(own, *_regression(own))
        if not np.all(enough):
            families, which = np.unique(owner[~enough], return_inverse=True)
            shared = [part[which] for part in _regression(_some(pooled, families))]
            logs[~enough] = _group_logs(_some(groups, ~enough), *shared)
        return logs

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
        """log of the density of each row's value; -inf where it is too small for a float."""
        deviation = np.sqrt(self.variance).ravel()[groups]
        # Values so far out that the square overflows have the log density -inf, which is what they get.
        with np.errstate(over="ignore", invalid="ignore"):
            z = (values - self.mean(groups, inputs)) / deviation
            density: FloatArray = -0.5 * _LOG_TWO_PI - np.log(deviation) - 0.5 * z * z
        return np.where(np.isnan(density) & ~np.isnan(values), -np.inf, density)

    def sample(
        self, groups: CodeArray, inputs: FloatArray, n: int, seed: int, stream: int, first_row: int
    ) -> FloatArray:
        """Draw a value for each row."""
        noise = sample_normal(seed, stream, first_row, n)
        chosen = groups.astype(np.int64)
        drawn: FloatArray = self.mean(chosen, inputs) + np.sqrt(self.variance.ravel()[chosen]) * noise
        return drawn

    def state(self) -> dict[str, Any]:
        """The three arrays."""
        return {
            "kind": self.kind,
            "intercept": self.intercept,
            "coefficients": self.coefficients,
            "variance": self.variance,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> LinearGaussian:
        """An intercept, slopes and a positive variance for each combination of states."""
        gaussian = cls(state["intercept"], state["coefficients"], state["variance"])
        intercept, coefficients, variance = gaussian.intercept, gaussian.coefficients, gaussian.variance
        shape = coefficients.shape[:-1]
        if not coefficients.ndim or intercept.shape != shape or variance.shape != shape:
            raise BadFile("a Gaussian has arrays of shapes that do not belong together.")
        if not all(np.all(np.isfinite(part)) for part in (intercept, coefficients, variance)):
            raise BadFile("a Gaussian has parameters that are not finite.")
        if np.any(variance <= 0):
            raise BadFile("a Gaussian has a variance that is not positive.")
        return gaussian


def _require_density(child: Variable, variance: FloatArray, moments: GroupMoments) -> None:
    flat = variance <= 0
    if np.any(flat):
        where = " in some group of its discrete parents' states" if moments.groups else ""
        inputs = moments.variables[:-1]
        if inputs and np.any(root_scatter(moments)[..., -1][flat] > 0):
            raise BadData(
                f"{child.name!r} is determined by its parents {listed(inputs)}{where} (a linear function of "
                "them: variance 0), so it has no density there. Leave it out, or drop the arc."
            )
        raise BadData(
            f"{child.name!r} does not vary{where} (variance 0), so it has no density there. Declare it "
            "discrete (states=…), or leave it out."
        )
    if not np.all(np.isfinite(variance)):
        raise BadData(f"The variance of {child.name!r} is not a finite number: its values are too large.")


def _lines(moments: GroupMoments) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Intercept, slopes and variance of each group, and which groups have rows enough for their own.

    The others take the line over all groups.
    """
    enough = has_own_line(moments)
    intercept, coefficients, variance = _regression(moments)
    if not np.all(enough):
        pooled = _regression(moments.marginal([]))
        intercept = np.where(enough, intercept, pooled[0])
        coefficients = np.where(enough[..., None], coefficients, pooled[1])
        variance = np.where(enough, variance, pooled[2])
    return intercept, coefficients, variance, enough


def _some(moments: GroupMoments, kept: BoolArray | IntArray) -> GroupMoments:
    return GroupMoments(moments.variables, (), moments.n[kept], moments.mean[kept], moments.scatter[kept])


def _group_logs(
    moments: GroupMoments, intercept: FloatArray, coefficients: FloatArray, variance: FloatArray
) -> FloatArray:
    """The log-likelihood of each group under its line; 0 without rows, -inf where there is no density."""
    away = np.concatenate([-coefficients, np.ones((*intercept.shape, 1))], axis=-1)
    centre = (away * moments.mean).sum(axis=-1) - intercept
    squares = np.einsum("...i,...ij,...j->...", away, moments.scatter, away) + moments.n * centre**2
    dense = variance > 0
    spread = np.where(dense, variance, 1.0)
    logs = -0.5 * (moments.n * (_LOG_TWO_PI + np.log(spread)) + squares / spread)
    return np.where(moments.n > 0, np.where(dense, logs, -np.inf), 0.0)


def _regression(moments: GroupMoments) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Intercept, slopes and residual variance of the last variable on the others, group by group.

    Solved on correlations, so that the unit of a parent changes its slope by that unit and nothing else.
    """
    inputs, target = slice(0, -1), -1
    spread = root_scatter(moments)
    scale = spread[..., inputs]
    safe = np.where(scale > 0, scale, 1.0)
    along = moments.scatter[..., inputs, target]
    correlations = _correlations(moments.scatter, scale, inputs)
    # The pseudo-inverse gives the smallest slopes where a parent does not vary or repeats another.
    inverse = np.linalg.pinv(correlations, rcond=_RANK, hermitian=True)
    slopes = np.einsum("...ij,...j->...i", inverse, np.where(scale > 0, along / safe, 0.0)) / safe
    intercept = moments.mean[..., target] - (slopes * moments.mean[..., inputs]).sum(axis=-1)
    own = moments.scatter[..., target, target]
    residual = own - (slopes * along).sum(axis=-1)
    residual = np.where((residual <= _ROUNDING * own) | (spread[..., target] <= 0), 0.0, residual)
    return intercept, slopes, residual / np.where(moments.n > 0, moments.n, 1)


def root_scatter(moments: GroupMoments) -> FloatArray:
    """The root of each scatter; 0 where all there is of it is the rounding of the mean."""
    diagonal = np.einsum("...ii->...i", moments.scatter)
    noise = np.sqrt(moments.n)[..., None] * (8 * _EPSILON) * np.abs(moments.mean)
    spread = np.sqrt(np.maximum(diagonal, 0.0))
    result: FloatArray = np.where(spread > noise, spread, 0.0)
    return result


def _correlations(scatter: FloatArray, scale: FloatArray, part: slice) -> FloatArray:
    safe = np.where(scale > 0, scale, 1.0)
    varies = (scale > 0)[..., :, None] & (scale > 0)[..., None, :]
    scaled = scatter[..., part, part] / safe[..., :, None] / safe[..., None, :]
    result: FloatArray = np.where(varies, scaled, 0.0)
    return result


def has_own_line(moments: GroupMoments) -> BoolArray:
    """Whether a group's rows can tell a line from the noise around it, whatever the unit of the weights.

    k + 2 rows can. Less than that in sum, with weights of which many are small, can where the target varies
    in a direction that the parents do not explain; so few rows as k + 1 never do.
    """
    enough = np.array(moments.n >= len(moments.variables) + 1)
    scale = root_scatter(moments)
    # Where the target does not vary there is no direction that the parents leave.
    doubtful = ~enough & (scale[..., -1] > 0)
    if np.any(doubtful):
        scatter, scale = moments.scatter[doubtful], scale[doubtful]
        whole = _rank(_correlations(scatter, scale, slice(None)))
        inner = _rank(_correlations(scatter, scale[..., :-1], slice(0, -1)))
        enough[doubtful] = whole > inner
    return enough


def _rank(correlations: FloatArray) -> IntArray:
    if not correlations.shape[-1]:
        return np.zeros(len(correlations), dtype=np.int64)
    return np.asarray(np.linalg.matrix_rank(correlations, tol=_RANK, hermitian=True), dtype=np.int64)
