"""Factors over hidden discrete variables, from the log densities of observed numbers.

In each row the log densities l(s) of the hidden states s become the factor exp(l(s) − max l), which never
overflows; the maxima are added to log P(findings).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from bayou.inference.exact.factors import Factor
from bayou.inference.exact.local_factors import Evidence
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

Logs = dict[tuple[int, ...], FloatArray]
"""Log densities by the hidden discrete variables that they depend on; the first axis is the row."""


@dataclass(frozen=True)
class Densities:
    """Log densities, and the same as factors: each divided by its largest value in the row.

    ``log_scale`` is the log of these divisors for each row, -inf where all densities are 0. ``log_range`` is
    the sum over the factors of log(largest / smallest value): beyond about 700 a product may underflow to 0.
    """

    logs: Logs
    factors: tuple[Factor, ...]
    log_scale: FloatArray
    log_range: FloatArray


def densities(network: FrozenNetwork, names: Collection[Name], evidence: Evidence) -> Densities:
    """Return the factors of the observed numbers among ``names``; none if no variable is continuous."""
    if not any(network.schema[name].is_continuous for name in names):
        return scaled({})
    # Imported here because discrete networks do not need it.
    from bayou.inference.mixed.log_densities import log_densities

    return scaled(log_densities(network, names, evidence))


def scaled(logs: Logs) -> Densities:
    """Return log densities as factors, each divided by its largest value in the row."""
    factors, log_scale, log_range = [], np.zeros(1), np.zeros(1)
    for scope, values in logs.items():
        flat = values.reshape(len(values), -1)
        largest = flat.max(axis=1)
        safe = np.where(np.isfinite(largest), largest, 0.0)
        factors.append(Factor(scope, np.exp(values - safe.reshape(-1, *([1] * len(scope))))))
        log_scale = log_scale + largest
        lowest = np.where(np.isfinite(flat), flat, safe[:, None]).min(axis=1)
        log_range = log_range + (safe - lowest)
    return Densities(logs, tuple(factors), log_scale, log_range)
