"""How much the rows weigh: the sums of their weights and of the squares of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bayou.errors import BadFile, BadStatistics
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import Name


@dataclass(frozen=True)
class WeightSums(Result):
    """Σ weight and Σ weight² of the rows.

    >>> WeightSums("A", 4.0, 10.0).effective_rows  # such as weights of 3 and 1
    1.6
    """

    kind: ClassVar[str] = "weights"
    variable: Name
    weights: float
    squares: float

    @property
    def request(self) -> RowWeights:
        """The request that these sums answer."""
        return RowWeights(self.variable)

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return self.weights

    @property
    def effective_rows(self) -> float:
        """As many rows of equal weight would be as certain (Kish): (Σ weight)² / Σ weight²."""
        return self.weights**2 / self.squares if self.squares > 0 else 0.0

    def __add__(self, other: WeightSums) -> WeightSums:
        self._require_same(other)
        return WeightSums(self.variable, self.weights + other.weights, self.squares + other.squares)

    def __sub__(self, other: WeightSums) -> WeightSums:
        self._require_same(other)
        return WeightSums(self.variable, self.weights - other.weights, max(0.0, self.squares - other.squares))

    def __mul__(self, weight: float) -> WeightSums:
        return WeightSums(self.variable, self.weights * weight, self.squares * weight**2)

    def _require_same(self, other: WeightSums) -> None:
        if self.variable != other.variable:
            raise BadStatistics("Weights of rows that have other columns cannot be added.")

    def state(self) -> dict[str, Any]:
        """Both sums."""
        name = encode_value(self.variable)
        return {"kind": self.kind, "variable": name, "weights": self.weights, "squares": self.squares}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> WeightSums:
        """Read :meth:`state`; raise BadFile for impossible sums."""
        weights, squares = float(state["weights"]), float(state["squares"])
        if not (0 <= weights < float("inf") and 0 <= squares < float("inf")):
            raise BadFile("the sums of the weights of rows are impossible.")
        return cls(decode_value(state["variable"]), weights, squares)


@dataclass(frozen=True)
class RowWeights(RequestFor[WeightSums]):
    """Request: how much do the rows weigh? ``variable`` is any column.

    >>> RowWeights("age")
    RowWeights(variable='age')
    """

    variable: Name

    @property
    def values(self) -> tuple[Name, ...]:
        """The column, as codes or numbers."""
        return (self.variable,)

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> WeightSums:
        """The sums of some rows; equal rows that were counted together weigh 1 each."""
        if batch.weights is None:
            return WeightSums(self.variable, float(batch.rows), float(batch.rows))
        weights = batch.weights.astype(float)
        squares = weights.sum() if batch.repeated else weights @ weights
        return WeightSums(self.variable, float(weights.sum()), float(squares))
