"""A model of a hidden state over time that is given by functions on whole arrays of particles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion
from bayou.typing import FloatArray, State

_OPTIONAL = ("propose", "propose_start", "look_ahead", "move_density")


@dataclass(frozen=True)
class ParticleModel:
    """How a hidden state starts, moves and is observed, as functions on arrays of n particles.

    ``start(n, random)`` returns n particles, an array of shape (n,) or (n, …); ``move(particles, random)``
    returns them one step later; ``weight(particles, observation)`` returns log P(observation | particle), an
    array of n numbers. ``random`` is a numpy generator. A function that has a parameter ``step`` gets the
    number of the step, too.

    Further functions are optional. ``propose(particles, observation, random)`` moves the particles with a
    look at the observation, for ``method="guided"``: it returns them, and the logs of P(move) / P(this
    proposal). ``propose_start(n, observation, random)`` does so at the first step.
    ``look_ahead(particles, observation)`` guesses log P(observation | particle one step before), for
    ``method="auxiliary"``. ``move_density(old, new)`` returns log P(new | old) for arrays of pairs, for
    ``smooth``. ``states`` are the names of the states, if particles are codes 0, 1, 2, ….

    >>> import bayou
    >>> walk = ParticleModel(
    ...     start=lambda n, random: random.normal(0, 1, n),
    ...     move=lambda x, random: x + random.normal(0, 0.5, len(x)),
    ...     weight=lambda x, seen: -((seen - x) ** 2) / 2,
    ... )
    >>> bayou.ParticleFilter(walk, 1000).filter([0.3, 0.1, 0.7]).mean.shape
    (3,)
    """

    start: Callable[..., Any]
    move: Callable[..., Any]
    weight: Callable[..., Any]
    propose: Callable[..., Any] | None = None
    propose_start: Callable[..., Any] | None = None
    look_ahead: Callable[..., Any] | None = None
    move_density: Callable[..., Any] | None = None
    states: Sequence[State] | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            function = getattr(self, one.name)
            if one.name == "states" or (function is None and one.name in _OPTIONAL):
                continue
            if not callable(function):
                raise BadQuestion(f"{one.name}={function!r}: give a function; see bayou.ParticleModel.")
        if self.states is not None:
            object.__setattr__(self, "states", tuple(self.states))


class CheckedFunctions:
    """The functions of a model, called with the step if they ask for it; what they return is checked."""

    def __init__(self, model: ParticleModel, particles: int) -> None:
        self._model, self._n = model, particles
        self._takes_step = {one.name: _takes_step(getattr(model, one.name)) for one in fields(model)}
        self._shape: tuple[int, ...] | None = None

    def call(self, name: str, step: int, *arguments: Any) -> Any:
        """What the function ``name`` returns."""
        function = getattr(self._model, name)
        return function(*arguments, step=step) if self._takes_step[name] else function(*arguments)

    def particles(self, name: str, step: int, *arguments: Any) -> Any:
        """An array of particles that a function returns."""
        return self._as_particles(name, step, self.call(name, step, *arguments))

    def proposed(self, name: str, step: int, *arguments: Any) -> tuple[Any, FloatArray]:
        """Particles and the logs of their corrections that a proposal returns."""
        found = self.call(name, step, *arguments)
        if not isinstance(found, tuple) or len(found) != 2:
            raise BadData(
                f"Step {step}: {name} returned {_kind(found)}; it must return two arrays, the particles and "
                "log P(move) - log P(proposal) of each."
            )
        return self._as_particles(name, step, found[0]), self._as_logs(name, step, found[1])

    def logs(self, name: str, step: int, *arguments: Any) -> FloatArray:
        """One logarithm for each particle that a function returns."""
        return self._as_logs(name, step, self.call(name, step, *arguments))

    def _as_particles(self, name: str, step: int, found: Any) -> Any:
        array = np.asarray(found)
        expected = self._shape or (self._n, *array.shape[1:])
        if array.shape != expected or array.dtype.kind not in "fiub":
            shape = f"{expected}" if self._shape else f"({self._n},) or ({self._n}, …)"
            raise BadData(
                f"Step {step}: {name} returned {_kind(found)}; it must return an array of numbers of shape "
                f"{shape}, one entry for each particle."
            )
        self._shape = array.shape
        if self._model.states is not None:
            self._check_codes(name, step, array, len(self._model.states))
        return array

    def _check_codes(self, name: str, step: int, array: Any, states: int) -> None:
        if array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= states:
            raise BadData(
                f"Step {step}: {name} must return an array of whole numbers from 0 to {states - 1}, the "
                "positions of the states."
            )

    def _as_logs(self, name: str, step: int, found: Any) -> FloatArray:
        array = np.ascontiguousarray(found, dtype=np.float64)
        if array.shape != (self._n,):
            raise BadData(
                f"Step {step}: {name} returned {_kind(found)}; it must return {self._n} numbers, a logarithm "
                "for each particle."
            )
        return array

    def refuse_bad_logs(self, name: str, step: int, logs: FloatArray) -> None:
        """Raise if a logarithm is NaN or infinity."""
        bad = np.flatnonzero(~(logs < np.inf))
        if bad.size:
            raise BadData(
                f"Step {step}: {name} returned {logs[bad[0]]} for {bad.size} of {self._n} particles, the "
                f"first is number {bad[0]}. It must return logarithms of probabilities (-inf for 0)."
            )

    def refuse_bad_particles(self, name: str, step: int, particles: Any) -> None:
        """Raise if a particle is NaN or infinite."""
        bad = np.flatnonzero(~np.isfinite(particles.reshape(self._n, -1)).all(axis=1))
        if bad.size:
            raise BadData(
                f"Step {step}: {name} returned NaN or infinity for {bad.size} of {self._n} particles, the "
                f"first is number {bad[0]}."
            )


def _takes_step(function: Any) -> bool:
    try:
        return callable(function) and "step" in signature(function).parameters
    except ValueError:  # a compiled function that does not tell
        return False


def _kind(found: Any) -> str:
    if found is None:
        return "nothing (None)"
    if isinstance(found, tuple):
        return f"a tuple of {len(found)}"
    return f"an array of shape {np.shape(found)} and type {np.asarray(found).dtype}"
