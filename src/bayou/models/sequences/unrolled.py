"""A hidden Markov model of a fixed length as a plain Bayesian network with shared tables."""

from __future__ import annotations

from bayou.distributions import Distribution, DistributionKind
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.temporal.chain_model import ChainModel
from bayou.typing import Name


def unrolled(model: ChainModel, length: int) -> Network:
    """The network of a sequence: ``state0, state1, …`` and the columns of each step, numbered from 0."""
    chain, template = model.chain, model.network
    hidden, following, end = chain.state.name, chain.next_state, chain.end
    inside = [name for name in template.dag.nodes if name not in (following, end)]
    parents: dict[Name, list[Name]] = {}
    variables: dict[Name, Variable] = {}
    users: dict[Name, list[Name]] = {}
    blocks: dict[Name, Distribution] = {}
    kinds: dict[Name, DistributionKind] = {}
    for step in range(length):
        for name in inside:
            own = f"{name}{step}"
            if name == hidden:
                parents[own] = [f"{hidden}{step - 1}"] if step else []
                block: Name = following if step else hidden
            else:
                parents[own] = [f"{parent}{step}" for parent in template.dag.parents(name)]
                block = name
            variables[own] = renamed(template.schema[name], own)
            users.setdefault(f"p_{_word(block, hidden, following)}", []).append(own)
            blocks[f"p_{_word(block, hidden, following)}"] = template.blocks[block]
            if name in template.kinds:
                kinds[own] = template.kinds[name]
    dag = Dag(list(parents), parents)
    sharing = {block: tuple(names) for block, names in users.items()}
    frozen = FrozenNetwork(Schema(variables[name] for name in dag.nodes), dag, sharing, blocks, kinds)
    return Network.from_parts(frozen, None, variables)


def _word(block: Name, hidden: Name, following: Name) -> Name:
    return "start" if block == hidden else "trans" if block == following else block


def renamed(variable: Variable, name: Name) -> Variable:
    """The same variable under another name."""
    return Variable(name, variable.states, ordered=variable.ordered, texts=variable.is_text)
