"""Linear Gaussian series: stated by matrices, learned by EM, filtered and smoothed by Kalman's recursions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from bayou.errors import BadFile, BadQuestion, BadTable, BadVariable, listed
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.linear_system_fit import FittedSystem
from bayou.formats.file_content import FilePath
from bayou.models.sequences.kalman import common_systems
from bayou.models.sequences.kalman.kalman_input import DEFAULT_COLUMN
from bayou.models.sequences.kalman.kalman_learning import (
    KalmanLearning,
    learned_from_state,
    learned_state,
)
from bayou.models.sequences.kalman.learned_parts import fixed_entries, shapes_given
from bayou.schema.json_values import decode_value, encode_value
from bayou.temporal.kalman.linear_system import COVARIANCES, PARTS, LinearSystem, covariance_matrix, matrix
from bayou.typing import FloatArray, Name


class KalmanModel(KalmanLearning):
    """A series whose hidden state moves linearly and is seen through linear measurements, all with Gaussian
    noise.

    With A = ``transition``, B = ``control``, C = ``observation`` and D = ``direct``,

        x(t) = A x(t−1) + B u(t) + noise of covariance ``transition_noise``
        y(t) = C x(t)   + D u(t) + noise of covariance ``observation_noise``

    and the first state has ``start_mean`` and ``start_covariance``. A covariance is a matrix, its diagonal,
    or one variance for all. ``columns`` names the values y, ``inputs`` the known inputs u, ``states`` the
    states. ``fixed`` has parts that ``fit`` does not learn (or maps them to an array that is True for fixed
    entries); ``shapes`` says which covariances are learned as ``"diagonal"``, or as a multiple of the present
    one (``"scaled"``). For common models see :meth:`local_level`, :meth:`local_trend`,
    :meth:`autoregression` and :meth:`constant_velocity`.

    Raises ``BadTable`` for matrices that do not fit each other, or variances below 0, ``BadVariable`` for
    names of another number, and ``BadQuestion`` for parts that there are not.

    >>> import bayou
    >>> tank = bayou.KalmanModel(
    ...     [[0.9]], [[1.0]], transition_noise=0.1, observation_noise=0.5, control=[[1.0]], inputs=["inflow"]
    ... )
    >>> round(tank.filter([0.4, 1.5, 2.1], controls=[0.0, 1.0, 1.0])[2]["x"], 3)
    2.175
    """

    def __init__(
        self,
        transition: Any,
        observation: Any,
        *,
        transition_noise: Any = 1.0,
        observation_noise: Any = 1.0,
        start_mean: Any = None,
        start_covariance: Any = 1.0,
        control: Any = None,
        direct: Any = None,
        states: Iterable[Name] | None = None,
        columns: Iterable[Name] | None = None,
        inputs: Iterable[Name] | None = None,
        fixed: Any = (),
        shapes: Mapping[str, str] | None = None,
    ) -> None:
        move = matrix("transition", transition, None, None)
        n = len(move)
        move = matrix("transition", move, n, n)
        seen = matrix("observation", observation, None, n)
        m = len(seen)
        if not n or not m:
            raise BadTable("A model needs at least one state and one column.")
        pushes, straight = _input_matrices(control, direct, n, m)
        start = np.zeros(n) if start_mean is None else matrix("start_mean", start_mean, n, 1)[:, 0]
        self._system = LinearSystem(
            move,
            pushes,
            covariance_matrix("transition_noise", transition_noise, n),
            seen,
            straight,
            covariance_matrix("observation_noise", observation_noise, m),
            np.ascontiguousarray(start),
            covariance_matrix("start_covariance", start_covariance, n),
        )
        self._states = _names("states", states, n, "x")
        self._columns = _names("columns", columns, m, DEFAULT_COLUMN)
        self._inputs = _names("inputs", inputs, pushes.shape[1], "u")
        every = [*self._states, *self._columns, *self._inputs]
        twice = [name for k, name in enumerate(every) if name in every[:k]]
        if twice:
            raise BadVariable(
                f"{twice[0]!r} is the name of two states, columns or inputs: give others in states=, "
                "columns= or inputs=."
            )
        self._fixed = fixed_entries(self._system, fixed)
        self._shapes = shapes_given(shapes)
        self._trace: LearningTrace | None = None
        self._learned: FittedSystem | None = None

    # Common models

    @classmethod
    def local_level(
        cls,
        level_noise: float = 1.0,
        noise: float = 1.0,
        *,
        start: float = 0.0,
        start_variance: float | None = None,
        column: Name = DEFAULT_COLUMN,
    ) -> KalmanModel:
        """A level that wanders by ``level_noise`` a step (a variance), observed with variance ``noise``.

        ``start_variance`` is that of the first level about ``start``; None: 10⁶, or 10⁶ times the larger
        variance if that is above 1, so that the first observation decides. ``fit`` learns both variances and
        the start.

        Raises ``BadQuestion`` for a variance below 0.

        >>> import bayou
        >>> round(bayou.KalmanModel.local_level(0.5, 2.0).smooth([1.0, None, 3.0])[1]["level"], 3)
        2.0
        """
        given = common_systems.local_level(level_noise, noise, start, start_variance)
        return cls(**given, columns=[column])

    @classmethod
    def local_trend(
        cls,
        level_noise: float = 1.0,
        slope_noise: float = 0.1,
        noise: float = 1.0,
        *,
        start: float = 0.0,
        start_variance: float | None = None,
        column: Name = DEFAULT_COLUMN,
    ) -> KalmanModel:
        """A level that rises by a slope; both wander, by variances that ``fit`` learns, as it does ``noise``.

        ``level_noise`` and ``slope_noise`` are the variances of the changes of level and slope.

        Raises ``BadQuestion`` for a variance below 0.

        >>> import bayou
        >>> ahead = bayou.KalmanModel.local_trend(0.1, 0.01, 0.1).forecast([1.0, 2.1, 2.9, 4.0], steps=2)
        >>> ahead.means.ravel().round(1).tolist()
        [5.0, 5.9]
        """
        given = common_systems.local_trend(level_noise, slope_noise, noise, start, start_variance)
        return cls(**given, columns=[column])

    @classmethod
    def autoregression(
        cls,
        coefficients: Sequence[float],
        noise: float = 1.0,
        *,
        mean: float | None = 0.0,
        observation_noise: float = 0.0,
        column: Name = DEFAULT_COLUMN,
    ) -> KalmanModel:
        """An autoregression: each value is a mix of the last ones about a mean, plus noise (a variance).

        ``mean=None``: it is unknown. ``fit`` learns the coefficients, the noise and an unknown mean; the
        observation noise, too, unless it is 0. The first values keep the spread that belongs to the
        coefficients given here.

        ``coefficients`` are the shares of the last values, the latest first; ``noise`` is the variance of
        what is new.

        Raises ``BadQuestion`` for a variance below 0 or no coefficients.

        >>> import bayou
        >>> half = bayou.KalmanModel.autoregression([0.5], mean=10)
        >>> half.forecast([10.0, 14.0], steps=3).means.ravel().tolist()
        [12.0, 11.0, 10.5]
        """
        given = common_systems.autoregression(coefficients, noise, observation_noise, mean)
        return cls(**given, columns=[column])

    @classmethod
    def constant_velocity(
        cls,
        dimensions: int = 2,
        *,
        step: float = 1.0,
        acceleration: float = 1.0,
        noise: float = 1.0,
        start_variance: float | None = None,
        columns: Iterable[Name] | None = None,
    ) -> KalmanModel:
        """A thing that moves straight on, pushed by chance; its position is observed with variance ``noise``.

        ``step`` is the time between observations, ``acceleration`` the variance of the speed's change in one
        unit of time. The columns are x, y and z, or ``columns``, of which there may be any number. ``fit``
        learns the two variances and the start.

        ``dimensions`` is the number of coordinates.

        Raises ``BadQuestion`` for fewer than one dimension, or a step or a variance below 0.

        >>> import bayou
        >>> thing = bayou.KalmanModel.constant_velocity(acceleration=0.01)
        >>> round(thing.filter([[0, 0], [1, 2], [2, 4]])[2]["speed of y"], 2)
        2.0
        """
        given = common_systems.constant_velocity(
            dimensions, step, acceleration, noise, start_variance, columns
        )
        return cls(**given)

    def copy(self) -> KalmanModel:
        """Another model with the same matrices, which learns by itself.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(0.5, 0.5)
        >>> level.same_as(level.copy()), level.same_as(level.copy().fit([1.0, 2.0, 1.5, 1.8]))
        (True, False)
        """
        return copy(self)

    # Files and printing

    def save(self, path: FilePath) -> None:
        """Write the model to a ``.bayou`` file; :func:`bayou.load` reads it.

        Raises ``BadFile`` for an ending that names no format or a folder that is not there.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(0.5, 0.5)
        >>> with TemporaryDirectory() as folder:
        ...     level.save(Path(folder) / "level.bayou")
        ...     print(bayou.load(Path(folder) / "level.bayou").same_as(level))
        True
        """
        from bayou.models.sequences.kalman.kalman_printing import write_kalman

        write_kalman(path, self)

    def state(self) -> dict[str, Any]:
        """The content of a ``.bayou`` file, as plain values and arrays."""
        return {**self._state_with(self._system), "learned": learned_state(self._learned)}

    def _state_with(self, system: LinearSystem) -> dict[str, Any]:
        """The content of a file with these matrices, which may come from learning that is under way."""
        return {
            "names": {
                kind: [encode_value(name) for name in getattr(self, kind)]
                for kind in ("states", "columns", "inputs")
            },
            "parts": {part: getattr(system, part) for part in PARTS},
            "fixed": {part: entries.astype(np.uint8) for part, entries in self._fixed.items()},
            "shapes": dict(self._shapes),
            "learned": None,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> KalmanModel:
        """Create the model from the result of :meth:`state`; raise BadFile unless it is one."""
        names = {kind: [decode_value(one) for one in state["names"][kind]] for kind in state["names"]}
        parts = {part: np.asarray(state["parts"][part], dtype=np.float64) for part in PARTS}
        fixed = {
            part: bool(np.all(entries)) if part in COVARIANCES else np.asarray(entries, dtype=bool)
            for part, entries in state["fixed"].items()
        }
        try:
            made = cls(**parts, **names, fixed=fixed, shapes=state["shapes"])
        except (BadTable, BadVariable, BadQuestion) as error:
            raise BadFile(f"the matrices do not make a model: {error}") from None
        made._learned = learned_from_state(made._system, state.get("learned"))
        return made

    def same_as(self, other: KalmanModel) -> bool:
        """Whether both have the same names and exactly the same matrices.

        >>> import bayou
        >>> level, other = bayou.KalmanModel.local_level(0.5), bayou.KalmanModel.local_level(2.0)
        >>> level.same_as(level.copy()), level.same_as(other)
        (True, False)
        """
        same = (self.states, self.columns, self.inputs) == (other.states, other.columns, other.inputs)
        pairs = zip(self._system.arrays, other._system.arrays, strict=True)
        return same and all(np.array_equal(left, right) for left, right in pairs)

    def __repr__(self) -> str:
        from bayou.models.sequences.kalman.kalman_printing import described

        return described(self)


def _input_matrices(control: Any, direct: Any, n: int, m: int) -> tuple[FloatArray, FloatArray]:
    """B and D, of which one may be left out."""
    if control is None and direct is None:
        return np.zeros((n, 0)), np.zeros((m, 0))
    pushes = None if control is None else matrix("control", control, n, None)
    straight = None if direct is None else matrix("direct", direct, m, None)
    if pushes is None:
        assert straight is not None
        return np.zeros((n, straight.shape[1])), straight
    if straight is None:
        return pushes, np.zeros((m, pushes.shape[1]))
    if pushes.shape[1] != straight.shape[1]:
        raise BadTable(
            f"control has {pushes.shape[1]} inputs and direct has {straight.shape[1]}: give both a column "
            "for each input, 0 where it has no effect."
        )
    return pushes, straight


def _names(what: str, given: Iterable[Name] | None, count: int, stem: str) -> tuple[Name, ...]:
    if given is None:
        return (stem,) if count == 1 else tuple(f"{stem}{k}" for k in range(count))
    names = (given,) if isinstance(given, str) else tuple(given)
    if len(names) != count:
        raise BadVariable(f"{what}={listed(names)}: expected {count} names.")
    return names
