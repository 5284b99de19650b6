"""Observations of series as arrays, gaps as NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.errors import BadData, counted
from bayou.typing import FloatArray


def read_numbers(observations: Any, outputs: int) -> FloatArray:
    """Observations of a series as float64 [step, output]; None becomes NaN.

    >>> read_numbers([1, None, 2.5], 1).ravel().tolist()
    [1.0, nan, 2.5]
    """
    if hasattr(observations, "to_numpy"):
        observations = observations.to_numpy()
    if isinstance(observations, list | tuple):
        observations = [[np.nan] * outputs if row is None and outputs > 1 else row for row in observations]
    try:
        array = np.array(observations, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData("observations: give numbers, with None or NaN in gaps.") from None
    if array.ndim == 1 and outputs == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != outputs:
        wanted = "(steps,)" if outputs == 1 else f"(steps, {outputs})"
        raise BadData(f"observations have the shape {array.shape}; give one sequence of shape {wanted}.")
    infinite = np.flatnonzero(np.isinf(array).any(axis=1))
    if infinite.size:
        raise BadData(f"observations, step {infinite[0]}: infinity cannot be observed; give NaN for a gap.")
    return np.ascontiguousarray(array)


def read_one_row(observation: Any, outputs: int) -> FloatArray:
    """One observation as float64 [1, output]; None is a gap.

    >>> read_one_row([1, None], 2).tolist(), read_one_row(None, 1).tolist()
    ([[1.0, nan]], [[nan]])
    """
    cells = [None] * outputs if observation is None else np.ravel(observation).tolist()
    if len(cells) != outputs:
        raise BadData(f"observation: give {counted(outputs, 'number')}, not {len(cells)}; None is a gap.")
    return read_numbers([cells], outputs)
