"""Distinct rows with their counts: a sparse count table that stores only the cells that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.codes import is_missing_code
from bayou.errors import BadFile, BadStatistics, listed
from bayou.schema import Variable, label
from bayou.statistics.batch import Batch
from bayou.statistics.labels import codes_in, union
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.statistics.rows.distinct_rows import sorted_distinct_rows
from bayou.typing import BoolArray, CountArray, IntArray, Name

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class RowCounts(Result):
    """Each distinct row once, as codes (one column per axis), and its count; rows are sorted.

    >>> import numpy as np
    >>> axes = (Variable("A", ["x", "y"]), Variable("B", [0, 1]))
    >>> rows = RowCounts(axes, np.array([[0, 1], [1, 0]]), np.array([2, 1]))
    >>> (rows + rows).counts.tolist(), (rows - rows).codes.tolist()
    ([4, 2], [])
    """

    kind: ClassVar[str] = "rows"
    axes: tuple[Variable, ...]
    codes: IntArray
    counts: CountArray

    @classmethod
    def of(cls, axes: Sequence[Variable], codes: IntArray, counts: CountArray) -> RowCounts:
        """Make it from rows in any order, with repetitions."""
        first, inverse = sorted_distinct_rows(codes, [axis.cardinality for axis in axes])
        summed = _summed(inverse, counts, len(first))
        alive = summed != 0
        return cls(tuple(axes), codes[first[alive]], summed[alive])

    @property
    def request(self) -> DistinctRows:
        """The request that these rows answer."""
        return DistinctRows(self.names)

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The axes."""
        return self.axes

    def present(self, dimension: int) -> BoolArray:
        """A mask of the states of an axis that occur."""
        present: BoolArray = (
            np.bincount(self.codes[:, dimension], minlength=self.axes[dimension].cardinality) > 0
        )
        return present

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables' names in the order of the columns."""
        return tuple(axis.name for axis in self.axes)

    @property
    def total(self) -> float:
        """The sum of all counts."""
        return float(self.counts.sum())

    def renamed(self, names: Mapping[Name, Name]) -> RowCounts:
        """The same rows under other variable names (used to pool shared parameters)."""
        axes = tuple(
            Variable(names.get(axis.name, axis.name), axis.states, ordered=axis.ordered) for axis in self.axes
        )
        return RowCounts(axes, self.codes, self.counts)

    def aligned(self, axes: Sequence[Variable]) -> RowCounts:
        """The same rows on these axes: columns matched by name, codes by state.

        Raises BadStatistics if a state that occurs is not on the new axes.
        """
        columns = [self.names.index(axis.name) for axis in axes]
        codes = np.empty((len(self.codes), len(axes)), dtype=np.int64)
        for k, (column, axis) in enumerate(zip(columns, axes, strict=True)):
            place = codes_in(self.axes[column], axis)
            codes[:, k] = place[self.codes[:, column]] if len(place) else 0
            if np.any(codes[:, k] < 0):
                dropped = np.unique(self.codes[codes[:, k] < 0, column])
                unknown = [self.axes[column].states[code] for code in dropped]
                raise BadStatistics(
                    f"The data have values of {axis.name!r} that are not among its declared states: "
                    f"{listed(unknown)}. Declared: {listed(axis.states)}. Declare them too, or clean "
                    "the data."
                )
        return RowCounts.of(axes, codes, self.counts)

    def __add__(self, other: RowCounts) -> RowCounts:
        return self._combined(other, 1)

    def __sub__(self, other: RowCounts) -> RowCounts:
        left = self._combined(other, -1)
        counts = left.counts
        if counts.dtype.kind == "f":
            counts = np.where(np.abs(counts) <= _ROUNDING * max(self.total, 1), 0.0, counts)
        if counts.size and counts.min() < 0:
            worst = left.codes[int(counts.argmin())]
            where = ", ".join(f"{a.name}={label(a.states[k])}" for a, k in zip(left.axes, worst, strict=True))
            raise BadStatistics(
                f"Cannot subtract more than was counted: {where or 'the total'} would become "
                f"{counts.min():g}. Only records that were added before can be forgotten."
            )
        return RowCounts(left.axes, left.codes[counts != 0], counts[counts != 0])

    def __mul__(self, weight: float) -> RowCounts:
        return RowCounts.of(self.axes, self.codes, self.counts * weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowCounts) or set(self.names) != set(other.names):
            return False
        axes = _common_axes(self, other)
        left, right = self.aligned(axes), other.aligned(axes)
        return np.array_equal(left.codes, right.codes) and np.array_equal(left.counts, right.counts)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal tables need not hash alike

    def state(self) -> dict[str, Any]:
        """The axes with their states, the rows and their counts."""
        return {
            "kind": self.kind,
            "axes": [axis.state() for axis in self.axes],
            "codes": self.codes,
            "counts": self.counts,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> RowCounts:
        """Read :meth:`state`; raise BadFile unless codes fit the axes and counts are not negative."""
        rows = cls(tuple(map(Variable.from_state, state["axes"])), state["codes"], state["counts"])
        sizes = [axis.cardinality for axis in rows.axes]
        if rows.codes.shape != (len(rows.counts), len(sizes)) or rows.codes.dtype.kind not in "iu":
            raise BadFile(f"the rows counted for {rows.names!r} do not have the shape of their axes.")
        if not np.all((rows.codes >= 0) & (rows.codes < sizes)):
            raise BadFile(f"the rows counted for {rows.names!r} do not fit their states.")
        if rows.counts.ndim != 1 or not np.all(np.isfinite(rows.counts)) or np.any(rows.counts < 0):
            raise BadFile(f"the rows counted for {rows.names!r} have invalid counts.")
        return rows

    def _combined(self, other: RowCounts, sign: int) -> RowCounts:
        axes = _common_axes(self, other)
        left, right = self.aligned(axes), other.aligned(axes)
        codes = np.concatenate([left.codes, right.codes])
        return RowCounts.of(axes, codes, np.concatenate([left.counts, sign * right.counts]))


@dataclass(frozen=True)
class DistinctRows(RequestFor[RowCounts]):
    """Request: which rows of these discrete variables occur, and how often?

    It is for families too wide for a table. Rows in which one of the variables is missing are not counted.

    >>> DistinctRows(("Flu", "Cold", "Fever"))
    DistinctRows(variables=('Flu', 'Cold', 'Fever'))
    """

    variables: tuple[Name, ...]

    @property
    def states(self) -> tuple[Name, ...]:
        """The variables of the rows."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> RowCounts:
        """The distinct rows of some rows."""
        codes = np.empty((batch.rows, len(self.variables)), dtype=np.int64)
        seen = np.ones(batch.rows, dtype=bool)
        for k, name in enumerate(self.variables):
            column = batch.codes[name]
            codes[:, k] = column
            seen &= ~is_missing_code(column)
        counts = np.ones(batch.rows, dtype=np.int64) if batch.weights is None else batch.weights
        return RowCounts.of([variables[name] for name in self.variables], codes[seen], counts[seen])


def _summed(inverse: IntArray, counts: CountArray, size: int) -> CountArray:
    result = np.zeros(size, dtype=np.int64 if counts.dtype.kind in "iub" else np.float64)
    np.add.at(result, inverse, counts)
    return result


def _common_axes(left: RowCounts, right: RowCounts) -> tuple[Variable, ...]:
    if set(left.names) != set(right.names):
        raise BadStatistics(
            f"Rows of {listed(left.names)} and of {listed(right.names)} are about different variables."
        )
    return tuple(union(axis, right.axes[right.names.index(axis.name)]) for axis in left.axes)
