"""A continuous variable: Gaussian, its mean linear in continuous parents, all by discrete parents' states."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou._native import gaussian_class_scores, sample_normal
from bayou.distributions.base import GAUSSIAN, Beginning, Distribution
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.gaussian.gaussian_gradient import GaussianCoordinates
from bayou.distributions.gaussian.gaussian_regression import (
    LOG_TWO_PI,
    REACH,
    gaussian_logs,
    group_log_likelihoods,
    has_own_line,
    left_out_logs,
    regression,
    regression_lines,
    root_scatter,
    some_groups,
)
from bayou.distributions.gaussian.gaussian_start import random_lines, start_from
from bayou.distributions.priors import Prior
from bayou.distributions.table import read_only
from bayou.distributions.unbounded import Unbounded
from bayou.errors import BadData, BadFile, BadTable, BayouWarning, listed, warn_user
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Moments
from bayou.typing import ColumnArray, FloatArray, IntArray

_ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""The share of the summands that a sum of squares may be off by."""


@dataclass(frozen=True, eq=False)
class LinearGaussian(Distribution):
    """Normal(intercept + coefficients · x, variance), each chosen by the discrete parents' states.

    The arrays have the discrete parents' cardinalities as leading axes (none: plain Gaussian).

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
        """Any parents will do; the child must be continuous."""
        if not family.child.is_continuous:
            raise BadTable(f"{family.child.name!r} is discrete: it has a table, not a Gaussian.")

    @classmethod
    def needs(cls, family: Family) -> Moments:
        """Moments of the continuous parents and the child, by the discrete parents' states."""
        continuous = tuple(parent.name for parent in family.continuous)
        discrete = tuple(parent.name for parent in family.discrete)
        return Moments((*continuous, family.child.name), discrete)

    @classmethod
    def estimate(cls, answer: GroupMoments, family: Family, prior: Prior | None = None) -> LinearGaussian:
        """Least squares in each group; the variance divides by n (maximum likelihood).

        Groups with too few rows for their own line take the estimate over all groups, with a warning.
        Multiplying all weights by a number changes nothing.
        """
        child, moments = family.child, answer
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
        _require_density(child, variance, moments)
        return cls(intercept, coefficients, variance)

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """Intercepts, coefficients and variances."""
        count = family.groups * (2 + len(family.continuous))
        return count, count

    @classmethod
    def start(cls, known: Beginning) -> LinearGaussian:
        """The lines of complete rows, shifted by chance in wild starts; else random lines."""
        if known.complete is None:
            return cls(*random_lines(known))
        moments = known.complete
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            found = cls._with_spread(moments, known.family)
            found = found or cls.estimate(start_from(moments, known), known.family)
        if not known.wild:
            return found
        shift = known.chance.normal(size=found.intercept.shape) * np.sqrt(found.variance)
        return cls(found.intercept + shift, found.coefficients, found.variance)

    @classmethod
    def _with_spread(cls, moments: GroupMoments, family: Family) -> LinearGaussian | None:
        """The estimate of complete rows; None where these are so few, or so alike, that lines explain all.

        The other rows tell how far off the line values are; without any spread at the start they could not.
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
        """Warn of groups with too few rows for a variance of their own."""
        own = has_own_line(answer)
        if not np.all(own):
            warn_user(
                f"{int((~own).sum())} of {own.size} parent combinations of {family.child.name!r} have too "
                "few rows for a variance of their own: they keep the variance estimated before their rows "
                "dropped out."
            )

    @staticmethod
    def evidence(moments: GroupMoments) -> tuple[float, int, float]:
        """The maximal log-likelihood, the number of parameters, and the rows: what scores are made of.

        A variable that its parents determine has no density, hence the log-likelihood -inf.

        >>> data = GroupMoments(("x",), (), np.array(4.0), np.array([0.0]), np.array([[4.0]]))
        >>> LinearGaussian.evidence(data)
        (-5.675754132818691, 2, 4.0)
        """
        intercept, coefficients, variance, _ = regression_lines(moments)
        parameters = int(intercept.size + coefficients.size + variance.size)
        if not np.all(np.isfinite(variance)):
            return -np.inf, parameters, moments.total
        logs = group_log_likelihoods(moments, intercept, coefficients, variance)
        return float(logs.sum()), parameters, moments.total

    @staticmethod
    def evidence_of_groups(groups: GroupMoments, pooled: GroupMoments, owner: IntArray) -> FloatArray:
        """The log-likelihoods of groups of many families side by side, all arrays with one axis for them.

        ``owner`` says which of the families in ``pooled`` a group belongs to, where all its groups are one:
        groups with too few rows take the line from there, as in :meth:`evidence`.
        """
        enough = has_own_line(groups)
        logs = np.zeros(len(enough))
        own = some_groups(groups, enough)
        logs[enough] = group_log_likelihoods(own, *regression(own))
        if not np.all(enough):
            families, which = np.unique(owner[~enough], return_inverse=True)
            shared = [part[which] for part in regression(some_groups(pooled, families))]
            logs[~enough] = group_log_likelihoods(some_groups(groups, ~enough), *shared)
        return logs

    @property
    def free_parameters(self) -> int:
        """Intercepts, coefficients and variances."""
        return int(self.intercept.size + self.coefficients.size + self.variance.size)

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The discrete parents' cardinalities."""
        return self.intercept.shape

    @property
    def gaussian(self) -> LinearGaussian:
        """Itself."""
        return self

    @property
    def printed_cells(self) -> int:
        """A printed line has a mean, slopes and a variance."""
        return 4 * self.intercept.size

    def check_shape(self, family: Family) -> None:
        """A line for each combination of the discrete parents, a slope for each continuous one."""
        found, wanted = self.coefficients.shape, (*family.shape, len(family.continuous))
        if found != wanted or not family.child.is_continuous:
            raise BadTable(f"The parameters of {family.child.name!r} have shape {found}, expected {wanted}.")

    def mean(self, groups: IntArray, inputs: FloatArray) -> FloatArray:
        """The mean of each row; ``inputs`` has a column for each continuous parent."""
        k = self.coefficients.shape[-1]
        slopes = self.coefficients.reshape(self.intercept.size, k)[groups]
        centre: FloatArray = self.intercept.ravel()[groups] + (slopes * inputs).sum(axis=-1)
        return centre

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """log of the density of each row's value; -inf where it is too small for a float."""
        groups = self._row_groups(rows)
        deviation = np.sqrt(self.variance).ravel()[groups]
        return gaussian_logs(rows.observed, self.mean(groups, rows.inputs), deviation)

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """The log densities of each value in every group; 0 where a value is missing."""
        x = np.asarray(values, dtype=np.float64)[:, None]
        mean = self.intercept.reshape(1, -1)
        if inputs is not None and inputs.shape[-1]:
            slopes = self.coefficients.reshape(self.intercept.size, -1)
            mean = mean + (slopes * inputs[:, None, :]).sum(axis=-1)
        logs = gaussian_logs(x, mean, np.sqrt(self.variance).reshape(1, -1))
        return np.where(np.isnan(x), 0.0, logs) if np.isnan(x).any() else logs

    def _row_groups(self, rows: FamilyRows) -> IntArray:
        groups = rows.groups(self.group_shape)
        return np.zeros(rows.rows, dtype=np.int64) if groups is None else groups.astype(np.int64)

    def sample(self, rows: FamilyRows, stream: RandomStream) -> FloatArray:
        """Draw a value for each row."""
        noise = sample_normal(stream.seed, stream.stream, stream.first_row, rows.rows)
        chosen = self._row_groups(rows)
        drawn: FloatArray = self.mean(chosen, rows.inputs) + np.sqrt(self.variance.ravel()[chosen]) * noise
        return drawn

    # Without a row, in print, and compared between groups

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: GroupMoments, family: Family, prior: Prior
    ) -> FloatArray:
        """The line and the variance (as divided by n) without the row, in closed form.

        Where about one record is left, or nothing varies without the row, the fitted variance stays.
        """
        groups = self._row_groups(rows)
        inputs = rows.inputs if self.coefficients.shape[-1] else np.zeros((rows.rows, 0))
        fitted = self.mean(groups, inputs), self.variance.ravel()[groups]
        return left_out_logs(answer, groups, rows.observed, inputs, weights, *fitted)

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        """The mean (of children without continuous parents) and the variance."""
        return {"mean": self.intercept, "variance": self.variance}

    def notation(self, value: str, group: int) -> tuple[str, str]:
        """N(x; mean, variance)."""
        inside = f"{value}; {self.intercept.ravel()[group]:.4g}, {self.variance.ravel()[group]:.4g}"
        return f"N({inside})", rf"\mathcal{{N}}({inside})"

    def line(self, of: int, against: int) -> tuple[float, float] | None:
        """Straight where both groups have one variance: the squares of x cancel."""
        mean, variance = self.intercept.ravel(), self.variance.ravel()
        if variance[of] != variance[against]:
            return None
        spread = variance[of]
        slope = float((mean[of] - mean[against]) / spread)
        return slope, float((mean[against] ** 2 - mean[of] ** 2) / (2 * spread))

    def likely_values(self, points: int) -> list[float]:
        """Up to three standard deviations around the means."""
        mean, deviation = self.intercept, np.sqrt(self.variance)
        low, high = (mean - REACH * deviation).min(), (mean + REACH * deviation).max()
        values: list[float] = np.linspace(low, high, points).tolist()
        return values

    # Learned with gaps

    def log_likelihoods(self, moments: GroupMoments) -> FloatArray:
        """Σ log density of the records that these moments sum up, by group.

        >>> two = GroupMoments(("x",), (), np.array(2.0), np.array([0.0]), np.array([[2.0]]))  # −1 and 1
        >>> LinearGaussian(np.array(0.0), np.zeros(0), np.array(1.0)).log_likelihoods(two).item()
        -2.8378770664093453
        """
        n, variance = moments.n, self.variance
        logs = -0.5 * (n * (LOG_TWO_PI + np.log(variance)) + self.residual_squares(moments) / variance)
        return np.where(n > 0, logs, 0.0)

    def residual_squares(self, moments: GroupMoments) -> FloatArray:
        """Σ (y − intercept − coefficients · x)² in each group."""
        away = np.concatenate([-self.coefficients, np.ones((*self.intercept.shape, 1))], axis=-1)
        centre = (away * moments.mean).sum(axis=-1) - self.intercept
        squares: FloatArray = np.einsum("...i,...ij,...j->...", away, moments.scatter, away)
        return np.asarray(squares + moments.n * centre**2)

    def _summed_squares(self, moments: GroupMoments) -> FloatArray:
        """The size of the sums that residual squares are the difference of."""
        away = np.concatenate([np.abs(self.coefficients), np.ones((*self.intercept.shape, 1))], axis=-1)
        wide = np.sqrt(np.maximum(np.einsum("...ii->...i", moments.scatter), 0.0))
        return np.asarray(((away * wide).sum(axis=-1)) ** 2)

    def maximised(self, answer: GroupMoments, family: Family, prior: Prior) -> LinearGaussian:
        """Least squares; groups keep their line where it fits better, or where too few rows are left.

        Least squares leave out directions in which parents hardly differ: a line that uses them may fit
        better.
        """
        new = LinearGaussian.estimate(answer, family)
        slack = _ROUNDING * self._summed_squares(answer) / self.variance
        better = new.log_likelihoods(answer) >= self.log_likelihoods(answer) - slack
        better &= has_own_line(answer)
        if np.all(better):
            return new
        return LinearGaussian(
            np.where(better, new.intercept, self.intercept),
            np.where(better[..., None], new.coefficients, self.coefficients),
            np.where(better, new.variance, self.variance),
        )

    def log_prior(self, records: GroupMoments | None) -> float:
        """The log-likelihood of earlier records; there is no prior."""
        return 0.0 if records is None else float(self.log_likelihoods(records).sum())

    def rounding(self, answer: GroupMoments) -> float:
        """Where a line leaves little of large sums, its residual squares are off by the sums' rounding."""
        return _ROUNDING * float((self._summed_squares(answer) / self.variance).sum())

    def unbounded(self, answer: GroupMoments, records: GroupMoments | None, family: Family) -> Unbounded:
        """Mean at the centre of the inputs, slopes in units of the start's deviations, log variance."""

        def known(answer: GroupMoments) -> GroupMoments:
            return answer if records is None else answer + records

        around = GaussianCoordinates.around(self, known(answer))

        def gradient(free: FloatArray, answer: GroupMoments) -> FloatArray:
            return around.gradient(self._made(around, free), known(answer))

        return Unbounded(around.start, lambda free: self._made(around, free), gradient)

    @staticmethod
    def _made(around: GaussianCoordinates, free: FloatArray) -> LinearGaussian:
        return LinearGaussian(*around.parameters(free))

    # In a file

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


def gaussian_scores(
    gaussians: Sequence[LinearGaussian], columns: Any, start: FloatArray, rows: int
) -> FloatArray:
    """``start`` + Σ log density of the columns, [row, group]; gaps add 0. No continuous parents here."""
    matrix = columns if isinstance(columns, np.ndarray) else np.column_stack(columns)
    means = np.column_stack([each.intercept.ravel() for each in gaussians])
    variances = np.column_stack([each.variance.ravel() for each in gaussians])
    return gaussian_class_scores(matrix, means, variances, start)


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
