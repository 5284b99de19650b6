"""Exact derivatives of a posterior with respect to the entries of a table.

P(target = t, findings) = P(t, e) is linear in the entries θ of one table, so

    d P(t | e) / dθ = [∂P(t, e)/∂θ − P(t | e) · ∂P(e)/∂θ] / P(e),

and when θ changes, the other entries of its row change in proportion, so that the row still sums to 1.
Castillo, Gutiérrez and Hadi (1997), Sensitivity analysis in discrete Bayesian networks, IEEE Trans. Systems,
Man, and Cybernetics A 27; Darwiche (2003), A differential approach to inference in Bayesian networks, J. ACM
50.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bayou.distributions import Table
from bayou.errors import BadQuestion
from bayou.inference import Finding, Question, ask, too_small
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


@dataclass(frozen=True, eq=False)
class TableDerivatives:
    """dP(target=state | findings)/dθ for every entry θ of a table, in the shape of the table.

    The other entries of the row change in proportion to their size (equally where the entry is 1), so that
    the row still sums to 1.
    """

    probability: float
    entries: FloatArray
    derivatives: FloatArray


def table_derivatives(
    network: FrozenNetwork, question: Question, state: int, table: Name
) -> TableDerivatives:
    """Return the derivatives of P(target = state | findings), for the single target of the question.

    P(target, findings) is linear in the entries of one table, so its gradient is the answer to the query
    with that table replaced by a constant; for a block shared by several variables the gradients are added.
    """
    if len(question.targets) != 1 or network.schema[question.targets[0]].is_continuous:
        raise BadQuestion("The sensitivity is computed for a state of one discrete variable.")
    values = network.table(table)
    answer = ask(network, question).table
    assert answer is not None
    probability = float(answer[state])
    derivatives = np.zeros_like(values)
    for user in _users(network, table):
        if user not in question.do:
            # The gradient of P(target=state, e) minus p times that of P(e), divided by P(e).
            gradient = _gradient(network, question, user)
            total = float((gradient * values).sum())
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                slope = (gradient[state] - probability * gradient.sum(axis=0)) / total
            if not np.isfinite(slope).all():
                # The findings are possible, because they were answered above.
                raise too_small(
                    f"derivatives with respect to the table of {table!r}, which are beyond 1e308",
                    "Ask for the table of another variable.",
                )
            derivatives += _with_room_made(slope, values)
    return TableDerivatives(probability, values, derivatives)


def _users(network: FrozenNetwork, table: Name) -> list[Name]:
    block = network.slots[table]
    return [name for name in network.dag.nodes if network.slots[name] == block]


def _gradient(network: FrozenNetwork, question: Question, user: Name) -> FloatArray:
    """∂P(target, findings)/∂θ up to a common factor, with axes (target, parents …, user)."""
    target = question.targets[0]
    fixed = {**question.evidence, **question.do}
    family = [*(parent.name for parent in network.parents(user)), user]
    hidden = [name for name in family if name not in fixed and name != target]
    flat = _without_numbers(network, user)
    joint = ask(flat, replace(question, targets=(target, *hidden))).table
    assert joint is not None
    result = np.zeros((joint.shape[0], *network.table(user).shape))
    if target in family:
        # The target is in the family: only the cells of its own state have a gradient.
        for code in range(joint.shape[0]):
            result[(code, *_places(family, hidden, {**fixed, target: code}))] = joint[code]
    else:
        # The hidden axes are in the order of the family already; observed axes are set to their state.
        result[(slice(None), *_places(family, hidden, fixed))] = joint
    return result


def _places(family: list[Name], hidden: list[Name], fixed: Mapping[Name, Finding]) -> list[int | slice]:
    return [slice(None) if name in hidden else int(fixed[name]) for name in family]


def _without_numbers(network: FrozenNetwork, user: Name) -> FrozenNetwork:
    """The network with a uniform table for one variable (not for others that share its block)."""
    values = network.table(user)
    flat = Table(np.full_like(values, 1.0 / values.shape[-1]))
    block = network.slots[user]
    if block not in network.sharing:
        return network.with_blocks({block: flat})
    others = tuple(name for name in network.sharing[block] if name != user)
    sharing = {name: users for name, users in network.sharing.items() if name != block}
    blocks = {**network.blocks, user: flat}
    if others:
        sharing[block] = others
    else:
        del blocks[block]
    return replace(network, sharing=sharing, blocks=blocks)


def _with_room_made(slope: FloatArray, values: FloatArray) -> FloatArray:
    """The derivative for each entry while the other entries of its row change in proportion."""
    states = values.shape[-1]
    moved: FloatArray = np.zeros_like(values)
    for code in range(states if states > 1 else 0):
        others, weights = np.delete(slope, code, axis=-1), np.delete(values, code, axis=-1)
        total = weights.sum(axis=-1, keepdims=True)
        shares = np.divide(weights, total, out=np.full_like(weights, 1 / (states - 1)), where=total > 0)
        moved[..., code] = slope[..., code] - (others * shares).sum(axis=-1)
    return moved
