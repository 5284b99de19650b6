"""Answers about one plain sequence: read, computed by one kernel and handed back, with nothing in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from bayou.models.sequences.forecast import Forecast, forecast
from bayou.models.sequences.input.hmm_input import HMMInput
from bayou.models.sequences.state_answers import StateBeliefs, StatePath
from bayou.temporal.ready_chain import ReadyChain
from bayou.typing import CodeArray, FloatArray

Options: TypeAlias = Mapping[str, Any]


class ShortAnswers(HMMInput):
    """A model that answers about one sequence in a list or an array the short way.

    Programs that watch something ask about one short sequence at a time; on the long way everything else
    would take longer than the kernel. None of these methods raises an error: they return None if the data or
    the model are not so plain, or the sequence is impossible; then the question goes the long way, which says
    what is wrong if something is. Both ways call the same kernels with the same arguments.
    """

    _kept_ready: ReadyChain | None = None

    def _short_way(
        self, data: Any, options: Options
    ) -> tuple[ReadyChain, list[CodeArray], list[FloatArray]] | None:
        """The model and the columns of the sequence."""
        if options or self._chain is None:
            return None
        model, kept = self.model, self._kept_ready
        if kept is None or kept.model is not model:
            kept = self._kept_ready = ReadyChain(model)
        found = self._reader.columns(data) if kept.is_able else None
        if found is None:
            return None
        codes, numbers, finite = found
        return (kept, codes, numbers) if finite else None

    def _short_filter(self, title: str, data: Any, options: Options) -> StateBeliefs | None:
        short = self._short_way(data, options)
        if short is None:
            return None
        ready, codes, numbers = short
        logs, steps, states = ready.filtered(codes, numbers)
        return self._belief(title, logs, states, steps)

    def _short_smooth(self, title: str, data: Any, options: Options) -> StateBeliefs | None:
        short = self._short_way(data, options)
        if short is None:
            return None
        ready, codes, numbers = short
        return self._belief(title, *ready.smoothed(codes, numbers), None)

    def _belief(
        self, title: str, logs: FloatArray, states: FloatArray, steps: FloatArray | None
    ) -> StateBeliefs | None:
        if logs[0] == -np.inf:
            return None
        chain = self.chain
        return StateBeliefs(title, chain.user_state, chain.folded(states), float(logs[0]), steps)

    def _short_path(self, data: Any, options: Options) -> StatePath | None:
        short = self._short_way(data, options)
        if short is None:
            return None
        ready, codes, numbers = short
        path, logs = ready.decoded(codes, numbers)
        if logs[0] == -np.inf:
            return None
        return StatePath(self.chain.user_state, self.chain.seen_codes(path), float(logs[0]))

    def _short_logs(self, data: Any, options: Options) -> FloatArray | None:
        short = self._short_way(data, options)
        if short is None:
            return None
        ready, codes, numbers = short
        return ready.log_likelihoods(codes, numbers)

    def _short_steps(self, data: Any, options: Options) -> FloatArray | None:
        short = self._short_way(data, options)
        if short is None:
            return None
        ready, codes, numbers = short
        return ready.filtered(codes, numbers)[1]

    def _short_forecast(self, data: Any, steps: int, options: Options) -> Forecast | None:
        short = self._short_way(data, options)
        if short is None:
            return None
        ready, codes, numbers = short
        logs, _, states = ready.filtered(codes, numbers)
        return None if logs[0] == -np.inf else forecast(ready.model, states[-1], steps)
