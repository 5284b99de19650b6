"""Answers about the steps of one sequence, found by the names of variables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bayou.errors import UnknownVariable
from bayou.frames import pandas_frame
from bayou.text.tables import TextTable
from bayou.typing import Name, State

if TYPE_CHECKING:
    import pandas

A = TypeVar("A", covariant=True)
SHOWN, COLUMNS = 12, 8
"""The number of steps, and of values in a line, that are printed."""


class AnswersByVariable(Mapping[Name, A], Generic[A]):
    """A mapping from variables to what was found of them."""

    @property
    @abstractmethod
    def _answers(self) -> Mapping[Name, A]:
        """The answers by name."""

    def __getitem__(self, name: Name) -> A:
        if name not in self._answers:
            raise UnknownVariable.named(name, tuple(self._answers), "among the answers")
        return self._answers[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


class BeliefsByVariable(AnswersByVariable[A]):
    """What is known of each variable at each step; printed as a table of the first steps."""

    first: int
    time: Name | None
    times: Sequence[Any] | None
    sequence: Name | None
    key: State

    def __getitem__(self, name: Name) -> A:
        """What is known of one variable, its steps numbered and timed as here."""
        own: Any = super().__getitem__(name)
        place = {"first": self.first, "time": self.time, "times": self.times}
        found: A = replace(own, **place, sequence=self.sequence, key=self.key)
        return found

    @abstractmethod
    def to_columns(self) -> dict[str, list[Any]]:
        """The step, and what is known of every variable."""

    @abstractmethod
    def to_table(self) -> TextTable:
        """The first steps as a table for printing."""

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step."""
        return pandas_frame(self.to_columns(), "Beliefs about slices as a frame")

    def __str__(self) -> str:
        answers: Any = self._answers
        steps = max((len(own) for own in answers.values()), default=0) - SHOWN
        return f"{self.to_table()}" + (f"\n… and {steps:,} more steps" if steps > 0 else "")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()
