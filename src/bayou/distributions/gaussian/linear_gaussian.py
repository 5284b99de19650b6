"""Linear Gaussians: a normal child whose mean is linear in continuous parents, one line per group.

A group is a combination of the discrete parents' states.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.distributions.base import GAUSSIAN, Distribution
from bayou.distributions.distribution_kind import StartingData
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.gaussian.gaussian_gradient import GaussianCoordinates
from bayou.distributions.gaussian.gaussian_regression import (
    REACH,
    gaussian_logs,
    group_log_likelihoods,
    has_own_line,
    left_out_logs,
    regression_lines,
    require_density,
    summed_squares,
)
from bayou.distributions.gaussian.gaussian_start import random_lines, widened_moments
from bayou.distributions.gaussian.virtual_rows import VirtualRows, with_virtual_rows
from bayou.distributions.priors import Prior
from bayou.distributions.table import read_only
from bayou.distributions.unbounded import Unbounded
from bayou.errors import BadData, BadFile, BadTable, BayouWarning, warn_user
from bayou.statistics import GroupMoments, Moments
from bayou.typing import ColumnArray, FloatArray, IntArray, Units

_ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""The rounding error of a sum of squares, relative to the size of its terms."""


@dataclass(frozen=True, eq=False)
class LinearGaussian(Distribution):
    """Normal(intercept + coefficients · x, variance), with one set of parameters per group.

    The leading axes of the arrays are the discrete parents' states (no axis: no discrete parents).

    >>> tall = LinearGaussian(np.array([178.0, 165.0]), np.zeros((2, 0)), np.array([49.0, 36.0]))
    >>> tall.free_parameters
    4
    """

    kind: ClassVar[str] = "gaussian"
    title: ClassVar[str] = "Gaussian"
    form: ClassVar[str] = GAUSSIAN
    scorer: ClassVar[str] = "gaussians"
    intercept: FloatArray
    coefficients: FloatArray
    variance: FloatArray

    def __post_init__(self) -> None:
        for part in ("intercept", "coefficients", "variance"):
            object.__setattr__(self, part, read_only(getattr(self, part)))

    @classmethod
    def check_family(cls, family: Family) -> None:
        """Raise BadTable unless the child is continuous; any parents are allowed."""
        if not family.child.is_continuous:
            raise BadTable(f"{family.child.name!r} is discrete: it has a table, not a Gaussian.")

    @classmethod
    def needs(cls, family: Family) -> Moments:
        """The moments of the continuous parents and the child, by group."""
        continuous = tuple(parent.name for parent in family.continuous)
        discrete = tuple(parent.name for parent in family.discrete)
        return Moments((*continuous, family.child.name), discrete)

    @classmethod
    def estimate(cls, answer: GroupMoments, family: Family, prior: Prior | None = None) -> LinearGaussian:
        """Fit each group by least squares; the variance divides by n (maximum likelihood).

        Groups with too few rows for a line of their own take the estimate over all groups, with a warning.
        Multiplying all weights by a constant changes nothing. A prior may have virtual rows (VirtualRows).
        """
        child, moments = family.child, with_virtual_rows(answer, prior)
        if not np.any(moments.n > 0):
            raise BadData(f"There is no row to learn {child.name!r} from: all its values are missing.")
        if not (np.all(np.isfinite(moments.mean)) and np.all(np.isfinite(moments.scatter))):
            raise BadData(
                f"{child.name!r} or one of its parents has values too large to square, so their variance is "
                "not a number. Give them in a larger unit, or clean the data."
            )
        intercept, coefficients, variance, enough = regression_lines(moments)
        if not np.all(enough):
            warn_user(
                f"{int((~enough).sum())} of {enough.size} parent combinations of {child.name!r} have fewer "
                f"than {len(moments.variables) + 1} rows: they take the estimate over all combinations."
            )
        require_density(child, variance, moments)
        return cls(intercept, coefficients, variance)

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """Intercepts, coefficients and variances."""
        count = family.groups * (2 + len(family.continuous))
        return count, count

    @classmethod
    def start(cls, known: StartingData) -> LinearGaussian:
        """The lines fitted to complete rows, shifted randomly if ``wild``; random lines without such rows."""
        if known.complete is None:
            return cls(*random_lines(known))
        moments = known.complete
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            found = cls._with_spread(moments, known.family)
            found = found or cls.estimate(widened_moments(moments, known), known.family)
        if not known.wild:
            return found
        shift = known.chance.normal(size=found.intercept.shape) * np.sqrt(found.variance)
        return cls(found.intercept + shift, found.coefficients, found.variance)

    @classmethod
    def _with_spread(cls, moments: GroupMoments, family: Family) -> LinearGaussian | None:
        """The estimate from complete rows; None where these are too few, or fit a line without residuals.

        EM must start with a variance above 0: with variance 0 the other rows could not change it.
        """
        too_large = not np.all(np.isfinite(moments.scatter))
        if not too_large and not has_own_line(moments.marginal([])):
            return None
        try:
            return cls.estimate(moments, family)
        except BadData:
            if too_large:
                raise
            return None

    @classmethod
    def warn_about(cls, answer: GroupMoments, family: Family, prior: Prior) -> None:
        """Warn about groups with too few rows for a variance of their own."""
        own = has_own_line(with_virtual_rows(answer, prior))
        if not np.all(own):
            warn_user(
                f"{int((~own).sum())} of {own.size} parent combinations of {family.child.name!r} have too "
                "few rows for a variance of their own: they keep the variance estimated before their rows "
                "dropped out."
            )

    @property
    def free_parameters(self) -> int:
        """The number of intercepts, coefficients and variances."""
        return int(self.intercept.size + self.coefficients.size + self.variance.size)

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The discrete parents' cardinalities."""
        return self.intercept.shape

    @property
    def gaussian(self) -> LinearGaussian:
        """The distribution itself."""
        return self

    @property
    def printed_cells(self) -> int:
        """Four cells per group."""
        return 4 * self.intercept.size

    def check_shape(self, family: Family) -> None:
        """Raise BadTable unless there is one line per group and one slope per continuous parent."""
        found, expected = self.coefficients.shape, (*family.shape, len(family.continuous))
        if found != expected or not family.child.is_continuous:
            raise BadTable(
                f"The parameters of {family.child.name!r} have shape {found}, expected {expected}."
            )

    def mean(self, groups: IntArray, inputs: FloatArray) -> FloatArray:
        """The mean of each row, given its group and its continuous parents (``inputs``, one column each)."""
        k = self.coefficients.shape[-1]
        slopes = self.coefficients.reshape(self.intercept.size, k)[groups]
        centre: FloatArray = self.intercept.ravel()[groups] + (slopes * inputs).sum(axis=-1)
        return centre

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """The log density of each row's value; -inf where its square overflows."""
        groups = rows.group_indices(self.group_shape)
        deviation = np.sqrt(self.variance).ravel()[groups]
        return gaussian_logs(rows.observed, self.mean(groups, rows.inputs), deviation)

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """The log density of each value in every group; 0 where a value is missing."""
        x = np.asarray(values, dtype=np.float64)[:, None]
        mean = self.intercept.reshape(1, -1)
        if inputs is not None and inputs.shape[-1]:
            slopes = self.coefficients.reshape(self.intercept.size, -1)
            mean = mean + (slopes * inputs[:, None, :]).sum(axis=-1)
        logs = gaussian_logs(x, mean, np.sqrt(self.variance).reshape(1, -1))
        return np.where(np.isnan(x), 0.0, logs) if np.isnan(x).any() else logs

    def sample(self, rows: FamilyRows, stream: RandomStream) -> FloatArray:
        """Draw a value for each row."""
        noise = stream.normal(rows.rows)
        chosen = rows.group_indices(self.group_shape)
        drawn: FloatArray = self.mean(chosen, rows.inputs) + np.sqrt(self.variance.ravel()[chosen]) * noise
        return drawn

    # Without a row, in print, and compared between groups

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: GroupMoments, family: Family, prior: Prior
    ) -> FloatArray:
        """The log density of each row under the line and variance (divided by n) learned without it.

        Computed in closed form. Where at most one record is left, or the others do not vary, the variance is
        that within all groups without the row; a group without other records has the mean of all others.
        """
        groups = rows.group_indices(self.group_shape)
        inputs = rows.inputs if self.coefficients.shape[-1] else np.zeros((rows.rows, 0))
        fitted = self.mean(groups, inputs), self.variance.ravel()[groups]
        answer = with_virtual_rows(answer, prior)
        return left_out_logs(answer, groups, rows.observed, inputs, weights, *fitted)

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        """The mean (the intercept: it is the mean where there are no continuous parents) and the variance."""
        return {"mean": self.intercept, "variance": self.variance}

    def notation(self, value: str, group: int) -> tuple[str, str]:
        """N(x; mean, variance)."""
        inside = f"{value}; {self.intercept.ravel()[group]:.4g}, {self.variance.ravel()[group]:.4g}"
        return f"N({inside})", rf"\mathcal{{N}}({inside})"

    def line(self, of: int, against: int) -> tuple[float, float] | None:
        """Linear in x only if both groups have the same variance: then the squares of x cancel."""
        mean, variance = self.intercept.ravel(), self.variance.ravel()
        if variance[of] != variance[against]:
            return None
        spread = variance[of]
        slope = float((mean[of] - mean[against]) / spread)
        return slope, float((mean[against] ** 2 - mean[of] ** 2) / (2 * spread))

    def likely_values(self, points: int) -> list[float]:
        """Numbers within three standard deviations of the groups' means."""
        mean, deviation = self.intercept, np.sqrt(self.variance)
        low, high = (mean - REACH * deviation).min(), (mean + REACH * deviation).max()
        values: list[float] = np.linspace(low, high, points).tolist()
        return values

    # Learned with gaps

    def log_likelihoods(self, moments: GroupMoments) -> FloatArray:
        """Σ log density of the records behind these moments, by group.

        >>> two = GroupMoments(("x",), (), np.array(2.0), np.array([0.0]), np.array([[2.0]]))  # −1 and 1
        >>> LinearGaussian(np.array(0.0), np.zeros(0), np.array(1.0)).log_likelihoods(two).item()
        -2.8378770664093453
        """
        return group_log_likelihoods(moments, self.intercept, self.coefficients, self.variance)

    def maximised(self, answer: GroupMoments, family: Family, prior: Prior) -> LinearGaussian:
        """The M-step: least squares; a group keeps its line where that fits better, or with too few rows.

        The old line may fit better because least squares here ignore directions in which the parents hardly
        vary.
        """
        answer = with_virtual_rows(answer, prior)
        new = LinearGaussian.estimate(answer, family)
        slack = _ROUNDING * summed_squares(answer, self.coefficients) / self.variance
        better = new.log_likelihoods(answer) >= self.log_likelihoods(answer) - slack
        better &= has_own_line(answer)
        if np.all(better):
            return new
        return LinearGaussian(
            np.where(better, new.intercept, self.intercept),
            np.where(better[..., None], new.coefficients, self.coefficients),
            np.where(better, new.variance, self.variance),
        )

    def prior_records(self, family: Family, prior: Prior, before: GroupMoments | None) -> GroupMoments | None:
        """The virtual rows of the prior and earlier records; None if there are neither."""
        if before is not None:
            return with_virtual_rows(before, prior)
        return prior.moments if isinstance(prior, VirtualRows) else None

    def log_prior(self, records: GroupMoments | None) -> float:
        """The log-likelihood of virtual rows and earlier records."""
        return 0.0 if records is None else float(self.log_likelihoods(records).sum())

    def rounding(self, answer: GroupMoments) -> float:
        """The rounding error of the residual squares, which are differences of larger sums."""
        return _ROUNDING * float((summed_squares(answer, self.coefficients) / self.variance).sum())

    def distance(self, other: Distribution, family: Family, units: Units) -> float:
        """The largest difference of the mean at the parents' means, of a slope, or of a deviation.

        Means and slopes are in deviations of the variables, and deviations differ by a share of the larger
        one: one that shrinks to 0 never settles.
        """
        assert isinstance(other, LinearGaussian)
        inputs = [units.get(parent.name, (0.0, 1.0)) for parent in family.continuous]
        centres, spreads = np.array(inputs).reshape(len(inputs), 2).T
        spread = units.get(family.child.name, (0.0, 1.0))[1]
        slopes = self.coefficients - other.coefficients
        means = self.intercept - other.intercept + (slopes * centres).sum(axis=-1)
        ours, theirs = np.sqrt(self.variance), np.sqrt(other.variance)
        larger = np.maximum(ours, theirs)
        deviations = (ours - theirs) / np.where(larger > 0, larger, 1.0)
        parts = (means / spread, slopes * spreads / spread, deviations)
        return float(max(np.max(np.abs(part), initial=0.0) for part in parts))

    def unbounded(self, answer: GroupMoments, records: GroupMoments | None, family: Family) -> Unbounded:
        """Mean at the centre of the inputs, slopes in units of the start's deviations, log variance."""

        def with_earlier(answer: GroupMoments) -> GroupMoments:
            return answer if records is None else answer + records

        around = GaussianCoordinates.around(self, with_earlier(answer))

        def gradient(free: FloatArray, answer: GroupMoments) -> FloatArray:
            return around.gradient(self._made(around, free), with_earlier(answer))

        return Unbounded(around.start, lambda free: self._made(around, free), gradient)

    @staticmethod
    def _made(around: GaussianCoordinates, free: FloatArray) -> LinearGaussian:
        return LinearGaussian(*around.parameters(free))

    # In a file

    def state(self) -> dict[str, Any]:
        """The three arrays of parameters."""
        return {
            "kind": self.kind,
            "intercept": self.intercept,
            "coefficients": self.coefficients,
            "variance": self.variance,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> LinearGaussian:
        """Read :meth:`state`; raise BadFile unless shapes fit, numbers are finite, no variance negative."""
        gaussian = cls(state["intercept"], state["coefficients"], state["variance"])
        intercept, coefficients, variance = gaussian.intercept, gaussian.coefficients, gaussian.variance
        shape = coefficients.shape[:-1]
        if not coefficients.ndim or intercept.shape != shape or variance.shape != shape:
            raise BadFile("the parameter arrays of a Gaussian have shapes that do not fit together.")
        if not all(np.all(np.isfinite(part)) for part in (intercept, coefficients, variance)):
            raise BadFile("a Gaussian has parameters that are not finite.")
        if np.any(variance < 0):
            raise BadFile("a Gaussian has a negative variance.")
        return gaussian
