"""The distinct values of a numeric column by group, each with its weight; such histograms add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bayou._native import mdl_cuts, value_counts
from bayou.errors import BadFile, BadStatistics, listed
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch
from bayou.statistics.labels import codes_in, union
from bayou.statistics.request import RequestFor, group_codes
from bayou.statistics.result import Result
from bayou.typing import BoolArray, FloatArray, IntArray, Name

MOST_ENTRIES = 2**20
"""With more distinct (value, group) pairs than this, values are kept in bins."""
_ROUNDING = 1e-9
_WHOLE = 2.0**52
_EXPONENTS = (-1074, 1023)


@dataclass(frozen=True, eq=False)
class ValueCounts(Result):
    """Distinct values, ascending, with their group (a code over the groups' axes, C order) and weight.

    Exact up to 2**20 entries. Beyond that, values are replaced by the middle of their bin. ``bin_width`` is
    the smallest sufficient power of two, so no value moves by more than half of it, whatever the order and
    the batches of the data.

    >>> sex = Variable("sex", ["f", "m"])
    >>> a = ValueCounts.of("height", (sex,), np.array([165.0, 178.0, 165.0]), np.array([0, 1, 0]))
    >>> (a + a).values.tolist(), (a + a).weights.tolist()
    ([165.0, 178.0], [4.0, 2.0])
    >>> (a + a - a).of_group(0)
    (array([165.]), array([2.]))
    """

    kind: ClassVar[str] = "values"
    variable: Name
    groups: tuple[Variable, ...]
    values: FloatArray
    codes: IntArray
    weights: FloatArray
    bin_width: float = 0.0

    @classmethod
    def of(
        cls,
        variable: Name,
        groups: Sequence[Variable],
        values: FloatArray,
        codes: npt.NDArray[np.integer] | None = None,
        weights: FloatArray | None = None,
        bin_width: float = 0.0,
    ) -> ValueCounts:
        """Make it from rows in any order; NaN and the code 2**32 - 1 are missing."""
        size = number_of_groups(groups)
        group = None if codes is None else np.ascontiguousarray(codes, dtype=np.uint32)
        weight = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        numbers = np.ascontiguousarray(binned(values, bin_width), dtype=np.float64)
        distinct, of_group, sums = value_counts(numbers, group, size, weight)
        result = cls(variable, tuple(groups), distinct, of_group.astype(np.int64), sums, bin_width)
        return result if len(distinct) <= MOST_ENTRIES else result.in_narrowest_bins()

    @property
    def request(self) -> ValueHistogram:
        """The request that these values answer."""
        return ValueHistogram(self.variable, tuple(axis.name for axis in self.groups))

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The variables that the values are grouped by."""
        return self.groups

    def present(self, dimension: int) -> BoolArray:
        """A mask of the states of a group variable that have values."""
        codes = np.unravel_index(self.codes, _shape(self.groups))[dimension]
        present: BoolArray = np.bincount(codes, minlength=self.groups[dimension].cardinality) > 0
        return present

    @property
    def total(self) -> float:
        """The weight of all values."""
        return float(self.weights.sum())

    def of_group(self, code: int) -> tuple[FloatArray, FloatArray]:
        """The distinct values of one group, ascending, and their weights."""
        inside = self.codes == code
        return self.values[inside], self.weights[inside]

    def ungrouped(self) -> ValueCounts:
        """The same values with all groups merged."""
        return ValueCounts.of(self.variable, (), self.values, None, self.weights, self.bin_width)

    def cuts(self) -> FloatArray:
        """Cut points that separate the groups, by entropy splits and the MDL rule; x <= cut is left of it."""
        return mdl_cuts(
            [self.values], self.codes.astype(np.uint32), number_of_groups(self.groups), self.weights
        )[0]

    def renamed(self, names: Mapping[Name, Name]) -> ValueCounts:
        """The same values under other variable names (used to pool shared parameters)."""
        groups = tuple(Variable(names.get(g.name, g.name), g.states, ordered=g.ordered) for g in self.groups)
        variable = names.get(self.variable, self.variable)
        return ValueCounts(variable, groups, self.values, self.codes, self.weights, self.bin_width)

    def aligned(self, groups: Sequence[Variable]) -> ValueCounts:
        """The same values on these group axes, matched by name and state.

        Raises BadStatistics if a state with values is not on the new axes.
        """
        if tuple(groups) == self.groups:
            return self
        mine = [axis.name for axis in self.groups]
        split = np.unravel_index(self.codes, _shape(self.groups)) if self.groups else ()
        codes = np.zeros(len(self.codes), dtype=np.int64)
        for axis in groups:
            dimension = mine.index(axis.name)
            moved = codes_in(self.groups[dimension], axis)[split[dimension]]
            if np.any(moved < 0):
                raise BadStatistics(
                    f"The values of {self.variable!r} were counted for states of {axis.name!r} that are not "
                    f"among its declared states: {listed(axis.states)}. Declare them too, or clean the data."
                )
            codes = codes * axis.cardinality + moved
        return ValueCounts.of(self.variable, groups, self.values, codes, self.weights, self.bin_width)

    def __add__(self, other: ValueCounts) -> ValueCounts:
        left, right = _alike(self, other)
        values = np.concatenate([left.values, right.values])
        codes = np.concatenate([left.codes, right.codes])
        weights = np.concatenate([left.weights, right.weights])
        return ValueCounts.of(left.variable, left.groups, values, codes, weights, left.bin_width)

    def __sub__(self, other: ValueCounts) -> ValueCounts:
        left, right = _alike(self, other)
        place = left._find(right)
        weights = left.weights.copy()
        weights[place] -= right.weights
        weights[np.abs(weights) <= _ROUNDING * np.maximum(left.weights, 1)] = 0.0
        if np.any(weights < 0):
            worst = int(weights.argmin())
            raise BadStatistics(
                f"Cannot subtract more than was counted: {self.variable!r} = {left.values[worst]:g} would "
                f"become {weights[worst]:g}. Only records that were added before can be forgotten."
            )
        kept = weights > 0
        return ValueCounts(
            left.variable, left.groups, left.values[kept], left.codes[kept], weights[kept], left.bin_width
        )

    def __mul__(self, weight: float) -> ValueCounts:
        if not (np.isfinite(weight) and weight >= 0):
            raise BadStatistics(f"Values of {self.variable!r} cannot be multiplied by {weight!r}.")
        return ValueCounts.of(
            self.variable, self.groups, self.values, self.codes, self.weights * weight, self.bin_width
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ValueCounts) or self.variable != other.variable:
            return False
        if {axis.name for axis in self.groups} != {axis.name for axis in other.groups}:
            return False
        left, right = _alike(self, other)
        return all(
            np.array_equal(one, two)
            for one, two in (
                (left.values, right.values),
                (left.codes, right.codes),
                (left.weights, right.weights),
            )
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal ones need not hash alike

    def state(self) -> dict[str, Any]:
        """The variable, the groups with their states, and every entry."""
        return {
            "kind": self.kind,
            "variable": encode_value(self.variable),
            "groups": [axis.state() for axis in self.groups],
            "values": self.values,
            "codes": self.codes,
            "weights": self.weights,
            "bin_width": self.bin_width,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ValueCounts:
        """Read :meth:`state`; raise BadFile unless entries are valid and sorted by value and group."""
        name, groups = decode_value(state["variable"]), tuple(map(Variable.from_state, state["groups"]))
        values, codes, weights = (state[part] for part in ("values", "codes", "weights"))
        if not values.shape == codes.shape == weights.shape or codes.ndim != 1 or codes.dtype.kind != "i":
            raise BadFile(f"the values of {name!r} do not have a group and a weight each.")
        inside = (codes >= 0) & (codes < number_of_groups(groups))
        if not np.all(inside) or not np.all(np.isfinite(weights)) or np.any(weights <= 0):
            raise BadFile(f"the values of {name!r} have invalid groups or weights.")
        step = np.diff(values)
        if np.any(np.isnan(values)) or np.any((step < 0) | ((step == 0) & (np.diff(codes) <= 0))):
            raise BadFile(f"the values of {name!r} are not distinct and ascending.")
        width = state["bin_width"]
        if isinstance(width, bool) or not isinstance(width, int | float) or not 0 <= width < float("inf"):
            raise BadFile(f"the values of {name!r} have an invalid bin width, {width!r}.")
        return cls(name, groups, values, codes, weights, width)

    def _find(self, part: ValueCounts) -> IntArray:
        """The positions of a part's entries in the whole; raises BadStatistics if one is not there."""
        distinct, rank = np.unique(self.values, return_inverse=True)
        size = max(1, number_of_groups(self.groups))
        keys = rank * size + self.codes
        at = np.minimum(np.searchsorted(distinct, part.values), max(0, len(distinct) - 1))
        sought = at * size + part.codes
        place = np.minimum(np.searchsorted(keys, sought), max(0, len(keys) - 1))
        found = (
            (distinct[at] == part.values) & (keys[place] == sought)
            if len(keys)
            else np.zeros(len(sought), dtype=bool)
        )
        if not np.all(found):
            absent = part.values[~found][0]
            raise BadStatistics(
                f"Cannot subtract {self.variable!r} = {absent:g}: it was never counted in that group. Only "
                "records that were added before can be forgotten."
            )
        return place.astype(np.int64)

    def _coarsened(self, bin_width: float) -> ValueCounts:
        if bin_width == self.bin_width:
            return self
        return ValueCounts.of(self.variable, self.groups, self.values, self.codes, self.weights, bin_width)

    def in_narrowest_bins(self) -> ValueCounts:
        """The smallest bins, of a power of two, with at most MOST_ENTRIES entries (bins are nested)."""
        low, high = _EXPONENTS
        if self.bin_width:
            low = int(np.log2(self.bin_width))
        codes = self.codes.astype(np.uint32)
        while high - low > 1:
            middle = (low + high) // 2
            rounded = binned(self.values, 2.0**middle)
            entries = len(value_counts(rounded, codes, number_of_groups(self.groups))[0])
            low, high = (middle, high) if entries > MOST_ENTRIES else (low, middle)
        return self._coarsened(2.0**high)


@dataclass(frozen=True)
class ValueHistogram(RequestFor[ValueCounts]):
    """Request: which values does a number take, and how often, for each combination of ``given`` states?

    >>> ValueHistogram("height", given=("sex",))
    ValueHistogram(variable='height', given=('sex',))
    """

    variable: Name
    given: tuple[Name, ...] = ()

    @property
    def variables(self) -> tuple[Name, ...]:
        """The column, as a tuple of one."""
        return (self.variable,)

    @property
    def states(self) -> tuple[Name, ...]:
        """The variables in ``given``."""
        return self.given

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The column, needed as numbers."""
        return (self.variable,)

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> ValueCounts:
        """The values of some rows."""
        given = [variables[name] for name in self.given]
        weights = None if batch.weights is None else batch.weights.astype(np.float64)
        values = batch.numbers[self.variable]
        return ValueCounts.of(self.variable, given, values, group_codes(batch, given), weights)


def binned(values: FloatArray, width: float) -> FloatArray:
    """The middle of each value's bin; values too large for a float to resolve the bin are unchanged."""
    if width == 0:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        place = values / width
        middle = (np.floor(place) + 0.5) * width
    return np.where(np.abs(place) < _WHOLE, middle, values)


def _shape(groups: Sequence[Variable]) -> tuple[int, ...]:
    return tuple(axis.cardinality for axis in groups)


def number_of_groups(groups: Sequence[Variable]) -> int:
    """Return the number of combinations of the groups' states."""
    return int(np.prod(_shape(groups), dtype=np.int64))


def _alike(left: ValueCounts, right: ValueCounts) -> tuple[ValueCounts, ValueCounts]:
    """Both on the same group axes and in the same bins."""
    others = {axis.name: axis for axis in right.groups}
    if left.variable != right.variable or {axis.name for axis in left.groups} != set(others):
        raise BadStatistics(
            f"The values of {left.variable!r} and of {right.variable!r} cannot be added: they must be of the "
            "same variable, grouped by the same variables."
        )
    groups = [union(axis, others[axis.name]) for axis in left.groups]
    width = max(left.bin_width, right.bin_width)
    return left.aligned(groups)._coarsened(width), right.aligned(groups)._coarsened(width)
