"""Whole sequences as the rows of a classifier: each is one object that has a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bayou.errors import BadQuestion, listed
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.networks.class_densities import ObjectTable, numbered
from bayou.models.sequences.hidden_markov.hmm import HMM
from bayou.sources.weights import Weights
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.long_sequence import log_likelihoods
from bayou.temporal.stored_sequences import AnySequences, LongRows, StoredSequences
from bayou.typing import FloatArray, State


class SequenceTable(ObjectTable):
    """Sequences by number, in memory or in temporary files, in the codes of the models' columns."""

    def __init__(self, held: AnySequences | LongRows, which: npt.NDArray[np.intp] | None = None) -> None:
        count = 1 if isinstance(held, LongRows) else held.count
        chosen = np.arange(count) if which is None else which
        super().__init__(numbered(len(chosen)), chosen.tolist())
        self.held, self._which = held, which

    def taken(self, rows: npt.NDArray[np.intp]) -> SequenceTable:
        """Return some of the sequences."""
        return SequenceTable(self.held, rows if self._which is None else self._which[rows])

    def weighted(self, weights: Weights | None) -> AnySequences:
        """The chosen sequences, which count so often (None: once)."""
        held = self.held
        assert not isinstance(held, LongRows), "only a question comes as one long sequence"
        numbers = None if weights is None else np.asarray(weights, dtype=np.float64)
        if isinstance(held, StoredSequences):
            chosen = held.some(np.arange(held.count) if self._which is None else self._which)
            chosen.weights = numbers
            return chosen
        part = held if self._which is None else held.only(np.asarray(self._which, dtype=np.int64))
        return replace(part, weights=numbers) if isinstance(part, SequenceBatch) else part


@dataclass(frozen=True)
class SequenceDensity:
    """P(sequence | class) by a fitted hidden Markov model."""

    model: HMM
    label: State

    def log_density(self, rows: FeatureTable, warn: bool) -> FloatArray:
        """Return log P(sequence), one number for each; values never seen are told when they are read."""
        assert isinstance(rows, SequenceTable)
        assert isinstance(rows.held, SequenceBatch | LongRows)
        return log_likelihoods(self.model.model, rows.held)


def require_same_columns(models: Sequence[HMM]) -> None:
    """Check that models emit the same columns with the same symbols, so that densities can be compared."""
    for other in models[1:]:
        if other.column_variables != models[0].column_variables:
            ours, theirs = (listed(one.chain.columns) for one in (models[0], other))
            raise BadQuestion(
                f"The models of two classes emit other columns or symbols ({ours}; {theirs}), so that their "
                "probabilities cannot be compared: give all of them the same emissions=."
            )
