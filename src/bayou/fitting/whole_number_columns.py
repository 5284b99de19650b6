"""Columns of floats that look like states: whole numbers that became floats only because some are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from bayou.errors import warn_user
from bayou.statistics import NumberSummary, Source
from bayou.typing import Name


def whole_numbers(source: Source, names: Iterable[Name], gaps_only: bool = True) -> dict[Name, list[int]]:
    """Of these columns of floats those with few whole numbers, ascending (with ``gaps_only``, and gaps)."""
    requests = [NumberSummary(name) for name in names]
    if not requests:
        return {}
    found = source.collect(requests)
    return {
        numbers.variable: sorted(numbers.counts)
        for numbers in (found[request] for request in requests)
        if numbers.counts and ((numbers.repeat and numbers.gaps) or not gaps_only)
    }


def inferred_continuous(source: Source, names: Iterable[Name], known: Collection[Name]) -> list[Name]:
    """The columns that are taken as continuous only because their type is float."""
    here = [name for name in names if name not in known and name in source.names]
    return [name for name in here if source.is_continuous(name)]


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
