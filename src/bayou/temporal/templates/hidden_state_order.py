"""The states of variables that are never observed, in an order that depends on the tables, not on the seed.

States of such a variable are sorted by the mean code of its first child that is observed (or sorted already),
then of the next one, and so on; the other parents of the child count alike. Of a number, observed or not, its
intercept counts like a mean code, then its coefficients, then its variance. Variables come in the order of
the template; one whose children are all hidden waits until one of them is sorted. So two seeds that reach one
optimum give one model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bayou.distributions import Distribution, LinearGaussian, Table
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.statistics import Counts, GroupMoments, Request, Result, Statistics
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import FloatArray, IntArray, Name

_DIGITS = 6
"""Means that agree in so many digits are equal: the next child decides."""


def with_sorted_states(
    template: DynamicTemplate, network: FrozenNetwork, hidden: Sequence[Name]
) -> FrozenNetwork:
    """The network with the states of hidden variables in the order of this rule."""
    return sorted_states(template, network, hidden)[0]


def sorted_states(
    template: DynamicTemplate, network: FrozenNetwork, hidden: Sequence[Name]
) -> tuple[FrozenNetwork, dict[Name, IntArray]]:
    """(the network with sorted states, the former places of the states of each variable)."""
    orders: dict[Name, IntArray] = {}
    waiting = [name for name in template.names if name in hidden]
    settled = {n for n in template.names if n not in hidden or network.schema[n].is_continuous}
    waiting = [name for name in waiting if name not in settled]
    while waiting:
        ready = [name for name in waiting if _keys(template, network, name, settled)]
        if not ready:
            break
        name = ready[0]
        orders[name] = order = np.lexsort(_keys(template, network, name, settled)[::-1]).astype(np.int64)
        network = _reordered(template, network, name, order)
        waiting.remove(name)
        settled.add(name)
    return network, orders


def statistics_in_order(
    template: DynamicTemplate, known: Statistics, orders: Mapping[Name, IntArray]
) -> Statistics:
    """Counts and moments whose states stand in other places, as :func:`sorted_states` says."""
    answers: dict[Request, Result] = {}
    for request, own in known.items():
        assert isinstance(own, Counts | GroupMoments)
        axes = own.axes if isinstance(own, Counts) else own.groups

        def in_order(part: FloatArray, axes: tuple[Variable, ...] = axes) -> FloatArray:
            for k, axis in enumerate(axes):
                order = orders.get(template.behind[axis.name].name)
                part = part if order is None else np.take(part, order, axis=k)
            return part

        if isinstance(own, Counts):
            answers[request] = replace(own, values=in_order(own.values))
        else:
            answers[request] = replace(
                own,
                n=in_order(own.n),
                mean=in_order(own.mean),
                scatter=in_order(own.scatter),
                doubt=None if own.doubt is None else in_order(own.doubt),
            )
    return Statistics(answers, known.rows)


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
        axes = [member for member in members[:-1] if not network.schema[member].is_continuous]
        for axis, member in enumerate(axes):
            if member == name:
                for values in _values(network.distribution(block)):
                    means = np.moveaxis(values, axis, 0)
                    found.append(np.round(means.reshape(len(means), -1).mean(axis=1), _DIGITS))
    return found


def _values(child: Distribution) -> list[FloatArray]:
    """What the states of the parents [parent, …] are sorted by."""
    if isinstance(child, LinearGaussian):
        slopes = np.moveaxis(child.coefficients, -1, 0)
        return [child.intercept, *slopes, child.variance]
    assert isinstance(child, Table)
    return [child.values @ np.arange(child.values.shape[-1])]


def _reordered(
    template: DynamicTemplate, network: FrozenNetwork, name: Name, order: IntArray
) -> FrozenNetwork:
    shared = {user: block for block, users in template.sharing.items() for user in users}
    blocks: dict[Name, Distribution] = {}
    for block in template.tables:
        node = template.behind[block]
        members = [*(parent.name for parent in template.parents(node)), node.name]
        axes = [
            k
            for k, member in enumerate(m for m in members if not network.schema[m].is_continuous)
            if member == name
        ]
        blocks[shared.get(block, block)] = _taken(network.distribution(block), axes, order)
    return network.with_blocks(blocks)


def _taken(own: Distribution, axes: Sequence[int], order: IntArray) -> Distribution:
    """The distribution with the states of some axes in this order."""

    def sorted_along(values: FloatArray) -> FloatArray:
        for axis in axes:
            values = np.take(values, order, axis=axis)
        return np.array(values, order="C")

    if isinstance(own, LinearGaussian):
        return LinearGaussian(
            *(sorted_along(part) for part in (own.intercept, own.coefficients, own.variance))
        )
    assert isinstance(own, Table)
    return Table(sorted_along(own.values))
