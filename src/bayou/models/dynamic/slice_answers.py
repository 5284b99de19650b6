"""What is known about the variables of each slice: probabilities, and most probable trajectories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion, UnknownVariable
from bayou.frames import pandas_frame
from bayou.models.sequences.state_answers import StateBeliefs, StatePath
from bayou.schema import label
from bayou.text.tables import TextTable
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_SHOWN, _COLUMNS = 12, 8
"""The number of steps, and of probabilities in a line, that are printed."""


@dataclass(frozen=True, eq=False)
class SliceBeliefs(Mapping[Name, StateBeliefs]):
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

    def __getitem__(self, name: Name) -> StateBeliefs:
        if name not in self.beliefs:
            raise UnknownVariable.named(name, tuple(self.beliefs), "among the answers")
        return self.beliefs[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self.beliefs)

    def __len__(self) -> int:
        return len(self.beliefs)

    @property
    def approximate(self) -> bool:
        """Whether the probabilities are approximate."""
        return self.engine != "exact"

    def to_columns(self) -> dict[str, list[Any]]:
        """The step, and P(variable=state) of every state; None where a variable does not exist."""
        length = max((len(own) for own in self.beliefs.values()), default=0)
        found: dict[str, list[Any]] = {"step": list(range(self.first, self.first + length))}
        for name, own in self.beliefs.items():
            for code, state in enumerate(own.variable.states):
                shares = own.probabilities[:, code].tolist()
                found[f"P({label(name)}={label(state)})"] = [None if np.isnan(one) else one for one in shares]
        return found

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step."""
        return pandas_frame(self.to_columns(), "Beliefs about slices as a frame")

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
        columns = columns[:_COLUMNS]
        length = min(_SHOWN, max((len(values) for _, values in columns), default=0))
        rows = [
            (self.first + k, *("" if np.isnan(values[k]) else float(values[k]) for _, values in columns))
            for k in range(length)
        ]
        title = f"{self.title}, approximately" if self.approximate else self.title
        return TextTable(["step", *(head for head, _ in columns)], rows, title=title)

    def __str__(self) -> str:
        steps = max((len(own) for own in self.beliefs.values()), default=0) - _SHOWN
        return f"{self.to_table()}" + (f"\n… and {steps:,} more steps" if steps > 0 else "")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()


@dataclass(frozen=True, eq=False)
class Trajectory(Mapping[Name, StatePath]):
    """The most probable values of all variables together, step by step, and log P(values, what is known)."""

    paths: Mapping[Name, StatePath]
    log_probability: float

    def __getitem__(self, name: Name) -> StatePath:
        if name not in self.paths:
            raise UnknownVariable.named(name, tuple(self.paths), "among the answers")
        return self.paths[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def to_columns(self) -> dict[Name, list[State]]:
        """The states of every variable."""
        return {name: list(path) for name, path in self.paths.items()}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step; of a variable outside time it repeats the value."""
        length = max((len(path) for path in self.paths.values()), default=0)
        columns = {
            name: states * (length if len(states) == 1 else 1) for name, states in self.to_columns().items()
        }
        return pandas_frame(columns, "A trajectory as a frame")

    def __str__(self) -> str:
        lines = [f"{label(name)}: {str(path).rsplit('  (', 1)[0]}" for name, path in self.paths.items()]
        return "\n".join([*lines, f"log probability {self.log_probability:.6g}"])

    def __repr__(self) -> str:
        return str(self)
