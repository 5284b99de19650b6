"""States in an order that depends on what they emit, not on the seed that they were found with.

States are sorted by the mean of the first column (for symbols: of their codes), then of the second, and so
on, so that two seeds that reach one optimum give one model.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayou.distributions import Distribution, LinearGaussian, Poisson, Table, Words
from bayou.distributions.kernel.bump_mixture import BumpMixture
from bayou.networks import FrozenNetwork
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.gaussian_columns import GaussianColumns
from bayou.typing import FloatArray, IntArray, Name

_DIGITS = 6
"""Means that agree in so many digits of their largest difference or deviation are equal: the next column
decides."""


def state_order(chain: ChainStructure, network: FrozenNetwork) -> IntArray:
    """The old number of each state in the new order."""
    keys = []
    for name in chain.columns:
        means = _means(chain, network, name)
        if means is not None:
            apart = means - means.mean()
            size = max(float(np.max(np.abs(apart), initial=0.0)), _deviation(chain, network, name)) or 1.0
            keys.append(np.round(apart / size, _DIGITS))
    every = [*reversed(keys)] if keys else [np.zeros(chain.states)]
    return np.lexsort(every).astype(np.int64)


def _means(chain: ChainStructure, network: FrozenNetwork, name: Name) -> FloatArray | None:
    """The mean of a column in each state; of codes for a table; None for kinds without one."""
    node = network.distribution(name)
    if isinstance(node, Table):
        return np.asarray(node.values.reshape(chain.states, -1) @ np.arange(node.values.shape[-1]))
    if name in chain.gaussians:
        found = GaussianColumns.of(network, chain.gaussians).means[:, chain.gaussians.index(name)]
    elif isinstance(node, Poisson):
        found = node.rate.ravel()
    elif isinstance(node, BumpMixture):
        found = node.means.ravel()
    else:
        return None
    if name not in chain.mixed:
        return found
    assert chain.component is not None
    shares = network.table(chain.component.name)
    return np.asarray((found.reshape(chain.states, -1) * shares).sum(axis=1))


def _deviation(chain: ChainStructure, network: FrozenNetwork, name: Name) -> float:
    """How far values lie from the mean of their state, at most; 0 where that is not known."""
    node = network.distribution(name)
    if isinstance(node, Poisson):
        return float(np.sqrt(node.rate.max()))
    if name not in chain.gaussians:
        return 1.0 if isinstance(node, Table) else 0.0
    place = chain.gaussians.index(name)
    return float(np.sqrt(GaussianColumns.of(network, chain.gaussians).covariances[:, place, place].max()))


def reordered(chain: ChainStructure, network: FrozenNetwork, order: IntArray) -> FrozenNetwork:
    """The network with its states in another order; unchanged if it has a kind that cannot be reordered."""
    blocks: dict[Name, Distribution] = {}
    for block, node in network.blocks.items():
        moved = _moved(node, order, both=block == chain.next_state)
        if moved is None:
            return network
        blocks[block] = moved
    return network.with_blocks(blocks)


def with_rows(node: Distribution, rows: IntArray) -> Distribution | None:
    """What a state emits, for other states: each has the parameters of a row; None for other kinds."""
    return _moved(node, rows, both=False)


def _moved(node: Distribution, order: IntArray, *, both: bool) -> Distribution | None:
    if isinstance(node, Table):
        values = node.values[order]
        return Table(values[:, order] if both else values)
    if isinstance(node, LinearGaussian):
        return LinearGaussian(node.intercept[order], node.coefficients[order], node.variance[order])
    if isinstance(node, Poisson):
        return replace(node, rate=node.rate[order])
    if isinstance(node, BumpMixture):
        return replace(node, weights=node.weights[order])
    if isinstance(node, Words):
        return replace(node, logs=node.logs[:, order])
    return None
