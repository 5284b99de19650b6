"""Whether a column of numbers looks discrete: few distinct whole numbers, perhaps with gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.errors import BadStatistics
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import FloatArray, Name

MANY = 20
"""A column with more distinct values than this is taken as numbers, not as states."""
_FIRST_LOOK = 1024


@dataclass(frozen=True)
class WholeNumbers(Result):
    """How often each whole number occurs, and how many cells are missing.

    ``counts`` is None if there are fractions or more than 20 distinct values.

    >>> ages = WholeNumbers.of("age", np.array([1.0, 2.0, np.nan, 1.0]))
    >>> ages.counts, ages.seen, ages.gaps, ages.repeat
    ({1: 2, 2: 1}, 3, 1, False)
    >>> (ages + ages).counts, WholeNumbers.of("age", np.array([0.5])).counts
    ({1: 4, 2: 2}, None)
    """

    kind: ClassVar[str] = "whole numbers"
    variable: Name
    counts: Mapping[int, int] | None
    seen: int
    gaps: int

    @classmethod
    def of(cls, variable: Name, values: FloatArray) -> WholeNumbers:
        """Summarise a column; NaN is a missing cell."""
        seen = values[~np.isnan(values)]
        gaps = len(values) - len(seen)
        # Most columns of real numbers have a fraction in their first rows.
        if not _are_whole(seen[:_FIRST_LOOK]) or not _are_whole(seen):
            return cls(variable, None, len(seen), gaps)
        distinct, counts = np.unique(seen, return_counts=True)
        few = len(distinct) <= MANY
        found = dict(zip(map(int, distinct.tolist()), counts.tolist(), strict=True)) if few else None
        return cls(variable, found, len(seen), gaps)

    @property
    def request(self) -> NumberSummary:
        """The request that this answers."""
        return NumberSummary(self.variable)

    @property
    def total(self) -> float:
        """The number of cells with a value."""
        return self.seen

    @property
    def repeat(self) -> bool:
        """Whether the values occur at least twice on average, as states do."""
        return bool(self.counts) and 2 * len(self.counts or ()) <= self.seen

    def __add__(self, other: WholeNumbers) -> WholeNumbers:
        if self.variable != other.variable:
            raise BadStatistics(
                f"Summaries of different variables cannot be added: {self.variable!r} and {other.variable!r}."
            )
        both: Mapping[int, int] | None = None
        if self.counts is not None and other.counts is not None:
            both = dict(Counter(self.counts) + Counter(other.counts))
        few = both if both is None or len(both) <= MANY else None
        return WholeNumbers(self.variable, few, self.seen + other.seen, self.gaps + other.gaps)

    def __mul__(self, weight: float) -> WholeNumbers:
        """The same: cells are counted whatever the weights of their rows."""
        return self

    def state(self) -> dict[str, Any]:
        """The variable, its whole numbers and how often each occurs."""
        counts = None if self.counts is None else [list(pair) for pair in self.counts.items()]
        name = encode_value(self.variable)
        return {"kind": self.kind, "variable": name, "counts": counts, "seen": self.seen, "gaps": self.gaps}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> WholeNumbers:
        """Read :meth:`state`."""
        pairs = state["counts"]
        counts = None if pairs is None else {int(value): int(count) for value, count in pairs}
        return cls(decode_value(state["variable"]), counts, int(state["seen"]), int(state["gaps"]))


@dataclass(frozen=True)
class NumberSummary(RequestFor[WholeNumbers]):
    """Request: are the values of a column few whole numbers, and how many cells are missing?

    >>> NumberSummary("age")
    NumberSummary(variable='age')
    """

    variable: Name

    @property
    def variables(self) -> tuple[Name, ...]:
        """The column, as a tuple of one."""
        return (self.variable,)

    @property
    def numbers(self) -> tuple[Name, ...]:
        """The column, needed as numbers."""
        return (self.variable,)

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> WholeNumbers:
        """The summary of some rows."""
        return WholeNumbers.of(self.variable, batch.numbers[self.variable])


def _are_whole(values: FloatArray) -> bool:
    return bool(np.all(np.isfinite(values)) and np.all(values == np.floor(values)))
