"""The factors that local distributions become once the evidence is put in."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bayou.inference.factors import Factor
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, FloatArray, Name

Evidence = Mapping[Name, ColumnArray]
"""Findings of a batch of rows: codes of states, or values of continuous variables."""


def table_factor(network: FrozenNetwork, name: Name, evidence: Evidence) -> Factor:
    """P(name | parents) with every observed axis looked up, row by row."""
    scope = [*(parent.name for parent in network.parents(name)), name]
    return looked_up(network, network.table(name), scope, evidence)


def looked_up(network: FrozenNetwork, values: FloatArray, scope: list[Name], evidence: Evidence) -> Factor:
    """A table over ``scope`` with the observed variables' axes replaced by their states in each row."""
    hidden = [axis for axis, name in enumerate(scope) if name not in evidence]
    seen = [axis for axis, name in enumerate(scope) if name in evidence]
    moved = np.transpose(values, [*seen, *hidden])
    ids = tuple(network.schema.index(scope[axis]) for axis in hidden)
    if not seen:
        return Factor(ids, moved[None])
    return Factor(ids, moved[tuple(evidence[scope[axis]] for axis in seen)])


def gaussian_factor(network: FrozenNetwork, name: Name, evidence: Evidence) -> tuple[Factor, FloatArray]:
    """The density of an observed continuous variable as a function of its unobserved discrete parents.

    Its continuous parents must be observed too. Comes divided by the largest value of each row, with the
    logs of what was taken out: densities may be far outside the range of a float. A row whose densities
    are all too small even for a log comes as 0, with the log -inf.
    """
    distribution = network.gaussian(name)
    discrete = [parent.name for parent in network.discrete_parents(name)]
    inputs = [np.asarray(evidence[parent.name]) for parent in network.continuous_parents(name)]
    x = np.asarray(evidence[name], dtype=np.float64)
    rows, groups = len(x), distribution.intercept.size
    stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((rows, 0))
    every = np.broadcast_to(np.arange(groups), (rows, groups))
    logs = distribution.log_density(every, stacked[:, None, :], x[:, None])
    logs = logs.reshape(rows, *distribution.intercept.shape)
    seen = [axis for axis, parent in enumerate(discrete) if parent in evidence]
    hidden = [axis for axis, parent in enumerate(discrete) if parent not in evidence]
    moved = np.transpose(logs, [0, *(axis + 1 for axis in (*seen, *hidden))])
    picked = moved[(np.arange(rows), *(evidence[discrete[axis]] for axis in seen))]
    largest = picked.reshape(rows, -1).max(axis=1)
    shape = (-1, *([1] * len(hidden)))
    ids = tuple(network.schema.index(discrete[axis]) for axis in hidden)
    safe = np.where(np.isfinite(largest), largest, 0.0)
    return Factor(ids, np.exp(picked - safe.reshape(shape))), largest
