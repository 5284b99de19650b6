"""Parameters as unbounded numbers, for gradient ascent without constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.distributions.base import Distribution

_LEAST = 1e-12
"""The smallest probability at the start: a log of 0 could not be changed by a step."""


@dataclass(frozen=True)
class Unbounded:
    """The free numbers of one distribution: their start, the distribution made of them, their gradient.

    ``gradient`` takes the numbers and the expected statistic: by Fisher's identity the gradient of the
    log-likelihood is that of the expected log density.
    """

    start: FloatArray
    made: Callable[[FloatArray], Distribution]
    gradient: Callable[[FloatArray, Any], FloatArray]


def logits(chances: FloatArray) -> FloatArray:
    """Return free numbers whose softmax is these probabilities."""
    logs: FloatArray = np.log(np.maximum(chances, _LEAST))
    return logs


def softmax(free: FloatArray) -> FloatArray:
    """Return exp(free), normalised along the last axis.

    >>> softmax(np.array([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    powers = np.exp(free - free.max(axis=-1, keepdims=True))
    rows: FloatArray = powers / powers.sum(axis=-1, keepdims=True)
    return rows


def softmax_gradient(counts: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the gradient of Σ counts · log softmax(free): counts − (sum of counts) · softmax."""
    slope: FloatArray = counts - counts.sum(axis=-1, keepdims=True) * rows
    return slope
