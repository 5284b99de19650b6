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
            {name: _cells(model, name, drawn[name][part]) for name in (*chain.columns, chain.state.name)}
        )
    return found


def drawn_columns(
    model: ChainModel, length: int, count: int, seed: int
) -> tuple[dict[Name, ColumnArray], IntArray]:
    """(codes and numbers of each variable, sequence after sequence with ``length`` rows each, how many rows
    of each sequence come before its end).
    """
    chain, network = model.chain, model.network
    chance = np.random.default_rng(seed)
    states = _drawn_states(model, length, count, chance)
    flat = states.ravel()
    drawn: dict[Name, ColumnArray] = {chain.state.name: flat.astype(np.uint32)}
    order = [
        n for n in network.dag.topological_order if n not in (chain.state.name, chain.next_state, chain.end)
    ]
    for name in order:
        family = network.family(name)
        inputs = [drawn[parent.name] for parent in family.continuous]
        stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((len(flat), 0))
        rows = FamilyRows(
            len(flat), [drawn[parent.name].astype(np.uint32) for parent in family.discrete], stacked
        )
        drawn[name] = network.distribution(name).sample(rows, RandomStream(seed, network.schema.index(name)))
    return drawn, _lengths(model, states, chance)


def _drawn_states(model: ChainModel, length: int, count: int, chance: np.random.Generator) -> IntArray:
    """The states [sequence, step], by the inverse of the cumulative probabilities."""
    table = np.cumsum(model.network.table(model.chain.next_state), axis=1)
    table[:, -1] = 1.0
    first = np.cumsum(model.start)
    first[-1] = 1.0
    states = np.empty((count, length), dtype=np.int64)
    shares = chance.random((length, count))
    states[:, 0] = np.searchsorted(first, shares[0], side="right")
    for step in range(1, length):
        states[:, step] = (table[states[:, step - 1]] <= shares[step][:, None]).sum(axis=1)
    return np.minimum(states, model.chain.states - 1)


def _lengths(model: ChainModel, states: IntArray, chance: np.random.Generator) -> IntArray:
    if model.end is None:
        return np.full(len(states), states.shape[1], dtype=np.int64)
    ends = chance.random(states.shape) < model.end[states]
    ends[:, -1] = True
    last: IntArray = ends.argmax(axis=1).astype(np.int64) + 1
    return last


def _cells(model: ChainModel, name: Name, values: ColumnArray) -> list[Any]:
    variable = model.network.schema[name]
    if variable.is_continuous:
        cells: list[Any] = values.tolist()
        return cells
    return [variable.states[code] for code in values.tolist()]
