"""Stochastic volatility: a series whose variance is hidden and moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou._native import ParticleRun
from bayou.arguments import real_number
from bayou.temporal.particles.read_series import read_numbers, read_one_row
from bayou.typing import FloatArray

_LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class StochasticVolatility:
    """Returns whose variance moves: x' = mean + persistence (x − mean) + spread e, y = exp(x / 2) v.

    ``spread`` is the standard deviation of the moves; e and v are standard normal. The first x has the
    distribution that x has in the long run.

    ``mean`` and ``persistence`` are those of the log-variance. Raises ``BadQuestion`` for a persistence
    that is not between -1 and 1.

    >>> import bayou
    >>> market = bayou.StochasticVolatility(mean=-1.0, persistence=0.95, spread=0.3)
    >>> bayou.ParticleFilter(market, 500).filter([0.3, -1.2, 0.1]).mean.shape
    (3,)
    """

    mean: float
    persistence: float
    spread: float

    states = None
    shape = ()

    def __post_init__(self) -> None:
        real_number("mean", self.mean, expected="give a finite number")
        persistence = "give a number between -1 and 1"
        real_number("persistence", self.persistence, -1, 1, above=True, below=True, expected=persistence)
        real_number("spread", self.spread, 0, above=True, expected="give a standard deviation above 0")

    def read(self, observations: Any) -> FloatArray:
        """Observations as an array; NaN is a gap."""
        return read_numbers(observations, 1).ravel()

    def read_one(self, observation: Any) -> FloatArray:
        """One observation, as a sequence."""
        return read_one_row(observation, 1).ravel()

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
        long_run = self.spread / np.sqrt(1 - self.persistence**2)
        return core.run_volatility(
            self.mean, self.persistence, self.spread, long_run, observations, guided, levels, keep
        )

    def move_logs(self, old: Any, new: Any) -> FloatArray:
        """The log P(new | old) of pairs of particles."""
        apart = (new - self.mean - self.persistence * (old - self.mean)) / self.spread
        logs: FloatArray = -0.5 * (apart**2 + _LOG_TWO_PI) - np.log(self.spread)
        return logs
