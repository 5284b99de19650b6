"""The particle filter of a model that is given by Python functions."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any

import numpy as np

from bayou._native import resample_particles, weigh_particles, weighted_moments, weighted_quantiles
from bayou.errors import BadData, BadQuestion
from bayou.temporal.particles.filter_settings import (
    RESAMPLING,
    FilterSettings,
    FilterTrace,
    is_gap,
    no_weight_left,
    require_room,
)
from bayou.temporal.particles.particle_model import CheckedFunctions, ParticleModel
from bayou.temporal.particles.particle_random import ParticleRandom
from bayou.typing import FloatArray

_NEEDED = {"guided": "propose", "auxiliary": "look_ahead"}


class FunctionRun:
    """Particles that users' functions move and weigh; the rest is done by the core."""

    def __init__(self, model: ParticleModel, settings: FilterSettings) -> None:
        needed = _NEEDED.get(settings.method)
        if needed is not None and getattr(model, needed) is None:
            raise BadQuestion(
                f"method={settings.method!r} needs the function {needed}= of the model; give it, or use "
                'method="bootstrap".'
            )
        require_room(settings.particles, 1)
        self.states = model.states
        self._model, self._settings = model, settings
        self._functions = CheckedFunctions(model, settings.particles)
        self._random = ParticleRandom(settings.seed)
        self._step, self._moved_by = 0, "start"
        self._particles: Any = None
        self._even = np.zeros(settings.particles)
        self._logs = self._even  # of the weights, since the last resampling
        self._shares = self._weights = np.full(settings.particles, 1 / settings.particles)
        self._log_mean, self._size = 0.0, float(settings.particles)

    def read(self, observations: Any) -> Sequence[Any]:
        """One sequence of observations: each item of it goes to the functions as it is."""
        if hasattr(observations, "to_numpy"):
            observations = observations.to_numpy()
        if isinstance(observations, str | bytes) or not hasattr(observations, "__len__"):
            raise BadData("observations: give a list or an array with an observation for each step.")
        return observations  # type: ignore[no-any-return]

    def read_one(self, observation: Any) -> Sequence[Any]:
        """One observation, as a sequence."""
        return [observation]

    def advance(self, observations: Sequence[Any], levels: tuple[float, ...], *, keep: bool) -> FilterTrace:
        """Take observations, one after the other."""
        rows = len(observations)
        log_steps, sizes, resampled = np.zeros(rows), np.zeros(rows), np.zeros(rows, np.bool_)
        means, spreads, quantiles, kept, kept_logs = [], [], [], [], []
        for row, observation in enumerate(observations):
            log_steps[row], resampled[row] = self._take(None if is_gap(observation) else observation)
            sizes[row] = self._size
            mean, spread, quantile = self._summary(levels)
            means.append(mean)
            spreads.append(spread)
            quantiles.append(quantile)
            if keep:
                kept.append(self._particles.copy())  # move may go on in the same array
                kept_logs.append(self._logs)
        coded = self.states is not None
        return FilterTrace(
            log_steps,
            sizes,
            resampled,
            np.array(means),
            None if coded else np.array(spreads),
            None if coded or not levels else np.array(quantiles),
            kept,
            np.array(kept_logs),
        )

    def _take(self, observation: Any) -> tuple[float, bool]:
        """Move and weigh the particles; returns log P(observation | those before), and whether resampled."""
        step, functions = self._step, self._functions
        before, ahead = 0.0, None
        resampled = False
        if step > 0:
            resampled, before, ahead = self._resampled(observation)
        self._particles, change = self._moved(observation)
        if observation is not None:
            weights = functions.logs("weight", step, self._particles, observation)
            total = weights if change is None else weights + change
            if ahead is not None:
                total = total - ahead
            logs, shares, log_mean, size = weigh_particles(self._logs, total)
            if isnan(log_mean):
                self._refuse_bad_particles()
                functions.refuse_bad_logs("weight", step, weights)
                functions.refuse_bad_logs(self._moved_by, step, total)
            if log_mean == -np.inf:
                raise no_weight_left(step)
            self._logs, self._weights, self._log_mean, self._size = logs, shares, log_mean, size
        self._step += 1
        return self._log_mean - before, resampled

    def _resampled(self, observation: Any) -> tuple[bool, float, FloatArray | None]:
        """Resample if the effective size asks for it.

        Returns whether it did, what the log of the mean weight counts from, and the look-ahead by which the
        new particles were chosen.
        """
        settings, step = self._settings, self._step
        weights, size, ahead, before = self._weights, self._size, None, 0.0
        if settings.looks_ahead and observation is not None:
            ahead = self._functions.logs("look_ahead", step, self._particles, observation)
            _, weights, log_mean, size = weigh_particles(self._logs, ahead)
            if isnan(log_mean):
                self._functions.refuse_bad_logs("look_ahead", step, ahead)
            if log_mean == -np.inf:  # a look-ahead that excludes every particle is not believed
                return False, self._log_mean, None
            before = self._log_mean - log_mean
        if settings.resample_below < 1 and size >= settings.resample_below * settings.particles:
            return False, self._log_mean, None
        number = RESAMPLING.index(settings.resampling)
        ancestors = resample_particles(weights, number, settings.seed, step)
        self._particles = self._particles.take(ancestors, axis=0)
        self._logs, self._log_mean, self._size = self._even, 0.0, float(settings.particles)
        self._weights = self._shares
        return True, before, None if ahead is None else ahead[ancestors]

    def _moved(self, observation: Any) -> tuple[Any, FloatArray | None]:
        """New particles, and the logs of their corrections if they were proposed."""
        model, functions, step = self._model, self._functions, self._step
        guided = self._settings.method != "bootstrap" and observation is not None
        name = "move" if step else "start"
        if guided and getattr(model, "propose" if step else "propose_start") is not None:
            name = "propose" if step else "propose_start"
        self._moved_by = name
        origin = self._particles if step else self._settings.particles
        if name.startswith("propose"):
            return functions.proposed(name, step, origin, observation, self._random)
        return functions.particles(name, step, origin, self._random), None

    def _refuse_bad_particles(self) -> None:
        self._functions.refuse_bad_particles(self._moved_by, self._step, self._particles)

    def _summary(self, levels: tuple[float, ...]) -> tuple[Any, Any, Any]:
        """Mean, spread and quantiles of the particles, or the probabilities of the states."""
        weights, particles = self._weights, self._particles
        if self.states is not None:
            return np.bincount(particles, weights, len(self.states)), None, None
        shape = particles.shape[1:]
        flat = particles[:, None] if particles.ndim == 1 else particles.reshape(len(particles), -1)
        mean, spread = weighted_moments(np.ascontiguousarray(flat, dtype=np.float64), weights)
        if not isfinite(sum(mean.tolist())):
            self._step -= 1
            self._refuse_bad_particles()
        quantiles = None
        if levels:
            columns = [np.ascontiguousarray(column, dtype=np.float64) for column in flat.T]
            found = [weighted_quantiles(column, weights, list(levels)) for column in columns]
            quantiles = np.array(found).T.reshape(len(levels), *shape)
        return mean.reshape(shape), spread.reshape(shape), quantiles

    def weighted_particles(self) -> tuple[Any, FloatArray]:
        """The particles and their weights, which sum to 1."""
        return self._particles.copy(), self._weights.copy()

    def move_logs(self, step: int, old: Any, new: Any) -> FloatArray:
        """The log P(new | old) of pairs of particles; ``step`` is that of the new ones."""
        if self._model.move_density is None:
            raise BadQuestion(
                "Smoothing needs the function move_density= of the model: log P(new | old) for arrays of "
                "pairs."
            )
        found = self._functions.pair_logs("move_density", step, old, new)
        if np.isnan(found).any():
            raise BadData(f"Step {step}: move_density returned NaN; it must return logarithms (-inf for 0).")
        return found
