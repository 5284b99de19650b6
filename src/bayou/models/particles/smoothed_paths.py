"""Paths of a hidden state that were drawn given all observations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import real_number
from bayou.errors import NotAvailable, counted
from bayou.frames import pandas_frame
from bayou.models.particles.filtered_particles import one_component, state_columns
from bayou.schema import label
from bayou.temporal.particles.filter_settings import FilterSettings
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_SHOWN = 12
"""The number of steps that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class SmoothedPaths(PrintedTable):
    """Draws from P(all states | all observations): ``paths`` is [path, step, …].

    >>> import bayou
    >>> casino = bayou.examples.casino()
    >>> found = bayou.ParticleFilter(casino, 2000).smooth([6, 6, 6, 1], paths=2000)
    >>> bool(abs(found.probabilities - casino.smooth([6, 6, 6, 1])).max() < 0.05)
    True
    """

    settings: FilterSettings
    paths: Any
    log_likelihood: float
    states: tuple[State, ...] | None

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def mean(self) -> FloatArray:
        """The mean of the state at each step, [step, …]."""
        return self._numbers("mean").mean(axis=0)  # type: ignore[no-any-return]

    @property
    def spread(self) -> FloatArray:
        """The standard deviation of the state at each step, [step, …]."""
        return self._numbers("spread").std(axis=0)  # type: ignore[no-any-return]

    def quantiles(self, levels: Iterable[float]) -> FloatArray:
        """Quantiles of the state at each step, [step, level, …].

        ``levels`` are probabilities: 0.5 is the median.

        Raises ``BadQuestion`` for levels that are no numbers from 0 to 1, and ``NotAvailable`` for states.

        >>> import bayou
        >>> model = bayou.StochasticVolatility(0.9, 0.2, 0.5)
        >>> paths = bayou.ParticleFilter(model, 200).smooth([0.1, -0.4, 0.3], paths=50)
        >>> paths.quantiles([0.05, 0.5, 0.95]).shape
        (3, 3)
        """
        wanted = [real_number("levels", level, 0, 1, expected="give levels from 0 to 1") for level in levels]
        return np.moveaxis(np.quantile(self._numbers("quantiles"), wanted, axis=0), 0, 1)

    @property
    def probabilities(self) -> FloatArray:
        """P(state | all observations), [step, state], for a model with states."""
        if self.states is None:
            raise NotAvailable("The particles are numbers: see .mean, .spread and .quantiles.")
        shares = [(self.paths == code).mean(axis=0) for code in range(len(self.states))]
        return np.stack(shares, axis=1)

    def _numbers(self, what: str) -> Any:
        if self.states is not None:
            raise NotAvailable(f"States have no {what}: see .probabilities.")
        return self.paths

    def _columns(self) -> dict[Any, FloatArray]:
        if self.states is not None:
            return state_columns(self.probabilities, "", self.states)
        return state_columns(self.mean, "mean", None) | state_columns(self.spread, "spread", None)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step.

        >>> import bayou
        >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
        >>> found = bayou.ParticleFilter(series, 200).smooth([0.3, None, 1.1], paths=20)
        >>> found.to_frame().columns.to_list()
        ['mean', 'spread']
        """
        return pandas_frame(self._columns(), "Smoothed paths as a frame")

    def plot(
        self, observations: Any = None, *, exact: Any = None, component: int = 0, ax: Axes | None = None
    ) -> Axes:
        """Draw the paths as thin lines, with their mean; arguments as for filtered particles.

        ``component`` is the number that is drawn, of particles with several; ``exact`` the true means and
        spreads, if they are known.

        Raises ``BadQuestion`` for observations of another length, or a component that is not there.

        >>> import bayou
        >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
        >>> found = bayou.ParticleFilter(series, 200).smooth([0.3, None, 1.1], paths=20)
        >>> type(found.plot([0.3, None, 1.1])).__name__
        'Axes'
        """
        from bayou import plots

        if self.states is not None:
            names = [label(state) for state in self.states]
            return plots.belief_bands(names, self.probabilities, self._title(), ax)
        paths = self.paths.reshape(len(self.paths), self.paths.shape[1], -1)
        mean, spread = one_component(self.mean, component), one_component(self.spread, component)
        return plots.particle_band(
            mean,
            mean - 2 * spread,
            mean + 2 * spread,
            "paths: mean ± 2 spreads",
            paths=paths[:100, :, component],
            observations=observations,
            exact=exact,
            ax=ax,
        )

    def _title(self) -> str:
        count = f"{counted(len(self.paths), 'path')} through {counted(self.settings.particles, 'particle')}"
        return f"State given all observations, by {count}"

    def to_table(self) -> TextTable:
        """The first steps as a table for printing.

        >>> import bayou
        >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
        >>> found = bayou.ParticleFilter(series, 200).smooth([0.3, None, 1.1], paths=20)
        >>> found.to_table().header
        ['step', 'mean', 'spread']
        """
        columns = self._columns()
        steps = min(self.paths.shape[1], _SHOWN)
        rows: list[tuple[str | int, ...]] = [
            (step, *(f"{values[step]:.4g}" for values in columns.values())) for step in range(steps)
        ]
        return TextTable(["step", *(str(label(name)) for name in columns)], rows, title=self._title())

    def _remarks(self) -> list[str]:
        more = self.paths.shape[1] - _SHOWN
        return [f"… and {more:,} more steps"] if more > 0 else []
