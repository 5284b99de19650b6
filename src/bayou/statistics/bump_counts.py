"""How many rows belong to each of the fixed bumps of a density, by the states of discrete variables.

Which bump a row belongs to is not observed: EM expects these counts, and nothing else can collect them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.errors import BadFile, BadStatistics
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.answer_vectors import AnswerVectors
from bayou.statistics.batch import Batch
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import FloatArray, Name, Units


@dataclass(frozen=True, eq=False)
class BumpCounts(Result):
    """Counts [state of each parent…, bump] of the variable ``child``.

    >>> one = BumpCounts("x", ("state",), np.array([[1.0, 2.0]]))
    >>> (one + one).values.tolist(), one.total
    ([[2.0, 4.0]], 3.0)
    """

    kind: ClassVar[str] = "bump counts"
    child: Name
    parents: tuple[Name, ...]
    values: FloatArray

    @property
    def request(self) -> BumpTable:
        """The request that these counts answer."""
        return BumpTable(self.child, self.parents)

    @property
    def total(self) -> float:
        """The sum of all cells."""
        return float(self.values.sum())

    def __add__(self, other: BumpCounts) -> BumpCounts:
        if self.request != other.request or self.values.shape != other.values.shape:
            raise BadStatistics("Counts of different bumps cannot be added.")
        return BumpCounts(self.child, self.parents, self.values + other.values)

    def __mul__(self, weight: float) -> BumpCounts:
        return BumpCounts(self.child, self.parents, self.values * weight)

    def answer_vectors(self, units: Units) -> AnswerVectors:
        """The cells, one after the other."""
        return AnswerVectors(
            lambda answer: answer.values.ravel(),
            lambda cells: BumpCounts(self.child, self.parents, cells.reshape(self.values.shape)),
            np.ones(self.values.size, dtype=bool),
            lambda cells: np.sqrt(cells + 1.0),
        )

    def state(self) -> dict[str, Any]:
        """The names and the counts."""
        names = [encode_value(name) for name in (self.child, *self.parents)]
        return {"kind": self.kind, "names": names, "values": self.values}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> BumpCounts:
        """Read :meth:`state`; raise BadFile unless all counts are 0 or more."""
        child, *parents = (decode_value(name) for name in state["names"])
        values = np.asarray(state["values"], dtype=np.float64)
        if values.ndim != len(parents) + 1 or not np.all(np.isfinite(values) & (values >= 0)):
            raise BadFile("the counts of bumps are not numbers of 0 or more for each state.")
        return cls(child, tuple(parents), values)


@dataclass(frozen=True)
class BumpTable(RequestFor[BumpCounts]):
    """Request: the counts of the bumps of ``child``, by the states of its parents; only EM answers it.

    >>> BumpTable("x", ("state",)).variables
    ('state', 'x')
    """

    child: Name
    parents: tuple[Name, ...]

    @property
    def variables(self) -> tuple[Name, ...]:
        """The variables of the request."""
        return (*self.parents, self.child)

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> BumpCounts:
        """Raise BadStatistics: which bump a row belongs to is not in the data."""
        raise BadStatistics(
            f"Which bump of {self.child!r} a row belongs to is not observed: densities of fixed bumps are "
            "learned by EM, in hidden Markov models."
        )
