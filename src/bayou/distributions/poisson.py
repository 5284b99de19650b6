"""Poisson counts of events, with one rate per combination of the discrete parents' states."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.distributions.base import Distribution
from bayou.distributions.declaration import Declaration
from bayou.distributions.distribution_kind import DistributionKind
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.priors import VIRTUAL_RECORDS, Prior, checked_records
from bayou.distributions.table import read_only
from bayou.errors import BadData, BadFile, BadTable
from bayou.special_functions import gammaln, ndtr, pdtr, pdtrik
from bayou.statistics import GroupMoments, Moments
from bayou.typing import ColumnArray, FloatArray

_REACH = 3.0
_LEAST_RATE = 1e-300


@dataclass(frozen=True, eq=False)
class Poisson(Distribution):
    """P(x) = λˣ e^−λ / x!, with one rate λ per combination of the discrete parents' states.

    Each rate was learned with ``strength`` virtual records of ``centre`` events each, the mean of all rows.

    >>> calls = Poisson(np.array([1.0, 4.0]))
    >>> np.exp(calls.log_density_by_group(np.array([0.0, 2.0]))).round(4).tolist()
    [[0.3679, 0.0183], [0.1839, 0.1465]]
    """

    kind: ClassVar[str] = "poisson"
    title: ClassVar[str] = "Poisson"
    smallest: ClassVar[float] = 0.0
    rate: FloatArray
    strength: float = VIRTUAL_RECORDS
    centre: float = math.nan

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", read_only(self.rate))

    @classmethod
    def needs(cls, family: Family) -> Moments:
        """The moments by the discrete parents' states, of which only the means are used."""
        return Moments((family.child.name,), tuple(parent.name for parent in family.discrete))

    @classmethod
    def estimate(
        cls, answer: GroupMoments, family: Family, prior: Prior, strength: float = VIRTUAL_RECORDS
    ) -> Poisson:
        """Each rate is the group's mean with s virtual records: (n · mean + s · overall mean)/(n + s).

        s is ``strength``; the prior is one of tables and is not used.
        """
        name = family.child.name
        whole = answer.whole
        if whole.n <= 0:
            raise BadData(f"There is no row to learn {name!r} from: all its values are missing.")
        n, overall = answer.n, float(whole.mean[0])
        mean = np.where(n > 0, answer.mean[..., 0], overall)
        if np.any(mean < 0):
            raise BadData(
                f"Column {name!r} has negative numbers, so it cannot be a count of events (poisson)."
            )
        if not np.all(np.isfinite(mean)) or not np.isfinite(overall):
            raise BadData(
                f"The mean of {name!r} is not finite: its numbers are too large for counts of events "
                "(poisson). Use another unit, or look for numbers that stand for a missing value."
            )
        return cls(_drawn(n, mean, strength, overall), strength, overall)

    def estimated_again(self, answer: GroupMoments, family: Family, prior: Prior) -> Poisson:
        """Estimate again with the same number of virtual records."""
        return self.estimate(answer, family, prior, self.strength)

    def maximised(self, answer: GroupMoments, family: Family, prior: Prior) -> Poisson:
        """The M-step of EM: the rates of the expected statistic, with the same virtual records.

        They stay those of the start, so that all steps maximise one objective.
        """
        made = self.estimate(answer, family, prior, self.strength)
        if math.isnan(self.centre):
            return made
        mean = np.where(answer.n > 0, answer.mean[..., 0], self.centre)
        return Poisson(_drawn(answer.n, mean, self.strength, self.centre), self.strength, self.centre)

    def log_prior(self, records: Any) -> float:
        """Σ s (c log λ − λ) over the groups: the log-likelihood of s virtual records of c events each."""
        if not self.strength or math.isnan(self.centre):
            return 0.0
        return float(self.strength * (self.centre * np.log(self.rate) - self.rate).sum())

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """One rate per group."""
        return family.groups, family.groups

    @property
    def free_parameters(self) -> int:
        """The number of rates."""
        return int(self.rate.size)

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The discrete parents' cardinalities."""
        return self.rate.shape

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        """The rate."""
        return {"rate": self.rate}

    def check_shape(self, family: Family) -> None:
        """Raise BadTable unless there is one rate per group."""
        if self.rate.shape != family.shape or not family.child.is_continuous:
            raise BadTable(
                f"The rates of {family.child.name!r} have shape {self.rate.shape}, expected {family.shape}."
            )

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """x log λ − λ − log x!; -inf below 0, and 0 where a value is missing."""
        x = np.asarray(values, dtype=np.float64)[:, None]
        return _logs(x, self.rate.reshape(1, -1))

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """x log λ − λ − log x! with the rate of each row's own group."""
        return _logs(
            np.asarray(rows.observed, dtype=np.float64),
            self.rate.ravel()[rows.group_indices(self.group_shape)],
        )

    def sample(self, rows: FamilyRows, stream: RandomStream) -> FloatArray:
        """Draw a count for each row: the smallest x with P(count ≤ x) ≥ a uniform number."""
        share = ndtr(stream.normal(rows.rows))
        rate = self.rate.ravel()[rows.group_indices(self.group_shape)]
        drawn = np.ceil(pdtrik(share, rate))
        below = np.maximum(drawn - 1, 0.0)
        counts: FloatArray = np.where(pdtr(below, rate) >= share, below, drawn)
        return counts

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: GroupMoments, family: Family, prior: Prior
    ) -> FloatArray:
        """The log density with the rate learned without the row, also in the mean of all groups."""
        values, own = np.asarray(rows.observed, dtype=np.float64), rows.group_indices(self.group_shape)
        seen = np.where(np.isnan(values), 0.0, values)
        n, strength = answer.n.ravel(), self.strength
        events = (n + strength) * self.rate.ravel()
        overall = events.sum() / max(float((n + strength).sum()), 1e-300)
        rest = n.sum() - weights
        others = np.where(rest > 1e-9, (overall * n.sum() - weights * seen) / np.maximum(rest, 1e-9), overall)
        left = events[own] - weights * seen + strength * (others - overall)
        weight = n[own] + strength - weights
        rate = np.where(weight > 1e-9, left / np.maximum(weight, 1e-9), others)
        rate = np.maximum(rate, 1e-12)
        return np.where(np.isnan(values), 0.0, seen * np.log(rate) - rate - gammaln(seen + 1))

    def line(self, of: int, against: int) -> tuple[float, float]:
        """The slope is the difference of the log rates, the offset that of the rates."""
        rate = self.rate.ravel()
        return float(np.log(rate[of]) - np.log(rate[against])), float(rate[against] - rate[of])

    def likely_values(self, points: int) -> list[float]:
        """Whole numbers from 0 to three standard deviations above the largest rate."""
        most = float(self.rate.max())
        return list(range(int(most + _REACH * np.sqrt(most)) + 2))

    # In a file

    def state(self) -> dict[str, Any]:
        """The rates, and the number and the mean of the virtual records."""
        state = {"kind": self.kind, "rate": self.rate, "strength": self.strength}
        return state if math.isnan(self.centre) else {**state, "centre": self.centre}

    @classmethod
    def declared(cls, state: Mapping[str, Any]) -> DistributionKind:
        """The class itself, or a ``PoissonFeature`` where the declaration has virtual records."""
        return PoissonFeature(float(state["virtual_records"])) if "virtual_records" in state else cls

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Poisson:
        """Read :meth:`state`; raise BadFile unless all rates are above 0."""
        rate = np.asarray(state["rate"], dtype=np.float64)
        if not np.all(np.isfinite(rate) & (rate > 0)):
            raise BadFile("the rates of a Poisson distribution are not numbers above 0.")
        strength = float(state.get("strength", VIRTUAL_RECORDS))  # files of earlier versions have none
        if not (np.isfinite(strength) and strength >= 0):
            raise BadFile("the number of virtual records of a Poisson distribution is not 0 or more.")
        centre = float(state.get("centre", math.nan))
        if centre < 0 or math.isinf(centre):
            raise BadFile("the mean of the virtual records of a Poisson distribution is not 0 or more.")
        return cls(rate, strength, centre)


