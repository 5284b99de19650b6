"""Float columns that look like states: whole numbers that became floats only because some are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from bayou.errors import warn_user
from bayou.statistics import NumberSummary, Source
from bayou.typing import Name

_SHOWN = 10
"""The number of texts that advice names."""


def whole_numbers(source: Source, names: Iterable[Name], gaps_only: bool = True) -> dict[Name, list[int]]:
    """Those of the float columns that have only few different whole numbers, with these numbers.

    With ``gaps_only`` the column must also have missing values, and its numbers must repeat.
    """
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
    """The columns that are treated as continuous only because their type is float."""
    here = [name for name in names if name not in known and name in source.names]
    return [name for name in here if source.is_continuous(name)]


def remedy(name: Name, values: list[int]) -> str:
    """Advice how to treat such a column as discrete."""
    return f"If these are states, declare them (states={{{name!r}: {values}}}), or use the dtype Int64."


def text_remedy(source: Source, name: Name) -> str:
    """Advice how to keep texts that were read as numbers (``$5``) as states; empty for other columns."""
    from bayou.sources.row_tables import first_table
    from bayou.sources.tables.columns import SpelledNumbers

    column = first_table(source, [name])[name]
    if not isinstance(column, SpelledNumbers):
        return ""
    texts = [column.written.labels[k] for k in np.argsort(column.meanings, kind="stable")[: _SHOWN + 1]]
    shown = ", ".join([*map(repr, texts[:_SHOWN]), *(["…"] if len(texts) > _SHOWN else [])])
    return (
        f"{name!r} has texts that are read as numbers. If they are states, declare them "
        f"(states={{{name!r}: [{shown}]}}), or use a categorical type."
    )


def warn_of_whole_numbers(found: Mapping[Name, list[int]]) -> None:
    """Warn of whole numbers with missing values: many tables store them as floats."""
    for name, values in found.items():
        warn_user(
            f"Column {name!r} has floats, so it is treated as continuous (Gaussian); but it has gaps and "
            f"only the values {', '.join(map(str, values))}. {remedy(name, values)} If they are "
            f"measurements, declare continuous=[{name!r}]."
        )
