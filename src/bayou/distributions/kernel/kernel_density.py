"""Kernel densities: a normal kernel on each learned value, by the states of the discrete parents.

With values xᵢ of weights wᵢ in a group, bandwidth h and n = Σ wᵢ, the density is

    f(x) = Σᵢ wᵢ N(x; xᵢ, h²) / n,        smoothed by s virtual records: (n f(x) + s N(x; c, w²)) / (n + s).

Parzen (1962), On estimation of a probability density function and mode, Annals of Mathematical Statistics 33.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou._native import kernel_log_density
from bayou.distributions.base import Distribution
from bayou.distributions.distribution_kind import DistributionKind, StartingData
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.gaussian.gaussian_regression import REACH
from bayou.distributions.kernel.bandwidth_rules import (
    Bandwidth,
    Silverman,
    bandwidth_from,
    deviation,
    spelled,
)
from bayou.distributions.priors import VIRTUAL_RECORDS, Prior
from bayou.distributions.table import read_only
from bayou.errors import BadData, BadFile, BadTable, warn_user
from bayou.schema import Variable
from bayou.special_functions import LOG_TWO_PI, ndtr, weighted_sum
from bayou.statistics import ValueCounts, ValueHistogram
from bayou.typing import ColumnArray, FloatArray

_WIDER = 3.0
"""The standard deviation of the virtual records, as a multiple of that of the data."""
_FEW = 2.0
"""A group of which at most this many records are left is learned again without each of its rows."""


@dataclass(frozen=True, eq=False)
class KernelDensity(Distribution):
    """Parzen's estimate: each value of a group has a normal kernel (a bump) of the group's bandwidth.

    Groups are the combinations of the parents' states, in C order. ``strength`` virtual records smooth each
    group: one wide kernel (``centre``, ``width``) around the values of all groups. Without it a value far
    from all kernels would be overwhelming evidence for the group with the nearest one. ``relative_error``
    bounds the error of a density (0: every term is added; the default costs little more than 1e-6).

    >>> one = KernelDensity((np.array([0.0, 1.0]),), (np.ones(2),), np.array(0.5))
    >>> np.exp(one.log_density_by_group(np.array([0.0, 0.5]))).round(4).tolist()
    [[0.4529], [0.4839]]
    """

    kind: ClassVar[str] = "kernel"
    fixed_in_em: ClassVar[bool] = True
    """Kernels do not maximise a likelihood, so EM could not improve them: complete rows determine them."""
    points: tuple[FloatArray, ...]
    weights: tuple[FloatArray, ...]
    bandwidths: FloatArray
    relative_error: float = 1e-12
    strength: float = 0.0
    centre: float = 0.0
    width: float = 1.0
    rule: Bandwidth = Silverman()  # noqa: RUF009  # frozen, and without options

    def __post_init__(self) -> None:
        for part in ("points", "weights"):
            object.__setattr__(self, part, tuple(read_only(each) for each in getattr(self, part)))
        object.__setattr__(self, "bandwidths", read_only(self.bandwidths))

    @classmethod
    def needs(cls, family: Family) -> ValueHistogram:
        """The distinct values with their weights, by the discrete parents' states."""
        return ValueHistogram(family.child.name, tuple(parent.name for parent in family.discrete))

    @classmethod
    def estimate(
        cls,
        answer: ValueCounts,
        family: Family,
        prior: Prior,
        rule: Bandwidth | None = None,
        relative_error: float = 1e-12,
        strength: float = VIRTUAL_RECORDS,
    ) -> KernelDensity:
        """Put a kernel on each value; each group has a bandwidth of its own, by ``rule`` (None: Silverman's).

        ``strength`` virtual records smooth each group; the prior is one of tables and is not used.

        A group whose values do not vary takes the spread of all groups (1 if they do not vary either). A
        group without values takes the values of all groups, with a warning.
        """
        made, empty = cls.learned(answer, family, rule or Silverman(), relative_error, strength)
        if empty:
            warn_user(
                f"{empty} of {family.groups} groups have no value of {family.child.name!r}: they take the "
                "values of all groups."
            )
        return made

    @classmethod
    def learned(
        cls,
        answer: ValueCounts,
        family: Family,
        rule: Bandwidth,
        relative_error: float,
        strength: float = VIRTUAL_RECORDS,
    ) -> tuple[KernelDensity, int]:
        """Return the estimate, and the number of groups without values, which took those of all groups."""
        everything = answer.ungrouped()
        _require_finite(everything, family.child)
        spread = deviation(everything.values, everything.weights) or 1.0
        groups = [answer.of_group(code) for code in range(family.groups)]
        empty = [code for code, (values, _) in enumerate(groups) if not len(values)]
        for code in empty:
            groups[code] = (everything.values, everything.weights)
        widths = np.array([rule.width(values, weights, spread) for values, weights in groups])
        _require_widths(widths, family.child)
        points, weights = zip(*groups, strict=True)
        centre = weighted_sum(answer.weights, answer.values) / answer.total
        about = float(np.sqrt(weighted_sum(answer.weights, (answer.values - centre) ** 2) / answer.total))
        width = _WIDER * about if about > 0 else 1.0
        shaped = widths.reshape(family.shape)
        return cls(points, weights, shaped, relative_error, strength, centre, width, rule), len(empty)

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """The number of bandwidths; the number of points depends on the data."""
        return family.groups, family.groups

    def estimated_again(self, answer: ValueCounts, family: Family, prior: Prior) -> KernelDensity:
        """Estimate again with the same rule for the bandwidths and as many virtual records."""
        return self.learned(answer, family, self.rule, self.relative_error, self.strength)[0]

    @classmethod
    def start(cls, known: StartingData) -> KernelDensity:
        """The estimate from complete rows; EM does not change it."""
        return cls.estimate(known.complete, known.family, known.prior)

    @classmethod
    def warn_about(cls, answer: Any, family: Family, prior: Prior) -> None:
        """Do nothing: EM does not change a kernel density."""

    def maximised(self, answer: Any, family: Family, prior: Prior) -> KernelDensity:
        """The same distribution: EM does not change a kernel density."""
        return self

    def agrees_with(self, answer: ValueCounts) -> bool:
        """Whether there are no complete rows: any would add kernels."""
        return answer.total <= 0

    def unbounded(self, answer: Any, records: Any, family: Family) -> None:
        """None: there is nothing to learn."""

    @property
    def free_parameters(self) -> int:
        """The number of points and bandwidths: the estimate consists of the data."""
        return sum(len(values) for values in self.points) + self.bandwidths.size

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The discrete parents' cardinalities."""
        return self.bandwidths.shape

    def check_shape(self, family: Family) -> None:
        """Raise BadTable unless there is one bandwidth per group."""
        if self.group_shape != family.shape or not family.child.is_continuous:
            raise BadTable(
                f"The bandwidths of {family.child.name!r} have shape {self.group_shape}, expected "
                f"{family.shape}."
            )

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """The log density of each value in each group; 0 for a missing value.

        It is finite for every finite value, however far it is from all points.
        """
        x, gaps = self._filled(values)
        logs = self._smoothed(self._bumps(x, range(len(self.points))), self._records(), x[:, None])
        return np.where(gaps[:, None], 0.0, logs)

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """The log density of each row's value in its own group."""
        x, gaps = self._filled(rows.observed)
        own, logs, records = rows.group_indices(self.group_shape), np.empty(rows.rows), self._records()
        for code in np.unique(own).tolist():
            inside = own == code
            logs[inside] = self._bumps(x[inside], [code])[:, 0]
        return np.where(gaps, 0.0, self._smoothed(logs, records[own], x))

    def _bumps(self, values: FloatArray, codes: range | list[int]) -> FloatArray:
        """The log densities of some groups, without virtual records."""
        weights = [None if np.all(self.weights[k] == 1) else self.weights[k] for k in codes]
        widths = self.bandwidths.ravel()
        return kernel_log_density(
            [self.points[k] for k in codes],
            weights,
            [float(widths[k]) for k in codes],
            np.ascontiguousarray(values, dtype=np.float64),
            self.relative_error,
        )

    def _filled(self, values: ColumnArray) -> tuple[FloatArray, Any]:
        """Values with missing cells set to ``centre``, and the mask of missing cells."""
        x = np.asarray(values, dtype=np.float64)
        gaps = np.isnan(x)
        return np.where(gaps, self.centre, x), gaps

    def _records(self) -> FloatArray:
        return np.array([points.sum() for points in self.weights])

    def _smoothed(self, logs: FloatArray, records: FloatArray, values: FloatArray) -> FloatArray:
        """log of (records · density + strength · wide kernel)/(records + strength)."""
        if not self.strength:
            return logs
        with np.errstate(over="ignore"):  # so far out that the square overflows: −inf
            squares = ((values - self.centre) / self.width) ** 2
        spread = -0.5 * (LOG_TWO_PI + squares) - np.log(self.width)
        seen = logs + np.log(records)
        with np.errstate(invalid="ignore"):  # missing values; the caller sets their logs to 0
            result: FloatArray = np.logaddexp(seen, np.log(self.strength) + spread)
        return result - np.log(records + self.strength)

    def sample(self, rows: FamilyRows, stream: RandomStream) -> FloatArray:
        """Draw a value for each row: one of its group's points plus normal noise of the bandwidth."""
        n, chosen = rows.rows, rows.group_indices(self.group_shape)
        step, share = stream.normal(n), ndtr(stream.second.normal(n))
        drawn, size = np.empty(n), self.bandwidths.ravel()[chosen]
        for code in np.unique(chosen):
            inside = np.flatnonzero(chosen == code)
            ends = np.cumsum(self.weights[code])
            at = share[inside] * (ends[-1] + self.strength)
            places = np.searchsorted(ends, at, side="right")
            drawn[inside] = self.points[code][np.minimum(places, len(ends) - 1)]
            if self.strength:
                virtual = inside[at >= ends[-1]]
                drawn[virtual], size[virtual] = self.centre, self.width
        result: FloatArray = drawn + size * step
        return result

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: ValueCounts, family: Family, prior: Prior
    ) -> FloatArray:
        """The log density without the row's own kernel; bandwidths and virtual records stay as they are.

        A group of which at most ``_FEW`` records are left is learned again without the row, as its bandwidth
        says much about each of its rows; one without any has the values of all groups, as in learning.
        """
        values, gaps = self._filled(rows.observed)
        own = rows.group_indices(self.group_shape)
        logs = self._bumps(values, range(len(self.points)))[np.arange(rows.rows), own]
        total = self._records()[own]
        rest = np.maximum(total - weights, 1e-9)
        with np.errstate(divide="ignore", invalid="ignore"):  # a row of weight 0 is not in its density
            bump = np.log(weights / (self.bandwidths.ravel()[own] * np.sqrt(2 * np.pi) * total))
            others = logs + np.log(-np.expm1(np.minimum(bump - logs, 0.0))) + np.log(total / rest)
        held_out = self._smoothed(np.where(total > weights, others, logs), rest, values)
        few = np.flatnonzero((total - weights <= _FEW) & (answer.total > weights) & ~gaps)
        if len(few):
            part = FamilyRows(len(few), [code[few] for code in rows.codes], np.zeros((0, 0)), values[few])
            held_out[few] = super().left_out(part, weights[few], answer, family, prior)
        return np.where(gaps, 0.0, np.maximum(held_out, -1e4))

    # In print

    @property
    def printed_cells(self) -> int:
        """Two cells per group: the number of kernels and their bandwidth."""
        return 2 * self.bandwidths.size

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        """The number of kernels ("bumps"), and their bandwidth ("width")."""
        return {"bumps": np.array([float(len(each)) for each in self.points]), "width": self.bandwidths}

    def parameter_text(self, group: int) -> str:
        """The number and the width of one group's kernels as text."""
        bumps, width = len(self.points[group]), float(self.bandwidths.ravel()[group])
        return f"{bumps} bump{'s' if bumps != 1 else ''} of width {width:.4g}"

    def notation(self, value: str, group: int) -> tuple[str, str]:
        """kernel(x), without parameters: they are too many."""
        return f"kernel({value})", rf"\operatorname{{kernel}}({value})"

    def likely_values(self, points: int) -> list[float]:
        """Numbers within three standard deviations of the mean of all points."""
        values, weights = np.concatenate(self.points), np.concatenate(self.weights)
        mean = np.average(values, weights=weights)
        deviation = np.sqrt(np.average((values - mean) ** 2, weights=weights))
        found: list[float] = np.linspace(mean - REACH * deviation, mean + REACH * deviation, points).tolist()
        return found

    # In a file

    @classmethod
    def declared(cls, state: Mapping[str, Any]) -> DistributionKind:
        """The class itself, or a ``KernelFeature`` where the declaration has a bandwidth rule."""
        if "bandwidth" not in state:
            return cls
        records = float(state.get("virtual_records", VIRTUAL_RECORDS))
        # Imported here because the declaration names this class.
        from bayou.distributions.kernel.kernel_feature import KernelFeature

        return KernelFeature(state["bandwidth"], float(state["relative_error"]), records)

    def state(self) -> dict[str, Any]:
        """Points, weights, bandwidths, virtual records, and the rule that chose the bandwidths."""
        return {
            "kind": self.kind,
            "points": list(self.points),
            "weights": list(self.weights),
            "bandwidths": self.bandwidths,
            "relative_error": self.relative_error,
            "strength": self.strength,
            "centre": self.centre,
            "width": self.width,
            "rule": spelled(self.rule),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> KernelDensity:
        """Read :meth:`state`; raise BadFile unless there is one weight per point and widths are above 0."""
        points, weights = tuple(state["points"]), tuple(state["weights"])
        widths = np.asarray(state["bandwidths"], dtype=np.float64)
        sound = len(points) == len(weights) == widths.size and all(
            p.ndim == 1 and len(p) and p.shape == w.shape and np.all(np.isfinite(p)) and np.all(w > 0)
            for p, w in zip(points, weights, strict=True)
        )
        parts = [float(state[part]) for part in ("relative_error", "strength", "centre", "width")]
        if not sound or not np.all(widths > 0) or not np.all(np.isfinite(parts)) or parts[3] <= 0:
            raise BadFile("the points, weights and bandwidths of a kernel density do not fit together.")
        return cls(
            points, weights, widths, parts[0], parts[1], parts[2], parts[3], bandwidth_from(state["rule"])
        )


def _require_widths(widths: FloatArray, child: Variable) -> None:
    with np.errstate(divide="ignore", over="ignore"):
        usable = np.isfinite(widths) & np.isfinite(1 / widths)
    if not np.all(usable):
        raise BadData(
            f"The values of {child.name!r} lie too far apart or too close together for a bandwidth "
            f"({widths[~usable][0]:g}). Use another unit, or give the bandwidth: Fixed(h)."
        )


def _require_finite(everything: ValueCounts, child: Variable) -> None:
    if not len(everything.values):
        raise BadData(f"There is no row to learn {child.name!r} from: all its values are missing.")
    if not np.all(np.isfinite(everything.values)):
        raise BadData(
            f"{child.name!r} has infinite values, for which there is no kernel density. Make such cells "
            "missing (NaN)."
        )
