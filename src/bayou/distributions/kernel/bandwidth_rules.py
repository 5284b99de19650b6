"""Rules for the bandwidth of a kernel density (the standard deviation of its kernels), as frozen objects.

``n`` is the total weight of the records; a record of weight 2 counts as two equal records. Silverman (1986),
Density Estimation for Statistics and Data Analysis, section 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bayou._native import kernel_held_out
from bayou.errors import BadPrior
from bayou.special_functions import weighted_sum
from bayou.typing import FloatArray

_GOLDEN = (np.sqrt(5.0) - 1) / 2


class Bandwidth(Protocol):
    """A rule that chooses the bandwidth from the values; any object with this method is one.

    >>> import bayou
    >>> class Range:
    ...     def width(self, values, weights, otherwise):
    ...         return (values[-1] - values[0]) / 4 or otherwise
    >>> rows = {"height": [1.2, 1.3, 1.8, 1.9] * 5}
    >>> kernel = bayou.features.KernelFeature(bandwidth=Range())
    >>> model = bayou.NaiveBayes(features=kernel).fit(rows, ["child", "child", "adult", "adult"] * 5)
    >>> model.predict({"height": [1.85]}).tolist()
    ['adult']
    """

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """Return the bandwidth for distinct ascending values; ``otherwise`` replaces a spread of 0."""


@dataclass(frozen=True)
class Silverman:
    """0.9 · min(standard deviation, interquartile range / 1.34) · n^(-1/5): robust, the default.

    >>> round(Silverman().width(np.arange(100.0), np.ones(100), 1.0), 3)
    10.395
    """

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """Return the bandwidth by the smaller of the two spreads, of those that are not 0.

        ``otherwise`` is the width where the values have no spread.
        """
        spreads = (deviation(values, weights), interquartile_range(values, weights) / 1.34)
        spread = min((spread for spread in spreads if spread > 0), default=otherwise)
        return 0.9 * spread * _shrinking(weights)


@dataclass(frozen=True)
class Scott:
    """1.06 · standard deviation · n^(-1/5): the best bandwidth for data that are themselves Gaussian.

    >>> round(Scott().width(np.arange(100.0), np.ones(100), 1.0), 3)
    12.243
    """

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """Return the bandwidth by the standard deviation.

        ``otherwise`` is the width where the values have no spread.
        """
        return 1.06 * (deviation(values, weights) or otherwise) * _shrinking(weights)


@dataclass(frozen=True)
class Fixed:
    """The same bandwidth everywhere, in the unit of the data.

    ``bandwidth`` is the number. Raises ``BadPrior`` if it is not above 0.

    >>> Fixed(0.15).width(np.zeros(1), np.ones(1), 1.0)
    0.15
    """

    bandwidth: float

    def __post_init__(self) -> None:
        number = self.bandwidth
        if isinstance(number, bool) or not isinstance(number, int | float | np.number):
            raise BadPrior(f"Fixed: the bandwidth must be a number, not {number!r}.")
        if not (np.isfinite(number) and number > 1e-300):
            raise BadPrior(f"Fixed: the bandwidth must be a positive number, not {number!r}.")
        object.__setattr__(self, "bandwidth", float(number))

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """Return the bandwidth given by the user.

        ``otherwise`` is the width where the values have no spread.
        """
        return self.bandwidth


@dataclass(frozen=True)
class HeldOut:
    """The bandwidth with the largest leave-one-out likelihood: Σ log density of each record given the others.

    It is searched between a tenth and four times Silverman's bandwidth: with repeated values the likelihood
    would otherwise be largest at 0.

    >>> random = np.random.default_rng(0)
    >>> heaps = np.sort(np.concatenate([random.normal(0, 1, 200), random.normal(50, 1, 200)]))
    >>> bool(HeldOut().width(heaps, np.ones(400), 1.0) < Silverman().width(heaps, np.ones(400), 1.0) / 3)
    True
    """

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """Return the best bandwidth: a coarse search on a log scale, then golden sections around its best.

        ``otherwise`` is the width where the values have no spread.
        """
        start = Silverman().width(values, weights, otherwise)
        if weights.sum() < 2 or len(values) < 2:
            return start
        steps = np.linspace(np.log(0.1), np.log(4.0), 9)
        scores = [_held_out(values, weights, start * np.exp(step)) for step in steps]
        best = int(np.argmax(scores))
        low, high = steps[max(best - 1, 0)], steps[min(best + 1, len(steps) - 1)]
        return float(start * np.exp(_golden_section(values, weights, start, low, high)))


def bandwidth_from(rule: Bandwidth | float | str) -> Bandwidth:
    """Return the rule for what a user gave: a rule, a number, or ``silverman``, ``scott``, ``held-out``.

    >>> bandwidth_from("held-out"), bandwidth_from(0.5)
    (HeldOut(), Fixed(bandwidth=0.5))
    """
    if isinstance(rule, str):
        rules: dict[str, Bandwidth] = {"silverman": Silverman(), "scott": Scott(), "held-out": HeldOut()}
        if rule not in rules:
            raise BadPrior(
                f"There is no bandwidth rule {rule!r}. Use one of: {', '.join(rules)}, or a number."
            )
        return rules[rule]
    if isinstance(rule, int | float | np.number):
        return Fixed(float(rule) if not isinstance(rule, bool) else rule)
    if not hasattr(rule, "width") or isinstance(rule, type):
        raise BadPrior(f"{rule!r} is not a bandwidth rule: use Silverman(), Scott(), Fixed(h) or HeldOut().")
    return rule


def spelled(rule: Bandwidth) -> str | float:
    """Return the rule as a word or a number that :func:`bandwidth_from` reads, for files.

    >>> spelled(Silverman()), spelled(Fixed(0.5))
    ('silverman', 0.5)
    """
    if isinstance(rule, Fixed):
        return rule.bandwidth
    words = {Silverman: "silverman", Scott: "scott", HeldOut: "held-out"}
    if type(rule) not in words:
        raise BadPrior(f"The bandwidth rule {rule!r} cannot be saved: only bayou's own rules can.")
    return words[type(rule)]


def deviation(values: FloatArray, weights: FloatArray) -> float:
    """Return the standard deviation, dividing by n - 1 where n is more than 1."""
    total = float(weights.sum())
    if total <= 0 or len(values) < 2:
        return 0.0
    with np.errstate(over="ignore"):
        mean = weighted_sum(weights, values) / total
        scatter = weighted_sum(weights, (values - mean) ** 2)
    return float(np.sqrt(scatter / (total - 1 if total > 1 else total)))


def interquartile_range(values: FloatArray, weights: FloatArray) -> float:
    """Return the interquartile range, with quantiles interpolated as numpy does for repeated records."""
    ends = np.cumsum(weights)
    if not len(ends):
        return 0.0
    return _quantile(values, ends, 0.75) - _quantile(values, ends, 0.25)


def _quantile(values: FloatArray, ends: FloatArray, share: float) -> float:
    rank = share * max(float(ends[-1]) - 1, 0.0)
    places = np.searchsorted(ends, [np.floor(rank), np.floor(rank) + 1], side="right")
    below, above = values[np.minimum(places, len(values) - 1)]
    return float(below + (rank - np.floor(rank)) * (above - below))


def _shrinking(weights: FloatArray) -> float:
    """n^(-1/5)."""
    return float(np.power(weights.sum(), -0.2))


def _held_out(values: FloatArray, weights: FloatArray, width: float) -> float:
    """The leave-one-out log-likelihood at a bandwidth."""
    return weighted_sum(weights, kernel_held_out(values, weights, width))


def _golden_section(values: FloatArray, weights: FloatArray, start: float, low: float, high: float) -> float:
    """The log of the best bandwidth / ``start`` between ``low`` and ``high``, to 0.01."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    scores = [_held_out(values, weights, start * np.exp(step)) for step in (left, right)]
    while high - low > 0.01:
        if scores[0] >= scores[1]:
            high, right = right, left
            left = high - _GOLDEN * (high - low)
            scores = [_held_out(values, weights, start * np.exp(left)), scores[0]]
        else:
            low, left = left, right
            right = low + _GOLDEN * (high - low)
            scores = [scores[1], _held_out(values, weights, start * np.exp(right))]
    return float(low + high) / 2
