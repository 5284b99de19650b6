"""What an answer by bounds says about itself: both ends of each probability, and how much was explored."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from bayou.errors import counted
from bayou.typing import FloatArray

EXACT = 1e-9
"""Bounds that are nearer to each other than this are called exact."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Guaranteed ends of each probability, in the shape of the probabilities.

    ``explored`` is the number of parts of the sum that were bounded: tuples of states of variables of the
    cut-set, of which ``cut`` were needed so far. ``log_evidence_lower`` and ``log_evidence_upper`` are the
    ends of log P(findings); the lower one is -inf where it is not proved that the findings are possible.

    >>> print(Bounds(np.array([0.2, 0.7]), np.array([0.3, 0.8]), 12, 5, -2.0, -1.5))
    Guaranteed: every probability lies between its bounds.
    More time brings them nearer (12 tuples of states of 5 variables explored).
    """

    lower: FloatArray
    upper: FloatArray
    explored: int
    cut: int
    log_evidence_lower: float
    log_evidence_upper: float

    engine = "bounds"
    seed = None
    trusted = True
    reasons: tuple[str, ...] = ()
    r_hat = None
    effective_size = nan
    """Nothing is drawn, so that there is no number of draws that the answer is worth."""

    @property
    def draws(self) -> int:
        """The number of tuples that were explored: as many as ``samples=`` allowed."""
        return self.explored

    @property
    def standard_error(self) -> FloatArray:
        """Not known: bounds say where a probability is, not how it is spread."""
        return np.full(self.lower.shape, nan)

    @property
    def margin(self) -> FloatArray:
        """Half of the distance between the bounds."""
        margin: FloatArray = (self.upper - self.lower) / 2
        return margin

    @property
    def is_exact(self) -> bool:
        """Whether the bounds differ by roundings only."""
        return bool((self.upper - self.lower <= EXACT).all())

    @property
    def log_evidence_error(self) -> float:
        """Half of the distance between the bounds of log P(findings)."""
        return (self.log_evidence_upper - self.log_evidence_lower) / 2

    def __str__(self) -> str:
        tuples = counted(self.explored, "tuple")
        if self.is_exact:
            gap = float((self.upper - self.lower).max(initial=0.0))
            return f"Exact: the bounds differ by at most {gap:.1g} ({tuples} explored)."
        if not self.explored:
            return (
                "Nothing is known of variables between 0 and 1: the time was over before their turn. Give it "
                "more time, or ask for fewer variables."
            )
        found = (
            f"{tuples} of states of {counted(self.cut, 'variable')} explored" if self.cut else "first bounds"
        )
        lines = [
            "Guaranteed: every probability lies between its bounds.",
            f"More time brings them nearer ({found}).",
        ]
        if self.log_evidence_lower == -np.inf:
            lines.append("It is not proved that the findings are possible at all.")
        return "\n".join(lines)


def no_bounds(states: int, log_evidence_lower: float, log_evidence_upper: float) -> Bounds:
    """What is known of a variable that nothing was computed for.

    >>> no_bounds(2, -2.0, -1.5).upper.tolist()
    [1.0, 1.0]
    """
    lower: FloatArray = np.full(states, 1.0 if states == 1 else 0.0)
    return Bounds(lower, np.ones(states), 0, 0, log_evidence_lower, log_evidence_upper)


def posterior_bounds(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds on P(x | e) = m_x / Σ_y m_y from those on the masses m, rounded outward.

        L_x / (L_x + Σ_{y≠x} U_y)  ≤  P(x | e)  ≤  U_x / (U_x + Σ_{y≠x} L_y)

    The last axis holds the states x.

    >>> low, high = posterior_bounds(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([0.25, 0.5], [0.5, 0.75])
    """
    wider = (2 * lower.shape[-1] + 8) * 2.0**-52
    others_upper, others_lower = _others(upper), _others(lower)
    with np.errstate(invalid="ignore", divide="ignore"):
        low = lower / (lower + others_upper) * (1 - wider)
        high = np.minimum(upper / (upper + others_lower) * (1 + wider), 1.0)
    low = np.where(lower > 0, np.where(others_upper > 0, low, 1.0), 0.0)
    return low, np.where(upper > 0, high, 0.0)


def _others(values: FloatArray) -> FloatArray:
    """The sum of all other entries of the last axis, made without a subtraction."""
    zero = np.zeros((*values.shape[:-1], 1))
    before = np.cumsum(np.concatenate([zero, values[..., :-1]], axis=-1), axis=-1)
    after = np.cumsum(np.concatenate([zero, values[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    total: FloatArray = before + after
    return total


def tightened(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same bounds, as near as they can be because probabilities sum to 1."""
    wider = (lower.size + 8) * 2.0**-52
    low = np.maximum(lower, 1 - _others(upper) * (1 + wider) - wider)
    high = np.minimum(upper, np.maximum(1 - _others(lower) * (1 - wider) + wider, 0.0))
    return low, high


def point_between(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Probabilities that sum to 1, all at the same share of the way from the lower to the upper bound.

    >>> point_between(np.array([0.0, 0.5]), np.array([0.5, 1.0])).tolist()
    [0.25, 0.75]
    """
    spare, room = 1 - lower.sum(), (upper - lower).sum()
    if room <= 0:
        return np.asarray(lower / lower.sum())
    point = np.clip(lower + (upper - lower) * (spare / room), lower, upper)
    return np.asarray(point / point.sum())
