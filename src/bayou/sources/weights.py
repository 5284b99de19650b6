"""Checks of row weights; whole numbers stay integers, so that weighted counts are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData

Weights = npt.NDArray[Any]
"""Weights of rows, int64 or float64."""
_TOO_MANY = 2**63
"""Sums of integer weights must be below this to fit into int64."""
_EXACT = 2**53
"""Sums of floats that are whole numbers are exact up to here, and fit into int64."""
_LARGEST_SUM = 1e300
"""Sums of real weights must be below this: sums of many batches then stay finite."""


def weights_from(given: Any, rows: int) -> Weights:
    """Return the weights as an array with one number per row; they must be finite and not negative.

    >>> weights_from([1, 2], rows=2)
    array([1, 2])
    >>> weights_from([1.0, -1.0], rows=2)
    Traceback (most recent call last):
    bayou.errors.BadData: weights: row 1 (counting from 0) has the weight -1.0; it must be finite and ≥ 0.
    """
    try:
        values = np.asarray(given)
        weights = values.astype(np.int64 if values.dtype.kind in "biu" else np.float64)
    except (TypeError, ValueError):
        raise BadData("weights must be numbers, one per row, or the name of a column.") from None
    _require_countable(values)
    if weights.shape != (rows,):
        raise BadData(f"weights have shape {weights.shape}; expected one per row: ({rows},).")
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(bad):
        raise BadData(
            f"weights: row {bad[0]} (counting from 0) has the weight {weights[bad[0]]}; "
            "it must be finite and ≥ 0."
        )
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if total > _LARGEST_SUM:
        raise BadData(
            f"weights: they sum to {total:.3g}, but sums can be at most {_LARGEST_SUM:.3g}. Divide them all "
            "by the same number."
        )
    return weights


def whole_weights(weights: Weights) -> Weights:
    """Return weights that are all whole numbers as integers, so that counts are exact; others unchanged.

    >>> whole_weights(np.array([1.0, 2.0]))
    array([1, 2])
    >>> whole_weights(np.array([1.0, 1e20]))
    array([1.e+00, 1.e+20])
    """
    exact = bool((weights == weights.round()).all()) and weights.sum() <= _EXACT
    return weights.astype(np.int64) if exact else weights


def rows_counted(rows: int, weights: Weights | None) -> tuple[float, Any]:
    """Return how many rows there are, and which of them count (as an index).

    A row of weight 3 is three rows where all weights are whole numbers; other weights only say how much a
    row counts. Rows of weight 0 are none.

    >>> rows_counted(3, np.array([2.0, 0.0, 3.0])), rows_counted(2, np.array([0.5, 0.1]))
    ((5.0, array([ True, False,  True])), (2.0, array([ True,  True])))
    """
    if weights is None:
        return float(rows), slice(None)
    used = weights > 0
    whole = bool((weights == np.round(weights)).all())
    return float(weights.sum() if whole else used.sum()), used


def _require_countable(values: npt.NDArray[Any]) -> None:
    """Refuse integer weights whose sum does not fit into 64 bits: it would overflow and become negative."""
    if values.dtype.kind not in "iu" or not values.size or int(values.max()) * values.size < _TOO_MANY:
        return
    total = sum(int(value) for value in values.ravel().tolist() if value > 0)
    if total >= _TOO_MANY:
        raise BadData(
            f"weights: the whole numbers sum to {total:,}, but counts can be at most {_TOO_MANY - 1:,}. "
            "Divide them all by the same number, or give them as floats (weights * 1.0)."
        )
