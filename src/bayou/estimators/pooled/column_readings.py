"""How the columns of an ensemble are read, as numbers, states or texts, and when that is decided.

The first rows with a value of a column decide. Until then its kind is open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.pooled.frozen.ensemble_statistics import kept_rows
from bayou.estimators.pooled.training_rows import NUMBERS, NUMERIC, STATES, TEXTS
from bayou.schema import is_missing
from bayou.statistics import CountTable, Request, RowSample, SampledRows, Statistics
from bayou.typing import Name

Kinds = dict[Name, str]


def read_as(kind: str) -> str:
    """Whether a column of a kind is read as numbers, as states or as texts."""
    return NUMBERS if kind in NUMERIC else TEXTS if kind == TEXTS else STATES


def names_read_as(reading: str, kinds: Mapping[Name, str]) -> list[Name]:
    """The columns that are read so."""
    return [name for name, kind in kinds.items() if read_as(kind) == reading]


def kinds_now(kinds: Kinds, statistics: Statistics, rows: LabelledSource) -> Kinds:
    """The kinds after further rows: these decide on the columns that had no value until now."""
    found = dict(kinds)
    for name in _without_values(kept_rows(statistics), kinds):
        request = RowSample((name,), 2)  # of two distinct cells at least one has a value, if any has
        if not _without_values(rows.collect([request])[request], [name]):
            found[name] = rows.kind(name)
    return found


def kinds_of_both(one: tuple[Kinds, Statistics], other: tuple[Kinds, Statistics]) -> Kinds:
    """The kinds of columns for the rows of two ensembles; an error where these have values of other types."""
    (kinds, known), (theirs, added) = one, other
    open_here = _without_values(kept_rows(known), kinds)
    open_there = _without_values(kept_rows(added), theirs)
    found = dict(kinds)
    for name, kind in theirs.items():
        if name in open_here:
            found[name] = kind
        elif name not in open_there and read_as(kind) != read_as(found[name]):
            raise BadQuestion(
                f"One ensemble reads {name!r} as {read_as(found[name])}, the other as {read_as(kind)}: its "
                "values are of another type. Convert the column in one of both, and fit it again."
            )
    return found


def sum_by_kinds(kinds: Kinds, *parts: Statistics) -> Statistics:
    """Add statistics, with counts of the columns that are states; one part may have no value of them."""
    one, other = (counted_as(kinds, part) for part in parts)
    alone: dict[Request, Any] = {
        request: result
        for part, rest in ((one, set(other)), (other, set(one)))
        for request, result in part.items()
        if isinstance(request, CountTable) and request not in rest
    }
    both = one.only(set(one) - alone.keys()) + other.only(set(other) - alone.keys())
    return Statistics({**both, **alone}, both.rows)


def counted_as(kinds: Kinds, statistics: Statistics) -> Statistics:
    """Statistics without the counts (of no cell) of columns that turned out to be no states."""
    states = names_read_as(STATES, kinds)
    return statistics.only({request for request in statistics if not _is_of_others(request, states)})


def _is_of_others(request: Request, states: Collection[Name]) -> bool:
    """Whether these are counts of a column by class that is none of these."""
    return (
        isinstance(request, CountTable) and len(request.variables) == 2 and request.variables[1] not in states
    )


def _without_values(sample: SampledRows, names: Iterable[Name]) -> set[Name]:
    """The columns that are missing in all rows of a sample."""
    return {name for name in names if not _has_value(sample, name)}


def _has_value(sample: SampledRows, name: Name) -> bool:
    held = sample.held(name)
    if isinstance(held, tuple):
        codes, states = held
        return bool((codes < len(states) - 1).any())
    if isinstance(held, np.ndarray):
        return not np.isnan(held).all()
    return not all(map(is_missing, held))
