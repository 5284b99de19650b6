"""Log-odds split among columns so that the parts add up, through sums of logarithms and means alike.

A weighted sum of logarithms is split by adding the parts. A mean of probabilities is not a sum of logarithms,
but its log-odds are still a weighted sum of those of its members: with a = P(of), b = P(against) of each
member and L the logarithmic mean, L(a, b) = (a − b) / (log a − log b),

    log (Σ a / Σ b) = Σ [L(a_i, b_i) / L(Σ a, Σ b)] · log (a_i / b_i)

exactly (the decomposition by logarithmic means of index theory, Ang and Choi 1997; Vartia 1976).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.typing import FloatArray


@dataclass(frozen=True, eq=False)
class AddedShares:
    """Log-odds as ``rest`` (the prior and what belongs to no column) plus one part for each column."""

    rest: float
    columns: FloatArray

    @property
    def total(self) -> float:
        """The log-odds."""
        return self.rest + float(self.columns.sum())

    def times(self, weight: float) -> AddedShares:
        """All parts multiplied."""
        return AddedShares(weight * self.rest, weight * self.columns)

    def plus(self, other: AddedShares) -> AddedShares:
        """Both, added part by part."""
        return AddedShares(self.rest + other.rest, self.columns + other.columns)

    def widened(self, before: int, after: int) -> AddedShares:
        """The same with columns before and after, whose parts are 0.

        >>> AddedShares(1.0, np.array([2.0])).widened(1, 2).columns.tolist()
        [0.0, 2.0, 0.0, 0.0]
        """
        return AddedShares(self.rest, np.pad(self.columns, (before, after)))

    @classmethod
    def of_mean(cls, members: Sequence[AddedShares], chances: FloatArray) -> AddedShares:
        """The log-odds of a mean of probabilities; ``chances`` has P(of) and P(against) of each member.

        >>> parts = [AddedShares(0.0, np.log([[4.0]])[0]), AddedShares(0.0, np.log([[1.0]])[0])]
        >>> mean = AddedShares.of_mean(parts, np.array([[0.8, 0.2], [0.5, 0.5]]))
        >>> round(float(np.exp(mean.total)), 9), round(0.65 / 0.35, 9)
        (1.857142857, 1.857142857)
        """
        chances = np.maximum(chances, np.finfo(np.float64).tiny)
        of, against = chances.sum(axis=0)
        whole = logarithmic_mean(np.array([of]), np.array([against]))[0]
        shares = logarithmic_mean(chances[:, 0], chances[:, 1]) / whole
        # Log-odds that no number holds were cut off in the mean: their parts shrink with them.
        totals = np.array([one.total for one in members])
        held = np.log(chances[:, 0] / chances[:, 1])
        shares = shares * np.where(np.abs(totals) > 500, held / np.where(totals == 0, 1.0, totals), 1.0)
        rest = sum(share * one.rest for share, one in zip(shares.tolist(), members, strict=True))
        return cls(float(rest), shares @ np.stack([one.columns for one in members]))


def logarithmic_mean(a: FloatArray, b: FloatArray) -> FloatArray:
    """(a − b) / (log a − log b); a where both are equal.

    >>> logarithmic_mean(np.array([2.0, 1.0]), np.array([2.0, np.e])).round(4).tolist()
    [2.0, 1.7183]
    """
    tiny = np.finfo(np.float64).tiny
    a, b = np.maximum(a, tiny), np.maximum(b, tiny)
    gap = np.log(a) - np.log(b)
    close = np.abs(gap) < 1e-4
    series = np.sqrt(a * b) * (1 + gap**2 / 24)
    found: FloatArray = np.where(close, series, (a - b) / np.where(close, 1.0, gap))
    return found


def mean_log(probabilities: Sequence[FloatArray]) -> FloatArray:
    """The logarithm of the mean of probabilities; those below the smallest number count as that."""
    mean = np.mean(np.stack(probabilities), axis=0)
    logs: FloatArray = np.log(np.maximum(mean, np.finfo(np.float64).tiny))
    return logs
