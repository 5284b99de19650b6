"""Statistics of rows whose states are known, or guessed with probabilities: counting, and the start of EM."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.codes import is_missing_cell
from bayou.errors import BadData, counted
from bayou.networks import FrozenNetwork
from bayou.statistics import Counts, CountTable, Statistics
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_counts import chain_statistics, counts_of_states
from bayou.temporal.chain_emissions import repeated_answer
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.gaussian_columns import GaussianColumns
from bayou.temporal.stored_sequences import AnySequences
from bayou.temporal.tied_states import tied_weights
from bayou.typing import BoolArray, FloatArray, Name


def labels_of(chain: ChainStructure, rows: SequenceBatch) -> BoolArray:
    """A mask of the rows whose state is known."""
    codes = rows.batch.codes.get(chain.state.name)
    if codes is None:
        return np.zeros(rows.rows, dtype=bool)
    return ~is_missing_cell(codes)


def labelled_rows(chain: ChainStructure, rows: AnySequences) -> int:
    """The number of rows whose state is known."""
    return sum(int(labels_of(chain, part).sum()) for part in rows.row_parts())


def label_weights(chain: ChainStructure, rows: SequenceBatch) -> FloatArray:
    """1 for the state of each row, [row, state]; all rows must have one."""
    codes = rows.batch.codes[chain.state.name].astype(np.int64)
    if chain.stays is not None:
        codes, bad = chain.stays.codes_of_labels(codes, rows.starts)
        if bad is not None:
            row, steps = bad
            state = chain.stays.states.states[chain.stays.owner[codes[row]]]
            raise BadData(
                f"The known stay in {state!r} has {counted(steps, 'step')} at row "
                f"{rows.batch.number(row)} (counting from 0), where it ends or goes on; duration= rules this "
                "length out. Allow it, or correct the state."
            )
    return np.eye(chain.states)[codes]


def soft_statistics(
    chain: ChainStructure, empty: FrozenNetwork, rows: SequenceBatch, weights: FloatArray
) -> Statistics:
    """The statistics of rows that are in state k with ``weights[row, k]``, states of neighbours independent.

    With mixtures ``weights`` has the components, too: [row, state · component]. Sequences count by their
    weights.
    """
    own = rows.row_weights
    weighed = weights if own is None else weights * own[:, None]
    by_state = weighed.reshape(rows.rows, chain.states, -1).sum(axis=2)
    plain = weights.reshape(rows.rows, chain.states, -1).sum(axis=2)
    counts = counts_of_states(rows, by_state, plain)
    answers = chain_statistics(chain, empty.schema, *counts)
    weighed, by_state = tied_weights(chain, weighed), tied_weights(chain, by_state)
    if chain.component is not None:
        axes = (chain.state, chain.component)
        shape = (chain.states, chain.component.cardinality)
        answers[CountTable(tuple(axis.name for axis in axes))] = Counts(
            axes, weighed.sum(axis=0).reshape(shape)
        )
    if chain.gaussians:
        used = weighed if chain.component is not None else by_state
        answers.update(_plain_gaussians(chain, empty, rows).expected(rows.batch, used))
    for name in chain.columns:
        if name not in chain.gaussians:
            used = weighed if name in chain.mixed else by_state
            kind, family = empty.kind(name), empty.family(name)
            request: Any = kind.expects(family)
            answers[request] = repeated_answer(kind, family, rows.batch, used)
    return Statistics(answers, rows.weight)


def _plain_gaussians(chain: ChainStructure, empty: FrozenNetwork, rows: SequenceBatch) -> GaussianColumns:
    """Gaussians with the means of all rows, around which moments are taken and gaps are filled."""
    names = chain.gaussians
    groups = empty.family(names[0]).discrete
    count, d = int(np.prod([axis.cardinality for axis in groups])), len(names)
    means, variances = column_moments(rows, names)
    linked = any(empty.family(name).continuous for name in names)
    return GaussianColumns(
        names,
        groups,
        np.tile(means, (count, 1)),
        np.zeros((count, d, d)),
        np.tile(variances, (count, 1)),
        linked,
    )


def column_moments(rows: AnySequences, names: tuple[Name, ...]) -> tuple[FloatArray, FloatArray]:
    """The mean and variance of columns over all rows that have a value; 0 and 1 where there are none.

    Parts are added one after the other (Chan, Golub and LeVeque 1983), so that it does not matter whether the
    rows are in memory.
    """
    counts, means, scatters = np.zeros(len(names)), np.zeros(len(names)), np.zeros(len(names))
    for part in rows.row_parts():
        for j, name in enumerate(names):
            values = part.batch.finite_numbers(name)
            seen = values[~np.isnan(values)]
            if len(seen):
                mean = seen.mean()
                away, total = mean - means[j], counts[j] + len(seen)
                # Numbers whose squares are too large have no variance, which is then refused.
                with np.errstate(over="ignore", invalid="ignore"):
                    scatters[j] += np.square(seen - mean).sum() + away**2 * (counts[j] / total) * len(seen)
                means[j] += away * (len(seen) / total)
                counts[j] = total
    return means, np.where(counts > 0, scatters / np.maximum(counts, 1.0), 1.0)
