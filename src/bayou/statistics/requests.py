"""Questions about data: frozen, hashable descriptions of the statistics that a model needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bayou.typing import Name


@dataclass(frozen=True)
class CountTable:
    """How often does each combination of states of these discrete variables occur?

    A row counts where it has a value in every one of the variables.

    >>> CountTable(("Storm", "Campfire"))
    CountTable(variables=('Storm', 'Campfire'))
    """

    variables: tuple[Name, ...]


@dataclass(frozen=True)
class PairCounts:
    """The counts of every pair of these discrete variables, for each combination of ``given`` states.

    A row counts for a pair where it has a value in both variables and in all of ``given``.

    >>> PairCounts(("a", "b", "c"), given=("class",))
    PairCounts(variables=('a', 'b', 'c'), given=('class',))
    """

    variables: tuple[Name, ...]
    given: tuple[Name, ...] = ()


@dataclass(frozen=True)
class Moments:
    """Number, means and centred scatter of continuous variables, for each combination of ``given`` states.

    >>> Moments(("height",), given=("sex",))
    Moments(variables=('height',), given=('sex',))
    """

    variables: tuple[Name, ...]
    given: tuple[Name, ...] = ()


@dataclass(frozen=True)
class DistinctRows:
    """Which rows of these discrete variables occur, and how often? For families too wide for a table.

    A row counts where it has a value in every one of the variables.

    >>> DistinctRows(("Flu", "Cold", "Fever"))
    DistinctRows(variables=('Flu', 'Cold', 'Fever'))
    """

    variables: tuple[Name, ...]


@dataclass(frozen=True)
class RowSample:
    """Some whole rows of these variables: at most ``size`` distinct ones, the same in any order of the data.

    >>> RowSample(("age", "smoker"), size=100)
    RowSample(variables=('age', 'smoker'), size=100)
    """

    variables: tuple[Name, ...]
    size: int = 4096


@dataclass(frozen=True)
class ValueHistogram:
    """Which values does a number take, and how often, for each combination of ``given`` states?

    >>> ValueHistogram("height", given=("sex",))
    ValueHistogram(variable='height', given=('sex',))
    """

    variable: Name
    given: tuple[Name, ...] = ()

    @property
    def variables(self) -> tuple[Name, ...]:
        """The number, as the other requests name theirs."""
        return (self.variable,)


@dataclass(frozen=True)
class WordCounts:
    """How often does each word occur in the texts of a column, for each state of ``given``?

    >>> WordCounts("review", given=("rating",))
    WordCounts(variable='review', given=('rating',))
    """

    variable: Name
    given: tuple[Name, ...]

    @property
    def variables(self) -> tuple[Name, ...]:
        """The column of texts, as the other requests name theirs."""
        return (self.variable,)


Request: TypeAlias = (
    CountTable | PairCounts | Moments | DistinctRows | RowSample | ValueHistogram | WordCounts
)
