"""The count tables of all pairs of some variables in one array, which adds, subtracts and scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayou.errors import BadFile, BadStatistics, UnknownVariable, listed
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.counts import Counts, require_counts
from bayou.statistics.labels import codes_in, union
from bayou.statistics.pairs.pair_counting import counted_pairs
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import BoolArray, CountArray, IntArray, Name

_ROUNDING = 1e-9
_TOO_MANY = 2.0**62


@dataclass(frozen=True, eq=False)
class PairTables(Result):
    """The flat tables of all pairs i < j (lexicographic) in one array, one row per combination of ``given``.

    >>> a, b, c = (Variable(name, [0, 1]) for name in "abc")
    >>> tables = PairTables((a, b, c), (), np.arange(12).reshape(1, 12))
    >>> tables.table("c", "a").values.tolist()
    [[4, 6], [5, 7]]
    >>> (tables + tables).table("a", "b").total
    12.0
    """

    kind: ClassVar[str] = "pairs"
    axes: tuple[Variable, ...]
    given: tuple[Variable, ...]
    values: CountArray

    @property
    def request(self) -> PairCounts:
        """The request that these tables answer."""
        return PairCounts(self.names, self.given_names)

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The axes of ``given``, then the paired ones."""
        return (*self.given, *self.axes)

    @property
    def total(self) -> float:
        """The sum of all cells; a row of data counts once for each pair of which it has both values."""
        return float(self.values.sum())

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The paired variables' names."""
        return tuple(axis.name for axis in self.axes)

    @cached_property
    def _places(self) -> dict[Name, int]:
        return {name: place for place, name in enumerate(self.names)}

    @property
    def given_names(self) -> tuple[Name, ...]:
        """The names of the variables by whose states the pairs are counted."""
        return tuple(axis.name for axis in self.given)

    @cached_property
    def offsets(self) -> IntArray:
        """The start of each pair's table; the last entry is the end."""
        return pair_offsets([axis.cardinality for axis in self.axes])

    def table(self, first: Name, second: Name) -> Counts:
        """The counts of one pair, axes (given…, first, second)."""
        i, j = self._place(first), self._place(second)
        if i == j:
            raise BadStatistics(f"{first!r} cannot be paired with itself.")
        low, high = min(i, j), max(i, j)
        pair = low * len(self.axes) - low * (low + 1) // 2 + high - low - 1
        axes = (*self.given, self.axes[low], self.axes[high])
        cells = self.values[:, self.offsets[pair] : self.offsets[pair + 1]]
        values = cells.reshape([axis.cardinality for axis in axes])
        return Counts(axes, values).marginal((*self.given_names, first, second))

    def family(self, names: Sequence[Name]) -> Counts | None:
        """The counts of up to two paired variables and some given ones; None for other sets of variables.

        A single paired variable is counted in the rows that also have a value of the first other one.
        """
        paired = [name for name in names if name in self._places]
        known = all(name in self._places or name in self.given_names for name in names)
        if len(self.axes) < 2 or len(paired) > 2 or not known:
            return None
        others = [name for name in self.names[:3] if name not in paired]
        first, second = [*paired, *others][:2]
        return self.table(first, second).marginal(names)

    def present(self, dimension: int) -> BoolArray:
        """A mask of the states with counts on an axis (axes of ``given`` first, then the paired ones)."""
        if dimension < len(self.given):
            shape = [axis.cardinality for axis in self.given]
            counted = np.any(self.values != 0, axis=1).reshape(shape)
            result: BoolArray = np.any(counted, axis=tuple(k for k in range(len(shape)) if k != dimension))
            return result
        place = dimension - len(self.given)
        cells = np.flatnonzero(np.any(self.values != 0, axis=0))
        pair, first, second = self._cells
        found = np.zeros(self.axes[place].cardinality, dtype=bool)
        left, right = _pairs(len(self.axes))
        found[first[cells[left[pair[cells]] == place]]] = True
        found[second[cells[right[pair[cells]] == place]]] = True
        return found

    def aligned(self, axes: Sequence[Variable]) -> PairTables:
        """The same counts on these axes (those of ``given`` first): matched by state, 0 for new states.

        Raises BadStatistics if a counted state is not on the new axes.
        """
        given, paired = tuple(axes[: len(self.given)]), tuple(axes[len(self.given) :])
        if all(old is new or old.same_states(new) for old, new in zip(self.labels, axes, strict=True)):
            return PairTables(paired, given, self.values)
        places = [codes_in(old, new) for old, new in zip(self.labels, axes, strict=True)]
        for dimension, place in enumerate(places):
            self._refuse_undeclared(dimension, place, axes[dimension])
        rows = _row_places(places[: len(given)], given)
        cells, end = self._cell_places(places[len(given) :], paired)
        values = np.zeros((_product(given), end), dtype=self.values.dtype)
        kept_rows, kept_cells = np.flatnonzero(rows >= 0), np.flatnonzero(cells >= 0)
        values[np.ix_(rows[kept_rows], cells[kept_cells])] = self.values[np.ix_(kept_rows, kept_cells)]
        return PairTables(paired, given, values)

    def __add__(self, other: PairTables) -> PairTables:
        axes = self._common(other)
        left, right = self.aligned(axes), other.aligned(axes)
        total = left.values + right.values
        if total.dtype.kind != "f" and total.size and float(total.max()) >= _TOO_MANY:
            raise BadStatistics(f"The counts of {listed(self.names)} are too large for 64-bit integers.")
        return PairTables(left.axes, left.given, total)

    def __sub__(self, other: PairTables) -> PairTables:
        axes = self._common(other)
        before = self.aligned(axes)
        values = before.values - other.aligned(axes).values
        if values.dtype.kind == "f":
            rounding = np.abs(values) <= _ROUNDING * np.maximum(before.values, 1)
            values = np.where(rounding, 0.0, values)
        result = PairTables(before.axes, before.given, values)
        if values.size and values.min() < 0:
            cell = int(values.argmin()) % values.shape[1]
            pair, first, second = (part[cell] for part in result._cells)
            left, right = (result.axes[side[pair]] for side in _pairs(len(result.axes)))
            raise BadStatistics(
                f"Cannot subtract more than was counted: {left.name}={left.states[first]}, "
                f"{right.name}={right.states[second]} would become {values.min():g}. Only records that were "
                "added before can be forgotten."
            )
        return result

    def __mul__(self, weight: float) -> PairTables:
        if not np.isfinite(weight):
            raise BadStatistics(f"Counts of {listed(self.names)} cannot be multiplied by {weight!r}.")
        return PairTables(self.axes, self.given, self.values * weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairTables) or not self._same_question(other):
            return False
        axes = self._common(other)
        return np.array_equal(self.aligned(axes).values, other.aligned(axes).values)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal tables need not hash alike

    def state(self) -> dict[str, Any]:
        """The axes with their states, and the cells."""
        return {
            "kind": self.kind,
            "axes": [axis.state() for axis in self.axes],
            "given": [axis.state() for axis in self.given],
            "values": self.values,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> PairTables:
        """Read :meth:`state`; raise BadFile unless the shape fits the axes and no cell is negative."""
        axes, given = (tuple(map(Variable.from_state, state[part])) for part in ("axes", "given"))
        pairs = cls(axes, given, state["values"])
        if np.shape(pairs.values) != (_product(given), int(pairs.offsets[-1])):
            raise BadFile(f"the counts of pairs of {pairs.names!r} do not have the shape of their axes.")
        require_counts(pairs.values, f"the counts of pairs of {pairs.names!r}")
        return pairs

    @cached_property
    def _cells(self) -> tuple[IntArray, IntArray, IntArray]:
        """For each cell its pair, and the codes of the pair's two variables."""
        sizes = np.diff(self.offsets)
        pair = np.repeat(np.arange(len(sizes)), sizes)
        _, right = _pairs(len(self.axes))
        cards = np.array([axis.cardinality for axis in self.axes], dtype=np.int64)
        local = np.arange(len(pair)) - self.offsets[:-1][pair]
        width = cards[right[pair]]
        return pair, local // np.maximum(width, 1), local % np.maximum(width, 1)

    def _cell_places(self, places: Sequence[IntArray], axes: Sequence[Variable]) -> tuple[IntArray, int]:
        """For each cell its position in tables over ``axes`` (-1: a state was dropped), and their length."""
        pair, first, second = self._cells
        left, right = _pairs(len(axes))
        starts = np.cumsum([0, *(len(place) for place in places)])
        flat = np.concatenate([*places, np.zeros(1, dtype=np.int64)])
        row = flat[starts[left[pair]] + first]
        column = flat[starts[right[pair]] + second]
        cards = np.array([axis.cardinality for axis in axes], dtype=np.int64)
        offsets = pair_offsets(cards.tolist())
        place = offsets[:-1][pair] + row * cards[right[pair]] + column
        return np.where((row < 0) | (column < 0), -1, place), int(offsets[-1])

    def _refuse_undeclared(self, dimension: int, place: IntArray, new: Variable) -> None:
        """Raise BadStatistics if states with counts have no place (-1) among the states of ``new``."""
        dropped = np.flatnonzero((place < 0) & self.present(dimension)) if np.any(place < 0) else ()
        if len(dropped):
            old = self.labels[dimension]
            raise BadStatistics(
                f"The data have values of {new.name!r} that are not among its declared states: "
                f"{listed([old.states[k] for k in dropped])}. Declared: {listed(new.states)}. Declare them "
                "too, or clean the data."
            )

    def _same_question(self, other: PairTables) -> bool:
        return (self.names, self.given_names) == (other.names, other.given_names)

    def _common(self, other: PairTables) -> tuple[Variable, ...]:
        if not self._same_question(other):
            raise BadStatistics(
                f"Pairs of {listed(self.names)} and of {listed(other.names)} are about different variables."
            )
        ours, theirs = (*self.given, *self.axes), (*other.given, *other.axes)
        return tuple(union(left, right) for left, right in zip(ours, theirs, strict=True))

    def _place(self, name: Name) -> int:
        if name not in self._places:
            raise UnknownVariable.named(name, self.names)
        return self._places[name]


@dataclass(frozen=True)
class PairCounts(RequestFor[PairTables]):
    """Request: the counts of every pair of these discrete variables, by the states of ``given``.

    A row counts for a pair if it has a value of both variables and of all variables in ``given``.

    >>> PairCounts(("a", "b", "c"), given=("class",))
    PairCounts(variables=('a', 'b', 'c'), given=('class',))
    """

    variables: tuple[Name, ...]
    given: tuple[Name, ...] = ()

    @property
    def states(self) -> tuple[Name, ...]:
        """The variables in ``given``, then the paired ones."""
        return (*self.given, *self.variables)

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> PairTables:
        """The tables of some rows."""
        axes, given = ([variables[name] for name in names] for names in (self.variables, self.given))
        values = counted_pairs(axes, given, batch.codes, batch.weights)
        return PairTables(tuple(axes), tuple(given), values)


def pair_offsets(cards: Sequence[int]) -> IntArray:
    """Return the start of the table of each pair i < j in one flat array; the last entry is its length.

    >>> pair_offsets([2, 3, 4]).tolist()
    [0, 6, 14, 26]
    """
    sizes = np.asarray(cards, dtype=np.int64)
    left, right = _pairs(len(sizes))
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes[left] * sizes[right])])


def _pairs(count: int) -> tuple[IntArray, IntArray]:
    left, right = np.triu_indices(count, 1)
    return left.astype(np.int64, copy=False), right.astype(np.int64, copy=False)


def _product(axes: Sequence[Variable]) -> int:
    return int(np.prod([axis.cardinality for axis in axes], dtype=np.int64))


def _row_places(places: Sequence[IntArray], axes: Sequence[Variable]) -> IntArray:
    """For each combination of the given variables' states its new row; -1 if a state was dropped."""
    rows = np.zeros(1, dtype=np.int64)
    for place, axis in zip(places, axes, strict=True):
        inner = np.where(place < 0, -1, place)
        outer = rows[:, None] * axis.cardinality + inner[None, :]
        rows = np.where((rows[:, None] < 0) | (inner[None, :] < 0), -1, outer).ravel()
    return rows
