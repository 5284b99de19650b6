"""How a posterior moves when one entry of a table does: exact derivatives, one plan run a table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayou.distributions import Table
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.inference import Question, ask
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


@dataclass(frozen=True, eq=False)
class TableDerivatives:
    """dP(target=state | findings)/dθ for every entry θ of a table, in the shape of the table.

    The rest of the entry's row makes room in proportion (where the entry is 1: in equal parts).
    """

    probability: float
    entries: FloatArray
    derivatives: FloatArray


def table_derivatives(
    network: FrozenNetwork, question: Question, state: int, table: Name
) -> TableDerivatives:
    """The derivatives of P(target = state | findings), for the one target of the question.

    P(target, findings) is linear in the entries of one table, so its gradient is what the query gives with
    that table's numbers left out; a block shared by several variables adds up the gradients of its users.
    """
    if len(question.targets) != 1 or network.schema[question.targets[0]].is_continuous:
        raise BadQuestion("The sensitivity is that of the probability of a state of one discrete variable.")
    values = network.table(table)
    answer = ask(network, question).table
    assert answer is not None
    probability = float(answer[state])
    derivatives = np.zeros_like(values)
    for user in _users(network, table):
        if user not in question.do:
            # Along its axes the gradient of P(target=state, e) minus p times that of P(e), over P(e).
            gradient = _gradient(network, question, user)
            total = float((gradient * values).sum())
            if total <= 0:
                raise ImpossibleEvidence("The findings have probability 0 under this network.")
            slope = (gradient[state] - probability * gradient.sum(axis=0)) / total
            derivatives += _with_room_made(slope, values)
    return TableDerivatives(probability, values, derivatives)


def _users(network: FrozenNetwork, table: Name) -> list[Name]:
    block = network.slots[table]
    return [name for name in network.dag.nodes if network.slots[name] == block]


def _gradient(network: FrozenNetwork, question: Question, user: Name) -> FloatArray:
    """∂P(target, findings)/∂θ up to a factor common to all: axes (target, parents …, user)."""
    target = question.targets[0]
    fixed = {**question.evidence, **question.do}
    family = [*(parent.name for parent in network.parents(user)), user]
    hidden = [name for name in family if name not in fixed and name != target]
    flat = _without_numbers(network, user)
    joint = ask(flat, replace(question, targets=(target, *hidden))).table
    assert joint is not None
    result = np.zeros((joint.shape[0], *network.table(user).shape))
    if target in family:
        # Only cells in which the family's own target agrees can be reached.
        for code in range(joint.shape[0]):
            result[(code, *_places(family, hidden, {**fixed, target: code}))] = joint[code]
    else:
        # Put the hidden axes in the order of the family (they are), observed ones at their state.
        result[(slice(None), *_places(family, hidden, fixed))] = joint
    return result


def _places(family: list[Name], hidden: list[Name], fixed: dict[Name, float]) -> list[int | slice]:
    return [slice(None) if name in hidden else int(fixed[name]) for name in family]


def _without_numbers(network: FrozenNetwork, user: Name) -> FrozenNetwork:
    """The network in which one variable (not the others that share its block) has flat rows."""
    values = network.table(user)
    flat = Table(np.full_like(values, 1.0 / values.shape[-1]))
    block = network.slots[user]
    if block not in network.sharing:
        return network.with_block(block, flat)
    others = tuple(name for name in network.sharing[block] if name != user)
    sharing = {name: users for name, users in network.sharing.items() if name != block}
    blocks = {**network.blocks, user: flat}
    if others:
        sharing[block] = others
    else:
        del blocks[block]
    return replace(network, sharing=sharing, blocks=blocks)


def _with_room_made(slope: FloatArray, values: FloatArray) -> FloatArray:
    """The derivative along each entry while the others of its row shrink in proportion."""
    states = values.shape[-1]
    moved: FloatArray = np.zeros_like(values)
    for code in range(states if states > 1 else 0):
        others, weights = np.delete(slope, code, axis=-1), np.delete(values, code, axis=-1)
        total = weights.sum(axis=-1, keepdims=True)
        shares = np.divide(weights, total, out=np.full_like(weights, 1 / (states - 1)), where=total > 0)
        moved[..., code] = slope[..., code] - (others * shares).sum(axis=-1)
    return moved
