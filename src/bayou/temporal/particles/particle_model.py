"""A model of a hidden state over time that is given by functions on whole arrays of particles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion
from bayou.typing import FloatArray, State

_ARGUMENTS = {
    "start": ("n", "random"),
    "move": ("particles", "random"),
    "weight": ("particles", "observation"),
    "propose": ("particles", "observation", "random"),
    "propose_start": ("n", "observation", "random"),
    "look_ahead": ("particles", "observation"),
    "move_density": ("old", "new"),
}
"""What each function is called with."""
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

    Raises ``BadQuestion`` for an argument that is no function.

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
            _check_arguments(one.name, function)
        if self.states is not None:
            object.__setattr__(self, "states", tuple(self.states))


class CheckedFunctions:
    """The functions of a model, called with the step if they ask for it; what they return is checked."""

    def __init__(self, model: ParticleModel, particles: int) -> None:
        self._model, self._n = model, particles
        self._takes_step = {one.name: _takes_step(getattr(model, one.name)) for one in fields(model)}
        self._shape: tuple[int, ...] | None = None

    def call(self, name: str, step: int, *arguments: Any) -> Any:
        """What the function ``name`` returns; only those that move particles may change their arguments."""
        function = getattr(self._model, name)
        if name in ("weight", "look_ahead", "move_density"):
            arguments = tuple(_read_only(one) for one in arguments)
        try:
            return function(*arguments, step=step) if self._takes_step[name] else function(*arguments)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise BadData(
                f"Step {step}: {name} changes the array that it was given ({error}). Work on a copy, or "
                "write x = x - y instead of x -= y."
            ) from error

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

    def pair_logs(self, name: str, step: int, old: Any, new: Any) -> FloatArray:
        """One logarithm for each pair of particles that a function returns."""
        found = self.call(name, step, old, new)
        return self._as_logs(name, step, found, len(old), "pair of old and new particles")

    def _as_particles(self, name: str, step: int, found: Any) -> Any:
        array = _array(found)
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

    def _as_logs(self, name: str, step: int, found: Any, count: int = 0, of: str = "particle") -> FloatArray:
        array, wanted = _array(found), count or self._n
        if array.shape != (wanted,) or array.dtype.kind not in "fiub":
            raise BadData(
                f"Step {step}: {name} returned {_kind(found)}; it must return {wanted} numbers, a logarithm "
                f"for each {of}."
            )
        return np.ascontiguousarray(array, dtype=np.float64)

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


def _check_arguments(name: str, function: Any) -> None:
    """Raise if a function cannot be called with what it will be called with."""
    try:
        known = signature(function)
    except (TypeError, ValueError):  # a compiled function that does not tell
        return
    try:
        known.bind(*_ARGUMENTS[name], **({"step": 0} if _takes_step(function) else {}))
    except TypeError as error:
        raise BadQuestion(
            f"{name} is called as {name}({', '.join(_ARGUMENTS[name])}), and the function given has other "
            f"parameters: {known} ({error})."
        ) from None


def _read_only(argument: Any) -> Any:
    """The same array, protected from changes; observations that are no arrays stay as they are."""
    if not isinstance(argument, np.ndarray):
        return argument
    view = argument.view()
    view.flags.writeable = False
    return view


def _array(found: Any) -> Any:
    """What a function returned as an array, of objects if its rows differ in length."""
    try:
        return np.asarray(found)
    except ValueError:
        return np.empty((), dtype=np.object_)


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
    array = _array(found)
    if array.ndim == 0 and array.dtype == np.object_:
        return f"a {type(found).__name__}" + (
            " of rows of several lengths" if hasattr(found, "__len__") else ""
        )
    return f"an array of shape {array.shape} and type {array.dtype}"
