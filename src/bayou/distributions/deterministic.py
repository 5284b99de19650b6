"""A child that is a function of its parents: a state for each combination, kept as codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayou.distributions.table import check_table_size
from bayou.errors import BadData, BadTable, warn_user
from bayou.schema import Variable, label
from bayou.statistics import DistinctRows, RowCounts
from bayou.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class FunctionOfParents:
    """The child's code for each combination of parent states; -1 where nothing is known (uniform).

    >>> FunctionOfParents(np.array([[0, 1], [1, 0]]), 2).expanded[1].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    kind: ClassVar[str] = "function"
    codes: IntArray
    states: int
    free_parameters: ClassVar[int] = 0
    parameters: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if self.codes.dtype.kind not in "iu" or not np.all((self.codes >= -1) & (self.codes < self.states)):
            raise BadTable(f"A function's codes must be whole numbers from -1 to {self.states - 1}.")

    @staticmethod
    def needs(child: Variable, parents: Sequence[Variable]) -> DistinctRows:
        """The statistic that this distribution is estimated from."""
        return DistinctRows((*(parent.name for parent in parents), child.name))

    @classmethod
    def estimate(cls, rows: RowCounts) -> FunctionOfParents:
        """The function that the data show; two values for the same parent states are an error.

        Combinations that never occur stay unknown (uniform), with a warning.
        """
        *parents, child = rows.axes
        check_table_size(child, parents)
        codes = np.full([parent.cardinality for parent in parents], -1, dtype=np.int64)
        index = tuple(rows.codes[:, k] for k in range(len(parents)))
        codes[index] = rows.codes[:, -1]
        wrong = np.flatnonzero(codes[index] != rows.codes[:, -1])
        if len(wrong):
            at = rows.codes[wrong[0]]
            given = ", ".join(f"{p.name}={label(p.states[k])}" for p, k in zip(parents, at, strict=False))
            values = sorted({int(at[-1]), int(codes[tuple(at[:-1])])})
            raise BadData(
                f"{child.name!r} is no function of its parents: with {given or 'no parents'} the data have "
                f"both {' and '.join(repr(child.states[v]) for v in values)}. Correct these rows, or learn a "
                "table."
            )
        unknown = int((codes < 0).sum())
        if unknown:
            warn_user(
                f"{unknown} of {codes.size} parent combinations of {child.name!r} never occur, so its "
                "function is unknown there: their rows are uniform."
            )
        return cls(codes, child.cardinality)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the full table."""
        return (*self.codes.shape, self.states)

    @cached_property
    def expanded(self) -> FloatArray:
        """The full table (parents …, child): ones and zeros."""
        table: FloatArray = np.zeros((self.codes.size, self.states))
        flat = self.codes.ravel()
        table[np.arange(flat.size), np.maximum(flat, 0)] = 1.0
        table[flat < 0] = 1 / self.states
        return table.reshape(self.shape)

    def state(self) -> dict[str, Any]:
        """The codes, and the number of the child's states."""
        return {"kind": self.kind, "codes": self.codes, "states": self.states}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FunctionOfParents:
        """The function that :meth:`state` described."""
        return cls(state["codes"], state["states"])
