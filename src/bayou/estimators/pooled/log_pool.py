"""The pool: P(class | row) ∝ Π P_i(class | row)^v_i over the members, with v ≥ 0 fitted on left-out rows.

The sum of the exponents says how sure the pool is: no other calibration is needed. Each P_i first gets a
small share of the class shares, so that no member alone makes a class impossible; so does the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.estimators.naive_bayes.column_weights import WeighedRows
from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.fitted_weights import Halves
from bayou.estimators.pooled.saved_arrays import real, reals
from bayou.special_functions import log_sum_exp
from bayou.typing import FloatArray, IntArray

FLOOR = 1e-5
"""How much of the class shares is in the probabilities of each member."""
PRIOR_ROWS = 0.1
"""How many rows' worth of the class shares is in those of the pool."""


@dataclass(frozen=True, eq=False)
class LogPool:
    """The exponents of the members, the class shares, and how much of them is in the result."""

    exponents: FloatArray
    log_class_shares: FloatArray
    prior_share: float

    def log_proba(self, members: Sequence[FloatArray], hidden: FloatArray) -> FloatArray:
        """log P(class | row) from those of the members, [row, class]; ``hidden``: of each row's columns."""
        pooled = np.zeros_like(members[0])
        for exponent, logs in zip(self.exponents.tolist(), members, strict=True):
            if exponent:
                pooled += exponent * floored(logs, self.log_class_shares, FLOOR)
        pooled *= known_part(hidden, self.total)[:, None]
        return floored(pooled - log_sum_exp(pooled), self.log_class_shares, self.prior_share)

    def shares(
        self,
        members: Sequence[AddedShares],
        logs: Sequence[FloatArray],
        hidden: float,
        of: int,
        against: int,
    ) -> AddedShares:
        """The log-odds of one row, split among the columns; ``logs`` are the members' log P(class | row)."""
        pair = [of, against]
        known = float(known_part(np.array([hidden]), self.total)[0])
        total = AddedShares(0.0, np.zeros_like(members[0].columns))
        pooled = np.zeros_like(logs[0])
        for exponent, one, log in zip(self.exponents.tolist(), members, logs, strict=True):
            if exponent:
                total = total.plus(self._mixed(one, log, FLOOR, pair).times(exponent))
                pooled += exponent * floored(log[None], self.log_class_shares, FLOOR)[0]
        pooled *= known
        return self._mixed(total.times(known), pooled - log_sum_exp(pooled[None])[0], self.prior_share, pair)

    @property
    def total(self) -> float:
        """The sum of the exponents."""
        return float(self.exponents.sum())

    def _mixed(self, one: AddedShares, log: FloatArray, share: float, pair: list[int]) -> AddedShares:
        """The parts after the class shares were mixed in."""
        prior = AddedShares(
            float(self.log_class_shares[pair[0]] - self.log_class_shares[pair[1]]), np.zeros_like(one.columns)
        )
        chances = np.stack([(1 - share) * np.exp(log[pair]), share * np.exp(self.log_class_shares[pair])])
        return AddedShares.of_mean([one, prior], chances)

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {
            "exponents": self.exponents,
            "log_shares": self.log_class_shares,
            "prior_share": float(self.prior_share),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], members: int, classes: int) -> LogPool:
        """Read :meth:`state`: an exponent for each member and a share of each class."""
        exponents, shares = reals(state, "exponents", (members,)), reals(state, "log_shares", (classes,))
        return cls(exponents, shares, real(state, "prior_share", 0.0, 1.0))


def known_part(hidden: FloatArray, total: float) -> FloatArray:
    """How much members count for a row of whose columns this part is hidden: total^(−hidden²).

    The sum of their exponents, often above 1, was fitted on rows in which nothing is hidden. Of a row without
    any column all members say the class shares, which the pool repeats when they count for 1 together.

    >>> known_part(np.array([0.0, 0.5, 1.0]), 2.0).round(3).tolist()
    [1.0, 0.841, 0.5]
    """
    found: FloatArray = max(total, FLOOR) ** -(hidden**2)
    return found


def floored(logs: FloatArray, log_class_shares: FloatArray, share: float) -> FloatArray:
    """log ((1 − share) P + share · class shares).

    >>> np.exp(floored(np.log([[0.9, 0.1]]), np.log([0.5, 0.5]), 0.5)).round(2).tolist()
    [[0.7, 0.3]]
    """
    mixed: FloatArray = np.log((1 - share) * np.exp(logs) + share * np.exp(log_class_shares))
    return mixed


def fitted_pool(
    held_out: Sequence[FloatArray],
    own: IntArray,
    weights: FloatArray,
    log_class_shares: FloatArray,
    rows: float,
    halves: Halves,
    hidden: FloatArray,
) -> tuple[LogPool, FloatArray]:
    """Return the pool whose exponents predict the held-out rows best, drawn to equal ones.

    Also log P(class | row) of these rows, each half under the exponents that the other half gave. ``hidden``
    is the part of each row's columns that is unknown: members count for it about what they will count later.
    """
    start, ridge = 1 / len(held_out), 1 + 300 / max(rows, 1.0)
    prior_share = PRIOR_ROWS / max(rows, 1.0)
    terms = np.stack([floored(logs, log_class_shares, FLOOR) for logs in held_out], axis=2)
    every = WeighedRows(np.zeros_like(held_out[0]), terms, own, weights)
    fitted = every.fitted(start, ridge)
    if hidden.any():
        known = known_part(hidden, float(fitted.sum()))
        every = replace(every, terms=known[:, None, None] * terms)
        fitted = every.fitted(start, ridge)
    scores = halves.scores(every, halves.judged(every, start, ridge)[1])
    judged = floored(scores - log_sum_exp(scores), log_class_shares, prior_share)
    return LogPool(np.round(fitted, 9), log_class_shares, prior_share), judged
