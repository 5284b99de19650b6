"""Factors of the local distributions P(variable | parents), with the evidence entered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.distributions import FamilyRows
from bayou.inference.exact.factors import Factor
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, FloatArray, Name

Evidence = Mapping[Name, ColumnArray]
"""Findings of a batch of rows: codes of states, or values of continuous variables."""


@dataclass(frozen=True)
class LocalFactors:
    """Factors whose product is P(variable | parents), summed over auxiliary variables.

    Each scope ends with the variable that its table is a distribution of; ``sizes`` are the numbers of
    states of the auxiliary variables, and ``order`` is the order in which the parents are taken.
    """

    scopes: list[list[int]]
    tables: list[FloatArray]
    sizes: list[int]
    order: list[int]


def factors_of(network: FrozenNetwork, name: Name, first_auxiliary: int) -> LocalFactors:
    """Return the factors of P(name | parents): one table, or a chain for a noisy node.

    The chain of a node with n parents has n factors and n − 1 auxiliary variables.
    Auxiliary variables are numbered from ``first_auxiliary`` on. All nodes take their parents in the order of
    the schema, so that the chains of nodes with common parents stay narrow together.
    """
    node, scope = network.finite(name), _scope(network, name)
    if node.is_tabled:
        return LocalFactors([scope], [node.table], [], [])
    order = sorted(range(len(scope) - 1), key=scope.__getitem__)
    sizes = node.auxiliary_sizes
    numbers = [*scope, *range(first_auxiliary, first_auxiliary + len(sizes))]
    found = node.factors(order)
    scopes = [[numbers[axis] for axis in axes] for axes, _ in found]
    return LocalFactors(scopes, [table for _, table in found], sizes, order)


def compact_factors_of(network: FrozenNetwork, name: Name, first_auxiliary: int) -> LocalFactors:
    """Return the same as ``factors_of``, but the full table where that is cheaper than a chain."""
    if network.finite(name).is_factored:
        return factors_of(network, name, first_auxiliary)
    return LocalFactors([_scope(network, name)], [network.table(name)], [], [])


def _scope(network: FrozenNetwork, name: Name) -> list[int]:
    return [network.schema.index(member) for member in network.family(name).names]


def split_finding(
    network: FrozenNetwork, name: Name, code: int, fixed: Mapping[Name, Any]
) -> tuple[list[tuple[int, FloatArray]], float] | None:
    """Split P(finding | parents) into one factor per parent, as for a noisy node in its weakest state.

    Returns the factors of hidden parents (by variable number) and the log of the product of all constants,
    the observed parents' factors among them; None where the finding does not split.
    """
    split = network.finite(name).split_finding(code)
    if split is None:
        return None
    vectors, constant = split
    factors, constants = [], [constant]
    for parent, vector in zip(network.parents(name), vectors, strict=True):
        if parent.name in fixed:
            constants.append(vector[int(fixed[parent.name])])
        else:
            factors.append((network.schema.index(parent.name), vector))
    with np.errstate(divide="ignore"):
        return factors, float(np.log(constants).sum())


def local_probability(network: FrozenNetwork, name: Name, columns: Evidence) -> FloatArray:
    """Return P(name = its column | its parents' columns) per row; no full table is made of a noisy node."""
    codes = np.asarray(columns[name], dtype=np.int64)
    parents = [columns[parent.name] for parent in network.parents(name)]
    return network.finite(name).probability(FamilyRows(len(codes), parents, np.zeros((0, 0)), codes))


def table_factor(network: FrozenNetwork, name: Name, evidence: Evidence) -> Factor:
    """Return P(name | parents) with the axes of observed variables looked up, row by row."""
    scope = [*(parent.name for parent in network.parents(name)), name]
    return looked_up(network, network.table(name), scope, evidence)


def looked_up(network: FrozenNetwork, values: FloatArray, scope: list[Name], evidence: Evidence) -> Factor:
    """Return a table over ``scope``, indexed by each row's states along the axes of observed variables."""
    hidden = [axis for axis, name in enumerate(scope) if name not in evidence]
    seen = [axis for axis, name in enumerate(scope) if name in evidence]
    moved = np.transpose(values, [*seen, *hidden])
    ids = tuple(network.schema.index(scope[axis]) for axis in hidden)
    if not seen:
        return Factor(ids, moved[None])
    return Factor(ids, moved[tuple(evidence[scope[axis]] for axis in seen)])


def density_logs(
    network: FrozenNetwork, name: Name, evidence: Evidence
) -> tuple[tuple[int, ...], FloatArray]:
    """Return the log densities of an observed number or text by its unobserved discrete parents.

    The parents come first, as numbers in ascending order; each is an axis of the densities after the row.
    Its continuous parents must be observed too. A missing value has log density 0 everywhere.
    """
    distribution = network.distribution(name)
    discrete = [parent.name for parent in network.discrete_parents(name)]
    inputs = [np.asarray(evidence[parent.name]) for parent in network.continuous_parents(name)]
    values = evidence[name]
    rows = len(values)
    stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((rows, 0))
    logs = distribution.log_density_by_group(values, stacked).reshape(rows, *distribution.group_shape)
    seen = [axis for axis, parent in enumerate(discrete) if parent in evidence]
    hidden = [axis for axis, parent in enumerate(discrete) if parent not in evidence]
    hidden.sort(key=lambda axis: network.schema.index(discrete[axis]))
    moved = np.transpose(logs, [0, *(axis + 1 for axis in (*seen, *hidden))])
    picked: FloatArray = moved[(np.arange(rows), *(evidence[discrete[axis]] for axis in seen))]
    return tuple(network.schema.index(discrete[axis]) for axis in hidden), picked
