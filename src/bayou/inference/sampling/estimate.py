"""What an estimate from random draws says about itself: its error, its size, and whether to trust it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bayou.errors import counted, number_text
from bayou.special_functions import betaincinv
from bayou.typing import FloatArray

CONFIDENCE = 0.99
MOST_EFFECTIVE = 1e10
"""Effective sizes are not reported beyond this: rounding errors of the sums matter there."""
FEWEST_EFFECTIVE = 200.0
"""An estimate from dependent draws, or from rows of uneven weights, is not trusted if it is worth fewer."""

FEWEST_INDEPENDENT = 30
"""An estimate from fewer independent draws is not trusted either, though its intervals hold."""

WIDEST = 0.1
"""An estimate with an interval wider than ± this is not trusted, unless that was all that was asked for."""

MORE = "give it more time or more samples"
"""The remedy where draws are too few, in words that hold for Python and for the command line."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """The error of probabilities that were estimated from random draws.

    ``standard_error``, ``lower`` and ``upper`` (a 99 % interval) have the shape of the probabilities.
    ``effective_size`` is the number of independent draws with the same error (infinite where nothing needs to
    be drawn), ``draws`` the number that was made. ``r_hat`` compares the chains of Gibbs sampling with each
    other: near 1 they agree. ``log_evidence_error`` is the standard error of log P(findings). ``reasons`` say
    why the estimate is not to be trusted; there are none if it is. Asking again with the same ``seed`` and
    number of draws gives the same numbers.

    >>> import bayou
    >>> asia = bayou.examples.asia()
    >>> found = asia.query("lung", {"xray": "yes"}, engine="weighting", samples=10_000, seed=1)
    >>> found.estimate.draws, found.estimate.trusted, bool(found.estimate.margin.max() < 0.02)
    (10000, True, True)
    """

    engine: str
    seed: int
    draws: int
    effective_size: float
    standard_error: FloatArray
    lower: FloatArray
    upper: FloatArray
    r_hat: float | None = None
    log_evidence_error: float = 0.0
    reasons: tuple[str, ...] = ()

    @property
    def trusted(self) -> bool:
        """Whether the intervals may be relied on."""
        return not self.reasons

    @property
    def margin(self) -> FloatArray:
        """Half the width of each interval."""
        margin: FloatArray = (self.upper - self.lower) / 2
        return margin

    def __str__(self) -> str:
        if not self.draws:
            return "Certain: findings and zeros in tables leave one possible state; nothing was drawn."
        size = (
            number_text(round(self.effective_size))
            if self.effective_size >= 10
            else f"{self.effective_size:.2g}"
        )
        ones = "one" if size == "1" else "ones"
        text = f"Estimated by {self.engine}: {counted(self.draws, 'draw')}, worth {size} independent {ones}"
        if self.r_hat is not None:
            text += f"; R-hat {self.r_hat:.3f}"
        text += f"; ± is half of the 99 % interval; seed {self.seed}."
        return text if self.trusted else f"{text}\nNot to be trusted: {'; '.join(self.reasons)}."


def binomial_interval(probability: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The 99 % interval of Clopper and Pearson for shares of ``size`` independent draws (not only whole).

    With x = share · size its ends are quantiles of Beta(x, size − x + 1) and Beta(x + 1, size − x). It covers
    the truth at least as often as it says, also near 0 and 1. Clopper and Pearson (1934), The use of
    confidence or fiducial limits illustrated in the case of the binomial, Biometrika 26.

    >>> low, high = binomial_interval(np.array([0.0, 0.5]), np.array([1000.0, 1000.0]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.4589], [0.0053, 0.5411])
    """
    tail = (1 - CONFIDENCE) / 2
    hits = probability * size
    misses = np.maximum(size - hits, 0.0)
    lower: FloatArray = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-300), misses + 1, tail), 0.0)
    upper: FloatArray = np.where(misses > 0, betaincinv(hits + 1, np.maximum(misses, 1e-300), 1 - tail), 1.0)
    return np.minimum(lower, probability), np.maximum(upper, probability)


def effective_sizes(probability: FloatArray, error: FloatArray, otherwise: float) -> FloatArray:
    """The number of independent draws with this standard error, p (1 − p) / error².

    ``otherwise`` stands for it where the probability is 0 or 1, which has no error of its own.
    """
    spread = probability * (1 - probability)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes: FloatArray = np.where(spread > 0, spread / error**2, otherwise)
    return np.clip(sizes, 1e-6, MOST_EFFECTIVE)


def smallest_size(
    sizes: Iterable[FloatArray], probabilities: Iterable[FloatArray], otherwise: float
) -> float:
    """The smallest effective size of any probability that is neither 0 nor 1."""
    found = [
        float(size[inside].min())
        for size, p in zip(sizes, probabilities, strict=True)
        if (inside := (p > 0) & (p < 1)).any()
    ]
    return min(found, default=otherwise)
