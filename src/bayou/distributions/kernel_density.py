"""A continuous variable as the sum of Gaussian bumps on its own values, by the discrete parents' states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from bayou._native import kernel_log_density, sample_normal
from bayou.distributions.bandwidths import Bandwidth, Silverman, deviation
from bayou.distributions.table import read_only
from bayou.errors import BadData, warn_user
from bayou.schema import Variable
from bayou.statistics import ValueCounts, ValueHistogram
from bayou.typing import FloatArray

_OTHER_SEED = 0x9E3779B97F4A7C15
_SEEDS = 2**64


@dataclass(frozen=True, eq=False)
class KernelDensity:
    """Parzen's estimate: each value of a group carries a normal bump as wide as the group's bandwidth.

    Groups are the combinations of the parents' states, in C-order. ``relative_error`` bounds the error of a
    density (0: every term is added directly; the default costs little more than 1e-6).

    >>> one = KernelDensity((np.array([0.0, 1.0]),), (np.ones(2),), np.array([0.5]))
    >>> np.exp(one.log_density(np.array([0.0, 0.5]))).round(4).tolist()
    [[0.4529], [0.4839]]
    """

    kind: ClassVar[str] = "kernel density"
    points: tuple[FloatArray, ...]
    weights: tuple[FloatArray, ...]
    bandwidths: FloatArray
    relative_error: float = 1e-12

    def __post_init__(self) -> None:
        for part in ("points", "weights"):
            object.__setattr__(self, part, tuple(read_only(each) for each in getattr(self, part)))
        object.__setattr__(self, "bandwidths", read_only(self.bandwidths))

    @staticmethod
    def needs(child: Variable, parents: Sequence[Variable]) -> ValueHistogram:
        """The statistic that this distribution is estimated from."""
        return ValueHistogram(child.name, tuple(parent.name for parent in parents))

    @classmethod
    def estimate(
        cls,
        counted: ValueCounts,
        child: Variable,
        bandwidth: Bandwidth | None = None,
        relative_error: float = 1e-12,
    ) -> KernelDensity:
        """A bump on each value; the bandwidth (Silverman's, unless another rule is given) group by group.

        A group whose values do not vary takes the spread of all groups (1 where they do not vary either); a
        group without a value takes the values of all groups, with a warning.
        """
        everything = counted.ungrouped()
        _require_finite(everything, child)
        rule = Silverman() if bandwidth is None else bandwidth
        spread = deviation(everything.values, everything.weights) or 1.0
        cells = int(np.prod([axis.cardinality for axis in counted.groups], dtype=np.int64))
        groups = [counted.of_group(code) for code in range(cells)]
        empty = [code for code, (values, _) in enumerate(groups) if not len(values)]
        for code in empty:
            groups[code] = (everything.values, everything.weights)
        if empty:
            warn_user(
                f"{len(empty)} of {cells} groups have no value of {child.name!r}: they take those of all."
            )
        widths = np.array([rule.width(values, weights, spread) for values, weights in groups])
        _require_widths(widths, child)
        points, weights = zip(*groups, strict=True)
        return cls(points, weights, widths, relative_error)

    @property
    def free_parameters(self) -> int:
        """The points and the bandwidths: all of the data, which is what the estimate is made of."""
        return sum(len(values) for values in self.points) + len(self.bandwidths)

    def log_density(self, values: FloatArray, groups: npt.NDArray[np.integer] | None = None) -> FloatArray:
        """log of the density of each value in each group, (values, groups); with ``groups`` in its own.

        NaN for a missing value. However far a finite value is from all points, its log is finite.
        """
        queries = np.ascontiguousarray(values, dtype=np.float64)
        weights = [None if np.all(each == 1) else each for each in self.weights]
        log = kernel_log_density(
            list(self.points), weights, self.bandwidths.tolist(), queries, self.relative_error
        )
        return log if groups is None else np.take_along_axis(log, groups[:, None].astype(np.intp), 1)[:, 0]

    def sample(
        self, groups: npt.NDArray[np.integer] | None, n: int, seed: int, stream: int, first_row: int
    ) -> FloatArray:
        """Draw a value for each row: one of its group's points, plus a step of the bandwidth's size."""
        chosen = np.zeros(n, dtype=np.int64) if groups is None else groups.astype(np.int64)
        step = sample_normal(seed, stream, first_row, n)
        share = ndtr(sample_normal((seed + _OTHER_SEED) % _SEEDS, stream, first_row, n))
        drawn = np.empty(n)
        for code in np.unique(chosen):
            rows = chosen == code
            ends = np.cumsum(self.weights[code])
            places = np.searchsorted(ends, share[rows] * ends[-1], side="right")
            drawn[rows] = self.points[code][np.minimum(places, len(ends) - 1)]
        result: FloatArray = drawn + self.bandwidths[chosen] * step
        return result


def _require_widths(widths: FloatArray, child: Variable) -> None:
    with np.errstate(divide="ignore", over="ignore"):
        usable = np.isfinite(widths) & np.isfinite(1 / widths)
    if not np.all(usable):
        raise BadData(
            f"The values of {child.name!r} lie too far apart or too close together for a bandwidth "
            f"({widths[~usable][0]:g}). Give them in another unit, or state one: Fixed(h)."
        )


def _require_finite(everything: ValueCounts, child: Variable) -> None:
    if not len(everything.values):
        raise BadData(f"There is no row to learn {child.name!r} from: all its values are missing.")
    if not np.all(np.isfinite(everything.values)):
        raise BadData(
            f"{child.name!r} has infinite values, which no bump can stand on. Make such cells missing (NaN)."
        )
