"""What is known about the states of a series: means and covariances of each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayou.arguments import interval_mass
from bayou.errors import BadQuestion, UnknownVariable
from bayou.frames import pandas_frame
from bayou.models.sequences.normal_intervals import normal_interval
from bayou.models.sequences.numbered_steps import place_columns, step_cell, step_header
from bayou.schema import label
from bayou.text.tables import TextTable, with_deviation
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_SHOWN = 12
"""The number of steps that are printed."""


@dataclass(frozen=True, eq=False)
class StateEstimates(Sequence[dict[Name, float]]):
    """Mean and covariance of the states at each step of one series.

    >>> import bayou
    >>> level = bayou.KalmanModel.local_level(level_noise=1, noise=1, start_variance=1)
    >>> found = level.filter([1.0, 2.0])
    >>> found.means.ravel().round(3).tolist(), found.deviations.ravel().round(3).tolist()
    ([0.5, 1.4], [0.707, 0.775])
    >>> round(found[1]["level"], 3)
    1.4
    """

    title: str
    names: tuple[Name, ...]
    means: FloatArray
    covariances: FloatArray
    log_likelihood: float
    steps: FloatArray | None = None
    """Log density of each step given those before, where it was computed."""
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The name of the column of times, and its values, where they are known."""
    sequence: Name | None = None
    key: State = None
    """The column that names series, and the name of this one, where a table has it."""

    @property
    def deviations(self) -> FloatArray:
        """The standard deviation of each state at each step."""
        return deviations(self.covariances)

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The lower and upper ends of the intervals that hold each state with this probability."""
        return normal_interval(self.means, self.deviations, level)

    def __len__(self) -> int:
        return len(self.means)

    @overload
    def __getitem__(self, step: int) -> dict[Name, float]: ...
    @overload
    def __getitem__(self, step: slice) -> list[dict[Name, float]]: ...
    def __getitem__(self, step: Any) -> Any:
        """The means of a step by the names of the states."""
        if isinstance(step, slice):
            return [self[k] for k in range(*step.indices(len(self)))]
        return dict(zip(self.names, self.means[step].tolist(), strict=True))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.asarray(self.means, dtype=dtype)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with the mean and the deviation of each state, after the series' name and the times
        where they are known.
        """
        spread = self.deviations
        columns: dict[Any, Any] = {**place_columns(self, len(self))}
        for k, name in enumerate(self.names):
            columns[name] = self.means[:, k]
            columns[f"deviation({name})"] = spread[:, k]
        return pandas_frame(columns, "States of a series as a frame")

    def plot(self, *names: Name, observed: Any = None, level: float = 0.95, ax: Axes | None = None) -> Axes:
        """Draw states over time as lines in bands that hold them with probability ``level`` (matplotlib).

        Without names all states are drawn; ``observed`` are values to draw as points.
        """
        from bayou import plots

        low, high = self.interval(level)
        places = [self._place(name) for name in names or self.names]
        lines = [(label(self.names[k]), self.means[:, k], low[:, k], high[:, k]) for k in places]
        points = [] if observed is None else [("observed", np.asarray(observed, dtype=np.float64).ravel())]
        return plots.series_bands(lines, points, self.title, ax=ax)

    def plot_track(
        self, across: Name, up: Name, *, observed: Any = None, level: float = 0.95, ax: Axes | None = None
    ) -> Axes:
        """Draw two states as a path in the plane, with ellipses that hold them with probability ``level``."""
        from bayou import plots

        places = [self._place(across), self._place(up)]
        path = self.means[:, places]
        spread = self.covariances[:, places][:, :, places]
        points = None if observed is None else np.asarray(observed, dtype=np.float64)
        if points is not None and points.shape != path.shape:
            raise BadQuestion(f"observed: expected an array of shape {path.shape}, not {points.shape}.")
        reach = float(np.sqrt(-2 * np.log(1 - interval_mass("level", level))))
        return plots.track_plot((label(across), label(up)), path, spread * reach**2, points, ax)

    def _place(self, name: Name) -> int:
        if name not in self.names:
            raise UnknownVariable.named(name, self.names, "among the states")
        return self.names.index(name)

    def to_table(self) -> TextTable:
        """The first steps as a table for printing."""
        rows: list[list[str | int | float]] = []
        for step, (means, own) in enumerate(zip(self.means[:_SHOWN], self.deviations[:_SHOWN], strict=True)):
            head = step_cell(step, 0, self.times)
            rows.append([head, *map(with_deviation, means.tolist(), own.tolist())])
        header = [step_header(self.time, self.times), *(label(name) for name in self.names)]
        return TextTable(header, rows, title=self.title)

    def __str__(self) -> str:
        more = len(self) - _SHOWN
        return f"{self.to_table()}" + (f"\n… and {more:,} more steps" if more > 0 else "")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()


def deviations(covariances: FloatArray) -> FloatArray:
    """The roots of the diagonals."""
    variances: FloatArray = np.einsum("...ii->...i", covariances)
    return np.sqrt(np.maximum(variances, 0.0))
