"""A hidden Markov model with uncertain findings about the rows of one sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_emissions import Coded
from bayou.temporal.chain_model import Borders, ChainModel
from bayou.temporal.kernel_arguments import KernelArguments, KernelGaussian
from bayou.typing import FloatArray


@dataclass(frozen=True, eq=False)
class WeightedChain(ChainModel):
    """A model in which ``weights`` are log P(uncertain findings of a row | state), [row, state].

    It answers about the one sequence that the weights belong to.
    """

    weights: FloatArray

    def arguments(
        self, part: SequenceBatch, coded: Sequence[Coded] | None = None, borders: Borders | None = None
    ) -> tuple[KernelArguments, KernelGaussian | None]:
        """What all kernels take: those of the model, with the weights added to the densities of the rows."""
        own, gaussian = super().arguments(part, coded, borders)
        start, moves, end, starts, columns, tables, logs = own
        added = self.weights if logs is None else logs + self.weights
        return (start, moves, end, starts, columns, tables, added), gaussian
