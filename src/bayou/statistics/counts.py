"""Count tables with labelled axes: they add, subtract, scale and marginalise; cells are matched by state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from bayou._native import count_families
from bayou.errors import BadFile, BadStatistics, UnknownVariable, listed
from bayou.schema import Variable
from bayou.statistics.answer_vectors import AnswerVectors
from bayou.statistics.batch import Batch
from bayou.statistics.labels import codes_in, union
from bayou.statistics.request import RequestFor, check_count_size
from bayou.statistics.result import Result
from bayou.text.tables import TextTable, html_lines
from bayou.typing import BoolArray, CountArray, Name, Units

_ROUNDING = 1e-9
_TOO_MANY = 2**63


@dataclass(frozen=True, eq=False)
class Counts(Result):
    """A table of counts with one labelled axis per variable; integers unless the weights are real numbers.

    >>> import numpy as np
    >>> ratings = Counts((Variable("R", [4, 5]),), np.array([2, 1]))
    >>> more = ratings + Counts((Variable("R", [1, 5]),), np.array([1, 1]))
    >>> more.axes[0].states, more.values.tolist()
    ((1, 4, 5), [1, 2, 2])
    >>> (more - ratings).values.tolist()
    [1, 0, 1]
    """

    kind: ClassVar[str] = "counts"
    axes: tuple[Variable, ...]
    values: CountArray

    @property
    def request(self) -> CountTable:
        """The request that these counts answer."""
        return CountTable(self.names)

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The axes."""
        return self.axes

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables' names in the order of the axes."""
        return tuple(axis.name for axis in self.axes)

    @property
    def total(self) -> float:
        """The sum of all cells."""
        return float(self.values.sum())

    def present(self, dimension: int) -> BoolArray:
        """A mask of the states of an axis that have a count."""
        return cells_present(self.values, dimension)

    def axis(self, name: Name) -> int:
        """The position of a variable's axis."""
        if name not in self.names:
            raise UnknownVariable.named(name, self.names)
        return self.names.index(name)

    def marginal(self, names: Sequence[Name]) -> Counts:
        """Sum out the other axes, and put the axes in the order of ``names``."""
        kept = [self.axis(name) for name in names]
        summed = tuple(position for position in range(len(self.axes)) if position not in kept)
        order = [sorted(kept).index(position) for position in kept]
        values = self.values.sum(axis=summed) if summed else self.values
        return Counts(tuple(self.axes[k] for k in kept), np.asarray(np.transpose(values, order), order="C"))

    def renamed(self, names: Mapping[Name, Name]) -> Counts:
        """The same table under other variable names (used to pool shared parameters)."""
        if all(names.get(name, name) == name for name in self.names):
            return self
        axes = tuple(
            Variable(names.get(axis.name, axis.name), axis.states, ordered=axis.ordered) for axis in self.axes
        )
        return Counts(axes, self.values)

    def aligned(self, axes: Sequence[Variable]) -> Counts:
        """The same counts on these axes: axes matched by name, cells by state, 0 for new states.

        Raises BadStatistics if a counted state is not on the new axes.
        """
        if self.axes == tuple(axes):
            return self
        table = self.marginal([axis.name for axis in axes]) if self.names != _names(axes) else self
        if all(old is new or old.same_states(new) for old, new in zip(table.axes, axes, strict=True)):
            return Counts(tuple(axes), table.values)
        places = [codes_in(old, new) for old, new in zip(table.axes, axes, strict=True)]
        values = table.values
        for dimension, place in enumerate(places):
            values = _drop_unknown(table, axes[dimension], dimension, place, values)
        kept = [place[place >= 0] for place in places]
        result = np.zeros([axis.cardinality for axis in axes], dtype=values.dtype)
        result[np.ix_(*kept)] = values
        return Counts(tuple(axes), result)

    def __add__(self, other: Counts) -> Counts:
        axes = _common_axes(self, other)
        left, right = self.aligned(axes).values, other.aligned(axes).values
        if left.dtype.kind != "f" and right.dtype.kind != "f":
            _require_countable(_exact_total(left) + _exact_total(right), self.names)
        return Counts(axes, left + right)

    def __sub__(self, other: Counts) -> Counts:
        axes = _common_axes(self, other)
        before = self.aligned(axes).values
        left = before - other.aligned(axes).values
        if left.dtype.kind == "f":
            left = np.where(np.abs(left) <= _ROUNDING * np.maximum(before, 1), 0.0, left)
        if left.size and left.min() < 0:
            cell = np.unravel_index(int(left.argmin()), left.shape)
            where = ", ".join(f"{axis.name}={axis.states[k]}" for axis, k in zip(axes, cell, strict=True))
            raise BadStatistics(
                f"Cannot subtract more than was counted: {where or 'the total'} would become "
                f"{left[cell]:g}. Only records that were added before can be forgotten."
            )
        return Counts(axes, left)

    def __mul__(self, weight: float) -> Counts:
        if not np.isfinite(weight):
            raise BadStatistics(f"Counts of {listed(self.names)} cannot be multiplied by {weight!r}.")
        if self.values.dtype.kind != "f" and isinstance(weight, int | np.integer):
            _require_countable(_exact_total(self.values) * int(weight), self.names)
        return Counts(self.axes, self.values * weight)

    def answer_vectors(self, units: Units) -> AnswerVectors:
        """The cells, one after the other."""
        axes, shape = self.axes, self.values.shape
        return AnswerVectors(
            lambda answer: answer.values.ravel(),
            lambda cells: Counts(axes, cells.reshape(shape)),
            np.ones(self.values.size, dtype=bool),
            lambda cells: np.sqrt(cells + 1.0),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts) or set(self.names) != set(other.names):
            return False
        axes = _common_axes(self, other)
        return np.array_equal(self.aligned(axes).values, other.aligned(axes).values)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal tables need not hash alike

    def to_table(self) -> TextTable:
        """The counts as a table: a line for each combination of the other variables, a column for each state
        of the last one."""
        *others, last = self.axes
        lines = self.values.reshape(-1, last.cardinality).tolist()
        if not others:
            rows = [[str(state), _count(cell)] for state, cell in zip(last.states, lines[0], strict=True)]
            return TextTable([str(last.name), "count"], rows, f"Counts of {last.name}")
        groups = product(*(axis.states for axis in others))
        table = [[*map(str, group), *map(_count, line)] for group, line in zip(groups, lines, strict=True)]
        by = ", ".join(str(axis.name) for axis in others)
        header = [*(str(axis.name) for axis in others), *map(str, last.states)]
        return TextTable(header, table, f"Counts of {last.name} by {by}")

    def __str__(self) -> str:
        return str(self.to_table()) if self.axes else f"Count: {_count(self.values.item())}"

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_() if self.axes else html_lines(str(self))

    def __repr__(self) -> str:
        return str(self)

    def state(self) -> dict[str, Any]:
        """The axes with their states, and the cells."""
        return {"kind": self.kind, "axes": [axis.state() for axis in self.axes], "values": self.values}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Counts:
        """Read :meth:`state`; raise BadFile unless the shape fits the axes and no cell is negative."""
        counts = cls(tuple(map(Variable.from_state, state["axes"])), state["values"])
        if np.shape(counts.values) != tuple(axis.cardinality for axis in counts.axes):
            raise BadFile(f"the counts of {counts.names!r} do not have the shape of their axes.")
        require_counts(counts.values, f"the counts of {counts.names!r}")
        return counts


