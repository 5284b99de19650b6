"""Forward sampling: parents before children, every row from its own counter-based random numbers."""

from __future__ import annotations

import numpy as np

from bayou._native import combine_codes
from bayou.distributions import LinearGaussian, MaxOfCauses, Table
from bayou.networks import FrozenNetwork
from bayou.typing import CodeArray, ColumnArray, Name


def draw(network: FrozenNetwork, n: int, seed: int, first_row: int = 0) -> dict[Name, ColumnArray]:
    """Draw rows ``first_row … first_row + n − 1`` of the endless sample that belongs to ``seed``.

    Codes for discrete variables, values for continuous ones; the order is that of the network.
    """
    network.require(network.dag.nodes)
    drawn: dict[Name, ColumnArray] = {}
    for name in network.dag.topological_order:
        stream = network.schema.index(name)
        distribution = network.distribution(name)
        if isinstance(distribution, MaxOfCauses):
            causes = [drawn[parent.name] for parent in network.parents(name)]
            drawn[name] = distribution.sample(causes, n, seed, stream, first_row)
            continue
        groups = _groups(network, name, drawn)
        if not isinstance(distribution, LinearGaussian):
            drawn[name] = Table(network.table(name)).sample(groups, n, seed, stream, first_row)
        else:
            inputs = [drawn[parent.name] for parent in network.continuous_parents(name)]
            stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((n, 0))
            chosen = np.zeros(n, dtype=np.uint32) if groups is None else groups
            drawn[name] = distribution.sample(chosen, stacked, n, seed, stream, first_row)
    return {name: drawn[name] for name in network.dag.nodes}


def _groups(network: FrozenNetwork, name: Name, drawn: dict[Name, ColumnArray]) -> CodeArray | None:
    parents = network.discrete_parents(name)
    if not parents:
        return None
    return combine_codes([drawn[p.name] for p in parents], [p.cardinality for p in parents])
