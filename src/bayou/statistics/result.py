"""What every answer to a request can do: it adds up, loses what is forgotten, and goes into files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from bayou.errors import BadStatistics
from bayou.registry import Registry
from bayou.schema import Variable
from bayou.schema.states import state_key
from bayou.typing import BoolArray, Name, State

R = TypeVar("R", bound="Result")
Key = tuple[str, State]

RESULTS: Registry[type[Result]] = Registry("statistic", {})
"""Kind → class. A class that inherits from :class:`Result` and states its kind enters itself."""


class Result(ABC):
    """The answer to a request about some rows; the answers about two sets of rows add.

    A subclass that states its ``kind`` is known to files under that name.
    """

    kind: ClassVar[str]
    """Its name in files."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kind" in vars(cls):
            RESULTS.add(cls.kind, cls)

    @property
    def request(self) -> Any:
        """The request that this answers."""
        raise BadStatistics(f"Nothing in {self.kind} says which request it answers.")

    @property
    @abstractmethod
    def total(self) -> float:
        """The number (or weight) of what was counted."""

    @abstractmethod
    def __add__(self: R, other: R) -> R:
        """The answer about the rows of both."""

    def __sub__(self: R, other: R) -> R:
        """The answer about the rows that are left when those of ``other`` are taken away."""
        raise BadStatistics(f"Rows can not be taken off {self.kind} again: learn from the rows that stay.")

    def __mul__(self: R, weight: float) -> R:
        """The answer about rows that each count ``weight`` times as much."""
        raise BadStatistics(f"The rows behind {self.kind} can not be weighted afterwards.")

    def __rmul__(self: R, weight: float) -> R:
        return self * weight

    # States that come and go with the rows

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The axes that lose a state when all rows with it are forgotten; none unless a class says so."""
        return ()

    def present(self, dimension: int) -> BoolArray:
        """Which states of one of the labels were counted at all."""
        raise NotImplementedError(f"{type(self).__name__} has labels, so it must say what was counted.")

    def aligned(self: R, axes: Sequence[Variable]) -> R:
        """The same answer with these labels: cells by state, zero for states never seen."""
        return self

    def with_states(self: R, variables: Mapping[Name, Variable]) -> R:
        """The same answer on the states of these variables, found by name."""
        return self.aligned([variables[axis.name] for axis in self.labels])

    def renamed(self: R, names: Mapping[Name, Name]) -> R:
        """The same answer under other variable names: how shared parameters are pooled."""
        raise BadStatistics(f"{self.kind.capitalize()} of one variable can not stand for those of another.")

    def without_states(self: R, lost: Mapping[Name, set[Key]]) -> R:
        """The same answer on labels that lack some states, of which nothing is counted."""
        if not any(axis.name in lost for axis in self.labels):
            return self
        return self.aligned([_without(axis, lost.get(axis.name, set())) for axis in self.labels])

    # In a file

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Its ``kind``, and all it holds as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls: type[R], state: Mapping[str, Any]) -> R:
        """The answer that :meth:`state` described; numbers that can not be are an error (BadFile)."""


def result_from_state(state: Mapping[str, Any]) -> Result:
    """The answer of any kind that a file holds."""
    return RESULTS.find(state["kind"]).from_state(state)


def _without(axis: Variable, lost: set[Key]) -> Variable:
    kept = [state for state in axis.states if state_key(state) not in lost]
    return axis if len(kept) == axis.cardinality else Variable(axis.name, kept, ordered=axis.ordered)
