"""A bootstrap particle filter: 10,000 particles, 1,000 steps of an AR(1) that is observed with noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work

PARTICLES, STEPS = 10_000, 1_000
RUNS = 10
"""Estimates of the log-likelihood, whose spread is told (not timed)."""
PULL, SPREAD, NOISE = 0.9, 0.5, 0.7
START = SPREAD / (1 - PULL**2) ** 0.5


def series(scale: float) -> Any:
    """One series of the model."""
    chance = np.random.default_rng(1)
    hidden = [chance.normal(0, START)]
    for _ in range(max(20, int(STEPS * scale)) - 1):
        hidden.append(PULL * hidden[-1] + chance.normal(0, SPREAD))
    return np.array(hidden) + chance.normal(0, NOISE, len(hidden))


def spread_of(estimate: Callable[[int], float]) -> Callable[[Any], dict[str, float]]:
    """The spread of the log-likelihood over some seeds."""
    return lambda _: {"spread of the log": float(np.std([estimate(seed) for seed in range(RUNS)]))}


def bayou_work(model: Any, seen: Any) -> Work:
    """Filter with means, spreads and effective sizes of every step."""
    import bayou

    def run(seed: int = 0) -> Any:
        return bayou.ParticleFilter(model, PARTICLES, seed=seed).filter(seen)

    return Work(
        run, lambda found: found.log_likelihood, facts=spread_of(lambda seed: run(seed).log_likelihood)
    )


def native(scale: float) -> Work:
    """The model that is in the core."""
    import bayou

    return bayou_work(bayou.LinearSeries(PULL, SPREAD**2, 1, NOISE**2), series(scale))


def functions(scale: float) -> Work:
    """Three Python functions."""
    constant = -np.log(2 * np.pi * NOISE**2) / 2

    def start(n: int, random: Any) -> Any:
        return random.normal(0, START, n)

    def move(x: Any, random: Any) -> Any:
        return PULL * x + random.normal(0, SPREAD, len(x))

    def weight(x: Any, y: float) -> Any:
        return constant - ((y - x) / NOISE) ** 2 / 2

    return bayou_work((start, move, weight), series(scale))


def particles_package(scale: float) -> Work:
    """The package particles: its bootstrap filter, without any moments."""
    import particles
    from particles import distributions, state_space_models

    class Series(state_space_models.StateSpaceModel):
        def PX0(self) -> Any:
            return distributions.Normal(scale=START)

        def PX(self, t: int, xp: Any) -> Any:
            return distributions.Normal(loc=PULL * xp, scale=SPREAD)

        def PY(self, t: int, xp: Any, x: Any) -> Any:
            return distributions.Normal(loc=x, scale=NOISE)

    model = state_space_models.Bootstrap(ssm=Series(), data=series(scale))

    def run(seed: int = 0) -> Any:
        np.random.seed(seed)  # noqa: NPY002 - what the package draws with
        smc = particles.SMC(fk=model, N=PARTICLES, resampling="systematic", ESSrmin=0.5)
        smc.run()
        return smc

    return Work(run, lambda smc: float(smc.logLt), facts=spread_of(lambda seed: float(run(seed).logLt)))


CASE = Case(
    "particles",
    "bootstrap particle filter, 10,000 particles × 1,000 steps of an AR(1) with noise",
    {"bayou": native, "bayou, three Python functions": functions, "particles": particles_package},
    targets={"particles": 25},
    other_targets={("bayou, three Python functions", "particles"): 8},
    tolerance=0.02,
    note="The check is the estimated log-likelihood, which differs from run to run.",
)
