"""Particle filters: hidden states of any model that can be simulated, from observations over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.arguments import real_number, seed_number, whole_number
from bayou.errors import BadData, BadQuestion, TooWide
from bayou.memory import current_limits, require_memory
from bayou.models.particles.filtered_particles import FilteredParticles
from bayou.models.particles.online_particles import OnlineParticles
from bayou.models.particles.smoothed_paths import SmoothedPaths
from bayou.models.sequences.hidden_markov.hmm import HMM
from bayou.temporal.particles.backward_simulation import backward_paths
from bayou.temporal.particles.chain_series import ChainSeries
from bayou.temporal.particles.filter_settings import FilterRun, FilterSettings, FilterTrace
from bayou.temporal.particles.function_run import FunctionRun
from bayou.temporal.particles.linear_series import LinearSeries
from bayou.temporal.particles.native_run import NativeModel, NativeRun
from bayou.temporal.particles.particle_model import ParticleModel
from bayou.temporal.particles.volatility_series import StochasticVolatility
from bayou.typing import FloatArray


class ParticleFilter:
    """Estimates a hidden state that moves from step to step by particles: many weighted guesses of it.

    ``model`` is a :class:`bayou.ParticleModel` (or its three functions start, move and weight), a
    :class:`bayou.LinearSeries`, a :class:`bayou.StochasticVolatility` or a :class:`bayou.HMM`; the last three
    run in the core. ``method`` is ``"bootstrap"`` (particles move blindly and are weighed), ``"guided"``
    (they move with a look at the observation) or ``"auxiliary"`` (those that fit the next observation are
    also resampled more often). Particles are resampled when the effective sample size, 1 / Σ weight², falls
    below the share ``resample_below`` of their number: ``resampling`` is ``"systematic"``,
    ``"stratified"``, ``"residual"`` or ``"multinomial"``. The same seed gives the same result, whatever the
    number of threads.

    Raises ``BadQuestion`` for a number of particles below 1.

    >>> import bayou
    >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
    >>> pf = bayou.ParticleFilter(series, particles=2000)
    >>> found = pf.filter([0.3, None, 1.1, 0.8])
    >>> found.mean.shape, found.effective_size.shape
    ((4,), (4,))
    """

    def __init__(
        self,
        model: Any,
        particles: int = 1000,
        *,
        method: str = "bootstrap",
        resampling: str = "systematic",
        resample_below: float = 0.5,
        seed: int = 0,
    ) -> None:
        self._settings = FilterSettings.checked(particles, method, resampling, resample_below, seed)
        self._open = _runs_of(model)
        self._open(self._settings)  # refuses what does not fit together before there are observations

    @property
    def particles(self) -> int:
        """The number of particles."""
        return self._settings.particles

    def filter(self, observations: Any, *, quantiles: Iterable[float] = ()) -> FilteredParticles:
        """The state at each step, given the observations so far.

        ``observations`` has one for each step; None or NaN is a gap. ``quantiles`` are levels such as
        (0.05, 0.95), for particles that are numbers.

        Raises ``BadQuestion`` for ``quantiles`` that are no numbers from 0 to 1, or are asked of states,
        ``BadData`` for no observations, or some that cannot be read, and ``ImpossibleEvidence`` for
        observations that no particle explains.

        >>> import bayou
        >>> rolls = [6, 6, 6, 1]
        >>> found = bayou.ParticleFilter(bayou.examples.casino(), 20_000).filter(rolls)
        >>> bool(abs(found.probabilities - bayou.examples.casino().filter(rolls)).max() < 0.02)
        True
        """
        run = self._open(self._settings)
        levels = tuple(
            real_number("quantiles", level, 0, 1, expected="give levels from 0 to 1") for level in quantiles
        )
        if levels and run.states is not None:
            raise BadQuestion(
                "States have no quantiles: leave them out, and see .probabilities of the result."
            )
        trace = run.advance(_some(run.read(observations)), levels, keep=False)
        return FilteredParticles(self._settings, trace, levels, run.states)

    def smooth(self, observations: Any, paths: int = 100) -> SmoothedPaths:
        """Paths of the state given all observations, drawn backwards through the filtered particles.

        Each path is one draw from P(all states | all observations). The work is that of particles × paths
        for each step. A model of functions needs ``move_density``.

        ``paths`` is how many are drawn.

        Raises ``BadQuestion`` for a number of paths below 1, ``BadData`` for no observations, or some that
        cannot be read, and ``ImpossibleEvidence`` for observations that no particle explains.

        >>> import bayou
        >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
        >>> bayou.ParticleFilter(series).smooth([0.3, None, 1.1], paths=50).paths.shape
        (50, 3)
        """
        wanted = whole_number("paths", paths, 1)
        run = self._open(self._settings)
        rows = _some(run.read(observations))
        _refuse_large(len(rows) * (self.particles * 24 + wanted * 16))
        trace = run.advance(rows, (), keep=True)
        found = backward_paths(run, trace, wanted, self._settings.seed)
        return SmoothedPaths(self._settings, found, float(trace.log_steps.sum()), run.states)

    def log_likelihood(self, observations: Any, *, seed: int | None = None) -> float:
        """An estimate of log P(observations), whose exponential is right on average.

        Raises ``BadQuestion`` for a ``seed`` below 0, ``BadData`` for no observations, or some that cannot be
        read, and ``ImpossibleEvidence`` for observations that no particle explains.

        >>> import bayou
        >>> round(bayou.ParticleFilter(bayou.examples.casino(), 50_000).log_likelihood([6, 6, 6]), 1)
        -2.9
        """
        settings = self._settings if seed is None else replace(self._settings, seed=seed_number(seed))
        run = self._open(settings)
        return float(self._trace(run, run.read(observations)).log_steps.sum())

    def log_likelihoods(self, observations: Any, runs: int = 100) -> FloatArray:
        """As many estimates of log P(observations), with different seeds: how far one of them can be trusted.

        ``runs`` is how many.

        Raises ``BadData`` for no observations, or some that cannot be read, ``ImpossibleEvidence`` for
        observations that no particle explains, and ``BadQuestion`` for a number of runs below 1.

        >>> import bayou
        >>> logs = bayou.ParticleFilter(bayou.examples.casino(), 500).log_likelihoods([6, 6, 6], runs=200)
        >>> bool(logs.std() < 0.1)
        True
        """
        first = self._settings.seed
        count = whole_number("runs", runs, 1)
        require_memory(count * 8, f"{count:,} estimates", "Ask for fewer runs at a time.")
        found = np.empty(count)
        rows = None
        for k in range(count):
            run = self._open(replace(self._settings, seed=(first + k) % 2**64))
            rows = run.read(observations) if rows is None else rows
            found[k] = self._trace(run, rows).log_steps.sum()
        return found

    def _trace(self, run: FilterRun, rows: Any) -> FilterTrace:
        return run.advance(_some(rows), (), keep=False)

    def online(self) -> OnlineParticles:
        """A filter that takes one observation after the other.

        >>> import bayou
        >>> watch = bayou.ParticleFilter(bayou.examples.casino(), 5000).online()
        >>> [round(watch.observe(roll)["loaded"], 1) for roll in (6, 6, 1)]
        [0.8, 0.9, 0.7]
        """
        return OnlineParticles(self._open(self._settings))

    def __repr__(self) -> str:
        s = self._settings
        when = (
            "at every step" if s.resample_below == 1 else f"below {s.resample_below:.0%} effective particles"
        )
        when = "never resampled" if s.resample_below == 0 else f"{s.resampling} resampling {when}"
        return f"ParticleFilter: {s.particles:,} particles, {s.method}, {when}, seed {s.seed}"


def _nothing() -> BadData:
    return BadData("There are no observations: give at least one step.")


def _runs_of(model: Any) -> Callable[[FilterSettings], FilterRun]:
    """What opens a run of this model."""
    if isinstance(model, HMM):
        hmm = model.copy()  # which learns no more

        def rows_of(data: Any) -> Any:
            rows = hmm.read_rows(data)
            if len(rows.starts) > 2:
                raise BadData(f"There are {len(rows.starts) - 1} sequences; give one at a time.")
            if len(rows.starts) < 2:
                raise _nothing()
            return rows

        model = ChainSeries(hmm.model, rows_of)
    if isinstance(model, LinearSeries | StochasticVolatility | ChainSeries):
        native: NativeModel = model
        return lambda settings: NativeRun(native, settings)
    if isinstance(model, tuple | list) and len(model) == 3 and all(map(callable, model)):
        model = ParticleModel(*model)
    if isinstance(model, ParticleModel):
        given = model
        return lambda settings: FunctionRun(given, settings)
    raise BadQuestion(
        f"model is a {type(model).__name__}: give a bayou.ParticleModel, its three functions (start, move, "
        "weight), a bayou.LinearSeries, a bayou.StochasticVolatility or a bayou.HMM."
    )


def _some(rows: Any) -> Any:
    if not len(rows):
        raise _nothing()
    return rows


def _refuse_large(size: int) -> None:
    most = current_limits().memory
    if size > most:
        raise TooWide(
            f"Smoothing keeps the particles and paths of all steps, about {size / 2**30:.1f} GiB; at most "
            f"{most / 2**30:.1f} GiB are allowed. Use fewer particles or paths, a part of the sequence, or "
            "allow more with bayou.limits(memory=…)."
        )
