"""What a particle filter found at each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadQuestion, NotAvailable, counted
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.temporal.particles.filter_settings import FilterSettings, FilterTrace
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import BoolArray, FloatArray, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_SHOWN = 12
"""The number of steps that are printed."""
_FEWEST_EFFECTIVE = 10
"""Means of fewer effective particles say little."""


@dataclass(frozen=True, eq=False, repr=False)
class FilteredParticles(PrintedTable):
    """The state at each step given the observations so far, estimated by weighted particles.

    >>> import bayou
    >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
    >>> found = bayou.ParticleFilter(series, 2000).filter([0.3, 0.1, 1.2], quantiles=(0.05, 0.95))
    >>> found.quantiles.shape  # [step, level]
    (3, 2)
    """

    settings: FilterSettings
    trace: FilterTrace
    levels: tuple[float, ...]
    states: tuple[State, ...] | None

    def __len__(self) -> int:
        return len(self.trace.log_steps)

    @property
    def log_likelihood(self) -> float:
        """An estimate of log P(observations); its exponential is right on average."""
        return float(self.trace.log_steps.sum())

    @property
    def log_steps(self) -> FloatArray:
        """Estimates of log P(observation | observations before) of each step; 0 in gaps."""
        return self.trace.log_steps

    @property
    def effective_size(self) -> FloatArray:
        """The effective sample size of each step, 1 / Σ weight²: from 1 to the number of particles."""
        return self.trace.effective_sizes

    @property
    def resampled(self) -> BoolArray:
        """Whether the particles were resampled before each step."""
        return self.trace.resampled

    @property
    def mean(self) -> FloatArray:
        """The mean of the state, [step, …]."""
        self._need_numbers("mean")
        return self.trace.means

    @property
    def spread(self) -> FloatArray:
        """The standard deviation of the state, [step, …]."""
        self._need_numbers("spread")
        assert self.trace.spreads is not None
        return self.trace.spreads

    @property
    def quantiles(self) -> FloatArray:
        """The quantiles that were asked for, [step, level, …]."""
        self._need_numbers("quantiles")
        if self.trace.quantiles is None:
            raise NotAvailable(
                "No quantiles were asked for: use filter(observations, quantiles=(0.05, 0.95))."
            )
        return self.trace.quantiles

    @property
    def probabilities(self) -> FloatArray:
        """P(state | observations so far), [step, state], for a model with states."""
        if self.states is None:
            raise NotAvailable("The particles are numbers: see .mean, .spread and .quantiles.")
        return self.trace.means

    def _need_numbers(self, what: str) -> None:
        if self.states is not None:
            raise NotAvailable(f"States have no {what}: see .probabilities.")

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step: the state, log P(observation) and effective size.

        >>> import bayou
        >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
        >>> found = bayou.ParticleFilter(series, 200).filter([0.3, None, 1.1])
        >>> found.to_frame().columns.to_list()
        ['mean', 'spread', 'log_step', 'effective_size', 'resampled']
        """
        columns: dict[Any, Any] = dict(state_columns(self.trace.means, "mean", self.states))
        if self.trace.spreads is not None:
            columns |= state_columns(self.trace.spreads, "spread", None)
        if self.trace.quantiles is not None:
            for k, level in enumerate(self.levels):
                columns |= state_columns(self.trace.quantiles[:, k], f"{level:g}", None)
        columns |= {"log_step": self.log_steps, "effective_size": self.effective_size}
        columns["resampled"] = self.resampled
        return pandas_frame(columns, "Filtered particles as a frame")

    def plot(
        self, observations: Any = None, *, exact: Any = None, component: int = 0, ax: Axes | None = None
    ) -> Axes:
        """Draw the state over time: the mean, and a band of the outer quantiles or of two spreads.

        ``observations`` are drawn as points; ``exact`` is a pair (mean, spread) of arrays, [step], drawn
        beside the particles. ``component`` is that of a state with several. Probabilities of states are
        bands on top of each other.

        Raises ``BadQuestion`` for observations of another length, or a component that is not there.

        >>> import bayou
        >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
        >>> found = bayou.ParticleFilter(series, 200).filter([0.3, None, 1.1])
        >>> type(found.plot([0.3, None, 1.1])).__name__
        'Axes'
        """
        from bayou import plots

        if self.states is not None:
            names = [label(state) for state in self.states]
            return plots.belief_bands(names, self.trace.means, self._title(), ax)
        mean, spread = one_component(self.mean, component), one_component(self.spread, component)
        low, high, band = mean - 2 * spread, mean + 2 * spread, "particles: mean ± 2 spreads"
        if len(self.levels) > 1:
            order = np.argsort(self.levels)
            lowest, highest = int(order[0]), int(order[-1])
            low = one_component(self.quantiles[:, lowest], component)
            high = one_component(self.quantiles[:, highest], component)
            band = f"particles: {self.levels[lowest]:g} to {self.levels[highest]:g} quantile"
        return plots.particle_band(mean, low, high, band, observations=observations, exact=exact, ax=ax)

    def _title(self) -> str:
        s = self.settings
        return f"State given the observations so far, by {counted(s.particles, 'particle')} ({s.method})"

    def to_table(self) -> TextTable:
        """The first steps as a table for printing.

        >>> import bayou
        >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
        >>> found = bayou.ParticleFilter(series, 200).filter([0.3, None, 1.1])
        >>> found.to_table().header
        ['step', 'mean', 'spread', 'effective size', 'resampled']
        """
        columns = state_columns(self.trace.means, "mean", self.states)
        if self.trace.spreads is not None:
            columns |= state_columns(self.trace.spreads, "spread", None)
        shown = [values[:_SHOWN] for values in columns.values()]
        sizes, resampled = self.effective_size[:_SHOWN], self.resampled[:_SHOWN]
        rows = [
            (
                step,
                *(f"{values[step]:.4g}" for values in shown),
                f"{sizes[step]:,.0f}",
                "yes" if resampled[step] else "",
            )
            for step in range(len(sizes))
        ]
        header = ["step", *(str(label(name)) for name in columns), "effective size", "resampled"]
        return TextTable(header, rows, title=self._title())

    def _remarks(self) -> list[str]:
        more = len(self) - _SHOWN
        left_out = [f"… and {more:,} more steps"] if more > 0 else []
        return [*left_out, f"log-likelihood about {self.log_likelihood:.6g}", *self._doubts()]

    def _doubts(self) -> list[str]:
        few = np.flatnonzero(self.effective_size < _FEWEST_EFFECTIVE)
        if not few.size:
            return []
        steps = f"step {few[0]}" if few.size == 1 else f"{few.size:,} steps (the first is {few[0]})"
        return [
            f"Not to be trusted at {steps}: fewer than {_FEWEST_EFFECTIVE} particles carry the weight. More "
            'particles or method="guided" may help.'
        ]


def state_columns(values: FloatArray, what: str, states: tuple[State, ...] | None) -> dict[Any, FloatArray]:
    """Columns of an array [step, …]: one for each state, or ``what`` with the place in a state of several.

    >>> list(state_columns(np.zeros((3, 2)), "mean", None))
    ['mean 0', 'mean 1']
    """
    if states is not None:
        return {state: values[:, k] for k, state in enumerate(states)}
    if values.ndim == 1:
        return {what: values}
    places = list(np.ndindex(values.shape[1:]))
    return {f"{what} {','.join(map(str, place))}": values[(slice(None), *place)] for place in places}


def one_component(values: FloatArray, component: int) -> FloatArray:
    """One component of states over time, [step]."""
    flat = values.reshape(len(values), -1)
    if whole_number("component", component) >= flat.shape[1]:
        raise BadQuestion(f"component={component}: the state has {flat.shape[1]} components, counted from 0.")
    return flat[:, component]
