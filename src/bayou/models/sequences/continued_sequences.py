"""Random hidden states of given sequences, and random continuations of them.

Forward filtering, backward sampling (Frühwirth-Schnatter 1994): the last state is drawn from
P(state | all observations), and each one before from P(state | observations so far) · P(next state | state),
so that whole paths are drawn exactly from P(path | observations). What follows is drawn from the model.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from bayou.codes import is_missing_cell
from bayou.models.sequences.drawn_sequences import cells_of, drawn_lengths, emitted_columns, next_states
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_model import ChainModel
from bayou.typing import FloatArray, IntArray, Name


def continued_sequences(
    model: ChainModel, rows: SequenceBatch, length: int, draws: int, seed: int
) -> list[list[dict[Name, list[Any]]]]:
    """For each sequence so many draws of its states, with ``length`` steps more: columns and the state.

    Gaps of the given rows stay None.
    """
    logs, _, filtered = model.filtered(rows)
    model.refuse_impossible(rows, logs)
    chance = np.random.default_rng(seed)
    paths, ahead, lengths = [], [], []
    for first, last in pairwise(rows.starts.tolist()):
        drawn = drawn_paths(model, filtered[first:last], draws, chance, ended=length == 0)
        paths.append(drawn)
        before = drawn[:, -1] if last > first else None
        ahead.append(next_states(model, before, length, draws, chance))
        lengths.append(drawn_lengths(model, ahead[-1], chance))
    columns = emitted_columns(model, np.concatenate([part.ravel() for part in ahead]), seed)
    found = []
    for k, (first, last) in enumerate(pairwise(rows.starts.tolist())):
        given = {name: _given_cells(model, rows, name, first, last) for name in model.chain.columns}
        one = []
        for draw in range(draws):
            begin = (k * draws + draw) * length
            part = slice(begin, begin + int(lengths[k][draw]))
            cells = {name: given[name] + cells_of(model, name, columns[name][part]) for name in given}
            state = model.chain.state.name
            cells[state] = cells_of(model, state, paths[k][draw]) + cells_of(
                model, state, columns[state][part]
            )
            one.append(cells)
        found.append(one)
    return found


def drawn_paths(
    model: ChainModel, filtered: FloatArray, draws: int, chance: np.random.Generator, *, ended: bool
) -> IntArray:
    """Paths [draw, step] given all observations of a sequence; ``ended``: it ends with its last step."""
    steps = len(filtered)
    paths = np.zeros((draws, steps), dtype=np.int64)
    if not steps:
        return paths
    shares = chance.random((steps, draws))
    last = filtered[-1] if model.end is None else filtered[-1] * (model.end if ended else 1 - model.end)
    paths[:, -1] = _chosen(np.broadcast_to(last, (draws, len(last))), shares[-1])
    into = np.ascontiguousarray(model.transition.T)
    for step in range(steps - 2, -1, -1):
        paths[:, step] = _chosen(filtered[step] * into[paths[:, step + 1]], shares[step])
    return paths


def _chosen(weights: FloatArray, shares: FloatArray) -> IntArray:
    """A place of each row, drawn by its weights: where their sum passes a share of all."""
    ends = np.cumsum(weights, axis=1)
    places: IntArray = (ends <= shares[:, None] * ends[:, -1:]).sum(axis=1)
    # A share that is rounded up to 1 must not choose a place of weight 0.
    most = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(axis=1)
    return np.asarray(np.minimum(places, most), dtype=np.int64)


def _given_cells(model: ChainModel, rows: SequenceBatch, name: Name, first: int, last: int) -> list[Any]:
    """The observed cells of a column; None where one is missing."""
    variable = model.network.schema[name]
    column: Any = rows.batch.numbers[name] if variable.is_continuous else rows.batch.codes[name]
    part = column[first:last]
    seen = zip(part.tolist(), is_missing_cell(part).tolist(), strict=True)
    if variable.is_continuous:
        return [None if gap else cell for cell, gap in seen]
    return [None if gap else variable.states[code] for code, gap in seen]
