"""What is known about the variables of each slice: probabilities, and most probable trajectories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion, counted
from bayou.frames import pandas_frame
from bayou.models.dynamic.answers_by_variable import (
    COLUMNS,
    SHOWN,
    AnswersByVariable,
    BeliefsByVariable,
)
from bayou.models.dynamic.numbers.number_answers import NumberPath
from bayou.models.sequences.numbered_steps import named_steps, place_columns, step_cell, step_header
from bayou.models.sequences.state_answers import StateBeliefs, StatePath
from bayou.schema import label
from bayou.text.tables import TextTable
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class SliceBeliefs(BeliefsByVariable[StateBeliefs]):
    """P(variable | what is known) of each step of one sequence, by variable.

    ``log_likelihood`` is that of the sequence; ``steps`` has log P(step | steps before) where it was
    computed. ``first`` is the number of the first step. ``engine`` says how it was computed; ``"factored"``
    is approximate.

    >>> import bayou
    >>> world = bayou.examples.umbrella_world()
    >>> beliefs = world.filter({"Umbrella": ["yes", "yes"]})
    >>> beliefs["Rain"].probabilities.round(3).tolist()
    [[0.182, 0.818], [0.117, 0.883]]
    """

    title: str
    beliefs: Mapping[Name, StateBeliefs]
    log_likelihood: float
    steps: FloatArray | None = None
    first: int = 0
    engine: str = "exact"
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The name of the column of times, and its values at these steps, where they are known."""
    sequence: Name | None = None
    key: State = None
    """The column that names sequences, and the name of this one, where a table has it."""

    @property
    def _answers(self) -> Mapping[Name, StateBeliefs]:
        return self.beliefs

    @property
    def approximate(self) -> bool:
        """Whether the probabilities are approximate."""
        return self.engine != "exact"

    def to_columns(self) -> dict[str, list[Any]]:
        """The step, and P(variable=state) of every state; None where a variable does not exist."""
        length = max((len(own) for own in self.beliefs.values()), default=0)
        found = named_steps(self, self.first, length)
        for name, own in self.beliefs.items():
            for code, state in enumerate(own.variable.states):
                shares = own.probabilities[:, code].tolist()
                found[f"P({label(name)}={label(state)})"] = [None if np.isnan(one) else one for one in shares]
        return found

    def plot(self, name: Name | None = None, ax: Axes | None = None) -> Axes:
        """Draw the probabilities of a variable over time (matplotlib); the first variable without a name."""
        if not self.beliefs:
            raise BadQuestion("There is no variable to draw.")
        return self[next(iter(self.beliefs)) if name is None else name].plot(ax)

    def to_table(self) -> TextTable:
        """The first steps as a table for printing. Of variables with two states the second one is shown."""
        columns: list[tuple[str, FloatArray]] = []
        for name, own in self.beliefs.items():
            shown = range(len(own.variable.states))
            for code in shown[1:] if len(shown) == 2 else shown:
                columns.append(
                    (f"{label(name)}={label(own.variable.states[code])}", own.probabilities[:, code])
                )
        columns = columns[:COLUMNS]
        length = min(SHOWN, max((len(values) for _, values in columns), default=0))
        rows = [
            (
                step_cell(k, self.first, self.times),
                *("" if np.isnan(values[k]) else float(values[k]) for _, values in columns),
            )
            for k in range(length)
        ]
        title = f"{self.title}, approximately" if self.approximate else self.title
        return TextTable(
            [step_header(self.time, self.times), *(head for head, _ in columns)], rows, title=title
        )


@dataclass(frozen=True, eq=False)
class Trajectory(AnswersByVariable["StatePath | NumberPath"]):
    """The most probable values of all variables together, step by step, and log P(values, what is known).

    With numbers, ``log_probability`` is the log density of the states and of what is known, whatever the
    other numbers are: the states maximise it, and the numbers are the most probable ones given these states.
    Where there are too many paths of states, it is the best of those that were ``compared``, not ``exact``.
    """

    paths: Mapping[Name, StatePath | NumberPath]
    log_probability: float
    compared: int | None = None
    """How many paths of states were compared, if these were not all."""
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The name of the column of times, and its values at these steps, where they are known."""
    sequence: Name | None = None
    key: State = None
    """The column that names sequences, and the name of this one, where a table has it."""

    @property
    def _answers(self) -> Mapping[Name, StatePath | NumberPath]:
        return self.paths

    @property
    def exact(self) -> bool:
        """Whether no other trajectory is more probable."""
        return self.compared is None

    def to_columns(self) -> dict[Name, list[Any]]:
        """The states and numbers of every variable."""
        return {name: list(path) for name, path in self.paths.items()}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step, after its time where it is known; of a variable outside
        time it repeats the value.
        """
        length = max((len(path) for path in self.paths.values()), default=0)
        columns = place_columns(self, length)
        columns |= {name: own * (length if len(own) == 1 else 1) for name, own in self.to_columns().items()}
        return pandas_frame(columns, "A trajectory as a frame")

    def __str__(self) -> str:
        lines = [f"{label(name)}: {str(path).rsplit('  (', 1)[0]}" for name, path in self.paths.items()]
        numbers = any(isinstance(path, NumberPath) for path in self.paths.values())
        last = f"log {'density' if numbers else 'probability'} {self.log_probability:.6g}"
        if self.compared is not None:
            found = counted(self.compared, "path")
            last += f", the best of {found} of states that were found; there may be a better one"
        return "\n".join([*lines, last])

    def __repr__(self) -> str:
        return str(self)
