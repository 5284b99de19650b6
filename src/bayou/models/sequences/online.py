"""Observations that arrive one by one: filtered states, surprise, forecasts, smoothing with a fixed lag."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, counted
from bayou.models.sequences.forecast import Forecast, forecast
from bayou.models.sequences.input.sequence_input import sequences_given
from bayou.schema import label
from bayou.temporal.chain_model import ChainModel
from bayou.typing import FloatArray, State


class OnlineFilter:
    """Takes one observation after the other, in constant memory.

    >>> import bayou
    >>> watch = bayou.examples.casino().online()
    >>> [round(watch.observe(roll)["loaded"], 3) for roll in (6, 6, 1)]
    [0.75, 0.868, 0.691]
    >>> round(watch.surprise, 3), watch.steps
    (2.17, 3)
    """

    def __init__(self, model: ChainModel, lag: int = 0) -> None:
        self._model = model
        self._belief: FloatArray | None = None
        self._emitted: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=lag + 1)
        self.steps = 0
        self.log_likelihood = 0.0
        self.surprise = 0.0

    def __repr__(self) -> str:
        shares = ", ".join(f"{label(state)}: {share:.4g}" for state, share in self.states.items())
        return f"OnlineFilter after {counted(self.steps, 'step')}: {shares}"

    def observe(self, observation: Any) -> dict[State, float]:
        """Take an observation (a value, a mapping of columns, or None for a gap); return P(state | all so
        far).
        """
        likelihood, offset = self._likelihood(observation)
        model = self._model
        predicted = model.start if self._belief is None else self._belief @ model.transition
        joint = predicted * likelihood
        total = float(joint.sum())
        if not total > 0:
            raise ImpossibleEvidence(
                f"Observation {self.steps} ({observation!r}) is impossible after those before it; the "
                "filter is unchanged."
            )
        self._belief = joint / total
        self._emitted.append((self._belief, likelihood))
        self.surprise = -(float(np.log(total)) + offset)
        self.log_likelihood -= self.surprise
        self.steps += 1
        return self.states

    @property
    def states(self) -> dict[State, float]:
        """P(state | all observations so far)."""
        shares = self._model.start if self._belief is None else self._belief
        chain = self._model.chain
        return dict(zip(chain.user_state.states, chain.folded(shares).tolist(), strict=True))

    def forecast(self, steps: int = 1) -> Forecast:
        """The next steps."""
        return forecast(self._model, self._belief, steps)

    def lagged(self) -> dict[State, float]:
        """P(state of the oldest step that is kept | all observations so far)."""
        if not self._emitted:
            raise BadQuestion("Nothing has been observed yet.")
        message = np.ones(self._model.chain.states)
        for _, likelihood in reversed(list(self._emitted)[1:]):
            message = self._model.transition @ (likelihood * message)
            message = message / message.sum()
        joint = self._emitted[0][0] * message
        chain, shares = self._model.chain, joint / joint.sum()
        return dict(zip(chain.user_state.states, chain.folded(shares).tolist(), strict=True))

    def _likelihood(self, observation: Any) -> tuple[FloatArray, float]:
        """P(observation | state), divided by exp(offset)."""
        chain = self._model.chain
        if not isinstance(observation, Mapping):
            cells = list(observation) if isinstance(observation, list | tuple | np.ndarray) else [observation]
            if len(cells) != len(chain.columns):
                raise BadQuestion(f"An observation has {len(chain.columns)} columns, not {len(cells)}.")
            observation = dict(zip(chain.columns, cells, strict=True))
        variables = [chain.structure.declared[name] for name in chain.columns]
        given = sequences_given({name: [value] for name, value in observation.items()})
        batch = given.new_rows(variables).batch
        logs = np.zeros(chain.states)
        with np.errstate(divide="ignore"):
            for one in self._model.emissions.coded(batch):
                logs += np.log(one.table[min(int(one.codes[0]), len(one.table) - 1)])
        dense = self._model.emissions.logs(batch)
        logs = logs if dense is None else logs + dense[0]
        offset = float(logs.max()) if np.isfinite(logs.max()) else 0.0
        return np.exp(logs - offset), offset
