"""The particle filter of a model that the core knows."""

from __future__ import annotations

from math import prod
from typing import Any, Protocol

import numpy as np

from bayou._native import ParticleRun
from bayou.temporal.particles.filter_settings import (
    RESAMPLING,
    FilterSettings,
    FilterTrace,
    no_weight_left,
    require_room,
)
from bayou.typing import FloatArray


class NativeModel(Protocol):
    """A model that runs in the core."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one particle: () for a number."""

    @property
    def states(self) -> Any:
        """The names of the states, if particles are codes; else None."""

    def read(self, observations: Any) -> Any:
        """One sequence of observations as arrays."""

    def read_one(self, observation: Any) -> Any:
        """One observation, as a sequence."""

    def run(
        self,
        core: ParticleRun,
        observations: Any,
        levels: list[float],
        *,
        first: bool,
        guided: bool,
        keep: bool,
    ) -> Any:
        """Let the core take the observations."""

    def move_logs(self, old: Any, new: Any) -> FloatArray:
        """The log P(new | old) of pairs of particles."""


class NativeRun:
    """Particles that the core moves, weighs and resamples."""

    def __init__(self, model: NativeModel, settings: FilterSettings) -> None:
        require_room(settings.particles, prod(model.shape))
        self.states = model.states
        self._model, self._settings, self._step = model, settings, 0
        kind = RESAMPLING.index(settings.resampling)
        self._core = ParticleRun(
            settings.particles, settings.seed, kind, settings.resample_below, settings.looks_ahead
        )

    def read(self, observations: Any) -> Any:
        """One sequence of observations as arrays."""
        return self._model.read(observations)

    def read_one(self, observation: Any) -> Any:
        """One observation, as a sequence."""
        return self._model.read_one(observation)

    def advance(self, observations: Any, levels: tuple[float, ...], *, keep: bool) -> FilterTrace:
        """Take observations, one after the other."""
        guided = self._settings.method != "bootstrap"
        found = self._model.run(
            self._core, observations, list(levels), first=self._step == 0, guided=guided, keep=keep
        )
        done, log_steps, sizes, resampled, means, spreads, quantiles, kept, kept_logs = found
        if done < len(log_steps):
            raise no_weight_left(self._step + done)
        self._step += done
        shape, coded = self._model.shape, self.states is not None
        return FilterTrace(
            log_steps,
            sizes,
            resampled.astype(np.bool_),
            means if coded else means.reshape(-1, *shape),
            None if coded else spreads.reshape(-1, *shape),
            None if coded or not levels else quantiles.reshape(-1, len(levels), *shape),
            [self._as_particles(states) for states in kept],
            kept_logs,
        )

    def _as_particles(self, states: FloatArray) -> Any:
        """Particles [particle, …] from the core's [component, particle]."""
        if self.states is not None:
            return states[0].astype(np.int64)
        return np.ascontiguousarray(states.T).reshape(-1, *self._model.shape)

    def weighted_particles(self) -> tuple[Any, FloatArray]:
        """The particles and their weights, which sum to 1."""
        states, logs = self._core.particles()
        weights = np.exp(logs - logs.max())
        return self._as_particles(states), weights / weights.sum()

    def move_logs(self, step: int, old: Any, new: Any) -> FloatArray:
        """The log P(new | old) of pairs of particles."""
        return self._model.move_logs(old, new)
