"""A dynamic network of a fixed length as a plain Bayesian network with shared tables."""

from __future__ import annotations

from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.temporal.templates.template import DynamicTemplate, Node
from bayou.temporal.templates.template_model import TemplateModel
from bayou.typing import Name


def node_label(template: DynamicTemplate, node: Node) -> Name:
    """The name of a node of the network of all slices."""
    return node.name if template.outside(node.name) else f"{node.name}{node.step}"


def unrolled_slices(model: TemplateModel, length: int) -> Network:
    """The network of so many slices, whose variables are numbered from 0; those outside time keep their
    names.
    """
    template = model.template
    dag, sharing, behind = template.unrolled(length, lambda node: node_label(template, node))
    variables = {}
    blocks = {}
    shared = {name: block for block, users in sharing.items() for name in users}
    for name, node in behind.items():
        own = model.variables[node.name]
        variables[name] = (
            Variable(name) if own.is_continuous else Variable(name, own.states, ordered=own.ordered)
        )
        blocks[shared.get(name, name)] = model.network.distribution(template.block(node))
    frozen = FrozenNetwork(Schema(variables[name] for name in dag.nodes), dag, sharing, blocks)
    return Network.from_parts(frozen, None, variables)
