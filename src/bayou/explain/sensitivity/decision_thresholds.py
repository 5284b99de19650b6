"""The value of each entry of a table at which a decision turns.

With the utility U(action, t), the expected utility of an action is Σ_t U(action, t)·P(t, e), divided by P(e).
The sum is linear in an entry, and so is the lead f of the best action over another one (times P(e)):
f(v) = (1 − v)·f(0) + v·f(1) is 0 at v = f(0)/(f(0) − f(1)). The decision turns at the nearest zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.explain.sensitivity.sensitivity_functions import TableFunctions
from bayou.typing import FloatArray, IntArray

ROUNDING = 1e-12
"""A lead that falls below 0 by at most this, relative to the utilities, has not changed its sign."""


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Where the decision turns, in the shape of the table: the entry's value, and the action it turns to.

    NaN and -1 where no value of the entry turns it. ``changes`` is the largest relative change of an entry of
    the row that is needed: |v − θ| / min(θ, 1 − θ), infinite where θ is 0 or 1.
    """

    values: FloatArray
    actions: IntArray
    changes: FloatArray


def decision_thresholds(table: TableFunctions, utilities: FloatArray, best: int) -> Thresholds:
    """Return where the action ``best`` stops being the best; ``utilities`` are actions × target's states."""
    turns = np.full_like(table.values, np.nan)
    actions = np.full(table.values.shape, -1, dtype=np.int64)
    if table.zero is not None and table.one is not None:
        at_zero = np.tensordot(utilities, table.zero, axes=1)
        at_one = np.tensordot(utilities, table.one, axes=1)
        size = ROUNDING * max(float(np.abs(utilities).max(initial=0.0)), 1e-300)
        least = (size * table.zero.sum(axis=0), size * table.one.sum(axis=0))
        for action in range(len(utilities)):
            if action != best:
                crossing = _crossing(at_zero[best] - at_zero[action], at_one[best] - at_one[action], least)
                nearer = np.abs(crossing - table.values) < _distance(turns, table.values)
                turns[nearer], actions[nearer] = crossing[nearer], action
    room = np.minimum(table.values, 1 - table.values)
    away = np.abs(turns - table.values)
    changes = np.divide(away, room, out=np.full_like(away, np.inf), where=room > 0)
    return Thresholds(turns, actions, np.where(np.isnan(turns), np.nan, changes))


def _distance(turns: FloatArray, values: FloatArray) -> FloatArray:
    return np.where(np.isnan(turns), np.inf, np.abs(turns - values))


def _crossing(zero: FloatArray, one: FloatArray, least: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Where a lead that is ``zero`` at 0 and ``one`` at 1 changes its sign; NaN where it does not."""
    falls = (zero < -least[0]) != (one < -least[1])
    where = np.divide(zero, zero - one, out=np.full_like(zero, np.nan), where=falls)
    return np.asarray(np.clip(where, 0.0, 1.0))
