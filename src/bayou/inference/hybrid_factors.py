"""What the findings about real variables say of the discrete ones: factors, from their log densities."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from bayou.inference.factors import Factor
from bayou.inference.hybrid_components import check_component, components
from bayou.inference.hybrid_gaussian import component_logs
from bayou.inference.local_factors import Evidence, gaussian_logs
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

Logs = dict[tuple[int, ...], FloatArray]
"""Log densities by the hidden discrete variables that they depend on, an axis for rows first."""


@dataclass(frozen=True)
class Densities:
    """Log densities, and the same as factors: each divided by its largest value in the row.

    ``taken`` are the logs of what was divided out, -inf in a row that no density fits. ``reach`` says how far
    apart in logs the values of all factors together may lie: beyond some 700 a product may become 0.
    """

    logs: Logs
    factors: tuple[Factor, ...]
    taken: FloatArray
    reach: FloatArray


def log_densities(network: FrozenNetwork, names: Collection[Name], evidence: Evidence) -> Logs:
    """The densities of real findings by the hidden discrete variables, hidden reals integrated out.

    Those of the same discrete variables are added up: findings that contradict each other would each be 0
    for what the other one favours.
    """
    together: Logs = {}

    def add(scope: tuple[int, ...], logs: FloatArray) -> None:
        together[scope] = together[scope] + logs if scope in together else logs

    parts, alone = components(network, names, evidence)
    for part in parts:
        if part.has_findings:
            check_component(part)
    for name in alone:
        add(*gaussian_logs(network, name, evidence))
    for part in parts:
        if part.has_findings:
            rows = max(len(evidence[name]) for name in part.members if name in evidence)
            scope = tuple(network.schema.index(name) for name in part.border)
            add(scope, component_logs(network, part, evidence, rows))
    return together


def densities(network: FrozenNetwork, names: Collection[Name], evidence: Evidence) -> Densities:
    """The factors of the real findings among ``names``."""
    return scaled(log_densities(network, names, evidence))


def scaled(logs: Logs) -> Densities:
    """Logs as factors, each divided by its largest value in the row."""
    factors, taken, reach = [], np.zeros(1), np.zeros(1)
    for scope, values in logs.items():
        flat = values.reshape(len(values), -1)
        largest = flat.max(axis=1)
        safe = np.where(np.isfinite(largest), largest, 0.0)
        factors.append(Factor(scope, np.exp(values - safe.reshape(-1, *([1] * len(scope))))))
        taken = taken + largest
        lowest = np.where(np.isfinite(flat), flat, safe[:, None]).min(axis=1)
        reach = reach + (safe - lowest)
    return Densities(logs, tuple(factors), taken, reach)
