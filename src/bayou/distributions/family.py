"""A variable with its parents, rows of such a family, and the random stream that new rows are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

import numpy as np

from bayou._native import combine_codes, sample_normal
from bayou.schema import Variable
from bayou.typing import CodeArray, ColumnArray, FloatArray, IntArray, Name

Codes: TypeAlias = CodeArray | IntArray
_OTHER_SEED = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class Family:
    """A child and its parents, in the order of the axes of the child's parameters.

    >>> wet, rain = Variable("Wet", ["no", "yes"]), Variable("Rain", ["no", "yes"])
    >>> Family(wet, (rain,)).names, Family(wet, (rain,)).shape
    (('Rain', 'Wet'), (2,))
    """

    child: Variable
    parents: tuple[Variable, ...] = ()
    variables: tuple[Variable, ...] = field(init=False, repr=False, compare=False)
    """The parents, then the child."""
    discrete: tuple[Variable, ...] = field(init=False, repr=False, compare=False)
    """The parents with states."""

    def __post_init__(self) -> None:
        # Stored rather than cached properties, which take a lock: a fit makes a family for every variable.
        discrete = tuple([parent for parent in self.parents if parent.states])
        object.__setattr__(self, "variables", (*self.parents, self.child))
        object.__setattr__(self, "discrete", discrete)

    @property
    def names(self) -> tuple[Name, ...]:
        """The parents' names, then the child's."""
        return tuple([variable.name for variable in self.variables])

    @property
    def continuous(self) -> tuple[Variable, ...]:
        """The real-valued parents."""
        return tuple([parent for parent in self.parents if parent.is_continuous])

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of each discrete parent; a combination of their states is a *group*."""
        return tuple([len(parent.states) for parent in self.discrete])

    @property
    def groups(self) -> int:
        """The number of combinations of the discrete parents' states."""
        return prod(self.shape)

    @property
    def axes(self) -> tuple[Variable, ...]:
        """The discrete parents and the child."""
        return (*self.discrete, self.child)


@dataclass(frozen=True)
class FamilyRows:
    """Rows of one family, column by column.

    ``codes`` has an array for each discrete parent, ``inputs`` a column for each continuous parent, and
    ``values`` is the child's column: codes of states, or numbers; None where it is still to be drawn.

    >>> rows = FamilyRows(2, [np.array([0, 1], np.uint8), np.array([2, 2], np.uint8)], np.zeros((2, 0)))
    >>> rows.groups((2, 3)).tolist()
    [2, 5]
    """

    rows: int
    codes: Sequence[Codes]
    inputs: FloatArray
    values: ColumnArray | None = None

    def groups(self, shape: Sequence[int]) -> CodeArray | None:
        """The group of each row, in C order of the discrete parents' codes; None without discrete parents."""
        if not self.codes:
            return None
        if any(column.dtype.kind != "u" for column in self.codes):
            return np.ravel_multi_index(list(self.codes), tuple(shape)).astype(np.uint64)
        return combine_codes([np.asarray(column) for column in self.codes], list(shape))

    def group_indices(self, shape: Sequence[int]) -> IntArray:
        """The same as indices; 0 in all rows without discrete parents.

        >>> FamilyRows(2, [], np.zeros((2, 0))).group_indices(()).tolist()
        [0, 0]
        """
        groups = self.groups(shape)
        return np.zeros(self.rows, dtype=np.int64) if groups is None else groups.astype(np.int64)

    @property
    def observed(self) -> ColumnArray:
        """The child's column; these rows must have one."""
        assert self.values is not None, "these rows have no values of the child"
        return self.values


@dataclass(frozen=True)
class RandomStream:
    """Counter-based random numbers: those of a row depend on seed, stream and row number only.

    Row i of a batch is row ``first_row + i`` of the stream, so splitting rows into batches changes no draw.
    """

    seed: int
    stream: int
    first_row: int = 0

    def normal(self, rows: int) -> FloatArray:
        """A standard normal number for each row."""
        return sample_normal(self.seed, self.stream, self.first_row, rows)

    @property
    def second(self) -> RandomStream:
        """Numbers that are independent of those of this stream, for draws that need two a row."""
        return RandomStream((self.seed + _OTHER_SEED) % 2**64, self.stream, self.first_row)
