"""Densities of fixed bumps whose weights are learned: kernels for EM.

A kernel density has a bump on every learned value, and no sums from which EM could learn it. Here the bumps
are chosen once from all rows, whatever their group, and

    f(x | group) = Σ_b w[group, b] N(x; c_b, h_b²),        Σ_b w[group, b] = 1,

so that expected counts of the bumps add, and w = count / total maximises the expected log-likelihood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from bayou.distributions.base import Distribution
from bayou.distributions.declaration import Declaration
from bayou.distributions.distribution_kind import DistributionKind, StartingData
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.kernel.bandwidth_rules import Silverman
from bayou.distributions.priors import Prior
from bayou.distributions.table import read_only
from bayou.errors import BadData, BadFile, BadTable
from bayou.special_functions import LOG_TWO_PI, ndtr
from bayou.statistics.batch import Batch
from bayou.statistics.bump_counts import BumpCounts, BumpTable
from bayou.typing import ColumnArray, FloatArray, Units

MOST_BUMPS = 64
"""The most bumps of a column."""
_LITTLE = 1e-280
"""Sums of heights below it have lost digits: some of their terms were too small for real numbers."""


def bumps_for(values: FloatArray, weights: FloatArray, name: Any = "x") -> BumpFeature:
    """Bumps for these values: their centres at up to 64 quantiles, equally spaced in probability.

    A bump is as wide as Silverman's rule says for all values, or as half the distance between the centres
    beside it, whichever is more, so that the bumps cover the range of the values without holes.

    >>> made = bumps_for(np.arange(101.0), np.ones(101))
    >>> len(made.centres), made.centres[0], made.centres[-1], round(made.widths[5], 2)
    (64, 0.0, 100.0, 10.48)
    """
    order = np.argsort(values, kind="stable")
    x, w = values[order], weights[order]
    if len(x) < 2 or not x[-1] > x[0]:
        raise BadData(
            f"Column {name!r} does not vary, so it has no density and says nothing about the states. Leave "
            "it out."
        )
    ends = np.cumsum(w)
    levels = np.linspace(0.0, 1.0, MOST_BUMPS) * ends[-1]
    places = np.minimum(np.searchsorted(ends, levels, side="left"), len(x) - 1)
    centres = np.unique(np.append(x[places], [x[0], x[-1]]))
    padded = np.concatenate([[2 * centres[0] - centres[1]], centres, [2 * centres[-1] - centres[-2]]])
    widths = np.maximum(Silverman().width(x, w, float(x[-1] - x[0])), (padded[2:] - padded[:-2]) / 2)
    return BumpFeature(tuple(centres.tolist()), tuple(widths.tolist()))


@dataclass(frozen=True, eq=False)
class BumpMixture(Distribution):
    """Σ_b w[group, b] N(x; c_b, h_b²): ``weights`` are [parents' states…, bump], bumps are the same for all.

    >>> two = BumpMixture(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.0, 4.0]), np.ones(2))
    >>> np.exp(two.log_density_by_group(np.array([0.0, 2.0]))).round(4).tolist()
    [[0.3989, 0.1995], [0.054, 0.054]]
    """

    kind: ClassVar[str] = "bumps"
    title: ClassVar[str] = "kernel"
    weights: FloatArray
    centres: FloatArray
    widths: FloatArray

    def __post_init__(self) -> None:
        for part in ("weights", "centres", "widths"):
            object.__setattr__(self, part, read_only(np.asarray(getattr(self, part), dtype=np.float64)))

    @classmethod
    def needs(cls, family: Family) -> BumpTable:
        """The counts of the bumps."""
        return BumpTable(family.child.name, tuple(parent.name for parent in family.discrete))

    @classmethod
    def estimate(cls, answer: BumpCounts, family: Family, prior: Prior) -> BumpMixture:
        """Raise BadData: only a declaration knows where the bumps are."""
        raise BadData(f"The bumps of {family.child.name!r} are unknown: fit a model with kernel emissions.")

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """0 and 0: the number is unknown before the bumps are."""
        return 0, 0

    @property
    def bumps(self) -> BumpFeature:
        """The bumps without weights."""
        return BumpFeature(tuple(self.centres.tolist()), tuple(self.widths.tolist()))

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return int(self.weights.size)

    @property
    def free_parameters(self) -> int:
        """The weights that are not implied by those of a group summing to 1."""
        return int(self.weights.size - self.weights.size // len(self.centres))

    @property
    def printed_cells(self) -> int:
        """Weights say little: none is printed."""
        return 0

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The discrete parents' cardinalities."""
        return self.weights.shape[:-1]

    @property
    def means(self) -> FloatArray:
        """The mean in each group."""
        return np.asarray(self.weights @ self.centres)

    @property
    def variances(self) -> FloatArray:
        """The variance of each group."""
        apart = self.centres - self.means[..., None]
        return np.asarray((self.weights * (apart**2 + self.widths**2)).sum(axis=-1))

    def check_shape(self, family: Family) -> None:
        """Raise BadTable unless there is a row of weights per group."""
        if self.group_shape != family.shape or not family.child.is_continuous:
            raise BadTable(
                f"The weights of {family.child.name!r} have shape {self.weights.shape}, expected "
                f"{(*family.shape, len(self.centres))}."
            )

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """log Σ_b w_b N(x; c_b, h_b²) in every group; 0 where a value is missing."""
        x = np.asarray(values, dtype=np.float64)
        groups = self._groups_by_bump
        logs, largest, heights = _heights(x, self.centres, self.widths)
        sums = heights @ groups.T
        with np.errstate(divide="ignore"):
            found = np.log(sums) + largest[:, None]
        for row in np.flatnonzero((sums < _LITTLE).any(axis=1)):
            found[row] = self._far(logs[row])
        return np.where(np.isnan(x)[:, None], 0.0, found)

    @property
    def _groups_by_bump(self) -> FloatArray:
        return self.weights.reshape(-1, len(self.centres))

    def _far(self, logs: FloatArray) -> FloatArray:
        """The log densities of a value that is far from all bumps of a group."""
        with np.errstate(divide="ignore"):
            joint = np.log(self._groups_by_bump) + logs
        return np.asarray(np.logaddexp.reduce(joint, axis=1))

    def weighed_answer(self, family: Family, batch: Batch, weights: FloatArray) -> BumpCounts:
        """The expected counts of the bumps, if row r belongs to group g with ``weights[r, g]``."""
        x, own = batch.finite_numbers(family.child.name), self._groups_by_bump
        seen = ~np.isnan(x)
        x, weights = x[seen], weights[seen]
        logs, _, heights = _heights(x, self.centres, self.widths)
        sums = heights @ own.T
        shares = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
        counts = own * (shares.T @ heights)
        for row, group in zip(*np.nonzero((sums <= 0) & (weights > 0)), strict=True):
            with np.errstate(divide="ignore"):
                joint = np.log(own[group]) + logs[row]
            counts[group] += weights[row, group] * np.exp(joint - np.logaddexp.reduce(joint))
        names = tuple(parent.name for parent in family.discrete)
        return BumpCounts(family.child.name, names, counts.reshape(self.weights.shape))

    def maximised(self, answer: BumpCounts, family: Family, prior: Prior) -> BumpMixture:
        """The M-step of EM: counts, normalised; a group without rows keeps its weights."""
        totals = answer.values.sum(axis=-1, keepdims=True)
        shares = answer.values / np.where(totals > 0, totals, 1.0)
        return replace(self, weights=np.where(totals > 0, shares, self.weights))

    def estimated_again(self, answer: BumpCounts, family: Family, prior: Prior) -> BumpMixture:
        """The same as :meth:`maximised`."""
        return self.maximised(answer, family, prior)

    def distance(self, other: Distribution, family: Family, units: Units) -> float:
        """The largest difference of the weights of all bumps up to one of them.

        (Bumps overlap: weight that moves between neighbours hardly changes the density.)
        """
        assert isinstance(other, BumpMixture)
        return float(np.abs(np.cumsum(self.weights - other.weights, axis=-1)).max())

    def sample(self, rows: FamilyRows, stream: RandomStream) -> FloatArray:
        """Draw a bump, and a value of it, for each row."""
        own = rows.group_indices(self.group_shape)
        share = ndtr(stream.second.normal(rows.rows))
        ends = np.cumsum(self._groups_by_bump, axis=1)
        ends[:, -1] = 1.0
        bump = np.minimum((ends[own] <= share[:, None]).sum(axis=1), len(self.centres) - 1)
        drawn: FloatArray = self.centres[bump] + self.widths[bump] * stream.normal(rows.rows)
        return drawn

    # In a file

    def state(self) -> dict[str, Any]:
        """The weights, the centres and the widths."""
        parts = {"weights": self.weights, "centres": self.centres, "widths": self.widths}
        return {"kind": self.kind, **parts}

    @classmethod
    def declared(cls, state: Mapping[str, Any]) -> DistributionKind:
        """The declaration with its bumps."""
        if "centres" not in state:
            return cls
        centres, widths = (tuple(map(float, state[part])) for part in ("centres", "widths"))
        return BumpFeature(centres, widths)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> BumpMixture:
        """Read :meth:`state`; raise BadFile unless there are widths above 0 and weights that sum to 1."""
        weights, centres, widths = (
            np.asarray(state[part], dtype=np.float64) for part in ("weights", "centres", "widths")
        )
        shaped = weights.ndim >= 1 and centres.shape == widths.shape == weights.shape[-1:] and len(centres)
        if not shaped or not np.all(np.isfinite(centres)) or not np.all(np.isfinite(widths) & (widths > 0)):
            raise BadFile("the bumps of a density do not have a centre, a width and weights each.")
        if not np.all(weights >= 0) or not np.all(np.abs(weights.sum(axis=-1) - 1) <= 1e-6):
            raise BadFile("the weights of bumps are not 0 or more with the sum 1.")
        return cls(weights, centres, widths)


