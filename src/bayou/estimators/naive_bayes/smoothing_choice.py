"""The strength of smoothing with the largest leave-one-out likelihood, from the counts alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar

from bayou.typing import FloatArray

_RANGE = (np.log(1e-4), np.log(100.0))


def best_strength(tables: Sequence[FloatArray]) -> float:
    """Return the λ of add-λ smoothing with the largest leave-one-out likelihood; tables are class × state.

    A record in a cell of n among N records of its class is predicted, when left out, with probability
    (n − 1 + λ)/(N − 1 + λ·states), so the counts are enough.

    >>> round(best_strength([np.array([[50.0, 50.0], [48.0, 52.0]])]), 1) > 1   # nearly uniform: smooth a lot
    True
    """
    useful = [
        np.asarray(table, dtype=np.float64) for table in tables if table.shape[1] > 1 and table.sum() > 0
    ]
    if not useful:
        return 1.0

    def loss(log_strength: float) -> float:
        strength = float(np.exp(log_strength))
        return -sum(left_out_likelihood(table, strength) for table in useful)

    found = minimize_scalar(loss, bounds=_RANGE, method="bounded", options={"xatol": 1e-5})
    return float(np.exp(found.x))


def left_out_likelihood(table: FloatArray, strength: float) -> float:
    """Return Σ log P(state | class) over all records, each predicted from the others."""
    totals = table.sum(axis=1, keepdims=True)
    share = (np.maximum(table - 1, 0) + strength) / (np.maximum(totals - 1, 0) + strength * table.shape[1])
    return float((table * np.log(share)).sum())
