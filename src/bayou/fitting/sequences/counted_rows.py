"""Rows whose states are known: whether counting is all that learning needs, and what is counted."""

from __future__ import annotations

import numpy as np

from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_structure import FULL, ChainStructure
from bayou.temporal.long_sequence import LongSequence
from bayou.temporal.soft_statistics import label_weights, labels_of, soft_statistics
from bayou.temporal.stored_sequences import AnySequences


def hindrance_to_counting(chain: ChainStructure, rows: AnySequences, labelled: int) -> str | None:
    """What besides counting is needed to learn from these rows, as the end of a sentence; None: nothing."""
    if not labelled:
        return f"needs the state of every row, but no row has one in {chain.state.name!r}."
    if chain.component is not None:
        return "cannot learn mixtures: which component a row is from is never known."
    if chain.gaussians and chain.covariance not in (FULL, "diagonal"):
        return f"cannot learn covariance={chain.covariance!r}, which several states or columns share."
    if chain.stays is not None and not isinstance(rows, SequenceBatch) and rows.has_long:
        return "cannot learn duration= from a sequence that does not fit into memory."
    for part in rows.row_parts():
        unlabelled = np.flatnonzero(~labels_of(chain, part))
        if len(unlabelled):
            row = part.batch.number(int(unlabelled[0]))
            return (
                f"needs the state of every row, but row {row} (counting from 0) has none in "
                f"{chain.state.name!r}."
            )
        for name in chain.gaussians if chain.covariance == FULL and len(chain.gaussians) > 1 else ():
            gaps = np.flatnonzero(np.isnan(part.batch.numbers[name]))
            if len(gaps):
                row = part.batch.number(int(gaps[0]))
                return (
                    f"needs every value of columns that depend on each other, but {name!r} has none in row "
                    f'{row} (counting from 0; with covariance="diagonal" gaps do no harm).'
                )
    return None


def counted_statistics(chain: ChainStructure, empty: FrozenNetwork, rows: AnySequences) -> Statistics:
    """The statistics of rows that all have a label, added up part by part."""

    def counts_of(part: SequenceBatch) -> Statistics:
        return soft_statistics(chain, empty, part, label_weights(chain, part))

    total: Statistics | None = None
    for part in rows.whole_parts():
        if isinstance(part, SequenceBatch):
            found = counts_of(part)
        else:
            found = LongSequence(ChainModel(chain, empty), part).counted(counts_of)
        total = found if total is None else total + found
    assert total is not None
    return total
