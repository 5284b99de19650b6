"""What findings about numbers say of the hidden states: factors, from log densities.

In the row r, log densities l(s) by the hidden states s become the factor exp(l(s) − max l), which never
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
"""Log densities by the hidden discrete variables that they depend on, an axis for rows first."""


@dataclass(frozen=True)
class Densities:
    """Log densities, and the same as factors: each divided by its largest value in the row.

    ``log_scale`` are the logs of what was divided out, -inf in a row that no density fits. ``log_range`` says
    how far apart in logs the values of all factors together may lie: beyond some 700 a product may become 0.
    """

    logs: Logs
    factors: tuple[Factor, ...]
    log_scale: FloatArray
    log_range: FloatArray


def densities(network: FrozenNetwork, names: Collection[Name], evidence: Evidence) -> Densities:
    """The factors of the findings about numbers among ``names``; none where there are no numbers."""
    if not any(network.schema[name].is_continuous for name in names):
        return scaled({})
    # Imported here: networks of states alone have no use for it.
    from bayou.inference.mixed.log_densities import log_densities

    return scaled(log_densities(network, names, evidence))


def scaled(logs: Logs) -> Densities:
    """Logs as factors, each divided by its largest value in the row."""
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
