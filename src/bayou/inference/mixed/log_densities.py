"""The log densities of observed real variables, as functions of the hidden discrete variables."""

from __future__ import annotations

from collections.abc import Collection

from bayou.inference.exact.density_factors import Logs
from bayou.inference.exact.local_factors import Evidence, density_logs
from bayou.inference.mixed.components import check_component, components
from bayou.inference.mixed.gaussian_conditioning import component_logs
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


def log_densities(network: FrozenNetwork, names: Collection[Name], evidence: Evidence) -> Logs:
    """Return the log densities of real findings by hidden discrete variables, hidden reals integrated out.

    Log densities of the same discrete variables are added before any exponential is taken: with findings
    that contradict each other, each density on its own would underflow to 0 where the other is large.
    """
    together: Logs = {}

    def add(scope: tuple[int, ...], logs: FloatArray) -> None:
        together[scope] = together[scope] + logs if scope in together else logs

    parts, alone = components(network, names, evidence)
    for part in parts:
        if part.has_findings:
            check_component(part)
    for name in alone:
        add(*density_logs(network, name, evidence))
    for part in parts:
        if part.has_findings:
            rows = max(len(evidence[name]) for name in part.members if name in evidence)
            scope = tuple(network.schema.index(name) for name in part.border)
            add(scope, component_logs(network, part, evidence, rows))
    return together
