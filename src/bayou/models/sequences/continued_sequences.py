"""Random hidden states of given sequences, and random continuations of them.

Forward filtering, backward sampling (Frühwirth-Schnatter 1994): the last state is drawn from
P(state | all observations), and each one before from P(state | observations so far) · P(next state | state),
so that whole paths are drawn exactly from P(path | observations). Gaps are drawn given the state and the rest
of their row, and what follows from the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bayou.codes import is_missing_cell
from bayou.errors import ImpossibleEvidence
from bayou.inference import ConditionalRows
from bayou.inference.question import Question
from bayou.models.sequences.drawn_sequences import cells_of, drawn_lengths, emitted_columns, next_states
from bayou.models.sequences.forecast import NOTHING_FOLLOWS
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_model import ChainModel
from bayou.typing import BoolArray, FloatArray, IntArray, Name


def continued_sequences(
    model: ChainModel, rows: SequenceBatch, length: int, draws: int, seed: int
) -> list[list[dict[Name, list[Any]]]]:
    """For each sequence so many draws of its states and gaps, with ``length`` steps more: columns and the
    state.
    """
    logs, scores, filtered = model.filtered(rows)
    if length:
        model.refuse_impossible_steps(rows, scores)
    else:
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
    given = _Columns(model, rows, np.concatenate(paths, axis=1), seed).found
    found = []
    for k, (first, last) in enumerate(pairwise(rows.starts.tolist())):
        one = []
        for draw in range(draws):
            begin = (k * draws + draw) * length
            part = slice(begin, begin + int(lengths[k][draw]))
            cells = {
                name: cells_of(model, name, given[name][draw, first:last])
                + cells_of(model, name, columns[name][part])
                for name in given
            }
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
    if not last.any():
        raise ImpossibleEvidence(NOTHING_FOLLOWS)
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


class _Columns:
    """The columns of given rows with their gaps drawn, [draw, row], given the state of each draw and row."""

    def __init__(self, model: ChainModel, rows: SequenceBatch, states: IntArray, seed: int) -> None:
        self.model, self.states = model, states
        # Not the numbers that the steps which follow are drawn with.
        self.seed = int(np.random.SeedSequence((seed, 1)).generate_state(1)[0])
        self.found: dict[Name, Any] = {}
        self.gaps: dict[Name, BoolArray] = {}
        for name in model.chain.columns:
            is_number = model.network.schema[name].is_continuous
            column: Any = rows.batch.numbers[name] if is_number else rows.batch.codes[name]
            self.gaps[name] = is_missing_cell(column)
            self.found[name] = np.repeat(column[None], len(states), axis=0)
        self._draw()

    def _draw(self) -> None:
        lost = np.flatnonzero(np.any(list(self.gaps.values()), axis=0))
        if not len(lost):
            return
        emitted = emitted_columns(self.model, self.states[:, lost].ravel(), self.seed)
        for group in _dependent_columns(self.model):
            gaps = np.stack([self.gaps[name][lost] for name in group])
            whole = gaps.all(axis=0)
            for name in group:
                values = emitted[name].reshape(len(self.states), len(lost))
                self.found[name][:, lost[whole]] = values[:, whole]
            for row in lost[gaps.any(axis=0) & ~whole].tolist():
                self._draw_rest(row, group)

    def _draw_rest(self, row: int, group: Sequence[Name]) -> None:
        """Draw what a row lacks of some columns given what it has of them: they depend on each other."""
        network, state = self.model.network, self.model.chain.state.name
        known: dict[Name, Any] = {}
        for name in group:
            if not self.gaps[name][row]:
                cell = self.found[name][0, row]
                known[name] = float(cell) if network.schema[name].is_continuous else int(cell)
        for code in np.unique(self.states[:, row]).tolist():
            mine = np.flatnonzero(self.states[:, row] == code)
            # The state is set: its table is that of the first step, in which it may be impossible.
            question = Question((), known, do={state: code})
            drawn = ConditionalRows(network, question).draw(len(mine), self.seed, row * len(self.states))
            for name in group:
                if self.gaps[name][row]:
                    self.found[name][mine, row] = drawn[name]


def _dependent_columns(model: ChainModel) -> list[list[Name]]:
    """Columns that depend on each other given the state: by regressions, or by a hidden component."""
    chain, dag = model.chain, model.network.dag
    groups: list[set[Name]] = []
    for name in dag.nodes:
        if name in (chain.state.name, chain.next_state, chain.end):
            continue
        linked = {name, *dag.parents(name)} - {chain.state.name}
        groups = [group for group in groups if not group & linked] + [
            linked.union(*(group for group in groups if group & linked))
        ]
    ordered = [[name for name in chain.columns if name in group] for group in groups]
    return [group for group in ordered if group]
