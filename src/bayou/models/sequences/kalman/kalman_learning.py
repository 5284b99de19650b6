"""Learning linear Gaussian series: options checked, statistics kept for more series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from bayou.arguments import real_number, seed_number, weights_named, whole_number
from bayou.errors import BadData, BadFile, BadQuestion, BadStatistics, NotFitted, listed
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.linear_system_fit import (
    FittedSystem,
    SystemFitOptions,
    fit_linear_system,
    step_linear_system,
)
from bayou.fitting.sequences.system_checkpoint import system_from_state, system_state
from bayou.formats.file_content import FilePath
from bayou.learning.em.trace import PLAIN_EM, Settings
from bayou.models.sequences.kalman.kalman_input import READING
from bayou.models.sequences.kalman.kalman_questions import KalmanQuestions
from bayou.models.sequences.kalman.learned_parts import fixed_entries, learned_parts
from bayou.temporal.kalman.linear_system import COVARIANCES, MATRICES, LinearSystem
from bayou.temporal.kalman.stored_series import SMALLEST_SHARE, SMALLEST_SPREAD, AnySeries, SeriesSummary
from bayou.temporal.kalman.system_problem import DIAGONAL, FIXED, FULL, SCALED, SHAPES
from bayou.typing import BoolArray, Name

METHODS = ("em", PLAIN_EM)
Self = TypeVar("Self", bound="KalmanLearning")


class KalmanLearning(KalmanQuestions):
    """A model that learns from series."""

    _fixed: dict[str, BoolArray]
    _shapes: dict[str, str]
    _trace: LearningTrace | None
    _learned: FittedSystem | None

    @weights_named("weights")
    def fit(
        self: Self,
        data: Any,
        *,
        sequence: Name | None = None,
        time: Name | None = None,
        lengths: Any = None,
        gaps: Any = "ignore",
        controls: Any = None,
        weights: Any = None,
        keep: Iterable[str] | Mapping[str, Any] = (),
        method: str = "em",
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = 1e-4,
        max_iterations: int = 1000,
        checkpoint: FilePath | None = None,
    ) -> Self:
        """Learn the parts that are not fixed from series, by EM from the present matrices.

        ``data`` is a list of series, an array with ``lengths``, or a table with a column ``sequence`` (and
        ``time``; with ``gaps="missing"``, or ``gaps="1 hour"``, a jump of k steps of time means k − 1 steps
        without observations). A model of one column ``y`` takes the only column of numbers of a table.
        NaN and None are gaps. The inputs of lists and arrays are in ``controls``, in the same form. ``keep``
        names parts that are not learned now, as ``fixed`` does for good. Of one series the start's covariance
        is not learned. ``method="em"`` accelerates the steps, ``"plain-em"`` does not; the log-likelihood
        never falls. First the start mean and the scale of the noise are taken from the values. Further
        ``restarts`` begin with disturbed matrices, and the best result is kept. ``checkpoint`` names a .bayou
        file from which an interrupted fit goes on.

        Raises ``BadData`` if there is no series, or one cannot be read.

        >>> import bayou
        >>> walk = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=1)
        >>> learned = bayou.KalmanModel.local_level().fit(walk.sample(2000, seed=1)["y"])
        >>> learned.transition_noise.round(1).item(), learned.observation_noise.round(1).item()
        (0.5, 2.1)
        """
        how = {"sequence": sequence, "time": time, "lengths": lengths, "gaps": gaps, "controls": controls}
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
        kept = fixed_entries(self._system, keep, "keep")
        series, columns = self._read_to_learn(data, how, weights)
        fixed = {part: self._fixed[part] | kept[part] for part in kept if part in self._fixed}
        parts = learned_parts(self._system, {**self._fixed, **kept, **fixed}, self._shapes, series.count > 1)
        self._refuse_flat(series, columns)
        options = SystemFitOptions(*parts, settings, checkpoint=checkpoint, model_state=self._state_with)
        return self._take(*fit_linear_system(self._system, series, options), columns)

    @weights_named("weights")
    def partial_fit(self: Self, data: Any, *, weights: Any = None, **how: Any) -> Self:
        """Learn from more series. The first call is a ``fit`` and takes its arguments.

        Later ones are steps of stepwise EM: the states are guessed with the present matrices, and the
        statistics of batch k = 0, 1, … are mixed into those before with the share (k + 2)^−0.6 (Cappé and
        Moulines 2009). That is not equal to one fit, but needs no earlier series again; give batches of some
        hundred rows.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given, and
        ``BadQuestion`` for an argument that cannot change after the first fit.

        >>> import bayou
        >>> walk = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=1)
        >>> batches = [walk.sample(400, seed=k)["y"] for k in range(20)]
        >>> found = bayou.KalmanModel.local_level(start_variance=1)
        >>> for batch in batches:
        ...     found = found.partial_fit(batch)
        >>> found.learning
        Stepwise EM: 8,000 rows.
        """
        if self._learned is None:
            return self.fit(data, weights=weights, **how)
        unknown = [name for name in how if name not in READING]
        if unknown:
            raise BadQuestion(f"{listed(unknown)} cannot change after the first fit; leave it out.")
        series, columns = self._read_to_learn(data, how, weights)
        return self._take(*step_linear_system(self._learned, series), columns)

    def __add__(self, other: object) -> Any:
        """Refuse to add models: matrices learned by EM come from expected statistics, which do not add."""
        if not isinstance(other, type(self)):
            return NotImplemented
        raise BadStatistics(
            "Linear Gaussian models do not add: their states are hidden, so their statistics are expected "
            "ones, under the matrices of each model. Fit one model on the series of both, or learn on with "
            "partial_fit."
        )

    __sub__ = __add__

    def _take(self: Self, learned: FittedSystem, trace: LearningTrace, columns: tuple[Name, ...]) -> Self:
        self._system, self._learned, self._trace = learned.system, learned, trace
        self._columns = columns
        return self

    @property
    def fitted(self) -> FittedSystem | None:
        """The statistics that the matrices come from; None if they were given."""
        return self._learned

    def _state_with(self, system: LinearSystem) -> dict[str, Any]:
        """The content of a file with these matrices."""
        raise NotImplementedError

    def _refuse_flat(self, series: AnySeries, columns: tuple[Name, ...]) -> None:
        """Raise BadData for columns without values, and for those that vary too little."""
        summary = SeriesSummary.of(series) if series.rows else None
        wide = float(np.sqrt(np.diagonal(self._system.start_covariance).max()))
        for k, name in enumerate(columns if summary is not None else ()):
            assert summary is not None
            spread = float(summary.largest[k] - summary.least[k]) if summary.seen[k] else 0.0
            if 0 < spread < max(SMALLEST_SPREAD, SMALLEST_SHARE * wide):
                raise BadData(
                    f"Column {name!r} varies by {spread:.3g} only: floating-point numbers do not hold the "
                    f"variances of such small numbers, beside a start that varies by {wide:.3g}. Use another "
                    f"unit, for example {10.0 ** -round(np.log10(spread)):.0e} times the numbers."
                )
            if not summary.seen[k] and summary.seen.any():
                raise BadData(f"Column {name!r} has no value at all, so nothing is learned of it.")
            if summary.seen[k] > 1 and summary.least[k] == summary.largest[k]:
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
        """−2 log-likelihood + 2 · parameters: lower is better.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> round(bayou.KalmanModel.local_level(0.1, 0.1).aic([1.0, 2.0, 1.5]), 3)
        28.241
        """
        return -2 * self.log_likelihood(data, **how) + 2 * self.free_parameters

    def bic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + parameters · log(rows): lower is better.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> flat = [3.1, 2.9, 3.0, 3.2, 2.8, 3.1, 2.9]
        >>> level, trend = bayou.KalmanModel.local_level(), bayou.KalmanModel.local_trend()
        >>> level.bic(flat) < trend.bic(flat)
        True
        """
        found = list(self._part_logs(data, how))
        rows, logs = sum(size for size, _ in found), sum(float(part.sum()) for _, part in found)
        return -2 * logs + self.free_parameters * float(np.log(max(rows, 1)))


