"""How a particle filter works, checked; and what it found at each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bayou.arguments import real_number, seed_number, whole_number
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.memory import require_memory
from bayou.typing import BoolArray, FloatArray

METHODS = ("bootstrap", "guided", "auxiliary")
RESAMPLING = ("systematic", "stratified", "residual", "multinomial")
"""In the order of the core's numbers for them."""

_ALWAYS_THERE = 2**26
"""Bytes that are not asked for: looking at the memory that is free takes longer than a short run."""


@dataclass(frozen=True)
class FilterSettings:
    """The number of particles, how they are moved, and when and how they are resampled."""

    particles: int
    method: str
    resampling: str
    resample_below: float
    seed: int

    @classmethod
    def checked(
        cls, particles: Any, method: Any, resampling: Any, resample_below: Any, seed: Any
    ) -> FilterSettings:
        """Settings from arguments of users."""
        if method not in METHODS:
            raise BadQuestion.choice("method", method, METHODS)
        if resampling not in RESAMPLING:
            raise BadQuestion.choice("resampling", resampling, RESAMPLING)
        count = whole_number("particles", particles, 1)
        if count >= 2**32:
            raise BadQuestion(f"particles={count}: give a whole number from 1 to 2**32 - 1.")
        share = "give a share of the particles from 0 (never resample) to 1 (resample at every step)"
        return cls(
            count,
            method,
            resampling,
            real_number("resample_below", resample_below, 0, 1, expected=share),
            seed_number(seed),
        )

    @property
    def looks_ahead(self) -> bool:
        """Whether particles are resampled by a look-ahead at the next observation."""
        return self.method == "auxiliary"


@dataclass(frozen=True, eq=False)
class FilterTrace:
    """What a filter found at each step: arrays [step, …].

    ``means`` are those of the particles, or the probabilities of the states, [step, state], if they are
    codes; these have no ``spreads`` and ``quantiles``. ``kept`` and ``kept_logs`` are the particles and the
    logs of their weights, if they were asked for.
    """

    log_steps: FloatArray
    effective_sizes: FloatArray
    resampled: BoolArray
    means: FloatArray
    spreads: FloatArray | None
    quantiles: FloatArray | None
    kept: Any = None
    kept_logs: FloatArray | None = None


class FilterRun(Protocol):
    """A filter that goes on from call to call; ``read`` makes its observations of what users give."""

    states: Any

    def read(self, observations: Any) -> Any:
        """One sequence of observations."""

    def read_one(self, observation: Any) -> Any:
        """One observation, as a sequence."""

    def advance(self, observations: Any, levels: tuple[float, ...], *, keep: bool) -> FilterTrace:
        """Take observations, one after the other."""

    def weighted_particles(self) -> tuple[Any, FloatArray]:
        """The particles and their weights, which sum to 1."""

    def move_logs(self, step: int, old: Any, new: Any) -> FloatArray:
        """The log P(new | old) of pairs of particles."""


def require_room(particles: int, components: int) -> None:
    """Raise TooWide if as many particles do not fit into memory.

    A filter holds the particles of two steps and random numbers for a third, and five numbers for each.
    """
    needed = particles * 8 * (3 * components + 5)
    if needed > _ALWAYS_THERE:
        require_memory(needed, f"A filter of {particles:,} particles", "Use fewer particles.")


def no_weight_left(step: int) -> ImpossibleEvidence:
    """The error where every particle has weight 0."""
    return ImpossibleEvidence(
        f"Step {step}: no particle can explain the observation (all weights are 0). Check the observation, "
        'use more particles or method="guided", or a model whose observations have heavier tails. For a '
        "gap, give None or NaN."
    )


def is_gap(observation: Any) -> bool:
    """Whether an observation is None, NaN, or an array of NaN only.

    >>> [is_gap(value) for value in (None, float("nan"), 0.0, "x", np.array([np.nan, 1.0]))]
    [True, True, False, False, False]
    """
    if observation is None:
        return True
    if isinstance(observation, float):
        return observation != observation
    if isinstance(observation, np.ndarray | list | tuple) and len(observation):
        return all(is_gap(part) for part in observation)
    return isinstance(observation, np.floating) and bool(np.isnan(observation))
