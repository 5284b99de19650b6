"""First states, moves and ends as statistics: counted from known states, or expected by the kernels."""

from __future__ import annotations

import numpy as np

from bayou.schema import Schema
from bayou.statistics import Counts, CountTable, Request, Result
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_structure import ChainStructure
from bayou.typing import FloatArray


def counts_of_states(
    rows: SequenceBatch, weighed: FloatArray, plain: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(first states, moves, last states) of rows that are in state k with a weight, neighbours independent.

    ``weighed`` has the weights [row, state] times those of the sequences, ``plain`` without them.
    """
    real = rows.lengths > 0
    first, last = rows.starts[:-1][real], rows.starts[1:][real] - 1
    inner = np.ones(rows.rows, dtype=bool)
    inner[last] = False
    before = np.flatnonzero(inner)
    moves: FloatArray = weighed[before].T @ plain[before + 1]
    return weighed[first].sum(axis=0), moves, weighed[last].sum(axis=0)


def chain_statistics(
    chain: ChainStructure, schema: Schema, first: FloatArray, moves: FloatArray, last: FloatArray
) -> dict[Request, Result]:
    """The answers that start, transitions and (if they are modelled) ends are estimated from."""
    state, following = chain.state, schema[chain.next_state]
    answers: dict[Request, Result] = {
        CountTable((state.name,)): Counts((state,), first),
        CountTable((state.name, following.name)): Counts((state, following), moves),
    }
    if chain.ends:
        pair = np.column_stack([moves.sum(axis=1), last])
        answers[CountTable((state.name, chain.end))] = Counts((state, schema[chain.end]), pair)
    return answers