@dataclass(frozen=True)
class PoissonFeature(Declaration):
    """Counts of events, with one rate per class; ``virtual_records`` draw it to the mean of all classes.

    Raises ``BadData`` for a column with a negative number.

    >>> PoissonFeature().title
    'Poisson'
    """

    word: ClassVar[str] = "poisson"
    learned_as: ClassVar[type[Distribution]] = Poisson
    virtual_records: float = VIRTUAL_RECORDS

    def estimate(self, answer: GroupMoments, family: Family, prior: Prior) -> Poisson:
        """Estimate one rate per group."""
        return Poisson.estimate(answer, family, prior, checked_records(self.virtual_records))

    def declaration(self) -> dict[str, Any]:
        """The kind, and the number of virtual records if it is not the default."""
        if self.virtual_records == VIRTUAL_RECORDS:
            return super().declaration()
        return {**super().declaration(), "virtual_records": self.virtual_records}


def _drawn(n: FloatArray, mean: FloatArray, strength: float, centre: float) -> FloatArray:
    """The rates (n · mean + s · centre)/(n + s); the centre where there are no records at all."""
    weight = n + strength
    smoothed = (n * mean + strength * centre) / np.where(weight > 0, weight, 1)
    rates: FloatArray = np.maximum(np.where(weight > 0, smoothed, centre), _LEAST_RATE)
    return rates


def _logs(values: FloatArray, rate: FloatArray) -> FloatArray:
    gaps, below = np.isnan(values), values < 0
    seen = np.where(gaps | below, 0.0, values)
    logs = seen * np.log(rate) - rate - gammaln(seen + 1)
    return np.where(gaps, 0.0, np.where(below, -np.inf, logs))
