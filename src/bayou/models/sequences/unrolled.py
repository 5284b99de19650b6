"""A hidden Markov model of a fixed length as a plain Bayesian network with shared tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bayou.distributions import Distribution, DistributionKind, FunctionOfParents
from bayou.errors import BadVariable, listed
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.state_order import with_rows
from bayou.typing import Name

_START, _MOVES = "p_start", "p_trans"


def unrolled(model: ChainModel, length: int) -> Network:
    """The network of a sequence: ``state0, state1, …`` and the columns of each step, numbered from 0.

    A model with durations has ``state_stay0, …``, too, which follow each other: the state and the age of its
    stay. The state is a function of it, and emits the columns.
    """
    steps = _Steps(model)
    for step in range(length):
        steps.add(step)
    return steps.network()


@dataclass
class _Steps:
    """The nodes of the steps so far."""

    model: ChainModel
    parents: dict[Name, list[Name]] = field(default_factory=dict)
    variables: dict[Name, Variable] = field(default_factory=dict)
    users: dict[Name, list[Name]] = field(default_factory=dict)
    blocks: dict[Name, Distribution] = field(default_factory=dict)
    kinds: dict[Name, DistributionKind] = field(default_factory=dict)

    def add(self, step: int) -> None:
        """Add the nodes of a step."""
        chain, template = self.model.chain, self.model.network
        hidden, following = chain.state.name, chain.next_state
        moving = hidden if chain.stays is None else f"{hidden}_stay"
        own = template.blocks[following if step else hidden]
        before = [f"{moving}{step - 1}"] if step else []
        self._node(f"{moving}{step}", chain.state, before, _MOVES if step else _START, own)
        if chain.stays is not None:
            owner = FunctionOfParents(chain.stays.owner, chain.stays.states.cardinality)
            self._node(f"{hidden}{step}", chain.stays.states, [f"{moving}{step}"], f"p_{hidden}", owner)
            self.kinds[f"{hidden}{step}"] = FunctionOfParents
        for name in template.dag.nodes:
            if name in (hidden, following, chain.end):
                continue
            node = template.blocks[name]
            narrow = node if chain.stays is None else with_rows(node, chain.leaders)
            parents = [f"{parent}{step}" for parent in template.dag.parents(name)]
            if narrow is None:  # a kind that cannot be stated for the users' states alone
                narrow, parents[0] = node, f"{moving}{step}"
            block = f"p_{name}" if f"p_{name}" not in (_START, _MOVES) else f"p_emit_{name}"
            self._node(f"{name}{step}", template.schema[name], parents, block, narrow)
            if name in template.kinds:
                self.kinds[f"{name}{step}"] = template.kinds[name]

    def _node(
        self, name: Name, variable: Variable, parents: Sequence[Name], block: Name, node: Distribution
    ) -> None:
        if name in self.parents:
            raise BadVariable(
                f"The network would have two variables {name!r}: names of steps end in their number. Rename "
                f"the columns {listed(self.model.chain.columns)}, or the hidden state (name=)."
            )
        self.parents[name] = list(parents)
        self.variables[name] = renamed(variable, name)
        self.users.setdefault(block, []).append(name)
        self.blocks[block] = node

    def network(self) -> Network:
        """The network of all steps."""
        dag = Dag(list(self.parents), self.parents)
        sharing = {block: tuple(names) for block, names in self.users.items()}
        schema = Schema(self.variables[name] for name in dag.nodes)
        frozen = FrozenNetwork(schema, dag, sharing, self.blocks, self.kinds)
        return Network.from_parts(frozen, None, self.variables)


def renamed(variable: Variable, name: Name) -> Variable:
    """The same variable under another name."""
    return Variable(name, variable.states, ordered=variable.ordered, texts=variable.is_text)
