"""The next steps of a series: means and intervals of what will be observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.frames import pandas_frame
from bayou.models.sequences.kalman.state_estimates import deviations
from bayou.models.sequences.normal_intervals import normal_interval
from bayou.models.sequences.numbered_steps import step_cell, step_columns, step_header
from bayou.schema import label
from bayou.temporal.kalman.linear_system import LinearSystem
from bayou.text.tables import TextTable, number_text
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class SeriesForecast:
    """Mean and covariance of the columns at the next steps, and of the states behind them.

    >>> import bayou
    >>> level = bayou.KalmanModel.local_level(level_noise=1, noise=1, start_variance=1)
    >>> ahead = level.forecast([1.0, 2.0], steps=2)
    >>> ahead.means.ravel().round(3).tolist(), ahead.deviations.ravel().round(3).tolist()
    ([1.4, 1.4], [1.612, 1.897])
    >>> print(ahead)
    The next steps
    step  y     95% interval
       1  1.4   -1.76 to 4.56
       2  1.4   -2.32 to 5.12
    """

    columns: tuple[Name, ...]
    means: FloatArray
    covariances: FloatArray
    states: tuple[Name, ...]
    state_means: FloatArray
    state_covariances: FloatArray
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The name of the column of times, and its values at these steps, where they are known."""

    def __len__(self) -> int:
        return len(self.means)

    @property
    def deviations(self) -> FloatArray:
        """The standard deviation of each column at each step, observation noise included."""
        return deviations(self.covariances)

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The lower and upper ends of the intervals that hold each column with this probability."""
        return normal_interval(self.means, self.deviations, level)

    def to_columns(self, level: float = 0.95) -> dict[str, list[Any]]:
        """The step, its time where it is known, and mean, deviation and interval of each column."""
        low, high = self.interval(level)
        spread = self.deviations
        found = step_columns(1, len(self), self.time, self.times)
        for k, name in enumerate(self.columns):
            found[f"mean({name})"] = self.means[:, k].tolist()
            found[f"deviation({name})"] = spread[:, k].tolist()
            found[f"low({name})"] = low[:, k].tolist()
            found[f"high({name})"] = high[:, k].tolist()
        return found

    def to_frame(self, level: float = 0.95) -> pandas.DataFrame:
        """A pandas frame with a row for each step."""
        return pandas_frame(self.to_columns(level), "A forecast as a frame")

    def to_table(self) -> TextTable:
        """One line for each step, with the 95 % intervals."""
        low, high = self.interval()
        header = [step_header(self.time, self.times)]
        for name in self.columns:
            header += [label(name), "95% interval"]
        rows = []
        for step in range(len(self)):
            cells: list[str | int | float] = [step_cell(step, 1, self.times)]
            for k in range(len(self.columns)):
                mean, spread = float(self.means[step, k]), float(self.deviations[step, k])
                ends = [number_text(float(end), spread, least=3) for end in (low[step, k], high[step, k])]
                cells += [number_text(mean, spread), " to ".join(ends)]
            rows.append(cells)
        return TextTable(header, rows, title="The next steps")

    def __str__(self) -> str:
        return str(self.to_table())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()


def series_forecast(
    system: LinearSystem,
    names: tuple[tuple[Name, ...], tuple[Name, ...]],
    last: tuple[FloatArray, FloatArray] | None,
    inputs: FloatArray,
) -> SeriesForecast:
    """The steps after one with this filtered mean and covariance (None: from the start)."""
    a, b, q, c, d, r, *start = system.arrays
    n, _, m = system.sizes
    steps = len(inputs)
    means, covariances = np.empty((steps, n)), np.empty((steps, n, n))
    for step in range(steps):
        mean, spread = start if last is None else (a @ last[0] + b @ inputs[step], a @ last[1] @ a.T + q)
        means[step], covariances[step] = last = mean, (spread + spread.T) / 2
    seen, noise = np.empty((steps, m)), np.empty((steps, m, m))
    for step in range(steps):
        seen[step] = c @ means[step] + d @ inputs[step]
        noise[step] = c @ covariances[step] @ c.T + r
    return SeriesForecast(names[1], seen, noise, names[0], means, covariances)
