"""Observations of a series that arrive one by one, in constant memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadData, BadQuestion, counted, listed
from bayou.models.sequences.kalman.kalman_input import inputs_ahead
from bayou.models.sequences.kalman.series_forecast import SeriesForecast, series_forecast
from bayou.models.sequences.kalman.state_estimates import deviations
from bayou.schema import label
from bayou.temporal.kalman.linear_system import LinearSystem, ObservedSeries
from bayou.typing import FloatArray, Name

_ONE, _TWO = np.array([0, 1]), np.array([0, 2])


class OnlineKalman:
    """Takes one observation after the other.

    >>> import bayou
    >>> watch = bayou.KalmanModel.local_level(level_noise=1, noise=1, start_variance=1).online()
    >>> [round(watch.observe(value)["level"], 3) for value in (1.0, None, 2.0)]
    [0.5, 0.5, 1.571]
    >>> round(watch.surprise, 3), watch.steps
    (1.867, 3)
    """

    def __init__(
        self,
        system: LinearSystem,
        states: tuple[Name, ...],
        columns: tuple[Name, ...],
        inputs: tuple[Name, ...],
    ) -> None:
        self._system, self._states, self._columns, self._inputs = system, states, columns, inputs
        self._mean, self._covariance = system.start_mean, system.start_covariance
        self.steps = 0
        self.log_likelihood = 0.0
        self.surprise = 0.0

    def __repr__(self) -> str:
        means = ", ".join(
            f"{label(name)}: {mean:.4g}" for name, mean in zip(self._states, self._mean, strict=True)
        )
        return f"OnlineKalman after {counted(self.steps, 'step')}: {means}"

    def observe(self, observation: Any, control: Any = None) -> dict[Name, float]:
        """Take an observation (a value, a list, a mapping of columns, or None for a gap), with the inputs of
        the step; return the means of the states given all so far.
        """
        values = _numbers(observation, self._columns, "An observation", gaps=True)
        inputs = _numbers(control, self._inputs, "control=", gaps=False)
        system, ends = self._system, _ONE
        if self.steps:  # two rows: the state so far, about which nothing new is seen, and this one
            system = system.with_parts(start_mean=self._mean, start_covariance=self._covariance)
            values = np.vstack([np.full(values.shape, np.nan), values])
            inputs, ends = np.vstack([np.zeros(inputs.shape), inputs]), _TWO
        try:
            logs, _, means, covariances = system.filtered(ObservedSeries(values, inputs, ends))
        except BadData:
            raise BadData(
                f"Observation {self.steps} ({observation!r}) has no density after those before it: what is "
                "expected has no spread. The filter is unchanged."
            ) from None
        self._mean, self._covariance = means[-1], covariances[-1]
        self.surprise = -float(logs[0])
        self.log_likelihood -= self.surprise
        self.steps += 1
        return self.states

    @property
    def states(self) -> dict[Name, float]:
        """The means of the states given all observations so far."""
        return dict(zip(self._states, self._mean.tolist(), strict=True))

    @property
    def deviations(self) -> dict[Name, float]:
        """The standard deviations of the states given all observations so far."""
        return dict(zip(self._states, deviations(self._covariance).tolist(), strict=True))

    @property
    def mean(self) -> FloatArray:
        """The means of the states as an array."""
        return self._mean.copy()

    @property
    def covariance(self) -> FloatArray:
        """The covariance of the states."""
        return self._covariance.copy()

    def forecast(self, steps: int = 1, *, future: Any = None) -> SeriesForecast:
        """The next steps; ``future`` has their inputs."""
        (inputs,) = inputs_ahead(self._inputs, future, whole_number("steps", steps, 1))
        last = (self._mean, self._covariance) if self.steps else None
        return series_forecast(self._system, (self._states, self._columns), last, inputs)


def _numbers(given: Any, names: tuple[Name, ...], what: str, *, gaps: bool) -> FloatArray:
    """One row of numbers, by name or in order; None is a gap."""
    if given is None and not names:
        return np.zeros((1, 0))
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise BadQuestion(f"{what}: there is no {listed(unknown)}; use {listed(names)}.")
        cells = [given.get(name) for name in names]
    elif given is None:
        cells = [None] * len(names)
    else:
        cells = np.ravel(np.asarray(given, dtype=object)).tolist()
    if len(cells) != len(names):
        raise BadQuestion(f"{what} needs {len(names)} numbers ({listed(names)}), not {len(cells)}.")
    try:
        row = np.array([[np.nan if cell is None else float(cell) for cell in cells]]).reshape(1, len(names))
    except (TypeError, ValueError):
        raise BadData(f"{what}: expected numbers, not {given!r}.") from None
    if np.isinf(row).any() or (not gaps and np.isnan(row).any()):
        raise BadData(f"{what}: expected finite numbers for {listed(names)}, not {given!r}.")
    return row
