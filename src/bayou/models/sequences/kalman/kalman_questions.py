"""Questions about linear Gaussian series: states, likelihoods, what comes next, random series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import seed_number, whole_number
from bayou.errors import BadQuestion, listed
from bayou.models.sequences.input.given_sequences import SequencesGiven
from bayou.models.sequences.input.times_ahead import has_times, placed, with_times
from bayou.models.sequences.kalman.kalman_input import KalmanInput, inputs_ahead
from bayou.models.sequences.kalman.series_forecast import series_forecast
from bayou.models.sequences.kalman.state_estimates import StateEstimates
from bayou.models.sequences.normal_intervals import normal_interval
from bayou.models.sequences.numbered_steps import steps_to_draw
from bayou.schema import label
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.kalman.linear_system import ObservedSeries
from bayou.temporal.kalman.stored_series import long_series
from bayou.temporal.stored_sequences import LongRows
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayou.models.network import Network
    from bayou.models.sequences.kalman.online_kalman import OnlineKalman


class KalmanQuestions(KalmanInput):
    """A model that answers questions about series."""

    def filter(self, data: Any, **how: Any) -> Any:
        """Mean and covariance of the states given the observations so far, at each step.

        One answer for one series, a list for several. Takes ``sequence``, ``time``, ``lengths``, ``gaps`` and
        ``controls`` as ``fit`` does.

        Returns ``StateEstimates``: means and covariances by step.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5)
        >>> level.filter([1.0, 2.0, None, 3.0]).means.ravel().round(2).tolist()
        [1.0, 1.67, 1.67, 2.64]
        """
        given, rows, series = self._read_placed(data, how)
        logs, steps, means, covariances = self._system.filtered(series)
        found = self._estimates(
            "States given the observations so far", series, logs, means, covariances, steps
        )
        return _placed(found, given, rows)

    def smooth(self, data: Any, **how: Any) -> Any:
        """Mean and covariance of the states given all observations of the series, at each step.

        Returns one answer for one series, a list for several.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5)
        >>> level.smooth([1.0, 2.0, None, 3.0]).means.ravel().round(2).tolist()
        [1.45, 1.91, 2.27, 2.64]
        """
        given, rows, series = self._read_placed(data, how)
        logs, means, covariances = self._system.smoothed(series)
        found = self._estimates("States given all observations", series, logs, means, covariances, None)
        return _placed(found, given, rows)

    def _estimates(
        self,
        title: str,
        series: ObservedSeries,
        logs: FloatArray,
        means: FloatArray,
        covariances: FloatArray,
        steps: FloatArray | None,
    ) -> list[StateEstimates]:
        starts = series.starts.tolist()
        return [
            StateEstimates(
                title,
                self._states,
                means[first:last],
                covariances[first:last],
                float(log),
                None if steps is None else steps[first:last],
            )
            for first, last, log in zip(starts[:-1], starts[1:], logs.tolist(), strict=True)
        ]

    def log_likelihood(self, data: Any, **how: Any) -> float:
        """The log density of all observations, summed over the series.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5)
        >>> round(level.log_likelihood([1.0, 2.0, 1.5]), 3)
        -10.355
        """
        return float(self.log_likelihoods(data, **how).sum())

    def log_likelihoods(self, data: Any, **how: Any) -> FloatArray:
        """The log density of the observations of each series.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5)
        >>> level.log_likelihoods([[1.0, 2.0, 1.5], [4.0, 3.0]]).round(3).tolist()
        [-10.355, -9.282]
        """
        return np.concatenate([np.zeros(0), *(logs for _, logs in self._part_logs(data, how))])

    def _part_logs(self, data: Any, how: Mapping[str, Any]) -> Iterator[tuple[int, FloatArray]]:
        """(rows, log density of each series) of some series at a time."""
        parts, _, columns = self._read_parts(data, how)
        for part in parts:
            if isinstance(part, ObservedSeries):
                yield part.rows, self._system.filtered(part, states=False)[0]
            else:
                yield part.rows, np.array([long_series(self._system, part, columns, self._inputs)[0]])

    score = log_likelihood

    def score_steps(self, data: Any, **how: Any) -> Any:
        """The log density of each observation given those before: a low one is a surprise.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(0.1, 0.1)
        >>> steps = level.score_steps([1.0, 1.1, 9.0])
        >>> int(steps.argmin())
        2
        """
        series, single = self._read(data, how)
        steps = self._system.filtered(series, states=False)[1]
        parts = np.split(steps, series.starts[1:-1])
        return parts[0] if single else parts

    def forecast(self, data: Any, steps: int = 1, *, future: Any = None, **how: Any) -> Any:
        """Mean and covariance of the next observations after each series, and of their states.

        A model with inputs needs those of the next steps in ``future``: an array with a row for each step, or
        a mapping of columns; a list of these for several series. Steps are numbered 1, 2, …; if the times of
        a table (``time=``) go on evenly, they have times, too.

        Returns one forecast for one series, a list for several.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given, and
        ``BadQuestion`` for a number of steps below 1.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5)
        >>> level.forecast([1.0, 2.0, 1.5], steps=2).means.ravel().round(2).tolist()
        [1.56, 1.56]
        """
        whole_number("steps", steps, 1)
        parts, single, columns = self._read_parts(data, how)
        ends = [end for part in parts for end in self._last_states(part, columns)]
        inputs = inputs_ahead(self._inputs, future, steps, len(ends), single)
        names = (self._states, self._columns)
        found = [
            series_forecast(self._system, names, known, own) for known, own in zip(ends, inputs, strict=True)
        ]
        if has_times(data, how):
            found = with_times(found, self._given(data, how, None)[0], steps)
        return found[0] if single else found

    def _last_states(
        self, series: ObservedSeries | LongRows, columns: tuple[Name, ...]
    ) -> list[tuple[FloatArray, FloatArray] | None]:
        """Mean and covariance of the state after the last row of each series; None without rows."""
        if not isinstance(series, ObservedSeries):
            _, mean, covariance = long_series(self._system, series, columns, self._inputs)
            return [(mean, covariance)]
        _, _, means, covariances = self._system.filtered(series)
        ends = pairwise(series.starts.tolist())
        return [(means[end - 1], covariances[end - 1]) if end > first else None for first, end in ends]

    def online(self) -> OnlineKalman:
        """A filter for observations that arrive one by one; its memory does not grow.

        >>> import bayou
        >>> online = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5).online()
        >>> for value in [1.0, 2.0, 1.5]:
        ...     beliefs = online.observe(value)
        >>> print(online)
        OnlineKalman after 3 steps: level: 1.562
        """
        from bayou.models.sequences.kalman.online_kalman import OnlineKalman

        return OnlineKalman(self._system, self._states, self._columns, self._inputs)

    def sample(
        self,
        length: int | None = None,
        *,
        sequences: int | None = None,
        seed: int = 0,
        given: Any = None,
        controls: Any = None,
        future: Any = None,
        **how: Any,
    ) -> Any:
        """Draw a series (or several): a mapping from columns, and states, to lists.

        A model with inputs needs them in ``controls``: an array with a row for each step, the same for all
        series. With ``given`` (one or several series, as for ``filter``) their states and gaps are drawn
        given all observations, exactly, and ``length`` steps more (if given), whose inputs are in ``future``;
        the result has the given rows, too, and ``sequences`` is the number of draws of each.

        Returns a mapping for one series, a list of them for several.

        Raises ``BadQuestion`` for a length below 1 where nothing is given or inputs that are not given.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=1, noise=1e-12)
        >>> drawn = level.sample(0, given=[1.0, None, 3.0], seed=1)
        >>> [round(one, 3) for one in drawn["level"]], [round(one, 3) for one in drawn["y"]]
        ([1.0, 2.581, 3.0], [1.0, 2.581, 3.0])
        """
        from bayou.models.sequences.kalman.drawn_series import drawn_series

        count = 1 if sequences is None else whole_number("sequences", sequences, 1)
        steps = steps_to_draw(length, given)
        if given is not None:
            how = how if controls is None else {**how, "controls": controls}
            drawn, single = self._continued(given, steps, count, seed, future, how)
            every = [one[0] if sequences is None else one for one in drawn]
            return every[0] if single else every
        if how or future is not None:
            lone = listed([*how, *(["future"] if future is not None else [])])
            raise BadQuestion(f"{lone}: these arguments say how given= is read, which is lacking.")
        (inputs,) = inputs_ahead(self._inputs, controls, steps, argument="controls")
        chance = np.random.default_rng(seed_number(seed))
        states, values = drawn_series(self._system, steps, count, inputs, chance)
        found = [self._named(values[k], inputs, states[k]) for k in range(count)]
        return found[0] if sequences is None else found

    def _continued(
        self, given: Any, length: int, draws: int, seed: int, future: Any, how: Mapping[str, Any]
    ) -> tuple[list[list[dict[Name, list[Any]]]], bool]:
        """(for each series its draws with ``length`` steps more, whether it is one by itself)."""
        from bayou.models.sequences.kalman.continued_series import continued_series

        series, single = self._read(given, how)
        if length or future is not None:
            ahead = inputs_ahead(self._inputs, future, length, series.count, single)
        else:
            ahead = [np.zeros((0, len(self._inputs)))] * series.count
        drawn = continued_series(self._system, series, ahead, draws, seed_number(seed))
        found = []
        for k, (paths, values) in enumerate(drawn):
            rows = slice(int(series.starts[k]), int(series.starts[k + 1]))
            inputs = np.concatenate([series.inputs[rows], ahead[k]])
            found.append([self._named(values[draw], inputs, paths[draw]) for draw in range(draws)])
        return found, single

    def _named(self, values: FloatArray, inputs: FloatArray, states: FloatArray) -> dict[Name, list[Any]]:
        """The columns, inputs and states of one series by name."""
        found: dict[Name, list[Any]] = {name: values[:, j].tolist() for j, name in enumerate(self._columns)}
        found |= {name: inputs[:, j].tolist() for j, name in enumerate(self._inputs)}
        return found | {name: states[:, j].tolist() for j, name in enumerate(self._states)}

    def decode(self, data: Any, **how: Any) -> Any:
        """The most probable path of the states, which in a linear Gaussian model are the smoothed means.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5)
        >>> level.decode([1.0, 2.0, 1.5]).means.ravel().round(2).tolist()
        [1.31, 1.62, 1.56]
        """
        return self.smooth(data, **how)

    most_probable = decode

    def network(self, length: int, *, controls: Any = None) -> Network:
        """The Bayesian network of a series of this length: linear Gaussian nodes ``x_0``, ``y_0``, ``x_1``, …

        The inputs of a model that has some are constants of the nodes, not nodes.

        ``controls`` are the inputs of the steps.

        Raises ``BadQuestion`` for a length below 1 or inputs that are not given.

        >>> import bayou
        >>> net = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5).network(2)
        >>> net.names
        ('level_0', 'y_0', 'level_1', 'y_1')
        """
        from bayou.models.sequences.kalman.unrolled_system import unrolled_system

        whole_number("length", length, 1)
        (inputs,) = inputs_ahead(self._inputs, controls, length, argument="controls")
        return unrolled_system(self._system, self._states, self._columns, inputs)

    def plot(
        self,
        data: Any,
        steps: int = 0,
        *,
        future: Any = None,
        level: float = 0.95,
        ax: Axes | None = None,
        **how: Any,
    ) -> Axes:
        """Draw one series as points, over bands that hold what it measures, and its next steps (matplotlib).

        The band of the past holds C x + D u, the observation without its noise, with probability ``level``
        given all observations; the band of the next ``steps`` holds the observations.

        ``future`` are the inputs of the next steps, of a model that has inputs.

        Raises ``BadData`` for data that cannot be read as series or inputs that are not given, and
        ``BadQuestion`` for more than one series or a ``level`` that is not between 0 and 1.

        >>> import bayou
        >>> level = bayou.KalmanModel.local_level(level_noise=0.5, noise=0.5)
        >>> type(level.plot([1.0, 2.0, 1.5], steps=2)).__name__
        'Axes'
        """
        from bayou import plots

        series, _ = self._read(data, how)
        if len(series.starts) != 2:
            raise BadQuestion(f"A picture shows one series, but there are {len(series.starts) - 1}.")
        system = self._system
        _, means, covariances = system.smoothed(series)
        centre = means @ system.observation.T + series.inputs @ system.direct.T
        spread = np.einsum("ij,tjk,ik->ti", system.observation, covariances, system.observation)
        spread = np.sqrt(np.maximum(spread, 0.0))
        if steps:
            (inputs,) = inputs_ahead(self._inputs, future, whole_number("steps", steps))
            _, _, filtered, narrow = system.filtered(series)
            last = (filtered[-1], narrow[-1]) if len(filtered) else None
            ahead = series_forecast(system, (self._states, self._columns), last, inputs)
            centre = np.vstack([centre, ahead.means])
            spread = np.vstack([spread, ahead.deviations])
        low, high = normal_interval(centre, spread, level)
        lines = [(label(name), centre[:, k], low[:, k], high[:, k]) for k, name in enumerate(self._columns)]
        points = [(label(name), series.values[:, k]) for k, name in enumerate(self._columns)]
        return plots.series_bands(lines, points, "", steps, ax)


def _placed(answers: list[StateEstimates], given: SequencesGiven, rows: SequenceBatch) -> Any:
    """The answers with the names and times that a table has; the only one if a single series was given."""
    if given.sequence is not None or given.time is not None:
        answers = placed(answers, given, rows.labels)
    return answers[0] if given.single else answers
