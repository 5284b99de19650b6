"""Checks of ``sample_weight``: the weights of the rows that a classifier learns from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from bayou.errors import BadData
from bayou.sources.weights import Weights, weights_from

LARGEST_SUM = 2.0**53
"""Up to here counts are exact; the numbers of records that choices are made from stay below 2⁶³, too."""
SMALLEST_SUM = 1e-100
"""Products of shares of smaller sums would underflow."""


def checked_weights(given: Any, rows: int) -> Weights:
    """Check weights as scikit-learn does; whole numbers become integers, so that counts are exact.

    >>> checked_weights([2.0, 1.0], rows=2)
    array([2, 1])
    >>> checked_weights([2.0, -1.0], rows=2)
    Traceback (most recent call last):
    bayou.errors.BadData: Negative values in data passed to `sample_weight`: row 1 (counting from 0) has the
    weight -1.0; it must be finite and ≥ 0. Leave such rows out, or give them the weight 0.
    """
    if isinstance(given, str):
        raise BadData(
            f"sample_weight={given!r}: weights are one number per row; pass the column itself, X[{given!r}]."
        )
    _refuse_signs(given, rows)
    weights: Weights = _check_sample_weight(given, np.empty((rows, 1)), dtype=np.float64)
    require_learnable(weights_from(weights, rows))
    whole = weights.astype(np.int64) if weights.max() < 2**31 else weights
    return whole if np.array_equal(whole, weights) else weights


def require_learnable(weights: Weights | float) -> None:
    """Raise if the sum of weights is too large or too small to learn with.

    >>> require_learnable(np.array([1e20, 1.0]))
    Traceback (most recent call last):
    bayou.errors.BadData: The weights of the rows sum to 1e+20, but sums can be from 1e-100 to 9.01e+15 (2⁵³,
    up to which counts are exact). Divide them all by the same number.
    """
    total = float(np.sum(weights))
    if SMALLEST_SUM <= total <= LARGEST_SUM:
        return
    if total == 0:
        raise BadData(_ALL_ZERO)
    verb = "Divide" if total > 1 else "Multiply"
    raise BadData(
        f"The weights of the rows sum to {total:.3g}, but sums can be from {SMALLEST_SUM:.3g} to "
        f"{LARGEST_SUM:.3g} (2⁵³, up to which counts are exact). {verb} them all by the same number."
    )


_ALL_ZERO = (
    "All sample weights are 0, so there is nothing to learn from: weights must contain at least one non-zero "
    "number. Give a weight above 0 to each row that is to be learned from, or leave out sample_weight."
)


def _refuse_signs(given: Any, rows: int) -> None:
    """Name the first negative weight, in scikit-learn's words; and refuse weights that are all 0."""
    values = np.asarray(given)
    if values.dtype.kind not in "biuf" or values.shape != (rows,):
        return  # scikit-learn says what is wrong
    bad = np.flatnonzero(values < 0)
    if len(bad):
        raise BadData(
            f"Negative values in data passed to `sample_weight`: row {bad[0]} (counting from 0) has the "
            f"weight {values[bad[0]]}; it must be finite and ≥ 0. Leave such rows out, or give them the "
            "weight 0."
        )
    if rows and not values.any():
        raise BadData(_ALL_ZERO)
