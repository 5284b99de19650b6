"""Columns of floats that look like states: whole numbers that became floats only because some are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from bayou.errors import BadData, warn_user
from bayou.schema import Variable
from bayou.sources import NumberColumn, TableSource
from bayou.statistics import Batch, Source
from bayou.typing import FloatArray, Name

MANY = 20
"""More different values than this are numbers, not states."""


@dataclass(frozen=True)
class WholeNumbers:
    """The few whole numbers of a column (None: it has others, or many), its cells with a value, its gaps."""

    values: frozenset[int] | None
    seen: int
    gaps: int

    @classmethod
    def of(cls, values: FloatArray) -> WholeNumbers:
        """Look at a column; NaN is a gap."""
        seen = values[~np.isnan(values)]
        gaps = len(values) - len(seen)
        if not np.all(np.isfinite(seen)) or np.any(seen != np.floor(seen)):
            return cls(None, len(seen), gaps)
        distinct = np.unique(seen)
        few = frozenset(map(int, distinct.tolist())) if len(distinct) <= MANY else None
        return cls(few, len(seen), gaps)

    def __add__(self, other: WholeNumbers) -> WholeNumbers:
        both = None if self.values is None or other.values is None else self.values | other.values
        few = both if both is None or len(both) <= MANY else None
        return WholeNumbers(few, self.seen + other.seen, self.gaps + other.gaps)

    @property
    def repeat(self) -> bool:
        """Whether they occur twice and more on average, as states do."""
        return bool(self.values) and 2 * len(self.values or ()) <= self.seen


@dataclass(frozen=True)
class _Look:
    """The kernel that looks at batches of a file; it names the columns so that it can travel."""

    names: tuple[Name, ...]

    def __call__(self, batch: Batch) -> _Seen:
        return _Seen(tuple(WholeNumbers.of(np.asarray(batch.numbers[name])) for name in self.names))


@dataclass(frozen=True)
class _Seen:
    columns: tuple[WholeNumbers, ...]

    def __add__(self, other: _Seen) -> _Seen:
        return _Seen(tuple(a + b for a, b in zip(self.columns, other.columns, strict=True)))


def whole_numbers(source: Source, names: Iterable[Name], gaps_only: bool = True) -> dict[Name, list[int]]:
    """Of these columns of floats those with few whole numbers, ascending (with ``gaps_only``, and gaps)."""
    looked = tuple(names)
    if not looked:
        return {}
    if not isinstance(source, TableSource):
        columns = source.map_batches(_Look(looked), [Variable(name) for name in looked]).columns
    else:
        columns = tuple(_in_memory(source, name) for name in looked)
    return {
        name: sorted(found.values)
        for name, found in zip(looked, columns, strict=True)
        if found.values and ((found.repeat and found.gaps) or not gaps_only)
    }


def _in_memory(source: TableSource, name: Name) -> WholeNumbers:
    column = source.columns[name]
    if not isinstance(column, NumberColumn) or not column.integral:
        return WholeNumbers(None, 0, 0)
    return WholeNumbers.of(column.values)


def inferred_continuous(source: Source, names: Iterable[Name], known: Collection[Name]) -> list[Name]:
    """The columns that are taken as continuous only because their type is float."""
    here = [name for name in names if name not in known and name in source.names]
    return [name for name in here if _is_continuous(source, name)]


def _is_continuous(source: Source, name: Name) -> bool:
    if isinstance(source, TableSource):
        column = source.columns[name]
        return isinstance(column, NumberColumn) and column.kind == "float"
    try:
        return source.variable(name).is_continuous
    except BadData:  # a column without any value is neither
        return False


def remedy(name: Name, values: list[int]) -> str:
    """How to make states of such a column."""
    return f"If these are states, say so (states={{{name!r}: {values}}}), or give it the dtype Int64."


def warn_of_whole_numbers(found: Mapping[Name, list[int]]) -> None:
    """Whole numbers with gaps are floats in many tables, and would silently be taken as measurements."""
    for name, values in found.items():
        warn_user(
            f"Column {name!r} is of floats, so it is taken as continuous (Gaussian); but it has gaps and no "
            f"other values than {', '.join(map(str, values))}. {remedy(name, values)} If they are "
            f"measurements, say continuous=[{name!r}]."
        )
