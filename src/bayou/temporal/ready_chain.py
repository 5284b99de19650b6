"""A hidden Markov model that answers about one sequence at a time, with everything for the kernels ready."""

from __future__ import annotations

import numpy as np

from bayou._native import best_paths, expect_chain, filter_chain
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.kernel_arguments import KernelArguments, KernelGaussian
from bayou.typing import CodeArray, FloatArray, IntArray


class ReadyChain:
    """A model whose kernels compute all densities by themselves: of symbols and of finite Gaussian numbers.

    The sequence comes as the codes of the columns of symbols and the numbers of the others, in the order of
    the model's columns. The kernels and their arguments are those of ``ChainModel``, so all answers are the
    same.
    """

    def __init__(self, model: ChainModel) -> None:
        self.model = model
        self._ready = model.emissions.in_kernel
        self._starts = np.array((0, 0), np.int64)

    @property
    def is_able(self) -> bool:
        """Whether the kernels need nothing else."""
        return self._ready is not None

    def _arguments(
        self, codes: list[CodeArray], numbers: list[FloatArray]
    ) -> tuple[KernelArguments, KernelGaussian | None]:
        assert self._ready is not None
        tables, gaussian = self._ready
        rows, starts = len(codes[0] if codes else numbers[0]), self._starts
        if starts[1] != rows:
            starts = self._starts = np.array((0, rows), np.int64)
        model = self.model
        whole = (model.start, model.transition, model.end, starts, codes, tables, None)
        return whole, None if gaussian is None else (numbers, *gaussian)

    def log_likelihoods(self, codes: list[CodeArray], numbers: list[FloatArray]) -> FloatArray:
        """log P(sequence), in an array."""
        arguments, gaussian = self._arguments(codes, numbers)
        return filter_chain(*arguments, states=False, gaussian=gaussian)[0]

    def filtered(
        self, codes: list[CodeArray], numbers: list[FloatArray]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(log P(sequence), log P(row | rows before), P(state | rows so far))."""
        arguments, gaussian = self._arguments(codes, numbers)
        return filter_chain(*arguments, gaussian=gaussian)

    def smoothed(self, codes: list[CodeArray], numbers: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """(log P(sequence), P(state | all rows))."""
        arguments, gaussian = self._arguments(codes, numbers)
        found = expect_chain(*arguments, None, counts=False, smoothed=True, gaussian=gaussian)
        return found[0], found[5]

    def decoded(self, codes: list[CodeArray], numbers: list[FloatArray]) -> tuple[IntArray, FloatArray]:
        """(codes of the most probable states, the log probability of the sequence with them)."""
        arguments, gaussian = self._arguments(codes, numbers)
        path, logs = best_paths(*arguments, gaussian=gaussian)
        return path.astype(np.int64), logs
