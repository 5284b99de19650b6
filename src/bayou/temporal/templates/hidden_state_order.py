"""The states of variables that are never observed, in an order that depends on the tables, not on the seed.

States of such a variable are sorted by the mean code of its first child that is observed (or sorted already),
then of the next one, and so on; the other parents of the child count alike. Variables come in the order of
the template; one whose children are all hidden waits until one of them is sorted. So two seeds that reach one
optimum give one model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.distributions import Distribution, Table
from bayou.networks import FrozenNetwork
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import FloatArray, IntArray, Name

_DIGITS = 6
"""Means that agree in so many digits are equal: the next child decides."""


def with_sorted_states(
    template: DynamicTemplate, network: FrozenNetwork, hidden: Sequence[Name]
) -> FrozenNetwork:
    """The network with the states of hidden variables in the order of this rule."""
    waiting = [name for name in template.names if name in hidden]
    settled = {name for name in template.names if name not in hidden}
    while waiting:
        ready = [name for name in waiting if _keys(template, network, name, settled)]
        if not ready:
            return network
        name = ready[0]
        order = np.lexsort(_keys(template, network, name, settled)[::-1]).astype(np.int64)
        network = _reordered(template, network, name, order)
        waiting.remove(name)
        settled.add(name)
    return network


def _keys(
    template: DynamicTemplate, network: FrozenNetwork, name: Name, settled: set[Name]
) -> list[FloatArray]:
    """The mean codes of the settled children, for each state."""
    found = []
    for block in template.tables:
        node = template.behind[block]
        members = [*(parent.name for parent in template.parents(node)), node.name]
        if node.name == name or node.name not in settled:
            continue
        for axis, member in enumerate(members[:-1]):
            if member == name:
                table = network.table(block)
                means = np.moveaxis(table @ np.arange(table.shape[-1]), axis, 0)
                found.append(np.round(means.reshape(len(means), -1).mean(axis=1), _DIGITS))
    return found


def _reordered(
    template: DynamicTemplate, network: FrozenNetwork, name: Name, order: IntArray
) -> FrozenNetwork:
    shared = {user: block for block, users in template.sharing.items() for user in users}
    blocks: dict[Name, Distribution] = {}
    for block in template.tables:
        node = template.behind[block]
        members = [*(parent.name for parent in template.parents(node)), node.name]
        table = network.table(block)
        for axis, member in enumerate(members):
            if member == name:
                table = np.take(table, order, axis=axis)
        blocks[shared.get(block, block)] = Table(np.ascontiguousarray(table))
    return network.with_blocks(blocks)
