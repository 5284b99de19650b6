"""A hidden Markov model of a fixed length as a plain Bayesian network with shared tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bayou.distributions import Distribution, DistributionKind, FunctionOfParents, Table
from bayou.errors import BadVariable, ImpossibleEvidence, counted, listed
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.state_order import with_rows
from bayou.typing import FloatArray, Name

_START, _MOVES = "p_start", "p_trans"


def unrolled(model: ChainModel, length: int) -> Network:
    """The network of a sequence: ``state0, state1, …`` and the columns of each step, numbered from 0.

    A model with durations has ``state_stay0, …``, too, which follow each other: the state and the age of its
    stay. The state is a function of it, and emits the columns.

    If sequences end by chance, the network is that of a sequence known to end with its last step: first
    state and moves have the probability in them to reach that step and to end there, so each step has its
    own table of moves.
    """
    steps = _Steps(model)
    if model.end is not None:
        steps.chain_tables = _tables_of_ended(model, length)
    for step in range(length):
        steps.add(step)
    return steps.network()


@dataclass
class _Steps:
    """The nodes of the steps so far."""

    model: ChainModel
    chain_tables: list[FloatArray] = field(default_factory=list)
    """The first states and the moves into each later step, where they are not those of the model."""
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
        block = _MOVES if step else _START
        if self.chain_tables:
            own, block = Table(self.chain_tables[step]), f"{block} {step}" if step else block
        self._node(f"{moving}{step}", chain.state, before, block, own)
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


def _tables_of_ended(model: ChainModel, length: int) -> list[FloatArray]:
    """P(first state) and P(state | state before) for each later step, given that the last step is the end.

    With β(last step) = P(end | state) and β(t) = P(go on, next state | state) β(t+1), they are
    proportional to start · β(first) and to the moves into t times β(t).
    """
    assert model.end is not None
    after, tables = model.end, []
    moves = model.network.table(model.chain.next_state)
    for _ in range(length - 1):
        weights = moves * after
        sums = weights.sum(axis=1, keepdims=True)
        # A state that cannot reach the end has probability 0, whatever its row says.
        tables.append(np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), moves))
        after = model.transition @ after
        after = after / (after.max() or 1.0)
    first = model.start * after
    if not first.any():
        raise ImpossibleEvidence(f"No sequence of this model ends after {counted(length, 'step')}.")
    return [first / first.sum(), *reversed(tables)]


def renamed(variable: Variable, name: Name) -> Variable:
    """The same variable under another name."""
    return Variable(name, variable.states, ordered=variable.ordered, texts=variable.is_text)
