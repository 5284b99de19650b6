"""Linear Gaussian series: x' = A x + b + noise, y = C x + d + noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou._native import ParticleRun
from bayou.errors import BadQuestion
from bayou.temporal.particles.given_matrices import (
    covariance_given,
    inverse_root_of,
    long_run,
    matrix_given,
    root_of,
    vector_given,
)
from bayou.temporal.particles.read_series import read_numbers, read_one_row
from bayou.typing import BoolArray, FloatArray

_LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class LinearSeries:
    """A hidden vector that moves linearly and is observed linearly, both with Gaussian noise.

    x' = ``transition`` x + ``shift`` + noise with the covariance ``noise``; y = ``observation`` x +
    ``observation_shift`` + noise with the covariance ``observation_noise``. Numbers make a series of numbers,
    matrices one of vectors. The first x has ``start_mean`` and ``start_covariance``; without them, those
    that x has in the long run.

    Raises ``BadTable`` for matrices whose shapes do not fit each other.

    >>> import bayou
    >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
    >>> round(float(series.start_covariance), 4)  # 0.25 / (1 - 0.9²)
    1.3158
    """

    transition: Any
    noise: Any
    observation: Any
    observation_noise: Any
    shift: Any = 0.0
    observation_shift: Any = 0.0
    start_mean: Any = None
    start_covariance: Any = None

    def __post_init__(self) -> None:
        number = np.ndim(self.transition) == 0
        a = matrix_given("transition", self.transition, None, None)
        d = len(a)
        c = matrix_given("observation", self.observation, None, d)
        k = len(c)
        covariances = {
            "noise": covariance_given("noise", self.noise, d),
            "observation_noise": covariance_given(
                "observation_noise", self.observation_noise, k, definite=True
            ),
        }
        shifts = {"shift": vector_given("shift", self.shift, d)}
        shifts["observation_shift"] = vector_given("observation_shift", self.observation_shift, k)
        if self.start_mean is None or self.start_covariance is None:
            mean, covariance = long_run(a, shifts["shift"], covariances["noise"])
        if self.start_mean is not None:
            mean = vector_given("start_mean", self.start_mean, d)
        if self.start_covariance is not None:
            covariance = covariance_given("start_covariance", self.start_covariance, d)
        found = {"transition": a, "observation": c, **covariances, **shifts}
        found |= {"start_mean": mean, "start_covariance": covariance}
        object.__setattr__(self, "_found", found)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_steps", {})
        for name, value in found.items():
            single = value.size == 1 and number
            object.__setattr__(self, name, float(value.ravel()[0]) if single else value)

    states = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one particle."""
        return () if self._is_number else (len(self._matrices["transition"]),)

    @property
    def _matrices(self) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = self.__dict__["_found"]
        return found

    @property
    def _is_number(self) -> bool:
        return bool(self.__dict__["_number"])

    def read(self, observations: Any) -> FloatArray:
        """Observations as an array [step, output]; NaN is a gap."""
        return read_numbers(observations, len(self._matrices["observation"]))

    def read_one(self, observation: Any) -> FloatArray:
        """One observation, as a sequence."""
        return read_one_row(observation, len(self._matrices["observation"]))

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
        rows, outputs = observations.shape
        steps: list[_LinearStep] = []
        which = np.zeros(rows, np.int64)
        d = len(self._matrices["transition"])
        shifts, offsets, constants = np.zeros((rows, d)), np.zeros((rows, outputs)), np.zeros(rows)
        ahead_offsets, ahead_constants = np.zeros((rows, outputs)), np.zeros(rows)
        present = ~np.isnan(observations)
        keys, groups = np.unique(present, axis=0, return_inverse=True)
        parts = [(keys[g], np.flatnonzero(groups.ravel() == g), False) for g in range(len(keys))]
        if first and rows:
            parts = [(seen, members[members > 0], False) for seen, members, _ in parts]
            parts.append((present[0], np.array([0]), True))
        for seen, members, is_first in parts:
            step = self._known_step(seen, is_first, guided)
            which[members] = len(steps)
            steps.append(step)
            y = observations[members][:, seen]
            shifts[members] = step.shift + y @ step.gain.T
            n = int(seen.sum())
            offsets[members, :n] = step.offset - y @ step.scale.T
            ahead_offsets[members, :n] = step.ahead_offset - y @ step.ahead_scale.T
            constants[members], ahead_constants[members] = step.constant, step.ahead_constant
        stacked = {
            name: np.array([getattr(step, name) for step in steps]) for name in ("F", "G", "H", "ahead_H")
        }
        return core.run_linear(
            which,
            stacked["F"],
            stacked["G"],
            stacked["H"],
            shifts,
            offsets,
            constants,
            guided,
            stacked["ahead_H"],
            ahead_offsets,
            ahead_constants,
            levels,
            keep,
        )

    def _known_step(self, seen: BoolArray, is_first: bool, guided: bool) -> _LinearStep:
        key = (seen.tobytes(), is_first, guided)
        steps: dict[Any, _LinearStep] = self.__dict__["_steps"]
        if key not in steps:
            steps[key] = self._step(seen, is_first, guided)
        return steps[key]

    def _step(self, seen: BoolArray, is_first: bool, guided: bool) -> _LinearStep:
        """The matrices of steps at which these outputs are observed."""
        m = self._matrices
        d, outputs, n = len(m["transition"]), len(m["observation"]), int(seen.sum())
        a = np.zeros((d, d)) if is_first else m["transition"]
        b = m["start_mean"] if is_first else m["shift"]
        q = m["start_covariance"] if is_first else m["noise"]
        c, base = m["observation"][seen], m["observation_shift"][seen]
        r = m["observation_noise"][np.ix_(seen, seen)]
        own, ahead = inverse_root_of(r), inverse_root_of(c @ q @ c.T + r)
        ahead_rows = np.zeros((outputs, d))
        ahead_rows[:n] = ahead @ c @ a
        # P(y | x before) is normal around C (A x + b) + d.
        common: dict[str, Any] = {
            "ahead_H": ahead_rows,
            "ahead_offset": ahead @ (base + c @ b),
            "ahead_scale": ahead,
            "ahead_constant": _log_determinant(ahead),
        }
        if not guided:
            rows = np.zeros((outputs, d))
            rows[:n] = own @ c
            return _LinearStep(
                a, root_of(q), rows, b, np.zeros((d, n)), own @ base, own, _log_determinant(own), **common
            )
        gain = q @ c.T @ (ahead.T @ ahead)
        rest = np.eye(d) - gain @ c
        # P(x' | x, y) is normal around rest (A x + b) + gain (y - d).
        root = root_of((rest @ q + (rest @ q).T) / 2)
        return _LinearStep(
            rest @ a,
            root,
            ahead_rows,
            rest @ b - gain @ base,
            gain,
            common["ahead_offset"],
            ahead,
            common["ahead_constant"],
            **common,
        )

    def move_logs(self, old: Any, new: Any) -> FloatArray:
        """The log P(new | old) of pairs of particles."""
        m = self._matrices
        d = len(m["transition"])
        apart = np.reshape(new, (-1, d)) - np.reshape(old, (-1, d)) @ m["transition"].T - m["shift"]
        scaled = apart @ self._move_scale.T
        logs: FloatArray = _log_determinant(self._move_scale) - 0.5 * (scaled**2).sum(axis=1)
        return logs

    @cached_property
    def _move_scale(self) -> FloatArray:
        try:
            return inverse_root_of(self._matrices["noise"])
        except np.linalg.LinAlgError:
            raise BadQuestion(
                "noise= has directions without any noise, so moves have no density, and paths cannot be "
                "drawn backwards. Give every direction some noise, or use filter()."
            ) from None


@dataclass(frozen=True)
class _LinearStep:
    """One set of the core's matrices, and how its vectors come from the observation y."""

    F: FloatArray
    G: FloatArray
    H: FloatArray
    shift: FloatArray
    gain: FloatArray
    offset: FloatArray
    scale: FloatArray
    constant: float
    ahead_H: FloatArray
    ahead_offset: FloatArray
    ahead_scale: FloatArray
    ahead_constant: float


def _log_determinant(inverse_root: FloatArray) -> float:
    """The constant of a normal density whose covariance has this inverse root."""
    return float(np.log(np.diagonal(inverse_root)).sum() - 0.5 * len(inverse_root) * _LOG_TWO_PI)