@dataclass(frozen=True)
class CountTable(RequestFor[Counts]):
    """Request: how often does each combination of states of these discrete variables occur?

    Rows in which one of the variables is missing are not counted.

    >>> CountTable(("Storm", "Campfire"))
    CountTable(variables=('Storm', 'Campfire'))
    """

    variables: tuple[Name, ...]

    @property
    def states(self) -> tuple[Name, ...]:
        """The counted variables."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> Counts:
        """The counts of some rows."""
        return count_tables([self], batch, variables)[0]


def count_tables(
    requests: Sequence[CountTable], batch: Batch, variables: Mapping[Name, Variable]
) -> list[Counts]:
    """Return the tables of all requests, made in one pass over the rows."""
    if not any(request.variables for request in requests):
        return [Counts((), np.asarray(batch.total)) for _ in requests]
    names = list(dict.fromkeys(name for request in requests for name in request.variables))
    place = {name: k for k, name in enumerate(names)}
    for request in requests:
        check_count_size([variables[name] for name in request.variables])
    tables = count_families(
        [batch.codes[name] for name in names],
        [variables[name].cardinality for name in names],
        [[place[name] for name in request.variables] for request in requests],
        batch.weights,
    )
    return [
        Counts(tuple(variables[name] for name in request.variables), table)
        for request, table in zip(requests, tables, strict=True)
    ]


def _count(cell: float) -> str:
    """A count in print: whole numbers as they are, expected counts with a few digits."""
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.6g}"


def cells_present(cells: CountArray, dimension: int) -> BoolArray:
    """Return a mask of the positions along one axis that have a cell other than 0."""
    others = tuple(k for k in range(cells.ndim) if k != dimension)
    present: BoolArray = np.any(cells != 0, axis=others)
    return present


def require_counts(cells: CountArray, what: str) -> None:
    """Raise BadFile for cells that are infinite, missing, negative or of an odd type; ``what`` names them."""
    is_count = cells.dtype in (np.int64, np.float64)
    if not is_count or not np.all(np.isfinite(cells)) or np.any(cells < 0):
        raise BadFile(f"{what} have cells that are not counts.")


def _exact_total(values: CountArray) -> int:
    """The sum of integers, in Python's integers where 64 bits may be too few."""
    if float(values.sum(dtype=np.float64)) < _TOO_MANY / 2:
        return int(values.sum())
    return sum(int(value) for value in values.ravel().tolist())


def _require_countable(total: int, names: Sequence[Name]) -> None:
    if abs(total) >= _TOO_MANY:
        raise BadStatistics(
            f"The counts of {listed(names)} would sum to {total:,}: whole numbers go up to "
            f"{_TOO_MANY - 1:,}. Use weights that are smaller, or floats."
        )


def _names(axes: Sequence[Variable]) -> tuple[Name, ...]:
    return tuple(axis.name for axis in axes)


def _common_axes(left: Counts, right: Counts) -> tuple[Variable, ...]:
    if set(left.names) != set(right.names):
        raise BadStatistics(
            f"Counts of {listed(left.names)} and of {listed(right.names)} are about different variables."
        )
    return tuple(union(axis, right.axes[right.axis(axis.name)]) for axis in left.axes)


def _drop_unknown(
    table: Counts, new: Variable, dimension: int, place: CountArray, values: CountArray
) -> CountArray:
    """Remove states that ``new`` does not have; raise BadStatistics if one of them has a count."""
    dropped = np.flatnonzero(place < 0)
    if not len(dropped):
        return values
    if np.any(np.take(values, dropped, axis=dimension)):
        unknown = [table.axes[dimension].states[k] for k in dropped]
        raise BadStatistics(
            f"The data have values of {new.name!r} that are not among its declared states: "
            f"{listed(unknown)}. Declared: {listed(new.states)}. Declare them too, or clean the data."
        )
    return np.take(values, np.flatnonzero(place >= 0), axis=dimension)
