"""Random sequences of a dynamic network with numbers, drawn slice by slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from bayou.distributions import LinearGaussian
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.slice_layout import SliceStep
from bayou.temporal.templates.template import Node
from bayou.typing import FloatArray, Name


def drawn_sequences(
    model: MixedModel, length: int, set_to: MixedEvidence, seed: int
) -> list[dict[Name, list[Any]]]:
    """Draw sequences of so many steps. ``set_to`` has as many of this length; what is set is not drawn."""
    model.require(set_to)
    template, count = model.template, len(set_to.starts) - 1
    chance = np.random.default_rng(seed)
    drawn: dict[Node, Any] = {}
    ways = {table: _way(model, table) for table in template.tables}
    fixed = {name: set_to.was_set(name) for name in template.names}
    values = {name: _values(model, set_to, name) for name, rows in fixed.items() if rows.any()}
    orders: dict[SliceStep, list[Name]] = {}
    for step in range(length):
        kind = SliceStep(min(step, model.layout.last_kind), step == length - 1)
        if kind not in orders:
            orders[kind] = [node.name for node in model.layout.ordered(kind)]
        for name in orders[kind]:
            node = Node(name, 0 if template.outside(name) and name not in template.last else step)
            rows = set_to.starts[:-1] + node.step
            own = ways[template.block(node)](node, drawn, chance, count)
            drawn[node] = np.where(fixed[name][rows], values[name][rows], own) if name in values else own
    return [_columns(model, drawn, sequence, length) for sequence in range(count)]


def _values(model: MixedModel, set_to: MixedEvidence, name: Name) -> Any:
    if name in model.layout.numbers:
        return set_to.numbers[:, model.layout.numbers.index(name)]
    return set_to.codes[:, model.layout.states.index(name)].astype(np.int64)


_Way: TypeAlias = Callable[[Node, dict[Node, Any], np.random.Generator, int], Any]
"""Draws so many values of a node, given those that were drawn before."""


def _way(model: MixedModel, table: Name) -> _Way:
    if model.template.behind[table].name in model.layout.states:
        return _states_drawn(model, np.cumsum(model.network.table(table), axis=-1))
    if model.network.slots[table] not in model.network.blocks:
        return lambda node, drawn, chance, count: np.zeros(count)  # it is set in every row
    line = model.network.distribution(table)
    assert isinstance(line, LinearGaussian)
    return _numbers_drawn(model, line)


def _numbers_drawn(model: MixedModel, line: LinearGaussian) -> _Way:
    deviation, numbers = np.sqrt(line.variance), set(model.layout.numbers)

    def draw(node: Node, drawn: dict[Node, Any], chance: np.random.Generator, count: int) -> Any:
        parents = model.template.parents(node)
        group = tuple(drawn[parent] for parent in parents if parent.name not in numbers)
        values = line.intercept[group] + deviation[group] * chance.normal(size=count)
        slopes = line.coefficients[group]
        for k, parent in enumerate(parent for parent in parents if parent.name in numbers):
            values = values + slopes[..., k] * drawn[parent]
        return values

    return draw


def _states_drawn(model: MixedModel, cumulated: FloatArray) -> _Way:
    def draw(node: Node, drawn: dict[Node, Any], chance: np.random.Generator, count: int) -> Any:
        uniform = chance.random(count)
        own = cumulated[tuple(drawn[parent] for parent in model.template.parents(node))]
        own = np.broadcast_to(own, (count, own.shape[-1]))
        return np.minimum((own <= uniform[:, None] * own[:, -1:]).sum(axis=1), own.shape[-1] - 1)

    return draw


def _columns(model: MixedModel, drawn: dict[Node, Any], sequence: int, length: int) -> dict[Name, list[Any]]:
    """The values of one sequence; a variable outside time has its value in every row where it exists."""
    template = model.template
    found: dict[Name, list[Any]] = {}
    for name in template.names:

        def value(node: Node, name: Name = name) -> Any:
            own = drawn[node][sequence]
            return float(own) if name in model.layout.numbers else model.variables[name].states[int(own)]

        if name in template.constant:
            found[name] = [value(Node(name, 0))] * length
        elif name in template.first:
            found[name] = [value(Node(name, 0)), *[None] * (length - 1)]
        elif name in template.last:
            found[name] = [*[None] * (length - 1), value(Node(name, length - 1))]
        else:
            found[name] = [value(Node(name, step)) for step in range(length)]
    return found
