"""Linear Gaussian series: stated by matrices, learned by EM, filtered and smoothed by Kalman's recursions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from bayou.arguments import real_number, seed_number, weights_named, whole_number
from bayou.errors import BadData, BadFile, BadQuestion, BadTable, BadVariable, NotFitted, listed
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.linear_system_fit import SystemFitOptions, fit_linear_system
from bayou.formats.file_content import FilePath
from bayou.learning.em.trace import PLAIN_EM, Settings
from bayou.models.sequences.kalman import common_systems
from bayou.models.sequences.kalman.kalman_questions import KalmanQuestions
from bayou.models.sequences.kalman.learned_parts import fixed_entries, learned_parts, shapes_given
from bayou.schema.json_values import decode_value, encode_value
from bayou.temporal.kalman.linear_system import COVARIANCES, PARTS, LinearSystem, covariance_matrix, matrix
from bayou.temporal.kalman.system_problem import DIAGONAL, FULL, SCALED
from bayou.typing import FloatArray, Name

METHODS = ("em", PLAIN_EM)


class KalmanModel(KalmanQuestions):
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
        self._columns = _names("columns", columns, m, "y")
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

    # Common models

    @classmethod
    def local_level(
        cls,
        level_noise: float = 1.0,
        noise: float = 1.0,
        *,
        start: float = 0.0,
        start_variance: float = 1e6,
        column: Name = "y",
    ) -> KalmanModel:
        """A level that wanders by ``level_noise`` a step (a variance), observed with variance ``noise``.

        ``fit`` learns both variances and the start.

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
        start_variance: float = 1e6,
        column: Name = "y",
    ) -> KalmanModel:
        """A level that rises by a slope; both wander, by variances that ``fit`` learns, as it does ``noise``.

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
        column: Name = "y",
    ) -> KalmanModel:
        """An autoregression: each value is a mix of the last ones about a mean, plus noise (a variance).

        ``mean=None``: it is unknown. ``fit`` learns the coefficients, the noise and an unknown mean; the
        observation noise, too, unless it is 0. The first values keep the spread that belongs to the
        coefficients given here.

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
        start_variance: float = 1e6,
    ) -> KalmanModel:
        """A thing that moves straight on, pushed by chance; its position is observed with variance ``noise``.

        ``step`` is the time between observations, ``acceleration`` the variance of the speed's change in one
        unit of time. The columns are x, y and z. ``fit`` learns the two variances and the start.

        >>> import bayou
        >>> thing = bayou.KalmanModel.constant_velocity(acceleration=0.01)
        >>> round(thing.filter([[0, 0], [1, 2], [2, 4]])[2]["speed of y"], 2)
        2.0
        """
        return cls(**common_systems.constant_velocity(dimensions, step, acceleration, noise, start_variance))

    # Learning

    @weights_named("weights")
    def fit(
        self,
        data: Any,
        *,
        sequence: Name | None = None,
        time: Name | None = None,
        lengths: Any = None,
        gaps: str = "ignore",
        controls: Any = None,
        weights: Any = None,
        keep: Iterable[str] | Mapping[str, Any] = (),
        method: str = "em",
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = 1e-4,
        max_iterations: int = 1000,
    ) -> KalmanModel:
        """Learn the parts that are not fixed from series, by EM from the present matrices.

        ``data`` is a list of series, an array with ``lengths``, or a table with a column ``sequence`` (and
        ``time``; with ``gaps="missing"`` a jump of k units of time means k − 1 steps without observations).
        NaN and None are gaps. The inputs of lists and arrays are in ``controls``, in the same form. ``keep``
        names parts that are not learned now, as ``fixed`` does for good. Of one series the start's covariance
        is not learned. ``method="em"`` accelerates the steps, ``"plain-em"`` does not; the log-likelihood
        never falls. First the start mean and the scale of the noise are taken from the values. Further
        ``restarts`` begin with disturbed matrices, and the best result is kept.

        >>> import bayou
        >>> walk = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=1)
        >>> learned = bayou.KalmanModel.local_level().fit(walk.sample(2000, seed=1)["y"])
        >>> learned.transition_noise.round(1).item(), learned.observation_noise.round(1).item()
        (0.5, 2.1)
        """
        how = {"sequence": sequence, "time": time, "lengths": lengths, "gaps": gaps, "controls": controls}
        series, _ = self._read(data, how, weights)
        if method not in METHODS:
            raise BadQuestion.choice("method", method, METHODS)
        expected = "give a number from 0 to below 1, such as 1e-4"
        settings = Settings(
            method,
            whole_number("restarts", restarts, 1),
            seed_number(seed),
            real_number("tolerance", tolerance, 0, 1, below=True, expected=expected),
            whole_number("max_iterations", max_iterations, 1),
        )
        kept = fixed_entries(self._system, keep)
        fixed = {part: self._fixed[part] | kept[part] for part in kept if part in self._fixed}
        parts = learned_parts(
            self._system, {**self._fixed, **kept, **fixed}, self._shapes, len(series.starts) > 2
        )
        self._refuse_constant(series.values)
        self._system, self._trace = fit_linear_system(
            self._system, series, SystemFitOptions(*parts, settings)
        )
        return self

    def _refuse_constant(self, values: FloatArray) -> None:
        for name, column in zip(self._columns, values.T, strict=True):
            known = column[~np.isnan(column)]
            if len(known) > 1 and (known == known[0]).all():
                raise BadData(f"Column {name!r} does not vary, so there is no noise to learn. Leave it out.")

    @property
    def learning(self) -> LearningTrace:
        """How the parameters were learned: the log-likelihood after each step, the starts, the verdict."""
        if self._trace is None:
            raise NotFitted("This model has not learned from series.")
        return self._trace

    @property
    def free_parameters(self) -> int:
        """The number of parameters that ``fit`` learns from several series, as AIC and BIC count them."""
        free, shapes = learned_parts(self._system, self._fixed, self._shapes, True)
        noise = 0
        for part in COVARIANCES:
            size = int((np.diagonal(getattr(self._system, part)) > 0).sum())
            counts = {FULL: size * (size + 1) // 2, DIAGONAL: size, SCALED: min(size, 1)}
            noise += counts.get(shapes[part], 0)
        return int(sum(entries.sum() for entries in free.values())) + noise

    def aic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + 2 · parameters: lower is better."""
        return -2 * self.log_likelihood(data, **how) + 2 * self.free_parameters

    def bic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + parameters · log(rows): lower is better.

        >>> import bayou
        >>> flat = [3.1, 2.9, 3.0, 3.2, 2.8, 3.1, 2.9]
        >>> level, trend = bayou.KalmanModel.local_level(), bayou.KalmanModel.local_trend()
        >>> level.bic(flat) < trend.bic(flat)
        True
        """
        rows = self._read(data, how)[0].rows
        return -2 * self.log_likelihood(data, **how) + self.free_parameters * float(np.log(max(rows, 1)))

    def copy(self) -> KalmanModel:
        """Another model with the same matrices, which learns by itself."""
        return copy(self)

    # Files and printing

    def save(self, path: FilePath) -> None:
        """Write the model to a ``.bayou`` file; :func:`bayou.load` reads it."""
        from bayou.models.sequences.kalman.kalman_printing import write_kalman

        write_kalman(path, self)

    def state(self) -> dict[str, Any]:
        """The content of a ``.bayou`` file, as plain values and arrays."""
        return {
            "names": {
                kind: [encode_value(name) for name in getattr(self, kind)]
                for kind in ("states", "columns", "inputs")
            },
            "parts": {part: getattr(self._system, part) for part in PARTS},
            "fixed": {part: entries.astype(np.uint8) for part, entries in self._fixed.items()},
            "shapes": dict(self._shapes),
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
            return cls(**parts, **names, fixed=fixed, shapes=state["shapes"])
        except (BadTable, BadVariable, BadQuestion) as error:
            raise BadFile(f"the matrices do not make a model: {error}") from None

    def same_as(self, other: KalmanModel) -> bool:
        """Whether both have the same names and exactly the same matrices."""
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
