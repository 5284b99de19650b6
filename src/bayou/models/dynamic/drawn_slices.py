"""Random sequences of a dynamic network, drawn slice by slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.temporal.templates.slice_evidence import SET, SliceEvidence
from bayou.temporal.templates.template import Node
from bayou.temporal.templates.template_model import TemplateModel
from bayou.typing import IntArray, Name


def drawn_slices(
    model: TemplateModel, length: int, set_to: SliceEvidence, seed: int
) -> list[dict[Name, list[Any]]]:
    """Draw sequences of so many steps: a list of states for each variable.

    ``set_to`` has as many sequences of this length; values that are set by interventions are not drawn.
    """
    template, count = model.template, len(set_to.starts) - 1
    chance = np.random.default_rng(seed)
    drawn: dict[Node, IntArray] = {}
    tables = {name: np.cumsum(model.network.table(name), axis=-1) for name in template.tables}
    for step in range(length):
        nodes = list(template.nodes(step, last=step == length - 1))
        for node in _ordered(model, nodes):
            index = set_to.index(node.name)
            place = 0 if template.outside(node.name) else step
            rows = set_to.starts[:-1] + place
            uniform = chance.random(count)
            table = tables[template.block(node)]
            own = table[tuple(drawn[parent] for parent in template.parents(node))]
            own = np.broadcast_to(own, (count, own.shape[-1]))
            codes = np.minimum((own <= uniform[:, None] * own[:, -1:]).sum(axis=1), own.shape[-1] - 1)
            fixed = set_to.status[index, rows] == SET
            drawn[node] = np.where(fixed, set_to.codes[index, rows], codes).astype(np.int64)
    return [sequence_columns(model, drawn, sequence, length) for sequence in range(count)]


def _ordered(model: TemplateModel, nodes: list[Node]) -> list[Node]:
    """The nodes of a slice, each after its parents."""
    left, done = list(nodes), []
    while left:
        ready = [n for n in left if not any(parent in left for parent in model.template.parents(n))]
        done += ready
        left = [n for n in left if n not in ready]
    return done


def sequence_columns(
    model: TemplateModel, drawn: Mapping[Node, Any], sequence: int, length: int
) -> dict[Name, list[Any]]:
    """The values of one sequence; a variable outside time has its value in every row where it exists."""
    template = model.template
    found: dict[Name, list[Any]] = {}
    for name in template.names:
        states = model.variables[name].states

        def state(node: Node, states: tuple[Any, ...] = states) -> Any:
            own = drawn[node][sequence]
            return states[int(own)] if states else float(own)

        if name in template.constant:
            found[name] = [state(Node(name, 0))] * length
        elif name in template.first:
            found[name] = [state(Node(name, 0)), *[None] * (length - 1)]
        elif name in template.last:
            found[name] = [*[None] * (length - 1), state(Node(name, length - 1))]
        else:
            found[name] = [state(Node(name, step)) for step in range(length)]
    return found
