"""Forward sampling: parents before children; each row has its own counter-based random numbers."""

from __future__ import annotations

import numpy as np

from bayou.distributions import FamilyRows, RandomStream
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, Name

_BLOCK = 2**20
"""The number of rows that are drawn together."""


def draw(network: FrozenNetwork, n: int, seed: int, first_row: int = 0) -> dict[Name, ColumnArray]:
    """Draw rows ``first_row … first_row + n − 1`` of the infinite sample defined by ``seed``.

    Returns codes for discrete variables and values for continuous ones, in the order of the network. Rows are
    drawn in blocks, so that little more memory is needed than for the result.
    """
    network.require(network.dag.nodes)
    if n <= _BLOCK:
        return _block(network, n, seed, first_row)
    whole: dict[Name, ColumnArray] = {}
    for start in range(0, n, _BLOCK):
        part = _block(network, min(_BLOCK, n - start), seed, first_row + start)
        for name, column in part.items():
            if not start:
                whole[name] = np.empty(n, dtype=column.dtype)
            whole[name][start : start + len(column)] = column
    return whole


def _block(network: FrozenNetwork, n: int, seed: int, first_row: int) -> dict[Name, ColumnArray]:
    drawn: dict[Name, ColumnArray] = {}
    for name in network.dag.topological_order:
        stream = RandomStream(seed, network.schema.index(name), first_row)
        drawn[name] = network.distribution(name).sample(_parents(network, name, drawn, n), stream)
    return {name: drawn[name] for name in network.dag.nodes}


def _parents(network: FrozenNetwork, name: Name, drawn: dict[Name, ColumnArray], n: int) -> FamilyRows:
    family = network.family(name)
    inputs = [drawn[parent.name] for parent in family.continuous]
    stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((n, 0))
    return FamilyRows(n, [drawn[parent.name] for parent in family.discrete], stacked)
