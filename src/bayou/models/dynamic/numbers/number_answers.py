"""What is known about the numbers and states of each slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayou.errors import BadQuestion, NotAvailable, UnknownVariable
from bayou.models.dynamic.answers_by_variable import COLUMNS, SHOWN, BeliefsByVariable
from bayou.models.sequences.normal_intervals import normal_interval
from bayou.models.sequences.numbered_steps import named_steps, step_cell, step_header, time_label
from bayou.models.sequences.state_answers import StateBeliefs
from bayou.schema import label
from bayou.text.tables import TextTable, with_deviation
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXACT, PARTICLES = "exact", "particles"


@dataclass(frozen=True, eq=False)
class NumberBeliefs(Sequence[dict[str, float]]):
    """Mean and standard deviation of a number at each step.

    >>> import bayou
    >>> walk = bayou.DynamicNetwork("x -> x'", continuous=["x"], tables={
    ...     "x": {"mean": 0, "variance": 1}, "x'": {"mean": 0, "coefficients": {"x": 1}, "variance": 1},
    ... })
    >>> walk.forecast(None, 2)["x"].deviations.round(3).tolist()
    [1.0, 1.414]
    """

    title: str
    name: Name
    means: FloatArray
    variances: FloatArray
    log_likelihood: float
    first: int = 0
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The number of the first step, the name of the column of times, and its values where they are known."""
    sequence: Name | None = None
    key: State = None
    """The column that names sequences, and the name of this one, where a table has it."""

    @property
    def deviations(self) -> FloatArray:
        """The standard deviation at each step; 0 where the value is known."""
        return np.sqrt(np.maximum(self.variances, 0.0))

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The ends of mean ± so many deviations that they hold a normal number with this probability."""
        return normal_interval(self.means, self.deviations, level)

    def __len__(self) -> int:
        return len(self.means)

    @overload
    def __getitem__(self, step: int) -> dict[str, float]: ...
    @overload
    def __getitem__(self, step: slice) -> list[dict[str, float]]: ...
    def __getitem__(self, step: Any) -> Any:
        """``mean`` and ``deviation`` of a step."""
        if isinstance(step, slice):
            return [self[k] for k in range(*step.indices(len(self)))]
        return {"mean": float(self.means[step]), "deviation": float(self.deviations[step])}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.asarray(self.means, dtype=dtype)

    def plot(self, observed: Any = None, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
        """Draw the number over time as a line in a band (matplotlib); ``observed`` values as points."""
        from bayou import plots

        points = [] if observed is None else [("values", np.asarray(observed, dtype=np.float64).ravel())]
        low, high = self.interval(level)
        return plots.series_bands([(label(self.name), self.means, low, high)], points, self.title, ax=ax)

    def __repr__(self) -> str:
        shown = [with_deviation(one["mean"], one["deviation"]) for one in self[:SHOWN]]
        if self.times is not None:
            shown = [f"{text} ({time_label(when)})" for text, when in zip(shown, self.times, strict=False)]
        more = f", … {len(self) - SHOWN:,} more" if len(self) > SHOWN else ""
        return f"{label(self.name)}: {', '.join(shown)}{more}"


@dataclass(frozen=True, eq=False)
class NumberPath(Sequence[float]):
    """The most probable values of a number, step by step."""

    name: Name
    values: FloatArray

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, step: int) -> float: ...
    @overload
    def __getitem__(self, step: slice) -> list[float]: ...
    def __getitem__(self, step: Any) -> Any:
        """The value of a step."""
        return self.values[step].tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.asarray(self.values, dtype=dtype)

    def __str__(self) -> str:
        more = f", … {len(self) - SHOWN:,} more" if len(self) > SHOWN else ""
        return ", ".join(f"{value:.4g}" for value in self.values[:SHOWN].tolist()) + more

    def __repr__(self) -> str:
        return f"{label(self.name)}: {self}"


@dataclass(frozen=True, eq=False)
class MixedBeliefs(BeliefsByVariable[Any]):
    """What is known of each variable at each step of one sequence: probabilities of states, means and
    deviations of numbers.

    ``log_likelihood`` is that of the sequence; ``steps`` has log P(step | steps before) where it was
    computed. ``first`` is the number of the first step. ``engine`` is ``"exact"``, or ``"particles"``: then
    all of it is estimated, ``effective_size`` has the effective number of particles of each step, and
    ``errors`` the standard errors of probabilities and means, by variable.

    >>> import bayou
    >>> arcs = "level -> level'; level -> reading"
    >>> gauge = bayou.DynamicNetwork(arcs, continuous=["level", "reading"], tables={
    ...     "level": {"mean": 0, "variance": 1},
    ...     "level'": {"mean": 0, "coefficients": {"level": 1}, "variance": 1},
    ...     "reading": {"mean": 0, "coefficients": {"level": 1}, "variance": 1},
    ... })
    >>> print(gauge.filter({"reading": [1.0, 2.0]}))
    What is known so far
    step  level
    0     0.5 ± 0.707
    1     1.4 ± 0.775
    """

    title: str
    beliefs: Mapping[Name, NumberBeliefs | StateBeliefs]
    log_likelihood: float
    steps: FloatArray | None = None
    first: int = 0
    engine: str = EXACT
    numbers: tuple[Name, ...] = ()
    joint: FloatArray | None = None
    """The covariances of all numbers [step, number, number], in the order of ``numbers``."""
    effective_size: FloatArray | None = None
    errors: Mapping[Name, FloatArray] = field(default_factory=dict)
    """Standard errors of estimates: of probabilities [step, state], of means [step]."""
    time: Name | None = None
    times: Sequence[Any] | None = None
    """The name of the column of times, and its values at these steps, where they are known."""
    sequence: Name | None = None
    key: State = None
    """The column that names sequences, and the name of this one, where a table has it."""

    @property
    def _answers(self) -> Mapping[Name, Any]:
        return self.beliefs

    @property
    def approximate(self) -> bool:
        """Whether the answers are estimates."""
        return self.engine != EXACT

    def covariances(self, *names: Name) -> FloatArray:
        """The covariances of numbers with each other, [step, number, number]; without names of all."""
        if self.joint is None:
            raise NotAvailable(
                "Where states are unknown, the deviation of each number is known, not the covariances of all."
            )
        for name in names:
            if name not in self.numbers:
                raise UnknownVariable.named(name, self.numbers, "among the numbers")
        places = [self.numbers.index(name) for name in names or self.numbers]
        return self.joint[:, places][:, :, places]

    def _columns(self) -> Iterator[tuple[str, FloatArray, FloatArray | None]]:
        """(title, values, deviations of numbers) of every column that is printed."""
        for name, own in self.beliefs.items():
            if isinstance(own, NumberBeliefs):
                yield label(name), own.means, own.deviations
                continue
            shown = range(len(own.variable.states))
            for code in shown[1:] if len(shown) == 2 else shown:
                yield f"{label(name)}={label(own.variable.states[code])}", own.probabilities[:, code], None

    def to_columns(self) -> dict[str, list[Any]]:
        """The step, P(variable=state) of every state, mean and deviation of every number; None where a
        variable does not exist.
        """
        length = max((len(own) for own in self.beliefs.values()), default=0)
        found = named_steps(self, self.first, length)
        for name, own in self.beliefs.items():
            if isinstance(own, NumberBeliefs):
                parts = {f"mean({label(name)})": own.means, f"deviation({label(name)})": own.deviations}
            else:
                states = enumerate(own.variable.states)
                parts = {f"P({label(name)}={label(s)})": own.probabilities[:, code] for code, s in states}
            for head, values in parts.items():
                found[head] = [None if np.isnan(one) else one for one in values.tolist()]
        return found

    def plot(
        self, name: Name | None = None, observed: Any = None, *, level: float = 0.95, ax: Axes | None = None
    ) -> Axes:
        """Draw a variable over time (matplotlib): a number in a band, states as bands of probability.

        Without a name the first variable is drawn; ``observed`` are values to draw as points.
        """
        if not self.beliefs:
            raise BadQuestion("There is no variable to draw.")
        own = self[next(iter(self.beliefs)) if name is None else name]
        return own.plot(observed, level=level, ax=ax) if isinstance(own, NumberBeliefs) else own.plot(ax)

    def to_table(self) -> TextTable:
        """The first steps as a table for printing. Of variables with two states the second one is shown."""
        columns = list(self._columns())[:COLUMNS]
        length = min(SHOWN, max((len(values) for _, values, _ in columns), default=0))
        rows: list[list[str | int | float]] = []
        for k in range(length):
            cells: list[str | int | float] = [step_cell(k, self.first, self.times)]
            for _, values, spread in columns:
                if np.isnan(values[k]):
                    cells.append("")
                elif spread is None:
                    cells.append(float(values[k]))
                else:
                    cells.append(with_deviation(float(values[k]), float(spread[k])))
            rows.append(cells)
        header = [step_header(self.time, self.times), *(head for head, _, _ in columns)]
        return TextTable(header, rows, title=self._headline())

    def _headline(self) -> str:
        if self.effective_size is None or not len(self.effective_size):
            return self.title
        return (
            f"{self.title}, estimated by particles (effective size at least {self.effective_size.min():,.0f})"
        )
