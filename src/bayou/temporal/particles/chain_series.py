"""Hidden Markov models as models of particles: each particle is the code of a state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou._native import ParticleRun
from bayou.errors import BadQuestion
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_model import ChainModel
from bayou.typing import FloatArray, State


@dataclass(frozen=True, eq=False)
class ChainSeries:
    """A hidden Markov model with parameters; ``rows_of`` reads the observations of one sequence."""

    model: ChainModel
    rows_of: Callable[[Any], SequenceBatch]

    shape = ()

    def __post_init__(self) -> None:
        if self.model.chain.ends:
            raise BadQuestion(
                "Particles know nothing of sequences that end by chance (ends=True). Ask the model itself: "
                "its filter and smooth are exact."
            )

    @property
    def states(self) -> tuple[State, ...]:
        """The names of the states."""
        return self.model.chain.state.states

    def read(self, observations: Any) -> FloatArray:
        """The log P(observation | state), [step, state]."""
        rows = self.rows_of(observations)
        emissions = self.model.emissions
        logs = np.zeros((rows.rows, self.model.chain.states))
        with np.errstate(divide="ignore"):
            for one in emissions.coded(rows.batch):
                logs += np.log(one.table[np.minimum(one.codes.astype(np.int64), len(one.table) - 1)])
        dense = emissions.logs(rows.batch)
        return logs if dense is None else logs + dense

    def read_one(self, observation: Any) -> FloatArray:
        """One observation, as a sequence."""
        columns = self.model.chain.columns
        if observation is None:
            return np.zeros((1, self.model.chain.states))
        if isinstance(observation, dict):
            return self.read({name: [observation.get(name)] for name in columns})
        cells = list(observation) if isinstance(observation, list | tuple | np.ndarray) else [observation]
        if len(cells) != len(columns):
            raise BadQuestion(f"An observation has {len(columns)} columns, not {len(cells)}.")
        return self.read({name: [cell] for name, cell in zip(columns, cells, strict=True)})

    def run(
        self,
        core: ParticleRun,
        observations: FloatArray,
        levels: list[float],
        *,
        first: bool,
        guided: bool,
        keep: bool,
    ) -> Any:
        """Let the core take the observations."""
        return core.run_codes(self.model.start, self.model.transition, observations, guided, keep)

    def move_logs(self, old: Any, new: Any) -> FloatArray:
        """The log P(new | old) of pairs of particles."""
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.model.transition)[old, new]
        return logs
