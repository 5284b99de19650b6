"""A discrete child that is a function of its parents: one state (a code) per combination of their states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayou.distributions.distribution_kind import StartingData
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.finite import FiniteDistribution
from bayou.distributions.priors import Prior
from bayou.distributions.table import check_table_size, draw_codes
from bayou.errors import BadData, BadTable, warn_user
from bayou.schema import label
from bayou.statistics import DistinctRows, RowCounts
from bayou.typing import CodeArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class FunctionOfParents(FiniteDistribution):
    """The child's code for each combination of parent states; -1 where the function is unknown (uniform).

    >>> FunctionOfParents(np.array([[0, 1], [1, 0]]), 2).table[1].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    kind: ClassVar[str] = "function"
    fixed_in_em: ClassVar[bool] = True
    codes: IntArray
    states: int

    def __post_init__(self) -> None:
        if self.codes.dtype.kind not in "iu" or not np.all((self.codes >= -1) & (self.codes < self.states)):
            raise BadTable(f"A function's codes must be whole numbers from -1 to {self.states - 1}.")

    @classmethod
    def needs(cls, family: Family) -> DistinctRows:
        """The distinct rows of the family."""
        return DistinctRows(family.names)

    @classmethod
    def estimate(cls, answer: RowCounts, family: Family, prior: Prior | None = None) -> FunctionOfParents:
        """Read the function off the rows; raise BadData if the same parent states have two child states.

        Combinations that never occur stay unknown (uniform), with a warning.
        """
        rows, child, parents = answer, family.child, family.parents
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
                f"{child.name!r} is not a function of its parents: with {given or 'no parents'} the data "
                f"have both {' and '.join(repr(child.states[v]) for v in values)}. Correct these rows, or "
                "learn a table."
            )
        unknown = int((codes < 0).sum())
        if unknown:
            warn_user(
                f"{unknown} of {codes.size} parent combinations of {child.name!r} never occur, so its "
                "function is unknown there: their rows are uniform."
            )
        return cls(codes, child.cardinality)

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """0 and 0: a function has no numeric parameters."""
        return 0, 0

    @classmethod
    def start(cls, known: StartingData) -> FunctionOfParents:
        """The function read off the complete rows; EM does not change it."""
        return cls.estimate(known.complete, known.family)

    @classmethod
    def warn_about(cls, answer: RowCounts, family: Family, prior: Prior) -> None:
        """Do nothing: EM does not change a function."""

    @property
    def free_parameters(self) -> int:
        """0: a function has no numeric parameters."""
        return 0

    @property
    def printed_cells(self) -> int:
        """One line per combination of parent states."""
        return int(self.codes.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the full table."""
        return (*self.codes.shape, self.states)

    @cached_property
    def table(self) -> FloatArray:
        """The full table (parents …, child): ones and zeros."""
        table: FloatArray = np.zeros((self.codes.size, self.states))
        flat = self.codes.ravel()
        table[np.arange(flat.size), np.maximum(flat, 0)] = 1.0
        table[flat < 0] = 1 / self.states
        return table.reshape(self.shape)

    def sample(self, rows: FamilyRows, stream: RandomStream) -> CodeArray:
        """The function's value for each row (a random one where it is unknown)."""
        return draw_codes(self.table, rows, stream)

    def maximised(self, answer: Any, family: Family, prior: Prior) -> FunctionOfParents:
        """The same function: EM does not change it."""
        return self

    def agrees_with(self, answer: RowCounts) -> bool:
        """Whether all these rows agree with the function."""
        rows = answer.codes
        return bool(np.all(self.codes[tuple(rows[:, :-1].T)] == rows[:, -1]))

    def unbounded(self, answer: Any, records: Any, family: Family) -> None:
        """None: there is nothing to learn."""

    # In a file

    def state(self) -> dict[str, Any]:
        """The code for each combination of the parents' states."""
        return {"kind": self.kind, "codes": self.codes, "states": self.states}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FunctionOfParents:
        """Read :meth:`state`."""
        return cls(state["codes"], state["states"])