def learned_state(learned: FittedSystem | None) -> dict[str, Any] | None:
    """The statistics of a fit and what they are about, as plain values."""
    if learned is None:
        return None
    return {
        "reference": system_state(learned.reference, learned.statistics),
        "free": {part: free.astype(np.uint8) for part, free in learned.free.items()},
        "shapes": dict(learned.shapes),
        "steps": learned.steps,
    }


def learned_from_state(system: LinearSystem, state: Mapping[str, Any] | None) -> FittedSystem | None:
    """Read :func:`learned_state`; raise BadFile unless it fits to the system."""
    if state is None:
        return None
    reference, statistics = system_from_state(state["reference"])
    free = {part: np.asarray(state["free"][part], dtype=bool) for part in MATRICES}
    shapes = {part: str(state["shapes"][part]) for part in COVARIANCES}
    same = [one.shape for one in reference.arrays] == [one.shape for one in system.arrays]
    fits = all(free[part].shape == getattr(system, part).shape for part in MATRICES)
    known = all(shape in (*SHAPES, FIXED) for shape in shapes.values())
    learned = (
        None
        if statistics is None
        else FittedSystem(system, reference, statistics, free, shapes, int(state["steps"]))
    )
    sound = learned is not None and same and fits and known and learned.steps >= 0
    if learned is None or not sound or set(learned.statistics) != set(learned.problem.countable):
        raise BadFile("what the model has learned from does not fit to its matrices.")
    return learned
