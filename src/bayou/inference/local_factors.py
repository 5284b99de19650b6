"""The factors that local distributions become once the evidence is put in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.distributions import FamilyRows, MaxOfCauses
from bayou.inference.factors import Factor
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, FloatArray, Name

Evidence = Mapping[Name, ColumnArray]
"""Findings of a batch of rows: codes of states, or values of continuous variables."""


SMALL_TABLE = 64
"""A noisy node whose full table has no more cells than this is cheaper whole than in pieces."""


def pieces_of(
    network: FrozenNetwork, name: Name, first_auxiliary: int
) -> tuple[list[tuple[list[int], FloatArray]], list[int]]:
    """The factors (scope, table) whose product is P(name | parents), and the auxiliary variables' sizes.

    Each scope ends with the variable that its table is a distribution of. A noisy node of n parents takes
    n − 1 auxiliary variables: the strongest proposal so far, parent after parent.
    """
    schema = network.schema
    scope = [*(schema.index(parent.name) for parent in network.parents(name)), schema.index(name)]
    node = network.distribution(name)
    if not isinstance(node, MaxOfCauses) or len(node.links) <= 1 or _cells(node.shape) <= SMALL_TABLE:
        return [(scope, network.table(name))], []
    # All nodes go through common parents in one order, so that their chains stay narrow side by side.
    order = sorted(range(len(node.links)), key=lambda position: scope[position])
    size = len(node.leak)
    auxiliary = [first_auxiliary + k for k in range(len(order) - 1)]
    strongest = [*auxiliary, scope[-1]]
    pieces = []
    for k, table in enumerate(node.chain(order)):
        before = [strongest[k - 1]] if k else []
        pieces.append(([*before, scope[order[k]], strongest[k]], table))
    return pieces, [size] * len(auxiliary)


def split_finding(
    network: FrozenNetwork, name: Name, code: int, fixed: Mapping[Name, Any]
) -> tuple[list[tuple[int, FloatArray]], float] | None:
    """A noisy node found in its weakest state says of each parent on its own that it proposed nothing more.

    Then there is a factor for each hidden parent, and the log of what the observed ones and the leak give;
    None where the finding does not fall apart so.
    """
    node = network.distribution(name)
    if not isinstance(node, MaxOfCauses) or code != node.strength[0]:
        return None
    factors, silent = [], [node.leak[code]]
    for parent, link in zip(network.parents(name), node.links, strict=True):
        if parent.name in fixed:
            silent.append(link[int(fixed[parent.name]), code])
        else:
            factors.append((network.schema.index(parent.name), np.ascontiguousarray(link[:, code])))
    with np.errstate(divide="ignore"):
        return factors, float(np.log(silent).sum())


def _cells(shape: tuple[int, ...]) -> int:
    cells = 1
    for size in shape:
        cells *= size
    return cells


def local_probability(network: FrozenNetwork, name: Name, columns: Evidence) -> FloatArray:
    """P(name = its column | its parents' columns), row by row; a noisy node is never written out."""
    codes = np.asarray(columns[name], dtype=np.int64)
    parents = [columns[parent.name] for parent in network.parents(name)]
    return network.finite(name).probability(FamilyRows(len(codes), parents, np.zeros((0, 0)), codes))


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


def gaussian_logs(
    network: FrozenNetwork, name: Name, evidence: Evidence
) -> tuple[tuple[int, ...], FloatArray]:
    """The log densities of an observed variable by its unobserved discrete parents, in ascending order.

    Its continuous parents must be observed too.
    """
    distribution = network.distribution(name)
    discrete = [parent.name for parent in network.discrete_parents(name)]
    inputs = [np.asarray(evidence[parent.name]) for parent in network.continuous_parents(name)]
    x = np.asarray(evidence[name], dtype=np.float64)
    rows = len(x)
    stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((rows, 0))
    logs = distribution.log_density_by_group(x, stacked).reshape(rows, *distribution.group_shape)
    seen = [axis for axis, parent in enumerate(discrete) if parent in evidence]
    hidden = [axis for axis, parent in enumerate(discrete) if parent not in evidence]
    hidden.sort(key=lambda axis: network.schema.index(discrete[axis]))
    moved = np.transpose(logs, [0, *(axis + 1 for axis in (*seen, *hidden))])
    picked: FloatArray = moved[(np.arange(rows), *(evidence[discrete[axis]] for axis in seen))]
    return tuple(network.schema.index(discrete[axis]) for axis in hidden), picked