@dataclass(frozen=True)
class BumpFeature(Declaration):
    """Fixed bumps with centres and widths, whose weights are to be learned.

    >>> BumpFeature((0.0, 1.0), (0.5, 0.5)).title
    'kernel'
    """

    word: ClassVar[str] = "bumps"
    learned_as: ClassVar[type[Distribution]] = BumpMixture
    centres: tuple[float, ...]
    widths: tuple[float, ...]

    def weighed_answer(self, family: Family, batch: Batch, weights: FloatArray) -> BumpCounts:
        """The expected counts of bumps that weigh the same in every group."""
        return self._even(family).weighed_answer(family, batch, weights)

    def _even(self, family: Family) -> BumpMixture:
        count = len(self.centres)
        weights = np.full((*family.shape, count), 1 / count)
        return BumpMixture(weights, np.array(self.centres), np.array(self.widths))

    def estimate(self, answer: BumpCounts, family: Family, prior: Prior) -> BumpMixture:
        """Counts, normalised; bumps weigh the same in a group without rows."""
        return self._even(family).maximised(answer, family, prior)

    def start(self, known: StartingData) -> BumpMixture:
        """The start of EM: the counts of all rows, with one row more in each group, so that none is 0."""
        assert isinstance(known.complete, BumpCounts)
        counted = known.complete.values + 1 / len(self.centres)
        answer = replace(known.complete, values=counted)
        return self.estimate(answer, known.family, known.prior)

    def warn_about(self, answer: Any, family: Family, prior: Prior) -> None:
        """Nothing: every group has weights."""

    def declaration(self) -> dict[str, Any]:
        """The kind, the centres and the widths."""
        return {**super().declaration(), "centres": list(self.centres), "widths": list(self.widths)}


def _heights(
    values: FloatArray, centres: FloatArray, widths: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(log N(x; c_b, h_b²) [value, bump], the largest of each value, the densities divided by the largest).

    Missing values get those of 0.
    """
    x = np.where(np.isnan(values), 0.0, values)
    logs = -0.5 * ((x[:, None] - centres) / widths) ** 2 - np.log(widths) - 0.5 * LOG_TWO_PI
    largest = logs.max(axis=1)
    base = np.where(np.isfinite(largest), largest, 0.0)
    return logs, base, np.exp(logs - base[:, None])
