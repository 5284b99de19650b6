"""The matrices of a linear Gaussian model, and the names of its states, columns and inputs."""

from __future__ import annotations

from bayou.temporal.kalman.linear_system import LinearSystem
from bayou.typing import FloatArray, Name


class KalmanMatrices:
    """A model with its matrices, as copies."""

    _system: LinearSystem
    _states: tuple[Name, ...]
    _columns: tuple[Name, ...]
    _inputs: tuple[Name, ...]

    @property
    def transition(self) -> FloatArray:
        """A: how the state moves, [state, state before]."""
        return self._system.transition.copy()

    @property
    def control(self) -> FloatArray:
        """B: how inputs move the state, [state, input]."""
        return self._system.control.copy()

    @property
    def transition_noise(self) -> FloatArray:
        """The covariance of the noise of moves."""
        return self._system.transition_noise.copy()

    @property
    def observation(self) -> FloatArray:
        """C: what is seen of the state, [column, state]."""
        return self._system.observation.copy()

    @property
    def direct(self) -> FloatArray:
        """D: what is seen of the inputs, [column, input]."""
        return self._system.direct.copy()

    @property
    def observation_noise(self) -> FloatArray:
        """The covariance of the noise of observations."""
        return self._system.observation_noise.copy()

    @property
    def start_mean(self) -> FloatArray:
        """The mean of the first state."""
        return self._system.start_mean.copy()

    @property
    def start_covariance(self) -> FloatArray:
        """The covariance of the first state."""
        return self._system.start_covariance.copy()

    @property
    def states(self) -> tuple[Name, ...]:
        """The names of the states."""
        return self._states

    @property
    def columns(self) -> tuple[Name, ...]:
        """The names of the values that are observed."""
        return self._columns

    @property
    def inputs(self) -> tuple[Name, ...]:
        """The names of the known inputs."""
        return self._inputs
