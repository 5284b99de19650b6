"""How wide the bumps of a kernel density are: rules as small frozen objects.

``n`` is the weight of all records; a record of weight 2 is two equal records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bayou._native import kernel_held_out
from bayou.errors import BadPrior
from bayou.typing import FloatArray

_GOLDEN = (np.sqrt(5.0) - 1) / 2


class Bandwidth(Protocol):
    """Whatever can say how wide the bumps on some points are."""

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """The width for distinct ascending values; ``otherwise`` stands in for a spread that is 0."""


@dataclass(frozen=True)
class Silverman:
    """0.9 · min(standard deviation, interquartile range / 1.34) · n^(-1/5): robust, the default.

    >>> round(Silverman().width(np.arange(100.0), np.ones(100), 1.0), 3)
    10.395
    """

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """By the smaller of the two spreads that is not 0."""
        spreads = (deviation(values, weights), interquartile_range(values, weights) / 1.34)
        spread = min((spread for spread in spreads if spread > 0), default=otherwise)
        return 0.9 * spread * _shrinking(weights)


@dataclass(frozen=True)
class Scott:
    """1.06 · standard deviation · n^(-1/5): the best width for data that are themselves Gaussian.

    >>> round(Scott().width(np.arange(100.0), np.ones(100), 1.0), 3)
    12.243
    """

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """By the standard deviation."""
        return 1.06 * (deviation(values, weights) or otherwise) * _shrinking(weights)


@dataclass(frozen=True)
class Fixed:
    """The same width everywhere, in the unit of the data: the lecture's σ.

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
        """What was stated."""
        return self.bandwidth


@dataclass(frozen=True)
class HeldOut:
    """The width under which each record is likeliest given all the others (leave-one-out likelihood).

    Sought between a tenth and four times Silverman's width: values that repeat would otherwise shrink it
    to nothing.

    >>> random = np.random.default_rng(0)
    >>> heaps = np.sort(np.concatenate([random.normal(0, 1, 200), random.normal(50, 1, 200)]))
    >>> bool(HeldOut().width(heaps, np.ones(400), 1.0) < Silverman().width(heaps, np.ones(400), 1.0) / 3)
    True
    """

    def width(self, values: FloatArray, weights: FloatArray, otherwise: float) -> float:
        """A coarse search on a logarithmic scale, then golden sections around its best."""
        start = Silverman().width(values, weights, otherwise)
        if weights.sum() < 2 or len(values) < 2:
            return start
        steps = np.linspace(np.log(0.1), np.log(4.0), 9)
        scores = [_held_out(values, weights, start * np.exp(step)) for step in steps]
        best = int(np.argmax(scores))
        low, high = steps[max(best - 1, 0)], steps[min(best + 1, len(steps) - 1)]
        return float(start * np.exp(_golden_section(values, weights, start, low, high)))


def bandwidth_from(rule: Bandwidth | float | str) -> Bandwidth:
    """A rule as users may spell it: an object, a number, or ``silverman``, ``scott``, ``held-out``.

    >>> bandwidth_from("held-out"), bandwidth_from(0.5)
    (HeldOut(), Fixed(bandwidth=0.5))
    """
    if isinstance(rule, str):
        known: dict[str, Bandwidth] = {"silverman": Silverman(), "scott": Scott(), "held-out": HeldOut()}
        if rule not in known:
            raise BadPrior(
                f"There is no bandwidth rule {rule!r}. Say one of: {', '.join(known)}, or a number."
            )
        return known[rule]
    if isinstance(rule, int | float | np.number):
        return Fixed(float(rule) if not isinstance(rule, bool) else rule)
    if not hasattr(rule, "width") or isinstance(rule, type):
        raise BadPrior(f"{rule!r} is no bandwidth rule: Silverman(), Scott(), Fixed(h), HeldOut() are.")
    return rule


def spelled(rule: Bandwidth) -> str | float:
    """The rule as :func:`bandwidth_from` reads it: a word or a number, for files.

    >>> spelled(Silverman()), spelled(Fixed(0.5))
    ('silverman', 0.5)
    """
    if isinstance(rule, Fixed):
        return rule.bandwidth
    words = {Silverman: "silverman", Scott: "scott", HeldOut: "held-out"}
    if type(rule) not in words:
        raise BadPrior(f"The bandwidth rule {rule!r} can not be saved: only bayou's own rules can.")
    return words[type(rule)]


def deviation(values: FloatArray, weights: FloatArray) -> float:
    """The standard deviation, dividing by n - 1 where n is more than 1."""
    total = float(weights.sum())
    if total <= 0 or len(values) < 2:
        return 0.0
    with np.errstate(over="ignore"):
        mean = float(weights @ values) / total
        scatter = float(weights @ (values - mean) ** 2)
    return float(np.sqrt(scatter / (total - 1 if total > 1 else total)))


def interquartile_range(values: FloatArray, weights: FloatArray) -> float:
    """Between the quartiles, interpolated as numpy does for records that repeat."""
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
    return float(np.power(weights.sum(), -0.2))


def _held_out(values: FloatArray, weights: FloatArray, width: float) -> float:
    return float(weights @ kernel_held_out(values, weights, width))


def _golden_section(values: FloatArray, weights: FloatArray, start: float, low: float, high: float) -> float:
    """The best logarithm of a factor of ``start`` between two, to about a percent."""
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
