"""What is known about the hidden states: probabilities of each step, and most probable paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayou.frames import pandas_frame
from bayou.models.sequences.numbered_steps import place_columns, step_cell, step_header
from bayou.schema import Variable, label
from bayou.text.tables import Bar, PrintedTable, TextTable
from bayou.typing import FloatArray, IntArray, Name, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_SHOWN = 12
"""The number of steps that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class StateBeliefs(PrintedTable, Sequence[dict[State, float]]):
    """P(state | observations) of each step of one sequence; ``log_likelihood`` is that of the sequence.

    >>> import bayou
    >>> casino = bayou.examples.casino()
    >>> beliefs = casino.filter([6, 6, 6])
    >>> beliefs.probabilities.round(3).tolist()
    [[0.25, 0.75], [0.132, 0.868], [0.082, 0.918]]
    >>> round(beliefs[2]["loaded"], 3)
    0.918
    """

    title: str
    variable: Variable
    probabilities: FloatArray
    log_likelihood: float
    steps: FloatArray | None = None
    """log P(observation | observations before) of each step, where it was computed."""
    first: int = 0
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The number of the first step, the name of the column of times, and its values where they are known."""
    sequence: Name | None = None
    key: State = None
    """The column that names sequences, and the name of this one, where a table has it."""

    def __len__(self) -> int:
        return len(self.probabilities)

    @overload
    def __getitem__(self, step: int) -> dict[State, float]: ...
    @overload
    def __getitem__(self, step: slice) -> list[dict[State, float]]: ...
    def __getitem__(self, step: Any) -> Any:
        """P(state) of a step as a mapping."""
        if isinstance(step, slice):
            return [self[k] for k in range(*step.indices(len(self)))]
        return dict(zip(self.variable.states, self.probabilities[step].tolist(), strict=True))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.asarray(self.probabilities, dtype=dtype)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with one column for each state, after the sequence's name and the times where they
        are known.
        """
        columns: dict[Any, Any] = {**place_columns(self, len(self))}
        columns |= {state: self.probabilities[:, k] for k, state in enumerate(self.variable.states)}
        return pandas_frame(columns, "Beliefs about states as a frame")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the probabilities of the states over time, as bands on top of each other (matplotlib)."""
        from bayou import plots

        names = [label(state) for state in self.variable.states]
        return plots.belief_bands(names, self.probabilities, self.title, ax)

    def to_table(self) -> TextTable:
        """The first steps as a table for printing, with a bar for the most probable state."""
        rows = []
        for step, shares in enumerate(self.probabilities[:_SHOWN]):
            best = int(shares.argmax())
            head = step_cell(step, self.first, self.times)
            rows.append((head, *shares.tolist(), label(self.variable.states[best]), Bar(float(shares[best]))))
        header = [
            step_header(self.time, self.times),
            *(label(state) for state in self.variable.states),
            "most likely",
            "",
        ]
        return TextTable(header, rows, title=self.title)

    def _remarks(self) -> list[str]:
        more = len(self) - _SHOWN
        return [f"… and {more:,} more steps"] if more > 0 else []


@dataclass(frozen=True, eq=False)
class StatePath(Sequence[State]):
    """The states of one sequence, step by step, and the log probability of the path with the observations."""

    variable: Variable
    codes: IntArray
    log_probability: float
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The name of the column of times, and its values, where a table has them."""
    sequence: Name | None = None
    key: State = None
    """The column that names sequences, and the name of this one, where a table has it."""

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, step: int) -> State: ...
    @overload
    def __getitem__(self, step: slice) -> list[State]: ...
    def __getitem__(self, step: Any) -> Any:
        """The state of a step."""
        if isinstance(step, slice):
            return [self.variable.states[code] for code in self.codes[step]]
        return self.variable.states[int(self.codes[step])]

    def __iter__(self) -> Iterator[State]:
        states = self.variable.states
        return (states[code] for code in self.codes.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(list(self), dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def stretches(self) -> list[tuple[State, int]]:
        """The path as stretches of one state: (state, number of steps)."""
        if not len(self.codes):
            return []
        changes = np.flatnonzero(np.diff(self.codes)) + 1
        bounds = [0, *changes.tolist(), len(self.codes)]
        return [(self[first], last - first) for first, last in pairwise(bounds)]

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with the state of each step, after the sequence's name and the times where they are
        known.

        >>> import bayou
        >>> path = bayou.examples.casino().decode({"day": [1, 2], "roll": [6, 6]}, time="day")
        >>> path.to_frame().to_dict("list")
        {'day': [1, 2], 'state': ['loaded', 'loaded']}
        """
        columns = place_columns(self, len(self))
        columns[self.variable.name] = list(self)
        return pandas_frame(columns, "A path of states as a frame")

    def plot(self, values: Any = None, ax: Axes | None = None) -> Axes:
        """Draw the states over time, as bands behind a series of numbers (or several, by name) if given."""
        from bayou import plots
        from bayou.models.sequences.plotted_series import series_given

        names = [label(state) for state in self.variable.states]
        series, symbols = series_given(values, len(self))
        return plots.state_series(names, self.codes, series, symbols, ax)

    def __str__(self) -> str:
        shown = [f"{label(state)} × {length}" for state, length in self.stretches[:_SHOWN]]
        more = len(self.stretches) - _SHOWN
        tail = f" → … {more:,} more stretches" if more > 0 else ""
        return f"{' → '.join(shown)}{tail}  (log probability {self.log_probability:.6g})"

    def __repr__(self) -> str:
        return str(self)
