"""How many cells of each variable are missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bayou.errors import BadStatistics, listed
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import Name


@dataclass(frozen=True)
class GapCounts(Result):
    """The number of rows, regardless of weights, and the number of missing cells of each variable.

    >>> gaps = GapCounts(("A", "B"), 10, (3, 0))
    >>> gaps + gaps
    GapCounts(variables=('A', 'B'), rows=20, gaps=(6, 0))
    """

    kind: ClassVar[str] = "gaps"
    variables: tuple[Name, ...]
    rows: int
    gaps: tuple[int, ...]

    @property
    def request(self) -> MissingCounts:
        """The request that these counts answer."""
        return MissingCounts(self.variables)

    @property
    def total(self) -> float:
        """The number of rows."""
        return self.rows

    def __add__(self, other: GapCounts) -> GapCounts:
        _require_same(self, other)
        gaps = tuple(a + b for a, b in zip(self.gaps, other.gaps, strict=True))
        return GapCounts(self.variables, self.rows + other.rows, gaps)

    def __sub__(self, other: GapCounts) -> GapCounts:
        _require_same(self, other)
        gaps = tuple(a - b for a, b in zip(self.gaps, other.gaps, strict=True))
        return GapCounts(self.variables, self.rows - other.rows, gaps)

    def __mul__(self, weight: float) -> GapCounts:
        """The same: weights do not matter here."""
        return self

    def state(self) -> dict[str, Any]:
        """The variables' names and the counts."""
        names = [encode_value(name) for name in self.variables]
        return {"kind": self.kind, "variables": names, "rows": self.rows, "gaps": list(self.gaps)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> GapCounts:
        """Read :meth:`state`."""
        names = tuple(decode_value(name) for name in state["variables"])
        return cls(names, int(state["rows"]), tuple(map(int, state["gaps"])))


@dataclass(frozen=True)
class MissingCounts(RequestFor[GapCounts]):
    """Request: how many cells of each of these variables are missing?

    >>> MissingCounts(("age", "smoker"))
    MissingCounts(variables=('age', 'smoker'))
    """

    variables: tuple[Name, ...]

    @property
    def values(self) -> tuple[Name, ...]:
        """The variables, as codes or numbers."""
        return self.variables

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> GapCounts:
        """The gaps in some rows."""
        return GapCounts(self.variables, batch.rows, tuple(batch.gaps(name) for name in self.variables))


def _require_same(left: GapCounts, right: GapCounts) -> None:
    if left.variables != right.variables:
        raise BadStatistics(
            f"The gaps of {listed(left.variables)} and of {listed(right.variables)} cannot be added: the "
            "variables differ."
        )
