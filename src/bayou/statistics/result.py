"""The base class of answers to requests: they add, some subtract and scale, and they are saved in files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from bayou.errors import BadStatistics
from bayou.registry import Registry
from bayou.schema import Variable
from bayou.schema.states import state_key
from bayou.statistics.answer_vectors import AnswerVectors
from bayou.typing import BoolArray, Name, State, Units

R = TypeVar("R", bound="Result")
Key = tuple[str, State]

RESULTS: Registry[type[Result]] = Registry(
    "statistic",
    {
        "bump counts": "bayou.statistics.bump_counts:BumpCounts",
        "counts": "bayou.statistics.counts:Counts",
        "gaps": "bayou.statistics.rows.gap_counts:GapCounts",
        "sample": "bayou.statistics.rows.row_sample:SampledRows",
        "class moments": "bayou.statistics.matrix.class_moments:ClassMoments",
        "moments": "bayou.statistics.moments:GroupMoments",
        "whole numbers": "bayou.statistics.number_summary:WholeNumbers",
        "pairs": "bayou.statistics.pairs.pair_tables:PairTables",
        "proposals": "bayou.statistics.proposals:Proposals",
        "rows": "bayou.statistics.rows.row_counts:RowCounts",
        "words": "bayou.statistics.text.token_counts:TokenCounts",
        "weights": "bayou.statistics.rows.weight_sums:WeightSums",
        "values": "bayou.statistics.value_histogram:ValueCounts",
    },
)
"""Kind → class. Another class that inherits from :class:`Result` and sets ``kind`` registers itself."""


class Result(ABC):
    """The answer to a request for some rows; the answers for two sets of rows add.

    A subclass that sets ``kind`` can be saved in files under that name.
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
        raise BadStatistics(f"Results of the kind {self.kind!r} do not record which request they answer.")

    @property
    @abstractmethod
    def total(self) -> float:
        """The number (or weight) of what was counted, usually rows."""

    @abstractmethod
    def __add__(self: R, other: R) -> R:
        """The answer for the rows of both."""

    def __sub__(self: R, other: R) -> R:
        """The answer for the rows that remain when those of ``other`` are removed."""
        raise BadStatistics(f"Rows cannot be removed from {self.kind}: learn from the rows that stay.")

    def __mul__(self: R, weight: float) -> R:
        """The answer for the same rows with ``weight`` times their weight."""
        raise BadStatistics(f"The rows behind {self.kind} cannot be weighted afterwards.")

    def __rmul__(self: R, weight: float) -> R:
        return self * weight

    def answer_vectors(self, units: Units) -> AnswerVectors | None:
        """This and other answers to its request as vectors that add; None if they have no such form.

        ``units`` has a mean and a deviation of each continuous variable, roughly.
        """
        return None

    # States that are added and dropped with the rows

    @property
    def labels(self) -> tuple[Variable, ...]:
        """The axes from which a state is dropped when all rows with it are forgotten; by default none."""
        return ()

    def present(self, dimension: int) -> BoolArray:
        """A mask of the states of one of the labels that have a count."""
        raise NotImplementedError(f"{type(self).__name__} has labels, so it must define present().")

    def aligned(self: R, axes: Sequence[Variable]) -> R:
        """The same answer with these labels: cells matched by state, 0 for new states."""
        return self

    def with_states(self: R, variables: Mapping[Name, Variable]) -> R:
        """The same answer on the states of these variables, matched by name."""
        return self.aligned([variables[axis.name] for axis in self.labels]) if self.labels else self

    def renamed(self: R, names: Mapping[Name, Name]) -> R:
        """The same answer under other variable names (used to pool shared parameters)."""
        raise BadStatistics(f"{self.kind.capitalize()} of one variable cannot be used for another.")

    def without_states(self: R, dropped: Mapping[Name, set[Key]]) -> R:
        """The same answer without these states, which have no counts, on its labels."""
        if not any(axis.name in dropped for axis in self.labels):
            return self
        return self.aligned([_without(axis, dropped.get(axis.name, set())) for axis in self.labels])

    # In a file

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Its ``kind`` and its contents as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls: type[R], state: Mapping[str, Any]) -> R:
        """Read :meth:`state`; raise BadFile for impossible numbers."""


def result_from_state(state: Mapping[str, Any]) -> Result:
    """Return the answer, of any kind, that a file holds."""
    return RESULTS.find(state["kind"]).from_state(state)


def _without(axis: Variable, dropped: set[Key]) -> Variable:
    kept = [state for state in axis.states if state_key(state) not in dropped]
    return axis if len(kept) == axis.cardinality else Variable(axis.name, kept, ordered=axis.ordered)
