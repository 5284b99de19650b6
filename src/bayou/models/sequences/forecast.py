"""The next steps of a sequence: probabilities of states, and of what they emit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import ImpossibleEvidence, counted
from bayou.frames import pandas_frame
from bayou.models.sequences.numbered_steps import step_cell, step_columns, step_header
from bayou.schema import Variable, label
from bayou.temporal.chain_model import ChainModel
from bayou.text.tables import PrintedTable, TextTable, with_deviation
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    import pandas

NOTHING_FOLLOWS = (
    "The sequence surely ends with its last row: no state that it can be in then goes on, so there are no "
    "next steps."
)


@dataclass(frozen=True, eq=False, repr=False)
class Forecast(PrintedTable):
    """P(state) of the next steps, P(symbol) of columns of symbols, and mean and deviation of columns of
    numbers.

    Of a model with ``ends=True`` all this is said of a sequence that has not ended before the step, and
    ``running`` has the probability of that; else it is None.

    >>> import bayou
    >>> ahead = bayou.examples.casino().forecast([6, 6, 6, 6], steps=2)
    >>> ahead.states.round(3).tolist()
    [[0.154, 0.846], [0.231, 0.769]]
    >>> ahead.symbols["roll"][0].round(3).tolist()
    [0.11, 0.11, 0.11, 0.11, 0.11, 0.449]
    """

    variable: Variable
    states: FloatArray
    columns: Mapping[Name, Variable]
    symbols: Mapping[Name, FloatArray]
    means: Mapping[Name, FloatArray]
    deviations: Mapping[Name, FloatArray]
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The name of the column of times, and its values at these steps, where they are known."""
    running: FloatArray | None = None
    """P(the sequence has not ended before this step | all observations), of a model with ``ends=True``."""

    def __len__(self) -> int:
        return len(self.states)

    def to_columns(self) -> dict[str, list[Any]]:
        """The step (1 is the first one ahead), its time where it is known, P(running) of a model with
        ``ends=True``, the most probable state, P(state), and the same (or mean and deviation) of each column.

        >>> import bayou
        >>> list(bayou.examples.casino().forecast([6, 6]).to_columns())[:5]
        ['step', 'state', 'P(state=fair)', 'P(state=loaded)', 'roll']
        """
        found = step_columns(1, len(self), self.time, self.times)
        if self.running is not None:
            found["P(running)"] = self.running.tolist()
        tables = {self.variable.name: (self.variable, self.states)}
        tables |= {name: (self.columns[name], shares) for name, shares in self.symbols.items()}
        for name, (variable, shares) in tables.items():
            found[str(name)] = [variable.states[code] for code in shares.argmax(axis=1).tolist()]
            for code, state in enumerate(variable.states):
                found[f"P({name}={state})"] = shares[:, code].tolist()
        for name, mean in self.means.items():
            found[f"mean({name})"] = mean.tolist()
            found[f"deviation({name})"] = self.deviations[name].tolist()
        return found

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step."""
        return pandas_frame(self.to_columns(), "A forecast as a frame")

    def to_table(self) -> TextTable:
        """One line for each step."""
        header = [step_header(self.time, self.times)]
        header += [] if self.running is None else ["still running"]
        header += [label(state) for state in self.variable.states]
        for name in self.symbols:
            header.append(f"{label(name)} (most likely)")
        header += [f"{label(name)} (mean ± deviation)" for name in self.means]
        rows = []
        for step in range(len(self)):
            head = step_cell(step, 1, self.times)
            cells: list[str | int | float] = [head]
            cells += [] if self.running is None else [float(self.running[step])]
            cells += self.states[step].tolist()
            for name, shares in self.symbols.items():
                best = int(shares[step].argmax())
                cells.append(f"{label(self.columns[name].states[best])} ({shares[step][best]:.3f})")
            for name, mean in self.means.items():
                cells.append(with_deviation(float(mean[step]), float(self.deviations[name][step])))
            rows.append(cells)
        title = "The next steps" if self.running is None else "The next steps, if the sequence goes on"
        return TextTable(header, rows, title=title)


def forecast(model: ChainModel, last: FloatArray | None, steps: int) -> Forecast:
    """The next steps after a step whose filtered states are ``last`` (None: from the start)."""
    chain, network, moments = model.chain, model.network, model.emissions.moments
    states, running = _states_ahead(model, last, steps)
    columns = {name: chain.structure.declared[name] for name in chain.columns}
    symbols = [name for name, variable in columns.items() if not variable.is_continuous]
    numbers = [name for name in columns if name not in symbols and moments(name) is not None]

    def mean(name: Name) -> FloatArray:
        known = moments(name)
        assert known is not None
        found: FloatArray = states @ known[0]
        return found

    def deviation(name: Name) -> FloatArray:
        known = moments(name)
        assert known is not None
        apart = known[0] - mean(name)[:, None]
        spread: FloatArray = np.sqrt((states * (known[1] + apart**2)).sum(axis=1))
        return spread

    return Forecast(
        chain.user_state,
        chain.folded(states),
        columns,
        WhenAsked(symbols, lambda name: states @ network.table(name)),
        WhenAsked(numbers, mean),
        WhenAsked(numbers, deviation),
        running=running,
    )


def _states_ahead(
    model: ChainModel, last: FloatArray | None, steps: int
) -> tuple[FloatArray, FloatArray | None]:
    """P(state) of each step, given that the sequence has not ended before it, and the probability of that.

    ``model.transition`` has the probability to go on in it, so the sum of a message is the share that does.
    """
    states, running = np.empty((steps, model.chain.states)), np.ones(steps)
    now, left = last, 1.0
    for step in range(steps):
        now = model.start if now is None else now @ model.transition
        if model.end is not None:
            share = float(now.sum())
            if not share > 0:
                raise ImpossibleEvidence(
                    f"A sequence of this model surely ends before the step {step + 1} that is asked for: no "
                    f"state that it can be in goes on. Ask for at most {counted(step, 'step')}."
                    if step
                    else NOTHING_FOLLOWS
                )
            now, left = now / share, left * share
        states[step], running[step] = now, left
    return states, None if model.end is None else running


class WhenAsked(Mapping[Name, FloatArray]):
    """Arrays by name, each made when it is asked for, and kept.

    >>> WhenAsked(["a"], lambda name: np.zeros(2))["a"].tolist()
    [0.0, 0.0]
    """

    def __init__(self, names: Sequence[Name], make: Callable[[Name], FloatArray]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._made: dict[Name, FloatArray] = {}

    def __getitem__(self, name: Name) -> FloatArray:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
