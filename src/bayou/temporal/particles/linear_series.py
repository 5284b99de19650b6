"""Linear Gaussian series: x' = A x + b + noise, y = C x + d + noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou._native import ParticleRun
from bayou.errors import BadData, BadQuestion, BadTable, counted
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
        a = _matrix("transition", self.transition, None, None)
        d = len(a)
        c = _matrix("observation", self.observation, None, d)
        k = len(c)
        covariances = {
            "noise": _covariance("noise", self.noise, d),
            "observation_noise": _covariance("observation_noise", self.observation_noise, k, definite=True),
        }
        shifts = {"shift": _vector("shift", self.shift, d)}
        shifts["observation_shift"] = _vector("observation_shift", self.observation_shift, k)
        if self.start_mean is None or self.start_covariance is None:
            mean, covariance = _stationary(a, shifts["shift"], covariances["noise"])
        if self.start_mean is not None:
            mean = _vector("start_mean", self.start_mean, d)
        if self.start_covariance is not None:
            covariance = _covariance("start_covariance", self.start_covariance, d)
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
        own, ahead = _inverse_root(r), _inverse_root(c @ q @ c.T + r)
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
                a, _root(q), rows, b, np.zeros((d, n)), own @ base, own, _log_determinant(own), **common
            )
        gain = q @ c.T @ (ahead.T @ ahead)
        rest = np.eye(d) - gain @ c
        # P(x' | x, y) is normal around rest (A x + b) + gain (y - d).
        root = _root((rest @ q + (rest @ q).T) / 2)
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
            return _inverse_root(self._matrices["noise"])
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


def read_numbers(observations: Any, outputs: int) -> FloatArray:
    """Observations of a series as float64 [step, output]; None becomes NaN.

    >>> read_numbers([1, None, 2.5], 1).ravel().tolist()
    [1.0, nan, 2.5]
    """
    if hasattr(observations, "to_numpy"):
        observations = observations.to_numpy()
    if isinstance(observations, list | tuple):
        observations = [[np.nan] * outputs if row is None and outputs > 1 else row for row in observations]
    try:
        array = np.array(observations, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData("observations: give numbers, with None or NaN in gaps.") from None
    if array.ndim == 1 and outputs == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != outputs:
        wanted = "(steps,)" if outputs == 1 else f"(steps, {outputs})"
        raise BadData(f"observations have the shape {array.shape}; give one sequence of shape {wanted}.")
    infinite = np.flatnonzero(np.isinf(array).any(axis=1))
    if infinite.size:
        raise BadData(f"observations, step {infinite[0]}: infinity cannot be observed; give NaN for a gap.")
    return np.ascontiguousarray(array)


def read_one_row(observation: Any, outputs: int) -> FloatArray:
    """One observation as float64 [1, output]; None is a gap.

    >>> read_one_row([1, None], 2).tolist(), read_one_row(None, 1).tolist()
    ([[1.0, nan]], [[nan]])
    """
    cells = [None] * outputs if observation is None else np.ravel(observation).tolist()
    if len(cells) != outputs:
        raise BadData(f"observation: give {counted(outputs, 'number')}, not {len(cells)}; None is a gap.")
    return read_numbers([cells], outputs)


def _numbers(name: str, given: Any) -> FloatArray:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(f"{name}={given!r}: give a number, or an array of numbers.") from None


def _matrix(name: str, given: Any, rows: int | None, columns: int | None) -> FloatArray:
    array = _numbers(name, given)
    array = array.reshape(1, 1) if array.ndim == 0 else array
    columns = len(array) if columns is None else columns
    if array.ndim != 2 or array.shape[1] != columns or (rows is not None and len(array) != rows):
        wanted = f"({rows or 'rows'}, {columns})"
        raise BadTable(f"{name} has the shape {array.shape}; expected a matrix of shape {wanted}.")
    if not np.isfinite(array).all():
        raise BadTable(f"{name} has entries that are not finite numbers.")
    return array


def _covariance(name: str, given: Any, size: int, *, definite: bool = False) -> FloatArray:
    array = _matrix(name, given, size, size)
    values = np.linalg.eigvalsh(array)
    least = values.min() if size else 0.0
    if not np.allclose(array, array.T) or least < -1e-9 * max(1.0, values.max()) or (definite and least <= 0):
        kind = "positive definite" if definite else "positive semidefinite"
        raise BadTable(f"{name} is a covariance (a variance for numbers): it must be symmetric and {kind}.")
    return array


def _vector(name: str, given: Any, size: int) -> FloatArray:
    array = _numbers(name, given)
    array = np.full(size, float(array)) if array.ndim == 0 else array
    if array.shape != (size,) or not np.isfinite(array).all():
        raise BadTable(f"{name}: expected {size} finite numbers, not an array of shape {array.shape}.")
    return array


def _stationary(a: FloatArray, shift: FloatArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of x in the long run: P = A P A' + Q."""
    if np.abs(np.linalg.eigvals(a)).max() >= 1:
        raise BadQuestion(
            "transition does not pull x back (an eigenvalue is 1 or more), so x has no distribution in the "
            "long run: give start_mean= and start_covariance=."
        )
    from scipy.linalg import solve_discrete_lyapunov

    mean: FloatArray = np.linalg.solve(np.eye(len(a)) - a, shift).astype(np.float64)
    return mean, np.asarray(solve_discrete_lyapunov(a, noise), dtype=np.float64)


def _root(covariance: FloatArray) -> FloatArray:
    """A lower triangular G with G G' = covariance, which may be singular.

    >>> _root(np.array([[4.0, 2.0], [2.0, 1.0]])).tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    d = len(covariance)
    root = np.zeros((d, d))
    for j in range(d):
        rest = covariance[j:, j] - root[j:, :j] @ root[j, :j]
        if rest[0] > 1e-14 * max(1e-300, covariance[j, j]):
            root[j:, j] = rest / np.sqrt(rest[0])
    return root


def _inverse_root(covariance: FloatArray) -> FloatArray:
    """The inverse of the lower Cholesky factor."""
    return np.asarray(np.linalg.inv(np.linalg.cholesky(covariance)), dtype=np.float64)


def _log_determinant(inverse_root: FloatArray) -> float:
    """The constant of a normal density whose covariance has this inverse root."""
    return float(np.log(np.diagonal(inverse_root)).sum() - 0.5 * len(inverse_root) * _LOG_TWO_PI)
