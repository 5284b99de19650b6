"""The k best paths of a sequence: Viterbi's algorithm with a list of the best ways into every state.

Of all paths that end in a state at some step, the k best are extensions of the k best into a state of the
step before, so lists of k are enough (Seshadri and Sundberg 1994, parallel list Viterbi). It takes
steps · states² · k operations, and remembers one place for each step, state and entry of the list.
"""

from __future__ import annotations

import numpy as np

from bayou.memory import require_memory
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_model import ChainModel
from bayou.typing import FloatArray, IntArray


def best_path_list(model: ChainModel, one: SequenceBatch, k: int) -> tuple[IntArray, FloatArray]:
    """(codes of the k most probable paths [path, step], their log probabilities), best first.

    ``one`` is a single sequence. Paths of probability 0 are left out, so there may be fewer than k.
    """
    logs = emission_logs(model, one)
    if not len(logs):
        return np.zeros((1, 0), np.int64), np.zeros(1)
    with np.errstate(divide="ignore"):
        start, move = np.log(model.start), np.log(model.transition)
        last = np.zeros(len(start)) if model.end is None else np.log(model.end)
    states = len(start)
    needed = 8.0 * len(logs) * states * min(k, float(states) ** min(len(logs), 64))
    require_memory(needed, f"The {k:,} best paths of {len(logs):,} steps", "Ask for fewer: k=.")
    # into[j, r] is the log probability of the r-th best way into state j.
    into = (start + logs[0])[:, None]
    back = []
    for row in logs[1:]:
        width = into.shape[1]
        ways = (move.T[:, :, None] + into).reshape(states, states * width)
        place = _largest(ways, min(k, ways.shape[1]))
        into = np.take_along_axis(ways, place, axis=1) + row[:, None]
        back.append((place, width))
    ends = (into + last[:, None]).ravel()
    final = _largest(ends[None], min(k, len(ends)))[0]
    final = final[ends[final] > -np.inf]
    state, entry = np.divmod(final, into.shape[1])
    codes = np.empty((len(final), len(logs)), np.int64)
    codes[:, -1] = state
    for step in range(len(back) - 1, -1, -1):
        place, width = back[step]
        state, entry = np.divmod(place[state, entry], width)
        codes[:, step] = state
    return codes, ends[final]


def _largest(values: FloatArray, count: int) -> IntArray:
    """The places of the largest numbers of each row, in falling order; of equal ones the first comes
    first.
    """
    return np.argsort(-values, axis=1, kind="stable")[:, :count]


def emission_logs(model: ChainModel, rows: SequenceBatch) -> FloatArray:
    """log P(row | state) of all columns, and of the label where a row has one, [row, state]."""
    dense = model.emissions.logs(rows.batch)
    total = np.zeros((rows.rows, model.chain.states)) if dense is None else dense.copy()
    with np.errstate(divide="ignore"):
        for one in model.emissions.coded(rows.batch):
            total += np.log(one.table)[np.minimum(one.codes.astype(np.int64), len(one.table) - 1)]
    return total
