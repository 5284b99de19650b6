"""Random sequences of a hidden Markov model."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.distributions import FamilyRows, RandomStream
from bayou.temporal.chain_model import ChainModel
from bayou.typing import ColumnArray, IntArray, Name


def drawn_sequences(model: ChainModel, length: int, count: int, seed: int) -> list[dict[Name, list[Any]]]:
    """Draw sequences of at most ``length`` steps: columns, and the hidden state, as lists.

    A model with end probabilities may end a sequence earlier.
    """
    drawn, lengths = drawn_columns(model, length, count, seed)
    chain = model.chain
    found = []
    for k in range(count):
        part = slice(k * length, k * length + int(lengths[k]))
        found.append(
            {name: cells_of(model, name, drawn[name][part]) for name in (*chain.columns, chain.state.name)}
        )
    return found


def drawn_columns(
    model: ChainModel, length: int, count: int, seed: int
) -> tuple[dict[Name, ColumnArray], IntArray]:
    """(codes and numbers of each variable, sequence after sequence with ``length`` rows each, how many rows
    of each sequence come before its end).
    """
    chance = np.random.default_rng(seed)
    states = next_states(model, None, length, count, chance)
    return emitted_columns(model, states.ravel(), seed), drawn_lengths(model, states, chance)


def emitted_columns(model: ChainModel, states: IntArray, seed: int) -> dict[Name, ColumnArray]:
    """What steps in these states emit, and the states themselves, as codes and numbers."""
    chain, network = model.chain, model.network
    drawn: dict[Name, ColumnArray] = {chain.state.name: states.astype(np.uint32)}
    order = [
        n for n in network.dag.topological_order if n not in (chain.state.name, chain.next_state, chain.end)
    ]
    for name in order:
        family = network.family(name)
        inputs = [drawn[parent.name] for parent in family.continuous]
        stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((len(states), 0))
        rows = FamilyRows(
            len(states), [drawn[parent.name].astype(np.uint32) for parent in family.discrete], stacked
        )
        drawn[name] = network.distribution(name).sample(rows, RandomStream(seed, network.schema.index(name)))
    return drawn


def next_states(
    model: ChainModel, before: IntArray | None, length: int, count: int, chance: np.random.Generator
) -> IntArray:
    """The states [sequence, step] after these (None: from the start), by inverse cumulative probabilities."""
    table = np.cumsum(model.network.table(model.chain.next_state), axis=1)
    table[:, -1] = 1.0
    first = np.cumsum(model.start)
    first[-1] = 1.0
    states = np.empty((count, length), dtype=np.int64)
    shares = chance.random((length, count))
    for step in range(length):
        if step == 0 and before is None:
            states[:, 0] = np.searchsorted(first, shares[0], side="right")
            continue
        now = before if step == 0 and before is not None else states[:, step - 1]
        states[:, step] = (table[now] <= shares[step][:, None]).sum(axis=1)
    return np.minimum(states, model.chain.states - 1)


def drawn_lengths(model: ChainModel, states: IntArray, chance: np.random.Generator) -> IntArray:
    """How many steps of each sequence come before its end."""
    if model.end is None or not states.shape[1]:
        return np.full(len(states), states.shape[1], dtype=np.int64)
    ends = chance.random(states.shape) < model.end[states]
    ends[:, -1] = True
    last: IntArray = ends.argmax(axis=1).astype(np.int64) + 1
    return last


def cells_of(model: ChainModel, name: Name, values: ColumnArray) -> list[Any]:
    """Codes as states (those that users see), numbers as they are."""
    chain = model.chain
    if name == chain.state.name:
        return [chain.user_state.states[code] for code in chain.seen_codes(values.astype(np.int64)).tolist()]
    variable = model.network.schema[name]
    if variable.is_continuous:
        cells: list[Any] = values.tolist()
        return cells
    return [variable.states[code] for code in values.tolist()]
